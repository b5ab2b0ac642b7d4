package callpattern

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// Doubt returns why the pattern, though valid, probably does not mean what its author does, or nil. Offsets
// count in the canonical form.
func (p *Pattern) Doubt() *Mistake {
	if i := strings.IndexByte(p.Name(), ' '); i >= 0 {
		return &Mistake{Kind: Doubtful, Length: len(p.Name()), Message: "no tool has a blank in its name",
			Hint: "a command is written as Bash(git push*)"}
	}
	if !p.bound {
		return nil
	}
	open := len(p.Name()) + 1
	doubt := func(message, meant string) *Mistake {
		return &Mistake{Kind: Doubtful, Offset: open, Length: len(p.subject), Message: message,
			Hint: "write " + p.Name() + "(" + meant + ")", Replace: true, Fix: meant}
	}
	if p.class == fact.Todo {
		return &Mistake{Kind: Doubtful, Offset: open - 1, Length: len(p.subject) + 2,
			Message: "a to-do list has no subject", Hint: "write @todo", Replace: true}
	}
	if domain, ok := strings.CutPrefix(p.subject, "domain:"); ok && domain != "" {
		return doubt("a subject is compared as text: no URL begins with domain:", "*"+domain+"*")
	}
	if trimmed := strings.TrimSpace(p.subject); trimmed != p.subject && p.class != fact.Search {
		return doubt("a blank stands at an end of the subject, which covers the whole "+subjectOf(p.class), trimmed)
	}
	ofFiles := p.class == fact.Edit || p.class == fact.Read
	before, ok := strings.CutSuffix(p.subject, ":*")
	if ok && before != "" && !ofFiles && !strings.ContainsAny(before, "*/") {
		return doubt("the colon stands for itself: no command goes on with it", before+"*")
	}
	if !ofFiles {
		return nil
	}
	for _, g := range p.files {
		switch {
		case strings.HasPrefix(g.text, "../") && g.form == inProject:
			return &Mistake{Kind: Doubtful, Offset: open, Length: len(p.subject),
				Message: "a relative pattern never matches a file outside the project",
				Hint:    "begin it with / or ~/"}
		case strings.HasSuffix(g.text, "/") && len(p.files) == 1:
			return doubt("the pattern ends with a slash, which no path does", p.subject+"**")
		}
	}
	if strings.Contains(p.subject, `\`) && !isDrive(p.subject) && !strings.ContainsAny(p.subject, "/") {
		return doubt("paths are written with slashes; a backslash takes a sign its meaning",
			strings.ReplaceAll(p.subject, `\`, "/"))
	}
	return nil
}
