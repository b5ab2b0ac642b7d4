package words

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// sort is the sort of a token of a line.
type sort uint8

const (
	word    sort = iota // text is a stem
	number              // text is the number, with its unit if it has one
	quoted              // text is without its quotes
	pattern             // a regular expression between slashes; text has its flags in front
	glob                // the name of a file
	tool                // a call pattern
	sign                // an operator, a bracket or a comma
)

type token struct {
	sort     sort
	text     string
	from, to int
}

// lexemes match the tokens of a line, each at its beginning. The first that matches counts.
var lexemes = []struct {
	sort sort
	*regexp.Regexp
}{
	{quoted, regexp.MustCompile(`^(?:"([^"]*)"|'([^']*)'|` + "`([^`]*)`)")},
	{pattern, regexp.MustCompile(`^/([^/ ]+(?:[^/]*[^/ ])?)/([ims]*)`)},
	{tool, regexp.MustCompile(`^(?:@[a-z]+|[A-Z][A-Za-z]+|mcp__\w+)(?:\([^()"'=<>]+\))?`)},
	{number, regexp.MustCompile(`^(?:\$?\d[\d.]*(?::\d\d)?(?:[a-zA-Z]+|%)?\$?|\.\d+)`)},
	{glob, regexp.MustCompile(`^(?:[\w-]*\*[\w*./{},-]*[\w*]|[\w-]+(?:/[\w*.-]+)*/|[\w-]+(?:/[\w*.-]+)+|` +
		`\.[a-z]{2,}\b|[\w-]+\.(?:go|js|ts|tsx|jsx|py|rs|java|json|md|ya?ml|toml|sql|env|lock|txt|sh|css|html)\b)`)},
	{word, regexp.MustCompile(`^[A-Za-z](?:[\w]|['-][A-Za-z])*`)},
	{sign, regexp.MustCompile(`^(?:===?|!==?|<>|<=|>=|=>|&&|\|\||[^\s\w])`)},
}

// tokens reads a line. Names are cut into words, which are written as their stems.
func tokens(text string) (ts []token) {
	for at := 0; at < len(text); {
		if unicode.IsSpace(rune(text[at])) {
			at++
			continue
		}
		n := 1
		for _, l := range lexemes {
			m := l.FindStringSubmatch(text[at:])
			if m == nil {
				continue
			}
			t := token{l.sort, m[0], at, at + len(m[0])}
			if l.sort == glob && (at > 0 && !strings.ContainsRune(" (:=,", rune(text[at-1])) ||
				strings.HasPrefix(text[t.to:], "(") || m[0][0] == '.' && strings.Contains(text, "calls")) {
				continue // a method or a field
			}
			switch l.sort {
			case quoted:
				t.text = m[1] + m[2] + m[3]
			case pattern:
				if t.text = m[1]; m[2] != "" {
					t.text = "(?" + m[2] + ")" + m[1]
				}
			case tool:
				name, subject, _ := strings.Cut(m[0], "(")
				if !isTool(name) {
					continue
				}
				if before, ok := strings.CutSuffix(subject, ":*)"); ok {
					t.text = name + "(" + before + "*)"
				}
			case word:
				for _, s := range stemsOf(fold(m[0])) {
					ts = append(ts, token{word, s, t.from, t.to})
				}
				at = t.to
			}
			if l.sort == sign && t.text == "." {
				at = t.to // a.b are two words
			} else if l.sort != word {
				ts, at = append(ts, t), t.to
			}
			n = 0
			break
		}
		at += n
	}
	return ts
}

// isTool reports whether a name is that of a class, of a tool that some agent has, or of an MCP server.
func isTool(name string) bool {
	if class, ok := strings.CutPrefix(name, "@"); ok {
		return slices.ContainsFunc(All(), func(m Meaning) bool { return m.Kind == Class && m.Text == class })
	}
	m := load().exact[Tool][fold(name)]
	return strings.HasPrefix(name, "mcp__") || m != nil && m.Text == name
}
