package callpattern

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/fact"
)

// MaxLength is how many bytes the text of a pattern may have, maxList that of a list of patterns.
const (
	MaxLength = 1 << 10
	maxList   = 4 << 10
)

// Pattern is a call pattern, or a list of them, of which a call matches one. It implements fact.Pattern.
type Pattern struct {
	list []*Pattern // of a list; all else but the canonical form is empty then

	name  star       // of the tool; not used if class is set
	class fact.Class // NoClass if the pattern names tools

	subject string // between the parentheses
	bound   bool   // whether there is a subject

	text  star   // the subject, for texts and commands
	sieve sieve  // of text
	files []glob // the subject, for files: one for each choice of the braces; none if it can match no file

	canonical string
}

// ParseList reads the text of a pattern, or of several with commas between them. Exactly one of the results
// is nil.
func ParseList(text string) (*Pattern, *Mistake) {
	if m := tooLong(text, maxList); m != nil {
		return nil, m
	}
	all, at := &Pattern{}, 0
	for one := range Split(text) {
		p, m := Parse(one)
		if m != nil && m.Kind == Unbalanced {
			if whole, bad := Parse(text); bad == nil && !strings.Contains(whole.Name(), ",") {
				return whole, nil // Bash(a), b)
			}
		}
		if m != nil {
			m.Offset += at
			return nil, m
		}
		if len(one) == len(text) {
			return p, nil
		}
		all.list, all.canonical = append(all.list, p), all.canonical+","+p.canonical
		at += len(one) + len(",")
	}
	all.canonical = all.canonical[1:]
	return all, nil
}

// Split yields the texts of the patterns of a list, with the blanks around them. They end at commas that
// stand in no parentheses.
func Split(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		depth, from := 0, 0
		for i := range len(list) {
			switch {
			case list[i] == '(':
				depth++
			case list[i] == ')':
				depth = max(depth-1, 0)
			case list[i] == ',' && depth == 0:
				if !yield(list[from:i]) {
					return
				}
				from = i + 1
			}
		}
		yield(list[from:])
	}
}

func tooLong(text string, most int) *Mistake {
	if len(text) <= most {
		return nil
	}
	return &Mistake{Length: len(text), Kind: TooLong,
		Message: fmt.Sprintf("what names calls is longer than %d bytes", most), Hint: "write several patterns"}
}

// Parse reads the text of one pattern. Blanks around it, and around the name, do not count. Exactly one of
// the results is nil.
func Parse(text string) (*Pattern, *Mistake) {
	if m := tooLong(text, MaxLength); m != nil {
		return nil, m
	}
	trimmed := strings.TrimSpace(text)
	base := strings.Index(text, trimmed)
	name, rest, bound := strings.Cut(trimmed, "(")
	p := &Pattern{bound: bound}
	if m := p.parseName(strings.TrimRight(name, " \t")); m != nil {
		m.Offset, m.Length = m.Offset+base, min(m.Length, len(trimmed))
		return nil, m
	}
	p.canonical = p.Name()
	if !bound {
		return p, nil
	}
	open := base + len(name)
	if m := p.parseSubject(rest); m != nil {
		m.Offset += open + 1
		return nil, m
	}
	if p.subject == "*" { // any call of the tool, whatever is told of it
		p.bound, p.subject = false, ""
		return p, nil
	}
	p.canonical += "(" + p.subject + ")"
	return p, nil
}

func (p *Pattern) parseName(name string) *Mistake {
	if class, ok := strings.CutPrefix(name, "@"); ok {
		p.class = fact.Class(class)
		return unknownClass(class)
	}
	switch {
	case name == "":
		return &Mistake{Length: 1, Kind: NoName, Message: "the call pattern names no tool",
			Hint: `write the name before the parenthesis; "*" is any tool`}
	case !utf8.ValidString(name):
		return &Mistake{Length: len(name), Kind: NoName, Message: "the name of the tool is not valid UTF-8",
			Hint: "write the name as the agent does"}
	case strings.ContainsAny(name, ")\n\r\t\x00"):
		i := strings.IndexAny(name, ")\n\r\t\x00")
		return &Mistake{Offset: i, Length: 1, Kind: Unbalanced,
			Message: "the name of a tool cannot hold " +
				quote(name[i:i+1]),
			Hint: "a subject stands in parentheses: Bash(git push*)"}
	}
	p.name = newStar(name)
	return nil
}

