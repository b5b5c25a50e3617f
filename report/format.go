package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"retrystorm/experiment"
)

// Formats are the names that Write knows.
func Formats() []string { return []string{"table", "csv", "json"} }

// CheckFormat refuses a format that Write does not know.
func CheckFormat(format string) error {
	if !slices.Contains(Formats(), format) {
		return usagef("unknown format %q: use %s", format, strings.Join(Formats(), ", "))
	}
	return nil
}

// Write writes the summary of a result in one of the Formats; opt is for the
// table alone.
func Write(w io.Writer, r *experiment.Result, format string, opt TableOptions) error {
	switch format {
	case "table":
		return Table(w, r, opt)
	case "csv":
		return Summary(w, r)
	case "json":
		return JSON(w, r)
	}
	return fmt.Errorf("writing the result: %w", CheckFormat(format))
}
