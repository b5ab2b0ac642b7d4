package callpattern

import (
	"slices"
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
	if before, ok := strings.CutSuffix(p.subject, ":*"); ok && p.prefix(before) {
		return doubt(`":*" ends a prefix in Claude Code's permissions; here the colon stands for itself`,
			before+"*")
	}
	ofFiles := p.class == fact.Edit || p.class == fact.Read
	if (ofFiles || p.class == fact.Shell) && isRegexp(p.subject, ofFiles) {
		return &Mistake{Kind: Doubtful, Offset: open, Length: len(p.subject),
			Message: "the pattern looks like a regular expression, which it is not",
			Hint:    "* is any text; for a regular expression write: command matches, or: path matches"}
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

// prefix reports whether a subject that goes on with :* is likely to be a permission rule. A script of npm
// may have a colon in its name, a URL has one.
func (p *Pattern) prefix(before string) bool {
	return before != "" && (p.class == fact.NoClass || p.class == fact.Shell) &&
		!strings.ContainsAny(before, "*/") && !strings.Contains(before, " run ") && before != "http" &&
		before != "https"
}

// isRegexp reports whether the text has signs of a regular expression that commands, or files, hardly have. A
// backslash may separate the parts of a path.
func isRegexp(text string, ofFiles bool) bool {
	signs := []string{".*$", ".+", "(?"}
	if !ofFiles {
		signs = append(signs, `\b`, `\s`, `\d`, `\w`, `\.`)
	}
	return strings.HasPrefix(text, "^") || strings.HasSuffix(text, "*$") ||
		slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(text, sign) })
}
