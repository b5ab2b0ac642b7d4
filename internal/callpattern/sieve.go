package callpattern

import (
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/internal/excerpt"
)

// commandLine is a command line that patterns are held against. Most patterns match no command of it, which
// mostly shows without the parser (BenchmarkAimReplay): a session is replayed twice as fast.
type commandLine struct {
	bare     string // without quotes and backslashes; "" if only the parser can tell
	commands func() []string
}

func newCommandLine(line string) *commandLine {
	l := &commandLine{commands: sync.OnceValue(func() []string { return Commands(line) })}
	if line = excerpt.Head(line, MaxLine); plain(line) {
		l.bare = bare(line)
	}
	return l
}

// plain reports whether a shell takes nothing out of the words of a line but quotes and backslashes: no
// character of $'text' and $"text", none that counts as no character, no end of a line within a word.
func plain(line string) bool {
	if strings.ContainsAny(line, "\x00\r") {
		return false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '$' && i+1 < len(line) && isQuote(line[i+1]):
			return false
		case c == '\\' && strings.HasPrefix(line[i+1:], "\n") && (i == 0 || line[i-1] != ' ' && line[i-1] != '\t'):
			return false
		}
	}
	return true
}

func isQuote(c byte) bool { return c == '\'' || c == '"' || c == '\\' }

// bare returns a text without quotes and backslashes.
func bare(text string) string {
	if !strings.ContainsAny(text, `'"\`) {
		return text
	}
	b := make([]byte, 0, len(text))
	for i := range len(text) {
		if !isQuote(text[i]) {
			b = append(b, text[i])
		}
	}
	return string(b)
}

// sieve is the parts of a pattern that stand in every line with a command that matches it. The words of a
// command stand in its line, but for quotes and backslashes.
type sieve struct {
	parts []string // longest first: the rarest, mostly
	head  string   // the first of the words, which begins where a word begins; "" if that is not known
	whole bool     // and ends where it ends
}

func newSieve(s *star) (v sieve) {
	parts := s.parts
	if parts == nil {
		parts = []string{s.text}
	}
	for i, part := range parts {
		words := strings.Split(bare(part), " ")
		if i == 0 && words[0] != "" && words[0] == strings.Split(part, " ")[0] {
			v.head, v.whole = words[0], len(words) > 1 || s.parts == nil
			words = words[1:]
		}
		for _, w := range words {
			if strings.ContainsAny(w, "\n\r\x00") {
				return sieve{}
			}
			if w != "" {
				v.parts = append(v.parts, w)
			}
		}
	}
	slices.SortStableFunc(v.parts, func(a, b string) int { return len(b) - len(a) })
	return v
}

// passes reports whether a line may hold a matching command. false is certain.
func (v *sieve) passes(l *commandLine) bool {
	if l.bare == "" {
		return true
	}
	for _, part := range v.parts {
		if !strings.Contains(l.bare, part) {
			return false
		}
	}
	return v.head == "" || v.begins(l.bare)
}

// begins reports whether the head stands where a word begins.
func (v *sieve) begins(line string) bool {
	for at := 0; ; {
		i := strings.Index(line[at:], v.head)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(v.head)
		if (i == 0 || !inWord(line[i-1])) && (!v.whole || end == len(line) || !inWord(line[end])) {
			return true
		}
		at = i + 1
	}
}

// inWord reports whether a character belongs to the word that it stands in, wherever that is.
func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("_-./,:+%", c) >= 0
}
