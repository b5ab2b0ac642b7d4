package callpattern

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/fact"
)

// MaxLength is how many bytes the text of a pattern may have.
const MaxLength = 1 << 10

// Pattern is a call pattern. It implements fact.Pattern.
type Pattern struct {
	name  star       // of the tool; not used if class is set
	class fact.Class // NoClass if the pattern names tools

	subject string // between the parentheses
	bound   bool   // whether there is a subject

	text  star   // the subject, for texts and commands
	sieve sieve  // of text
	files []glob // the subject, for files: one for each choice of the braces; none if it can match no file

	canonical string
}

// Parse reads the text of a pattern. Blanks around it, and around the name, do not count. Exactly one of the
// results is nil.
func Parse(text string) (*Pattern, *Mistake) {
	if len(text) > MaxLength {
		return nil, &Mistake{Offset: 0, Length: len(text), Kind: TooLong,
			Message: "the call pattern is longer than 1024 bytes", Hint: "write several patterns"}
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

// Name returns the pattern without its subject: Bash, mcp__*, @edit.
func (p *Pattern) Name() string {
	if p.class != fact.NoClass {
		return "@" + string(p.class)
	}
	return p.name.text
}

// Class returns the class that the pattern names, or NoClass if it names tools.
func (p *Pattern) Class() fact.Class { return p.class }

// Literal reports whether the pattern names one tool, without wildcard and not by its class.
func (p *Pattern) Literal() bool { return p.class == fact.NoClass && p.name.parts == nil }

// Any reports whether the pattern is *, which every call matches.
func (p *Pattern) Any() bool { return p.class == fact.NoClass && p.name.any() && !p.bound }

// Subject reports whether the pattern looks at the subject of a call.
func (p *Pattern) Subject() bool { return p.bound }

// Fits reports whether a call of a tool with this name and class may match. For a pattern without subject it
// does.
func (p *Pattern) Fits(tool string, class fact.Class) bool {
	if p.class != fact.NoClass {
		return p.class == class
	}
	return p.name.match(tool)
}

// Match returns whether the call matches (fact.Pattern). A line is parsed at most once for each frame that
// gives out its Place, and only if it may hold a command that matches.
func (p *Pattern) Match(c *fact.Call, at fact.Place) fact.Truth {
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
