// Package site is the page on which scenarios are changed and run: the local one,
// with its server, and the static one, in which the simulator runs itself.
package site

import (
	"embed"
	"io/fs"

	"retrystorm/report"
)

// Vendored files come with their licences; what they are made from stays out.
//
//go:embed web/*.html web/*.css web/*.js web/*.svg web/vendor/codemirror/codemirror.js web/vendor/codemirror/LICENSE web/vendor/codemirror/VERSIONS web/vendor/go
var ours embed.FS

// page has the files of the page by name: ours, and those of package report that
// draw a result.
func page() map[string][]byte {
	own, err := fs.Sub(ours, "web")
	if err != nil {
		panic(err) // the name of the folder is a constant
	}
	files := map[string][]byte{}
	gather(files, own, func(string) bool { return true })
	gather(files, report.Web, func(name string) bool { return name != "report.html" && name != "report.js" })
	return files
}

func gather(files map[string][]byte, from fs.FS, wanted func(name string) bool) {
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && wanted(name) {
			files[name], err = fs.ReadFile(from, name)
		}
		return err
	})
	if err != nil {
		panic(err) // they are inside the program
	}
}
