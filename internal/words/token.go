package words

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// sort is the sort of a token of a text.
type sort uint8

const (
	word    sort = iota // text is a stem
	number              // text is the number, with its unit if it has one
	quoted              // text is without its quotes
	pattern             // a regular expression between slashes; text has its flags in front
	file                // the name of a file, perhaps with wildcards
	tool                // a call pattern
	sign                // an operator, a bracket or a comma
)

type token struct {
	sort     sort
	text     string
	from, to int
	part     string // of a word: what it is in the name at from
}

// lexemes match the tokens of a text, each at its beginning. The first that matches counts.
var lexemes = sync.OnceValue(func() []matcher {
	return []matcher{
		{quoted, regexp.MustCompile(`^(?:"([^"]*)"|'([^']*)'|` + "`([^`]*)`)")},
		{pattern, regexp.MustCompile(`^/([^/ ]+(?:[^/]*[^/ ])?)/([ims]*)`)},
		{tool, regexp.MustCompile(`^(?:@[a-z]+|[A-Z][A-Za-z]+|mcp__[\w*-]+)(?:\([^()"'=<>]+\))?`)},
		{number, regexp.MustCompile(`^-?(?:\d+[eE]\d+\b|` +
			`\$?(?:\d{1,3}(?:,\d{3})+\b|\d[\d._]*)(?::\d\d)?(?:[a-zA-Z]+|%)?\$?|\.\d+)`)},
		{file, regexp.MustCompile(`^(?:~?/[\w.-]+(?:/[\w*.-]+)+/?|~/[\w.-]+/?|` +
			`[\w-]*\*[\w*./{},-]*[\w*]|\.?[\w-]+(?:/[\w*.-]+)+/?|\.?[\w-]+/|` +
			`[\w-]+\.[a-z]{2,5}\b|\.[A-Za-z]\w*(?:[.-]\w+)*)`)},
		{word, regexp.MustCompile(`^[A-Za-z](?:[\w]|['-][A-Za-z])*`)},
		{sign, regexp.MustCompile(`^(?:=~|~=|===?|!==?|<>|<=|>=|=>|&&|\|\||[^\s\w])`)},
	}
})

type matcher struct {
	sort sort
	*regexp.Regexp
}

// tokens reads a text. Names are cut into words, which are written as their stems.
func tokens(text string) (ts []token) {
	for at := 0; at < len(text); {
		if unicode.IsSpace(rune(text[at])) {
			at++
			continue
		}
		t := token{sort: word, from: at, to: at + 1}
		for _, l := range lexemes() {
			if m := l.FindStringSubmatch(text[at:]); m != nil && lexeme(&t, l.sort, m, text) {
				break
			}
		}
		if at = t.to; t.sort != word {
			if t.text != "." { // a.b are two words
				ts = append(ts, t)
			}
			continue
		}
		for _, part := range parts().FindAllString(t.text, -1) {
			if unicode.IsDigit(rune(part[0])) { // every_20_turns
				ts = append(ts, token{number, part, t.from, t.to, part})
				continue
			}
			for _, s := range stemsOf(fold(part)) {
				ts = append(ts, token{word, s, t.from, t.to, part})
			}
		}
	}
	return ts
}

// ordinals are the endings of a number that says which, or how often.
var ordinals = []string{"st", "nd", "rd", "th", "x"}

// parts matches the words of a name: filePath, file_path and file-path have two.
var parts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Z]*[^A-Z_-]+|[A-Z]+`) })

// lexeme makes a token of what a lexeme matched, and reports whether there is one.
func lexeme(t *token, s sort, m []string, text string) bool {
	after := t.from + len(m[0])
	switch s {
	case quoted:
		m[0] = m[1] + m[2] + m[3]
	case pattern:
		if strings.HasPrefix(strings.TrimLeftFunc(text[after:], unicode.IsLetter), "/") || after < len(text) &&
			m[2] == "" && unicode.IsLetter(rune(text[after])) { // a path
			return false
		}
		if m[0] = m[1]; m[2] != "" {
			m[0] = "(?" + m[2] + ")" + m[1]
		}
	case file: // main.go and package.json, not calls.size
		ending := m[0][strings.LastIndexByte(m[0], '.')+1:]
		plain := m[0][0] != '.' && !strings.ContainsAny(m[0], "/*{")
		if plain && Of(Ending, ending) == "" && (len(ending) > 3 || strings.HasPrefix(m[0], "vars.") ||
			load().nouns[stem(ending)] != nil || // tool.pre
			compared().MatchString(text[after:])) { // vars.foo, config.ci == true
			return false
		}
		// a.b(c) is a method, */5 a time, and .a == b compares a member
		if strings.HasPrefix(text[after:], "(") || !strings.ContainsFunc(m[0], unicode.IsLetter) ||
			plain && Of(Fact, m[0][:strings.IndexByte(m[0], '.')]) != "" && compared().MatchString(text[after:]) ||
			load().exact[Fact][fold(m[0][1:])] != nil || // {{.context_usage}}
			t.from > 0 && (text[t.from-1] == '.' || m[0][0] == '.' && text[t.from-1] != ' ') ||
			m[0][0] == '.' && compared().MatchString(text[after:]) ||
			m[0][0] == '.' && strings.Contains(text[:t.from], "(") && (conjoined().MatchString(text[after:]) ||
				strings.Contains(text[:t.from], "(calls")) {
			return false
		}
	case number:
		m[0] = strings.NewReplacer(",", "", "_", "").Replace(m[0])
		if digits := strings.TrimRight(m[0], "dhnrstx"); slices.Contains(ordinals, m[0][len(digits):]) {
			m[0] = digits // every 10th turn
		}
		if v, err := strconv.ParseFloat(m[0], 64); err == nil { // 1e5
			m[0] = strconv.FormatFloat(v, 'f', -1, 64)
		}
	case tool:
		name, subject, _ := strings.Cut(m[0], "(")
		if !isTool(name) {
			return false
		}
		if before, ok := strings.CutSuffix(subject, ":*)"); ok {
			m[0] = name + "(" + before + "*)"
		}
	}
	t.sort, t.text, t.to = s, m[0], after
	return true
}

// compared matches what follows a member in a comparison.
var compared = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:[=!<>~&|?+*/%-]|(?:contains|startsWith|endsWith|matches|in|not)\b)`)
})

// conjoined matches what follows a member that is a condition.
var conjoined = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(?:and|or)\b`) })

// isTool reports whether a name is that of a class, of a tool that some agent has, or of an MCP server.
func isTool(name string) bool {
	if class, ok := strings.CutPrefix(name, "@"); ok {
		return slices.ContainsFunc(All(), func(m Meaning) bool { return m.Kind == Class && m.Text == class })
	}
	m := load().exact[Tool][fold(name)]
	return strings.HasPrefix(name, "mcp__") || m != nil && m.Text == name
}
