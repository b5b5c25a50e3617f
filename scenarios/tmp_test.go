package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestTmp(t *testing.T) {
	files, _ := filepath.Glob("*/*.yaml")
	for _, n := range files {
		src, _ := os.ReadFile(n)
		f, err := Load(n, src, nil, nil)
		if err != nil {
			t.Errorf("%s:\n%v", n, err)
			continue
		}
		fmt.Println(n, f.Points(), f.Axes(), f.Variants())
		for _, p := range f.Notes {
			fmt.Println("  note", p)
		}
		fmt.Println(string(f.Long()))
		g, err := Load(n, f.Long(), nil, nil)
		if err != nil {
			t.Errorf("again: %v", err)
			continue
		}
		if string(g.Long()) != string(f.Long()) {
			t.Error("differs")
		}
		for i := range f.Points() {
			s, err := f.Resolve(i)
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Model()
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
