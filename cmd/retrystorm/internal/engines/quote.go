package engines

import (
	"strconv"
	"strings"
)

// plain are the characters that mean nothing to a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=+@%"

// shell protects a word from a POSIX shell.
func shell(word string) string {
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func unprintable(r rune) bool { return !strconv.IsPrint(r) }

// quoted is a text between double quotes: Go's escapes are some of YAML's.
func quoted(text string) string { return strconv.Quote(text) }

// literal is a text as the value of a YAML key that is indented by two: a literal
// block that reads like the file it came from, where YAML can say it like that.
func literal(text []byte) string {
	s := string(text)
	odd := func(r rune) bool { return r != '\n' && r != '\t' && unprintable(r) }
	if strings.TrimSpace(s) == "" || strings.ContainsFunc(s, odd) {
		return quoted(s)
	}
	var b strings.Builder
	b.WriteString("|2") // spaces that begin the text are its own
	switch {
	case !strings.HasSuffix(s, "\n"):
		b.WriteString("-")
	case strings.HasSuffix(s, "\n\n"):
		b.WriteString("+")
	}
	for line := range strings.Lines(s) {
		b.WriteString("\n")
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			b.WriteString("    " + line)
		}
	}
	return b.String()
}
