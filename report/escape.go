package report

import (
	"slices"
	"strings"
	"unicode"
)

// Names, titles and values come from files that anybody may write; where they
// meet a markup language they must stay text.

// plain is a text without line breaks and control characters.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\r' || c == '\t':
			return ' '
		case unicode.IsControl(c) || !unicode.IsPrint(c) && c != '\u00a0':
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
}

// apart is a blank of no width: what would be a mention or a reference is not
// one any more.
const apart = "\u200b"

// escapeMarkdown makes s mean itself in GitHub's Markdown, in a table too.
func escapeMarkdown(s string) string {
	var b strings.Builder
	text := []rune(strings.TrimSpace(plain(s)))
	word := func(i int) bool {
		return i >= 0 && i < len(text) && (unicode.IsLetter(text[i]) || unicode.IsDigit(text[i]))
	}
	for i, c := range text {
		if startsBlock(text, i) {
			b.WriteByte('\\')
		}
		switch c {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '$': // would start a formula
			b.WriteString("<span>$</span>")
		case '_':
			if !word(i-1) || !word(i+1) {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
		case '\\', '`', '*', '|':
			b.WriteString("\\" + string(c))
		case '[', ']': // a box to tick, a link
			if c == '[' && i == 0 || c == ']' && i+1 < len(text) && text[i+1] == '(' {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
		case '~':
			if i > 0 && text[i-1] == '~' || i+1 < len(text) && text[i+1] == '~' {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
		case '@', '#':
			b.WriteString(string(c) + apart)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// startsBlock reports whether the character at i would make a list or a rule of
// the text.
func startsBlock(text []rune, i int) bool {
	ends := i+1 == len(text) || text[i+1] == ' ' || text[i+1] == text[i]
	switch text[i] {
	case '-', '+', '=':
		return i == 0 && ends && len(text) > 1
	case '.', ')':
		return i > 0 && ends && !slices.ContainsFunc(text[:i], func(c rune) bool { return c < '0' || c > '9' })
	}
	return false
}

// codeSpan is s in the letters of code, outside of tables. Nothing has a
// meaning in there but backticks.
func codeSpan(s string) string {
	s = plain(s)
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// codeBlock is a text as it is, in a fence that nothing in it closes.
func codeBlock(language, s string) string {
	s = strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && unicode.IsControl(c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
	fence := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	return fence + language + "\n" + strings.TrimRight(s, "\n") + "\n" + fence + "\n"
}

// longestRun is how many times in a row c occurs at most.
func longestRun(s string, c rune) int {
	most, run := 0, 0
	for _, x := range s {
		run++
		if x != c {
			run = 0
		}
		most = max(most, run)
	}
	return most
}

// shortText is s with at most n characters.
func shortText(s string, n int) string {
	if length(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
