package report

import (
	"embed"
	"io/fs"
)

//go:embed web
var webFiles embed.FS

// Web has the files of the front end that draws a View: WebStyles and WebScripts,
// and the template of report.html.
var Web = sub(webFiles, "web")

// WebStyles and WebScripts are what a page loads of Web, in this order.
var (
	WebStyles  = []string{"vendor/uplot/uPlot.min.css", "view.css"}
	WebScripts = []string{
		"vendor/uplot/notice.js", "vendor/uplot/uPlot.iife.min.js",
		"base.js", "marks.js", "chart.js", "verdict.js", "table.js", "time.js", "metric.js",
		"completion.js", "paths.js", "attempts.js", "view.js",
	}
)

// reportScript draws the data that is inside the page, in report.html only.
const reportScript = "report.js"

func sub(files fs.FS, dir string) fs.FS {
	s, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the name of the folder is a constant
	}
	return s
}
