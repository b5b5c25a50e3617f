package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"io/fs"
	"strings"
	"sync"

	"retrystorm/experiment"
)

const htmlFile = "report.html"

// HTML writes a page that shows the whole result by itself: its style, its
// scripts and its data are inside, and it may load nothing else.
func HTML(w io.Writer, r *experiment.Result) error {
	v, err := NewView(r)
	if err != nil {
		return err
	}
	data, err := json.Marshal(v) // escapes what could end the script
	if err != nil {
		return err
	}
	page, err := webPage()
	if err != nil {
		return err
	}
	var detail strings.Builder
	for _, sentence := range v.Verdict.sentences() {
		detail.WriteString("<p>" + html.EscapeString(sentence) + "</p>\n")
	}
	_, err = page.with(html.EscapeString(headline(r)), html.EscapeString(v.Verdict.Headline), detail.String(), string(data)).WriteString(w, page.text)
	return err
}

// sentences are all that a verdict says below its headline.
func (v *ViewVerdict) sentences() []string {
	var out []string
	if v.Tally != "" {
		out = append(out, capital(v.Tally)+".")
	}
	out = append(out, v.Detail...)
	for _, w := range v.Wins {
		out = append(out, w.Sentence+".")
	}
	return out
}

// htmlPage is report.html, and what stands in it whatever the result. It is no
// html/template: a program that has one keeps all methods of all types, which is a
// third of what the playground has to load.
type htmlPage struct{ text, csp, css, js string }

// with fills the page in one go, so that nothing is looked for in what was put in.
func (p *htmlPage) with(title, headline, detail, data string) *strings.Replacer {
	return strings.NewReplacer("{{csp}}", p.csp, "{{css}}", p.css, "{{js}}", p.js,
		"{{title}}", title, "{{headline}}", headline, "{{detail}}", detail, "{{data}}", data)
}

// webPage puts the files of the front end together. The page allows its own style
// and script by their hashes, and nothing else.
var webPage = sync.OnceValues(func() (*htmlPage, error) {
	text, err := joinedFiles([]string{"report.html"})
	if err != nil {
		return nil, err
	}
	css, err := joinedFiles(WebStyles)
	if err != nil {
		return nil, err
	}
	js, err := joinedFiles(append(WebScripts[:len(WebScripts):len(WebScripts)], reportScript))
	if err != nil {
		return nil, err
	}
	csp := "default-src 'none'; script-src " + hashOf(js) + "; style-src " + hashOf(css) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
	return &htmlPage{text, csp, css, js}, nil
})

func joinedFiles(names []string) (string, error) {
	var b bytes.Buffer
	for _, name := range names {
		text, err := fs.ReadFile(Web, name)
		if err != nil {
			return "", err
		}
		b.Write(text)
		if !bytes.HasSuffix(text, []byte("\n")) {
			b.WriteByte('\n')
		}
	}
	// A browser hashes what it has read, in which every line ends alike.
	return strings.ReplaceAll(b.String(), "\r\n", "\n"), nil
}

// hashOf is a source expression that allows what is inline.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
