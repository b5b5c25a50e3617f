package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"retrystorm/cmd/retrystorm/internal/play"
	"retrystorm/report"
	"retrystorm/report/browser"
	"retrystorm/scenarios"
)

// samples are small parts of built-in scenarios, with what is most likely to differ
// between machines: logarithms, exponentials, many variants, races for a row.
var samples = []struct {
	name string
	sets []string
}{
	{"recovering-server", []string{"clients.count=200", "replications=2"}}, // log-normal times
	{"aws-occ", []string{"replications=3", "sweep={clients.count: [20, 40]}", "expect=[]"}},
	{"nested-layers", []string{"replications=2"}},
	{"poisoned-queue", []string{"replications=1"}},
}

// inPage runs an edit in the simulator of the page and gives the SHA-256 of each
// of its files.
const inPage = `(async () => {
	window.simulator ??= Retrystorm.app.worker();
	const edit = %s;
	let tell;
	const over = new Promise((resolve) => { tell = resolve; });
	const run = await window.simulator.run({ ...edit, confirmed: true }, (event) => {
		if (event.kind !== "progress" && event.kind !== "view") tell(event);
	});
	const event = await over;
	if (event.kind !== "done") throw new Error(event.message);
	const sums = {};
	for (const name of event.files) {
		const bytes = await (await run.file(name)).arrayBuffer();
		const sum = await crypto.subtle.digest("SHA-256", bytes);
		sums[name] = [...new Uint8Array(sum)].map((b) => b.toString(16).padStart(2, "0")).join("");
	}
	run.close();
	return sums;
})()`

// The engine is built once, which takes a while.
func TestPlaygroundInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the simulator for browsers")
	}
	ctx := browser.New(t)
	engine, err := BuildEngine(".")
	if err != nil {
		t.Fatal(err)
	}
	files, err := Playground(engine)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "playground")
	if err := WriteFolder(dir, files, false); err != nil {
		t.Fatal(err)
	}
	p := &tab{t, ctx, "file://" + filepath.ToSlash(dir) + "/index.html"}

	// From disk, without a server, by a link.
	p.do(chromedp.Navigate(p.url + link(t, play.Edit{Text: storm})))
	p.says("status", "came with the link")
	p.click("#run")
	p.says("status", "Done.")
	p.click("#keep")
	browser.Axe(t, ctx)

	// It can be cancelled, and run again.
	p.run(`location.hash = "` + link(t, play.Edit{Text: endless}) + `"`)
	p.says("words", "endless.yaml")
	p.says("status", "came with the link")
	p.click("#run")
	p.wait(`document.querySelector("dialog .primary") !== null || !document.getElementById("progress").hidden`)
	p.run(`document.querySelector("dialog .primary")?.click()`)
	p.wait(`document.getElementById("progress").getAttribute("aria-valuenow") !== null && document.getElementById("run").textContent === "Cancel"`)
	p.click("#run")
	p.says("status", "Cancelled.")

	for _, s := range samples {
		b, ok := scenarios.Builtin(s.name)
		if !ok {
			t.Fatalf("there is no %s", s.name)
		}
		edit := play.Edit{Text: string(b.Source), Sets: s.sets}
		sameFiles(t, p, s.name, edit)
	}
	for _, url := range browser.Requests(ctx) {
		if !strings.HasPrefix(url, "file:") && !strings.HasPrefix(url, "blob:") && !strings.HasPrefix(url, "data:") {
			t.Errorf("the page asked for %s", url)
		}
	}
}

// sameFiles holds the files of a run in the page to those of one here, byte for
// byte. The manifest names the files, and there is no Parquet in the page.
func sameFiles(t *testing.T, p *tab, name string, edit play.Edit) {
	t.Helper()
	var message string
	want := play.New(play.Limits{Jobs: 2}).Run(nil, edit, func(e play.Event) { message = e.Message })
	if want == nil {
		t.Fatalf("%s: %s", name, message)
	}
	got := browser.Get[map[string]string](t, p.ctx, fmt.Sprintf(inPage, asJSON(edit)))
	names := slices.DeleteFunc(want.Names(), func(s string) bool { return strings.HasSuffix(s, ".parquet") })
	if len(got) != len(names) {
		t.Errorf("%s: the page has %d files, not %q", name, len(got), names)
	}
	for _, file := range names {
		if file == "manifest.json" {
			continue
		}
		content, err := want.File(file)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); got[file] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: %s has other bytes in the page", name, file)
		}
	}
}