// parseSubject reads what stands behind the opening parenthesis. Offsets count from there.
func (p *Pattern) parseSubject(rest string) *Mistake {
	end := strings.LastIndexByte(rest, ')')
	switch {
	case end < 0:
		return &Mistake{Offset: -1, Length: 1, Kind: Unbalanced, Message: `"(" is never closed`,
			Hint: "close the subject: " + p.Name() + "(" + rest + ")"}
	case end < len(rest)-1:
		return &Mistake{Offset: end + 1, Length: len(rest) - end - 1, Kind: Unbalanced,
			Message: quote(rest[end+1:]) + " follows the closing parenthesis", Hint: `a call pattern ends with ")"`}
	}
	p.subject = rest[:end]
	if strings.TrimSpace(p.subject) == "" {
		return &Mistake{Offset: -1, Length: len(rest) + 1, Kind: NoSubject,
			Message: "the parentheses hold no subject",
			Hint: "write " + p.Name() + " for every call, or a pattern for the " + subjectOf(p.class) +
				" in the parentheses",
			Replace: true}
	}
	if !utf8.ValidString(p.subject) {
		return &Mistake{Length: len(p.subject), Kind: NoSubject, Message: "the subject is not valid UTF-8",
			Hint: "write the subject as UTF-8"}
	}
	p.text = newStar(p.subject)
	p.sieve = newSieve(&p.text)
	files, m := parseGlobs(p.subject)
	if m != nil && (p.class == fact.Edit || p.class == fact.Read) {
		return m
	}
	p.files = files
	return nil
}

// String returns the pattern in canonical form.
func (p *Pattern) String() string { return p.canonical }

// Parts returns the patterns of a list, and the pattern itself where it is none.
func (p *Pattern) Parts() []*Pattern {
	if p.list == nil {
		return []*Pattern{p}
	}
	return p.list
}

// Name returns the pattern without its subject: Bash, mcp__*, @edit; "" of a list.
func (p *Pattern) Name() string {
	if p.class != fact.NoClass {
		return "@" + string(p.class)
	}
	return p.name.text
}

// Class returns the class that the pattern names, or NoClass if it names tools, or is a list.
func (p *Pattern) Class() fact.Class { return p.class }

// Literal reports whether the pattern names one tool, without wildcard and not by its class.
func (p *Pattern) Literal() bool {
	return p.list == nil && p.class == fact.NoClass && p.name.parts == nil
}

// Any reports whether the pattern is *, which every call matches.
func (p *Pattern) Any() bool {
	return slices.ContainsFunc(p.list, (*Pattern).Any) ||
		p.list == nil && p.class == fact.NoClass && p.name.any() && !p.bound
}

// Subject reports whether the pattern looks at the subject of a call.
func (p *Pattern) Subject() bool { return p.bound || slices.ContainsFunc(p.list, (*Pattern).Subject) }

// Fits reports whether a call of a tool with this name and class may match. For a pattern without subject it
// does.
func (p *Pattern) Fits(tool string, class fact.Class) bool {
	if p.list != nil {
		return slices.ContainsFunc(p.list, func(q *Pattern) bool { return q.Fits(tool, class) })
	}
	if p.class != fact.NoClass {
		return p.class == class
	}
	return p.name.match(tool)
}

// Match returns whether the call matches (fact.Pattern). A line is parsed at most once for each frame that
// gives out its Place, and only if it may hold a command that matches.
func (p *Pattern) Match(c *fact.Call, at fact.Place) fact.Truth {
	if p.list != nil {
		t := fact.False
		for _, q := range p.list {
			if t = t.Or(q.Match(c, at)); t == fact.True {
				break
			}
		}
		return t
	}
	switch {
	case c.Edits && p.class == fact.Edit:
		return p.matchEdits(c, at)
	case !p.Fits(c.Tool, c.Class):
		return fact.False
	case !p.bound:
		return fact.True
	case !c.HasSubject():
		if t, asked := c.Matches[p.canonical]; asked {
			return t
		}
		return fact.Unknown
	}
	switch subjectKind(c) {
	case commandSubject:
		return fact.Of(p.matchCommand(c.Command, at))
	case fileSubject:
		return fact.Of(p.matchFiles(c.Paths, at))
	default:
		return fact.Of(p.text.match(c.Subject))
	}
}

// matchEdits holds a pattern of Edit against a command that changes files.
func (p *Pattern) matchEdits(c *fact.Call, at fact.Place) fact.Truth {
	if t, asked := c.Matches[p.canonical]; asked && p.bound {
		return t
	}
	switch {
	case !p.bound || p.matchFiles(c.Paths, at):
		return fact.True
	case c.Unsaid:
		return fact.Unknown
	}
	return fact.False
}

func (p *Pattern) matchCommand(line string, at fact.Place) bool {
	l := at.Once(line, func() any { return newCommandLine(line) }).(*commandLine)
	return p.sieve.passes(l) && slices.ContainsFunc(l.commands(), p.text.match)
}

// kind is how the subject of a call is compared.
type kind uint8

const (
	textSubject kind = iota
	commandSubject
	fileSubject
)

// subjectKind follows from the class or, without one, from the field that the host has filled.
func subjectKind(c *fact.Call) kind {
	switch {
	case c.Class == fact.Shell, c.Class == fact.NoClass && c.Command != "":
		return commandSubject
	case c.Class == fact.Edit, c.Class == fact.Read, c.Class == fact.NoClass && len(c.Paths) > 0:
		return fileSubject
	default:
		return textSubject
	}
}
