// Package text fits text to the width of a terminal.
package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Wrap breaks s between words so that its lines are no longer than width; 0 is
// no limit. It keeps the blanks that s begins with; further lines begin with
// indent. What has no blanks stays whole.
func Wrap(s string, width int, indent string) string {
	if width <= 0 {
		return s
	}
	var out strings.Builder
	line := s[:len(s)-len(strings.TrimLeft(s, " "))]
	between := ""
	for word := range strings.FieldsSeq(s) {
		if between != "" && length(line)+1+length(word) > width {
			out.WriteString(line + "\n")
			line, between = indent, ""
		}
		line += between + word
		between = " "
	}
	return out.String() + line
}

// leastLast is how narrow the last column of a table may become.
const leastLast = 24

// Table writes rows, their columns two blanks apart. Where they do not fit the
// width, 0 being no limit, the last column is wrapped.
func Table(w io.Writer, width int, indent string, rows [][]string) error {
	var widths []int
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	for _, row := range rows {
		for i, cell := range row[:min(len(row), columns-1)] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], length(cell))
		}
	}
	left := length(indent)
	for _, n := range widths {
		left += n + 2
	}
	for _, row := range rows {
		line := indent
		for i, cell := range row {
			switch {
			case i < columns-1:
				line += cell + strings.Repeat(" ", widths[i]-length(cell)+2)
			case width > 0:
				line += Wrap(cell, max(width-left, leastLast), "")
			default:
				line += cell
			}
		}
		line = strings.ReplaceAll(line, "\n", "\n"+strings.Repeat(" ", left))
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

func length(s string) int { return utf8.RuneCountInString(s) }
