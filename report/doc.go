// Package report turns a finished experiment into what people and programs
// read: a table, CSV files, JSON, pictures, and the output folder that holds
// them. Nothing here simulates and nothing here does statistics: every output
// is a function of an [experiment.Result], so a stored result can be rendered
// again, byte for byte.
//
//	Result --Files--> summary.csv summary.parquet runs.csv ... manifest.json
//	       --Table--> terminal
//	       --Markdown, JUnit, Annotations, JobSummary--> pull requests and CI
//	       --Plots--> calls.png completion.png arrivals.png ...
//	       --NewView--> View --HTML--> report.html
//	folder --Read---> Result
//
// The table and Markdown show the same sections below their rows: how variants
// compare, what flips where, what matters. They compute nothing either: package
// experiment compares.
//
// Pages draw a [View], which NewView fills (view_*.go, a file for each part of a
// page): plain data with every number and sentence made here, so that a page
// computes nothing. It has room for a table of some thousand numbers and for the
// charts of the severest place, with fewer rows where that is too much, and then
// of as many other places as fit; View.Dropped says what is left out and which
// file has it. PartialView is the same of a run under way. The verdict says which
// variant to use and why (verdict*.go); package experiment recommends. HTML puts
// a View and the files of web into one page, which may load nothing and runs no
// other script than its own.
//
// Each table is described once, by its columns and the rows that a point has;
// files of rows are made in one pass over the points, of which a long sweep has
// only a few in memory at a time.
//
// All numbers become text in one place, number.go; pictures are drawn by a
// [Figure] (lines over a common axis) or [Dots] (one row per variant), whose
// colours come from one palette. Outputs hold no times, hosts or paths.
package report
