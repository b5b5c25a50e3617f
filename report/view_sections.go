package report

import "strings"

// viewSections are the tables below the main one.
func viewSections(list []*section) []ViewSection {
	out := []ViewSection{}
	for _, s := range list {
		x := ViewSection{Title: capital(s.title), Columns: []string{}, Left: []bool{}, Rows: [][]string{}, Lines: nonNil(s.lines)}
		for i := range s.columns {
			c := &s.columns[i]
			x.Columns, x.Left = append(x.Columns, c.title), append(x.Left, c.left)
			for k := range c.values {
				if i == 0 {
					x.Rows = append(x.Rows, nil)
				}
				x.Rows[k] = append(x.Rows[k], strings.TrimSpace(c.values[k]+" "+c.interval[k]))
			}
		}
		out = append(out, x)
	}
	return out
}
