package browser

import (
	"context"
	_ "embed"
	"testing"
)

//go:embed testdata/axe.min.js
var axe string

// judge runs axe and lists what it finds serious.
const judge = `axe.run(document, {resultTypes: ["violations"], preload: false}).then(r => r.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.flatMap(v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.target.join(" ") + ": " + n.html.slice(0, 200)
		+ " " + (n.any[0] || n.all[0] || n.none[0] || {message: ""}).message)))`

// Axe looks for what keeps people from using the page, and fails the test for what
// is serious or critical.
func Axe(t testing.TB, ctx context.Context) {
	t.Helper()
	Get[bool](t, ctx, axe+"\ntrue")
	for _, finding := range Get[[]string](t, ctx, judge) {
		t.Error(finding)
	}
}
