package main_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "retrystorm"
	root   = "../.."
)

// layers says which packages of ours each package may import. Imports only go
// down, and strategies and server do not know each other:
//
//	cmd/retrystorm
//	cmd/retrystorm/internal/site  cmd/retrystorm/internal/site/wasm
//	cmd/retrystorm/internal/play
//	cmd/retrystorm/internal/findings  cmd/retrystorm/internal/lint  cmd/retrystorm/internal/engines
//	cmd/retrystorm/internal/forecast  cmd/retrystorm/internal/command
//	report
//	report/text  experiment
//	scenarios
//	sim
//	strategies  server
//	sim/event   sim/limit   sim/random
//
// A new package needs a row, and a reason for all that it knows.
var layers = map[string][]string{
	"cmd/retrystorm":                    {"cmd/retrystorm/internal/command", "cmd/retrystorm/internal/engines", "cmd/retrystorm/internal/findings", "cmd/retrystorm/internal/forecast", "cmd/retrystorm/internal/lint", "cmd/retrystorm/internal/play", "cmd/retrystorm/internal/site", "report/text", "report", "experiment", "scenarios", "sim", "strategies", "server", "sim/random"},
	"cmd/retrystorm/internal/engines":   {}, // words in, files out
	"cmd/retrystorm/internal/findings":  {"report", "experiment", "scenarios", "sim", "strategies", "server", "sim/random"},
	"cmd/retrystorm/internal/command":   {"scenarios"},
	"cmd/retrystorm/internal/forecast":  {"report", "experiment"},
	"cmd/retrystorm/internal/play":      {"cmd/retrystorm/internal/command", "cmd/retrystorm/internal/forecast", "report", "experiment", "scenarios", "strategies", "sim/random"},
	"cmd/retrystorm/internal/site":      {"cmd/retrystorm/internal/forecast", "cmd/retrystorm/internal/play", "report"},
	"cmd/retrystorm/internal/site/wasm": {"cmd/retrystorm/internal/play"},
	"cmd/retrystorm/internal/lint":      {"report/text", "scenarios", "sim", "strategies", "server", "sim/random"},
	"report":                            {"report/text", "experiment", "scenarios", "sim", "strategies", "server", "sim/random"},
	"report/browser":                    {}, // for tests
	"report/text":                       {},
	"experiment":                        {"scenarios", "sim", "strategies", "server", "sim/random"},
	"scenarios":                         {"sim", "strategies", "server", "sim/random"}, // the types that a file is made of
	"sim":                               {"strategies", "server", "sim/event", "sim/random"},
	"strategies":                        {"sim/limit", "sim/random"},
	"server":                            {"sim/limit", "sim/random"},
	"sim/event":                         {},
	"sim/limit":                         {},
	"sim/random":                        {},
}

// libraries says who may import a library, itself and what is below it.
var libraries = map[string][]string{
	"github.com/spf13/cobra":            {"cmd/retrystorm"},
	"github.com/spf13/pflag":            {"cmd/retrystorm"},
	"github.com/schollz/progressbar/v3": {"cmd/retrystorm"},
	"gonum.org/v1/plot":                 {"report"},
	"gonum.org/v1/gonum":                {"experiment", "report"}, // its sums differ between architectures
	"github.com/goccy/go-yaml":          {"scenarios"},
	"github.com/parquet-go/parquet-go":  {"report"},
	"github.com/klauspost/compress":     {"report"},
	"golang.org/x/sys":                  {"report"},
	"github.com/chromedp/chromedp":      {"report/browser"},
	"github.com/chromedp/cdproto":       {"report/browser"},
	// Tests only.
	"pgregory.net/rapid":              {},
	"github.com/rogpeppe/go-internal": {},
	"github.com/google/go-cmp":        {},
}

// source is a file that ends up in a build.
type source struct {
	name string // below the root, with slashes
	tree *ast.File
}

func (s source) dir() string { return path.Dir(s.name) }

// waiting are the packages that people wait for: they look at the clock and do
// several things at a time. What they show of a run comes from those below.
var waiting = []string{
	"cmd/retrystorm", "cmd/retrystorm/internal/forecast", "cmd/retrystorm/internal/play",
	"cmd/retrystorm/internal/site", "cmd/retrystorm/internal/site/wasm",
	"report/browser",
}

