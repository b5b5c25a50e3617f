package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits on what is read, so that a hostile file is refused before it costs
// anything. The largest scenario anybody wrote by hand has a few hundred nodes.
const (
	maxBytes  = 1 << 20
	maxTokens = 30_000
	maxDepth  = 32
	maxNames  = 1000 // in one map of services, policies, ... or list of steps
	maxLayers = 32   // of policies inside one caller
)

// parse reads one YAML document of the subset the language uses.
func (r *report) parse(name string, src []byte) (root *node) {
	here := place{file: name, line: 1, col: 1}
	fail := func(at place, value, message string) *node {
		r.at(at, "", value, message, "")
		return nil
	}
	// The parser is careful, but a panic in it must stay an error message.
	defer func() {
		if p := recover(); p != nil {
			root = fail(here, "", "not YAML that can be read")
		}
	}()
	if len(src) > maxBytes {
		return fail(here, "", fmt.Sprintf("the file is too long; a scenario has at most %d bytes", maxBytes))
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	if i := badByte(src); i >= 0 {
		line := 1 + bytes.Count(src[:i], []byte("\n"))
		col := 1 + i - (bytes.LastIndexByte(src[:i], '\n') + 1)
		return fail(place{name, line, col}, "", "not text: a scenario is a YAML file in UTF-8")
	}
	tokens := lexer.Tokenize(string(src))
	if at, what := refused(tokens); at != nil {
		return fail(place{name, at.Position.Line, at.Position.Column}, at.Value, what)
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) && syntax.Token != nil && syntax.Token.Position != nil {
			pos := syntax.Token.Position
			return fail(place{name, pos.Line, pos.Column}, "", "not YAML: "+explain(syntax.Message))
		}
		return fail(here, "", "not YAML: "+strings.SplitN(err.Error(), "\n", 2)[0])
	}
	var body ast.Node
	for i, doc := range file.Docs {
		if i > 0 {
			pos := doc.GetToken().Position
			return fail(place{name, pos.Line, pos.Column}, "", "a second document; a file holds one scenario")
		}
		body = doc.Body
	}
	if body == nil {
		return fail(here, "", "the file is empty; the smallest scenario has name, clients and services")
	}
	c := converter{report: r, file: name}
	return c.node(body, here, "", 0)
}

func badByte(src []byte) int {
	for i := 0; i < len(src); {
		c, n := utf8.DecodeRune(src[i:])
		if c == utf8.RuneError && n == 1 || c < ' ' && c != '\n' && c != '\t' {
			return i
		}
		i += n
	}
	return -1
}

// refused finds what the language leaves out of YAML, and what is too much,
// before any of it is parsed.
func refused(tokens token.Tokens) (*token.Token, string) {
	depth, dashes, line := 0, 0, 0
	for i, t := range tokens {
		if t.Position.Line != line {
			line, dashes = t.Position.Line, 0
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return t, "anchors, aliases and merge keys are not used here; policies share fields with extends"
		case token.TagType:
			return t, "YAML tags are not used here: every field has its type"
		case token.DirectiveType:
			return t, "YAML directives are not used here"
		case token.MappingKeyType:
			return t, "keys are written as key: value"
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType, token.MappingValueType:
			dashes++
		}
		if depth > maxDepth || depth == 0 && dashes > maxDepth {
			return t, fmt.Sprintf("nested deeper than %d levels", maxDepth)
		}
		if i >= maxTokens {
			return t, fmt.Sprintf("the file has more than %d words and signs", maxTokens)
		}
	}
	return nil, ""
}

// explain adds to the parser's words what most often is the reason.
func explain(message string) string {
	switch {
	case strings.Contains(message, "found character '\t'"):
		return "a tab; indent with blanks"
	case strings.Contains(message, "mapping value is not allowed"):
		return "a second \": \" in one line; put the value in quotes, or indent it on the next line"
	case strings.Contains(message, "could not find end character"):
		return "a quote that is not closed"
	}
	return message
}

// converter makes nodes of the parser's tree.
type converter struct {
	*report
	file string
}

func (c converter) node(n ast.Node, at place, path string, depth int) *node {
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		at = place{c.file, tk.Position.Line, tk.Position.Column}
	}
	if depth > maxDepth {
		c.at(at, path, "", fmt.Sprintf("nested deeper than %d levels", maxDepth), "")
		return &node{kind: badNode, at: at}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return c.mapping(n.Values, at, path, depth)
	case *ast.MappingValueNode:
		return c.mapping([]*ast.MappingValueNode{n}, at, path, depth)
	case *ast.SequenceNode:
		out := &node{kind: listNode, at: at}
		for i, v := range n.Values {
			out.items = append(out.items, c.node(v, at, fmt.Sprintf("%s[%d]", path, i+1), depth+1))
		}
		out.origin = out
		return out
	case *ast.LiteralNode:
		return &node{kind: scalarNode, at: at, text: n.Value.Value, quoted: true, block: true}
	case *ast.NullNode:
		return &node{kind: nullNode, at: at, text: n.GetToken().Value}
	case ast.ScalarNode:
		tk := n.GetToken()
		quoted := tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType
		return &node{kind: scalarNode, at: at, text: tk.Value, quoted: quoted, block: strings.Contains(strings.TrimSpace(tk.Origin), "\n")}
	}
	c.at(at, path, "", "not part of the scenario language", "")
	return &node{kind: badNode, at: at}
}

func (c converter) mapping(values []*ast.MappingValueNode, at place, path string, depth int) *node {
	out := &node{kind: mapNode, at: at}
	out.origin = out
	seen := map[string]place{}
	for i, v := range values {
		tk := v.Key.GetToken()
		pos := place{c.file, tk.Position.Line, tk.Position.Column}
		if i == 0 {
			out.at = pos // the parser's own position is that of the first colon
		}
		if _, ok := v.Key.(ast.ScalarNode); !ok {
			c.at(pos, path, tk.Value, "a key is a plain word", "")
			continue
		}
		name, below := tk.Value, join(path, tk.Value)
		if first, twice := seen[name]; twice {
			c.at(pos, below, "", fmt.Sprintf("written twice; first on line %d", first.line), "")
			continue
		}
		seen[name] = pos
		out.fields = append(out.fields, entry{name, pos, c.node(v.Value, pos, below, depth+1), out})
	}
	return out
}

// join puts a name at the end of a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
