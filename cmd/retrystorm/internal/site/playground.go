package site

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// staticPolicy is what the static page may do: what lies beside it, and workers that
// it makes itself, of WebAssembly.
const staticPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"img-src 'self' data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'"

// Playground are the files of the static page by name. It runs the engine in the
// browser, and works from disk too.
func Playground(e *Engine) (map[string][]byte, error) {
	files := page()
	index := files["index.html"]
	for _, change := range [][2]string{
		{`data-backend="http"`, `data-backend="worker"`},
		{`<meta charset="utf-8">`, `<meta charset="utf-8">` + "\n" + `<meta http-equiv="Content-Security-Policy" content="` + staticPolicy + `">`},
	} {
		if bytes.Count(index, []byte(change[0])) != 1 {
			return nil, fmt.Errorf("index.html must have %s once", change[0])
		}
		index = bytes.Replace(index, []byte(change[0]), []byte(change[1]), 1)
	}
	files["index.html"] = index
	script, err := e.script()
	if err != nil {
		return nil, err
	}
	files["engine.js"] = script
	return files, nil
}

// script is the engine as a script that defines Retrystorm.engine: a page from disk
// can load nothing else.
func (e *Engine) script() ([]byte, error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(e.Wasm); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	exec, err := json.Marshal(string(e.Exec))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "// The simulator as WebAssembly, and what starts it: wasm_exec.js of Go, licence in vendor/go.\n"+
		"Retrystorm.engine = {\nexec: %s,\nwasm: \"%s\",\n};\n", exec, base64.StdEncoding.EncodeToString(packed.Bytes()))
	return b.Bytes(), nil
}