// below reports whether the file is in a package below those.
func (s source) below() bool { return !slices.Contains(waiting, s.dir()) }

// sources parses all files that are not tests, for every system: build tags
// are looked at only to leave out programs that are run by hand.
func sources(t *testing.T) (*token.FileSet, []source) {
	t.Helper()
	set := token.NewFileSet()
	var all []source
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return
		}
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if !byHand(tree) {
			all = append(all, source{name, tree})
		}
	})
	if len(all) == 0 {
		t.Fatal("no source files found")
	}
	return set, all
}

// byHand reports whether a file says //go:build ignore.
func byHand(tree *ast.File) bool {
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if c.Pos() < tree.Package && constraint.IsGoBuild(c.Text) {
				expr, err := constraint.Parse(c.Text)
				return err == nil && expr.String() == "ignore"
			}
		}
	}
	return false
}

// walk visits the files of the repository, but for git's own and those of a
// nested module, which tests ours against others' code.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && isModule(name), d.Name() == ".git" || strings.HasSuffix(name, ".partial"):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular():
			visit(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(root, dir, "go.mod"))
	return err == nil
}

func importPath(s *ast.ImportSpec) string {
	name, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		panic(err) // the parser took it for a string
	}
	return name
}

func TestImportsGoDown(t *testing.T) {
	set, all := sources(t)
	seen := map[string]bool{}
	for _, s := range all {
		allowed, ok := layers[s.dir()]
		if !ok && !seen[s.dir()] {
			t.Errorf("%s: a package without a row in layers: say what it may import", s.dir())
		}
		seen[s.dir()] = true
		for _, spec := range s.tree.Imports {
			ours, ok := strings.CutPrefix(importPath(spec), module+"/")
			if ok && !slices.Contains(allowed, ours) {
				t.Errorf("%v: %s must not know %s: imports only go down", set.Position(spec.Pos()), s.dir(), ours)
			}
		}
	}
	for dir := range layers {
		if !seen[dir] {
			t.Errorf("layers has a row for %s, which is no package", dir)
		}
	}
}

func TestLibrariesHaveTheirPlace(t *testing.T) {
	set, all := sources(t)
	for _, s := range all {
		for _, spec := range s.tree.Imports {
			name := importPath(spec)
			for library, users := range libraries {
				if (name == library || strings.HasPrefix(name, library+"/")) && !slices.Contains(users, s.dir()) {
					t.Errorf("%v: %s imports %s, which belongs to %s", set.Position(spec.Pos()), s.dir(), name,
						cmp.Or(strings.Join(users, " and "), "tests"))
				}
			}
		}
	}
}

const (
	noClock = "no wall clock below cmd: a result is a function of scenario and seed, and time is virtual"
	noMath  = "other bits on other architectures: use the logarithm and exponential of sim/random"
	noRand  = "every draw comes from a named stream of sim/random, so that more draws in one place shift nothing elsewhere"
	noGo    = "goroutines only in experiment and cmd: a replication runs in one, in one order"
	noInit  = "no init: what a package does must not depend on who imports it"
)

// forbidden are functions of the standard library that must not reach a result.
var forbidden = map[string]map[string]string{
	"time": why(noClock, "Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"),
	// Written in assembly here and in Go there, or fused there and not here.
	"math": why(noMath, "Log", "Log10", "Log1p", "Log2", "Exp", "Exp2", "Expm1", "Pow", "Hypot", "Cbrt",
		"Sin", "Cos", "Sincos", "Tan", "Asin", "Acos", "Atan", "Atan2", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh",
		"Gamma", "Lgamma", "Erf", "Erfc", "Erfinv", "Erfcinv"),
}

// exceptions are the places where a rule does not hold, each for a reason.
var exceptions = map[string]string{
	"report/scale.go math.Log10": "a place on a picture, rounded to a millionth of the axis",
	"report/log.go go statement": "it waits for the disk and touches no number",
	"report/log.go time.After":   "between two waits for the disk",
}

func why(reason string, names ...string) map[string]string {
	m := map[string]string{}
	for _, name := range names {
		m[name] = reason
	}
	return m
}

// finding is a place that breaks a rule.
type finding struct {
	pos       token.Pos
	what, why string
}

