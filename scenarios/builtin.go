package scenarios

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// BuiltinFile is a scenario that ships with the tool.
//
// Sources are complete files: what is shown is what is run.
type BuiltinFile struct {
	Name, Title string
	Source      []byte
}

// Builtins lists the scenarios that ship with the tool, by name.
func Builtins() []BuiltinFile {
	entries, err := fs.ReadDir(builtinFiles, "builtin")
	if err != nil {
		panic(err) // embedded
	}
	var out []BuiltinFile
	for _, e := range entries {
		b, _ := Builtin(strings.TrimSuffix(e.Name(), ".yaml"))
		out = append(out, b)
	}
	return out
}

// Builtin finds a scenario that ships with the tool.
func Builtin(name string) (BuiltinFile, bool) {
	src, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
	if err != nil {
		return BuiltinFile{}, false
	}
	b := BuiltinFile{Name: name, Source: src}
	for line := range strings.Lines(string(src)) {
		if title, ok := strings.CutPrefix(line, "title: "); ok {
			b.Title = strings.Trim(strings.TrimSpace(title), `"`)
			break
		}
	}
	return b, true
}
