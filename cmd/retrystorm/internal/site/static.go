package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"time"
)

// file is one of the page.
type file struct {
	content []byte
	kind    string
	tag     string
}

// kinds are the media types of the files that there are: those of the system may
// be anything.
var kinds = map[string]string{
	".css":     "text/css; charset=utf-8",
	".csv":     "text/csv; charset=utf-8",
	".html":    "text/html; charset=utf-8",
	".js":      "text/javascript; charset=utf-8",
	".json":    "application/json",
	".jsonl":   "application/x-ndjson",
	".md":      "text/markdown; charset=utf-8",
	".parquet": "application/vnd.apache.parquet",
	".png":     "image/png",
	".svg":     "image/svg+xml",
	".yaml":    "application/yaml",
}

func kindOf(name string) string {
	if kind, ok := kinds[path.Ext(name)]; ok {
		return kind
	}
	return "application/octet-stream"
}

func filesOf(all map[string][]byte) map[string]file {
	files := make(map[string]file, len(all))
	for name, content := range all {
		kind := kindOf(name)
		if path.Ext(name) == "" { // licences, versions
			kind = "text/plain; charset=utf-8"
		}
		sum := sha256.Sum256(content)
		files[name] = file{content, kind, `"` + hex.EncodeToString(sum[:8]) + `"`}
	}
	return files
}

// static serves the file of exactly that name.
func (s *Server) static(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = indexFile
	}
	f, ok := s.files[name]
	if !ok {
		refuse(w, http.StatusNotFound, "there is no %s here", r.URL.Path)
		return
	}
	limitWriting(w, writeTime)
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache") // another version of the program has others
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}