// findings lists what breaks the determinism rules in a file below cmd.
func findings(s source) []finding {
	var found []finding
	add := func(n ast.Node, what, why string) { found = append(found, finding{n.Pos(), what, why}) }
	imports := map[string]string{} // by the name they have in the file
	for _, spec := range s.tree.Imports {
		name := importPath(spec)
		if name == "math/rand" || name == "math/rand/v2" || name == "crypto/rand" {
			add(spec, name, noRand)
		}
		local := path.Base(name)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if local == "." && forbidden[name] != nil {
			add(spec, "import . "+name, "name the package where it is used")
		}
		imports[local] = name
	}
	parallel := s.dir() == "experiment"
	for n := range ast.Preorder(s.tree) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				add(n, "func init", noInit)
			}
		case *ast.GoStmt:
			if !parallel && exceptions[s.name+" go statement"] == "" {
				add(n, "go statement", noGo)
			}
		case *ast.CallExpr: // of a sync.WaitGroup or an errgroup.Group
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" && !parallel {
				add(n, f.Sel.Name, noGo)
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "ExpFloat64" || n.Sel.Name == "NormFloat64" {
				add(n, n.Sel.Name, noMath)
			}
			x, ok := n.X.(*ast.Ident)
			if !ok {
				continue
			}
			pkg := imports[x.Name]
			if why := forbidden[pkg][n.Sel.Name]; why != "" && exceptions[s.name+" "+pkg+"."+n.Sel.Name] == "" {
				add(n, pkg+"."+n.Sel.Name, why)
			}
		}
	}
	return found
}

func TestNothingBelowCmdIsUnpredictable(t *testing.T) {
	set, all := sources(t)
	for _, s := range all {
		if !s.below() {
			continue
		}
		for _, f := range findings(s) {
			t.Errorf("%v: %s: %s", set.Position(f.pos), f.what, f.why)
		}
	}
}

func TestUnpredictableThingsAreFound(t *testing.T) {
	for _, c := range []struct{ dir, imports, code, want string }{
		{"sim", `"time"`, "func f() { time.Now() }", "time.Now"},
		{"sim", `"time"`, "var now = time.Now", "time.Now"},
		{"sim", `clock "time"`, "func f() { clock.Sleep(1) }", "time.Sleep"},
		{"sim", `"time"`, "const wait = time.Second", ""},
		{"sim", `"math"`, "func f() { math.Log(1); math.Pow(1, 1); math.Sqrt(1) }", "math.Log math.Pow"},
		{"sim", `math "retrystorm/sim/random"`, "func f() { math.Log(1) }", ""},
		{"sim", `. "math"`, "func f() { Log(1) }", "import . math"},
		{"sim", `"math/rand/v2"`, "func f() { rand.ExpFloat64() }", "math/rand/v2 ExpFloat64"},
		{"server", ``, "func f(r R) { r.NormFloat64() }", "NormFloat64"},
		{"server", ``, "func f() { go f() }", "go statement"},
		{"server", `"sync"`, "func f(w *sync.WaitGroup) { w.Go(nil) }", "Go"},
		{"experiment", `"sync"`, "func f(w *sync.WaitGroup) { w.Go(nil); go f(w) }", ""},
		{"report", ``, "func init() {}", "func init"},
		{"report", ``, "func (r R) init() {} // not math.Log(x) or time.Now()", ""},
	} {
		src := fmt.Sprintf("package p\nimport (%s)\n%s\n", c.imports, c.code)
		tree, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, f := range findings(source{c.dir + "/x.go", tree}) {
			found = append(found, f.what)
		}
		if got := strings.Join(found, " "); got != c.want {
			t.Errorf("in %s, %s: found %q, want %q", c.dir, c.code, got, c.want)
		}
	}
}

func TestNoFileNamesAPlaceOnOneMachine(t *testing.T) {
	local := [][]byte{[]byte("/wo" + "rk/"), []byte("/ro" + "ot/")}
	walk(t, func(name string) {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(data, 0) >= 0 { // a picture, or the command itself
			return
		}
		for i, line := range bytes.Split(data, []byte("\n")) {
			for _, p := range local {
				if bytes.Contains(line, p) {
					t.Errorf("%s:%d: %s is a place on one machine", name, i+1, p)
				}
			}
		}
	})
}
