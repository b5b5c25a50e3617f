package scenarios

import "testing"

// FuzzLoad checks that nothing a file says can break the reader, or stall it until
// the test's timeout, and that what is loaded can be written, loaded and resolved.
func FuzzLoad(f *testing.F) {
	for _, b := range Builtins() {
		f.Add(b.Source)
	}
	for _, pattern := range []string{"testdata/language/*.yaml", "testdata/errors/*.yaml", "testdata/notes/*.yaml"} {
		for _, src := range readAll(f, pattern) {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := Load("fuzz.yaml", src, nil, nil)
		if err != nil {
			if len(err.Error()) > 100_000 {
				t.Fatalf("%d bytes of messages", len(err.Error()))
			}
			return
		}
		if file.Points() > 1000 {
			return
		}
		again, err := Load("long.yaml", file.Long(), nil, nil)
		if err != nil {
			t.Fatalf("the long form is refused: %v\n%s", err, file.Long())
		}
		if string(again.Long()) != string(file.Long()) {
			t.Fatalf("long forms differ:\n%s\n%s", file.Long(), again.Long())
		}
		if b := file.Bisect(); b != nil {
			for _, k := range []int{0, b.Steps / 3, b.Steps} {
				file.BisectPoint(0, k)
				if _, err := file.ResolveBisect(0, k); err != nil && k%b.Steps == 0 {
					t.Fatal(err)
				}
			}
		}
		for i := range min(file.Points(), 20) {
			s, err := file.Resolve(i)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Model(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
