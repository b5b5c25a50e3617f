package scenarios

import (
	"slices"
	"strings"
)

// severals are words that stand for more than one library, or for one that is
// not here, with what may be meant.
var severals = []struct {
	words []string
	note  string
	names []string
}{
	{words: []string{"aws", "aws-sdk", "amazon"}, names: []string{"aws-sdk-go-v2", "aws-sdk-go-v1", "botocore", "smithy-js"}},
	{words: []string{"azure", "azure-sdk", "azure-core"}, names: []string{"azcore-go", "azure-core-python", "azure-js"}},
	{words: []string{"google", "google-cloud", "gcp", "gax"}, names: []string{"gax-go", "google-api-core", "google-gax-js", "pubsub"}},
	{words: []string{"stripe"}, names: []string{"stripe-go", "stripe-node", "stripe-python"}},
	{words: []string{"failsafe"}, note: "Failsafe is a Java library, and what it does is not known", names: []string{"failsafe-go"}},
}

// PresetHint says what else a word may stand for that is no preset by itself,
// or nothing.
func PresetHint(name string) string {
	name = plainName(name)
	for _, s := range severals {
		if !slices.Contains(s.words, name) {
			continue
		}
		if s.note != "" {
			return s.note + "; there is " + orWords(s.names)
		}
		return name + " could be " + orWords(s.names)
	}
	return ""
}

func orWords(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// plainName writes a name as presets have it.
func plainName(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "_", "-")
}

// lookup finds a preset by a name, as people may write it, or by the path of a
// Go package; nil if there is none.
func (all *catalogue) lookup(name string) *preset {
	if p := all.byName[plainName(name)]; p != nil {
		return p
	}
	for path := strings.ToLower(name); path != ""; {
		if p := all.byModule[path]; p != nil {
			return p
		}
		path = path[:max(strings.LastIndexByte(path, '/'), 0)]
	}
	return nil
}

// find looks a preset up by its exact name, or says what else there is.
func (all *catalogue) find(name string) (*preset, *wrong) {
	if p := all.byName[name]; p != nil {
		return p, nil
	}
	return nil, all.unknown(name)
}

func (all *catalogue) unknown(name string) *wrong {
	const allowed = "the names that retrystorm strategies lists"
	if hint := PresetHint(name); hint != "" {
		return &wrong{"no such library; " + hint, allowed}
	}
	return &wrong{"no such library" + nearest(plainName(name), all.names()), allowed}
}
