package strategies

import (
	"fmt"
	"reflect"
	"testing"
)

// The catalogue says the same as the tags and kinds that the file is read with.
func TestCatalogueAgreesWithSpec(t *testing.T) {
	kinds := Backoff{}.Kinds()
	entries := Catalogue()
	if len(entries) != len(kinds) {
		t.Fatalf("%d entries for %d kinds", len(entries), len(kinds))
	}
	defaults := map[string]string{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Backoff]()) {
		defaults[f.Tag.Get("yaml")] = f.Tag.Get("default")
		if f.Tag.Get("none") != "" {
			defaults[f.Tag.Get("yaml")] = "none"
		}
	}
	for i, e := range entries {
		if e.Name != kinds[i][0] || e.Default.Kind != e.Name {
			t.Errorf("entry %s with default kind %s stands for kind %s", e.Name, e.Default.Kind, kinds[i][0])
		}
		if e.Formula == "" || e.Description == "" {
			t.Errorf("%s: no formula or description", e.Name)
		}
		var fields []string
		for _, f := range e.Fields {
			fields = append(fields, f.Name)
			if f.Default != defaults[f.Name] || f.Meaning == "" {
				t.Errorf("%s: field %+v, default in the spec %s", e.Name, f, defaults[f.Name])
			}
		}
		want := kinds[i][1:]
		if want[0] == "" { // no main value
			want = want[1:]
		}
		if e.Name != "none" && !reflect.DeepEqual(fields, want) {
			t.Errorf("%s: fields %v, want %v", e.Name, fields, want)
		}
		e.Default.Validate(func(field, problem string) { t.Errorf("%s: default %s %s", e.Name, field, problem) })
	}
}

// What the name alone means is what the tags say.
func TestDefaultsAgreeWithTags(t *testing.T) {
	b := reflect.ValueOf(defaults("custom"))
	for _, f := range reflect.VisibleFields(b.Type()) {
		want := f.Tag.Get("default")
		switch {
		case f.Name == "Kind" || f.Name == "Waits" || f.Name == "First":
			continue
		case f.Tag.Get("none") != "":
			want = "0s"
		case want == "unlimited":
			want = "-1"
		}
		if got := fmt.Sprint(b.FieldByIndex(f.Index)); got != want {
			t.Errorf("%s is %s, default %s in the spec", f.Name, got, want)
		}
	}
}

func ExampleCatalogue() {
	for _, e := range Catalogue()[4:6] {
		fmt.Printf("%s: %s\n", e.Name, e.Formula)
		w := e.Default.Compile()
		for k := range int64(4) {
			fmt.Println(k+1, w.Min(k+1), w.Mean(k+1), w.Max(k+1))
		}
	}
	// Output:
	// full-jitter: U(0, x), x as for exponential
	// 1 0s 50ms 100ms
	// 2 0s 100ms 200ms
	// 3 0s 200ms 400ms
	// 4 0s 400ms 800ms
	// equal-jitter: x/2 + U(0, x/2), x as for exponential
	// 1 50ms 75ms 100ms
	// 2 100ms 150ms 200ms
	// 3 200ms 300ms 400ms
	// 4 400ms 600ms 800ms
}