func TestPlaygroundFolder(t *testing.T) {
	engine := &Engine{Wasm: []byte("\x00asm"), Exec: []byte(`"</script>"`)}
	files, err := Playground(engine)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(files["engine.js"]), "</script>") {
		t.Error("the engine could end the script that it is in")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := WriteFolder(dir, files, false); err != nil {
		t.Fatal(err)
	}
	// One of ours is written again, and what it no longer has goes away.
	if err := WriteFolder(dir, map[string][]byte{indexFile: []byte("new")}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "engine.js")); err == nil {
		t.Error("a file of the old playground is still there")
	}
	if b, err := os.ReadFile(filepath.Join(dir, indexFile)); err != nil || string(b) != "new" {
		t.Errorf("%q %v", b, err)
	}

	other := t.TempDir()
	mine := filepath.Join(other, "thesis.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	var usage *report.UsageError
	if err := WriteFolder(other, files, false); !errors.As(err, &usage) {
		t.Errorf("a folder with other files: %v", err)
	}
	if err := WriteFolder(mine, files, true); !errors.As(err, &usage) {
		t.Errorf("a file: %v", err)
	}
	if err := WriteFolder(other, files, true); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(mine); err != nil || string(b) != "mine" {
		t.Errorf("what was there is now %q, %v", b, err)
	}
}

// Whatever an older playground says that its files were, and wherever links lead,
// nothing outside of its folder is removed.
func TestPlaygroundFolderWithLinks(t *testing.T) {
	top := t.TempDir()
	dir, secret := filepath.Join(top, "page"), filepath.Join(top, "other", "secret")
	for _, d := range []string{dir, filepath.Dir(secret)} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(secret, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := writeMark(dir, []string{"../other/secret", "link/secret", secret}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "other"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err) // on Windows not everybody may
	}
	if err := WriteFolder(dir, map[string][]byte{indexFile: []byte("new")}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
	nowhere := filepath.Join(top, "nowhere")
	if err := os.Symlink("missing", nowhere); err != nil {
		t.Fatal(err)
	}
	var usage *report.UsageError
	if err := CheckFolder(nowhere, true); !errors.As(err, &usage) {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}

func TestReadEngine(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, wasmFile)
	put := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fails := func(want string) {
		t.Helper()
		if _, err := ReadEngine(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
	fails(wasmFile)
	put(wasmFile, "no such thing")
	fails("is no WebAssembly")
	put(wasmFile, "\x00asm...")
	fails("needs wasm_exec.js")
	put(execFile, "run")
	if e, err := ReadEngine(file); err != nil || string(e.Exec) != "run" {
		t.Errorf("%v %v", e, err)
	}
}

func TestNoEngine(t *testing.T) {
	t.Setenv("PATH", "")
	var none *NoEngineError
	if _, err := FindEngine(); !errors.As(err, &none) || !strings.Contains(err.Error(), "there is no Go") {
		t.Errorf("%v", err)
	}
}

// The page loads all that draws a view, in its order.
func TestThePageLoadsTheView(t *testing.T) {
	index := string(page()[indexFile])
	at := 0
	for _, name := range append(slices.Clone(report.WebStyles), report.WebScripts...) {
		i := strings.Index(index, `"`+name+`"`)
		if i < at {
			t.Errorf("%s: loaded at %d, after %d", name, i, at)
		}
		at = i
	}
	for name := range page() {
		if strings.HasSuffix(name, ".js") && !strings.Contains(index, `src="`+name+`"`) {
			t.Errorf("%s is not loaded", name)
		}
	}
}
