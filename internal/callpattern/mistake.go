package callpattern

import (
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/words"
)

// Fault is the sort of a mistake, by which a caller chooses its code.
type Fault uint8

// The faults of a text that is not a pattern, and the last one, of a pattern that is doubtful.
const (
	NoName       Fault = iota // no name before the parenthesis, or one that no tool can have
	UnknownClass              // @name that is not a class
	Unbalanced                // parentheses that do not fit
	NoSubject                 // nothing in the parentheses
	BadGlob                   // a file pattern with an unclosed bracket or brace, or with too many choices
	TooLong                   // past MaxLength
	Doubtful                  // see Pattern.Doubt
)

// Mistake says why a text is not a pattern, or why it is probably not the pattern that its author means.
type Mistake struct {
	Kind           Fault
	Offset, Length int // the place in the text given to Parse, in bytes, on character boundaries
	Message, Hint  string
	Replace        bool   // whether putting Fix in that place mends the mistake
	Fix            string // may be "": then the place is to be deleted
}

// Error returns the message, with the hint if there is one.
func (m *Mistake) Error() string {
	if m.Hint == "" {
		return m.Message
	}
	return m.Message + " (" + m.Hint + ")"
}

// unknownClass returns nil if there is a class of that name.
func unknownClass(name string) *Mistake {
	var names []string
	for _, c := range fact.Classes() {
		if string(c) == name {
			return nil
		}
		names = append(names, string(c))
	}
	m := &Mistake{Length: len(name) + 1, Kind: UnknownClass,
		Message: "unknown class " + quote("@"+name), Hint: "the classes are @" + strings.Join(names, ", @")}
	if name == "" {
		m.Message = `"@" names no class`
	}
	if strings.Contains(name, "*") {
		m.Message = "the name of a class takes no wildcard: " + quote("@"+name)
		name = strings.Trim(name, "*")
	}
	meant := near.Names(name, names)
	if c := words.Of(words.Class, name); c != "" {
		meant = []string{c}
	}
	for _, c := range names {
		if c == name {
			meant = []string{c}
		}
	}
	if len(meant) > 0 {
		m.Hint = "did you mean @" + meant[0] + "?"
		m.Replace, m.Fix = true, "@"+meant[0]
	}
	return m
}

// subjectOf names the subject of calls of the class.
func subjectOf(c fact.Class) string {
	switch c {
	case fact.Shell:
		return "command"
	case fact.Edit, fact.Read:
		return "file"
	case fact.Search:
		return "search pattern"
	case fact.Web:
		return "URL or query"
	case fact.Task:
		return "kind of subagent"
	default:
		return "subject"
	}
}

func quote(s string) string { return strconv.Quote(s) }
