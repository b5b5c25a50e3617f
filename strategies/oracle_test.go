package strategies

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"
)

// oracle is one row of testdata/oracles.csv; see the README there.
type oracle struct {
	family, params, quantity string
	value, tolerance         float64
	relative                 bool
	se                       float64 // of the value itself; 0 unless it was simulated
}

func oracles(t *testing.T, family string) []oracle {
	t.Helper()
	f, err := os.Open("testdata/oracles.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var found []oracle
	for _, row := range rows[1:] {
		if row[0] != family {
			continue
		}
		o := oracle{family: row[0], params: row[1], quantity: row[2], value: number(t, row[3])}
		form, width, _ := strings.Cut(row[4], ":")
		o.relative = form == "rel"
		o.tolerance = number(t, width)
		if strings.Contains(row[5], "tolerance=4 SE") {
			o.se = o.tolerance / 4
		}
		found = append(found, o)
	}
	if len(found) == 0 {
		t.Fatalf("no oracle of family %s", family)
	}
	return found
}

// param is the number after name= in the row's parameters.
func (o oracle) param(t *testing.T, name string) float64 {
	t.Helper()
	_, after, ok := strings.Cut(o.params, name+"=")
	if !ok {
		t.Fatalf("%s: no %s in %q", o.family, name, o.params)
	}
	end := strings.IndexFunc(after, func(r rune) bool { return !strings.ContainsRune("0123456789.", r) })
	if end >= 0 {
		after = after[:end]
	}
	return number(t, after)
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
