package callpattern

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/words"
)

// Doubt returns why the pattern, though valid, probably does not mean what its author does, or nil. Class is
// that of the tools that the pattern names, NoClass where it is not known or where the pattern names a class
// itself. Offsets count in the canonical form. Of a list, it is nil: ask its parts.
func (p *Pattern) Doubt(class fact.Class) *Mistake {
	if p.list != nil {
		return nil
	}
	if p.class != fact.NoClass {
		class = p.class
	}
	if strings.Contains(p.Name(), ",") {
		return &Mistake{Kind: Doubtful, Length: len(p.Name()), Message: "no tool has a comma in its name",
			Hint: "tools are named one by one, as in after_tool:Edit,Write or tool_used in [Edit, Write]"}
	}
	if first, _, ok := strings.Cut(p.Name(), " "); ok {
		m := &Mistake{Kind: Doubtful, Length: len(p.Name()), Message: "no tool has a blank in its name",
			Hint: "a command is written as Bash(git push*)"}
		if words.Of(words.Program, first) != "" {
			m.Fix, m.Replace = "@shell("+p.Name()+"*)", true
			m.Hint = "write " + m.Fix
		}
		return m
	}
	if ext := path.Ext(p.Name()); len(ext) > 1 && ext != ".*" && p.class == fact.NoClass && !p.bound &&
		(strings.HasPrefix(p.Name(), "*"+ext) || strings.Contains(p.Name(), "/")) {
		return &Mistake{Kind: Doubtful, Length: len(p.Name()), Message: "this is a file's name, not a tool's",
			Hint: "write @edit(" + p.Name() + ")", Replace: true, Fix: "@edit(" + p.Name() + ")"}
	}
	if i := strings.IndexAny(p.Name(), "=<>!~"); i >= 0 {
		m := &Mistake{Kind: Doubtful, Length: len(p.Name()), Message: "no tool has " + quote(p.Name()[i:i+1]) +
			" in its name", Hint: "what is behind a tool's name stands in parentheses, as in Bash(git push*)"}
		if rest, ok := strings.CutPrefix(p.Name(), "!"); ok {
			m.Message = "! does not turn a pattern round"
			m.Hint = "not stands before the condition, as in not used(" + quote(rest) + ")"
		} else if count := strings.TrimLeft(p.Name()[i:], "=<>"); isCount(count) {
			m.Hint = counted(p.Name()[:i], count)
		}
		return m
	}
	if m := doubtColon(p.Name()); m != nil || !p.bound {
		return cmp.Or(m, doubtName(p.Name()))
	}
	open := len(p.Name()) + 1
	doubt := func(message, meant string) *Mistake {
		return &Mistake{Kind: Doubtful, Offset: open, Length: len(p.subject), Message: message,
			Hint: "write " + p.Name() + "(" + meant + ")", Replace: true, Fix: meant}
	}
	vague := func(message, hint string) *Mistake {
		return &Mistake{Kind: Doubtful, Offset: open, Length: len(p.subject), Message: message, Hint: hint}
	}
	if class == fact.Todo {
		return &Mistake{Kind: Doubtful, Offset: open - 1, Length: len(p.subject) + 2,
			Message: "a to-do list has no subject", Hint: "write " + p.Name(), Replace: true}
	}
	if domain, ok := strings.CutPrefix(p.subject, "domain:"); ok && domain != "" {
		return doubt("a subject is compared as text: no URL begins with domain:", "*"+domain+"*")
	}
	site := strings.Contains(p.subject, ".") && !strings.ContainsAny(p.subject, ":/ ")
	if class == fact.Web && site && !strings.HasSuffix(p.subject, "*") {
		return doubt("a pattern covers the whole URL", "*"+strings.Trim(p.subject, "*")+"*")
	}
	if trimmed := strings.TrimSpace(p.subject); trimmed != p.subject && class != fact.Search {
		return doubt("a blank stands at an end of the subject, which covers the whole "+subjectOf(class), trimmed)
	}
	if q := p.subject[:1]; strings.ContainsAny(q, `"'`+"`") && strings.HasSuffix(p.subject, q) &&
		strings.Count(p.subject, q) == 2 && class != fact.Search {
		return doubt("quotes in the parentheses belong to the pattern", strings.Trim(p.subject, q))
	}
	if before, ok := strings.CutSuffix(p.subject, ":*"); ok && p.prefix(before, class) {
		return doubt(`":*" ends a prefix in Claude Code's permissions; here the colon stands for itself`,
			before+"*")
	}
	ofFiles := class == fact.Edit || class == fact.Read
	if meant := p.command(); class == fact.Shell && meant != "" {
		return doubt("a pattern covers the whole command, and only * is special in it", meant)
	}
	first := firstWord(p.subject)
	if _, skipped := wrappers[first]; class == fact.Shell && skipped && first != "env" && first != p.subject ||
		class == fact.Shell && p.subject == "sudo" {
		return vague(first+" is skipped: the pattern is held against the command behind it",
			`leave it out, or write: command matches, as in command matches "\b`+first+` "`)
	}
	switch {
	case (ofFiles || class == fact.Shell) && isRegexp(p.subject, ofFiles):
		return vague("the pattern looks like a regular expression, which it is not",
			"* is any text; for a regular expression write: command matches, or: path matches")
	case class == fact.Shell:
		return p.doubtCommand(vague)
	case !ofFiles:
		return nil
	case isList(p.subject, "*.") && !strings.ContainsAny(p.subject, `{}[]\`) &&
		strings.Count(p.subject, ",") < maxChoices:
		return doubt("a comma in the parentheses belongs to the pattern",
			"{"+strings.Join(piecesOf(p.subject), ",")+"}")
	}
	if rest, ok := strings.CutPrefix(p.subject, "!"); ok && rest != "" {
		return vague("! does not turn a pattern round", "write: after_tool:"+p.Name()+" and not after_tool:"+
			p.Name()+"("+rest+")")
	}
	for _, home := range []string{"$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(p.subject, home); ok {
			return doubt("variables are not replaced in a pattern", "~/"+rest)
		}
	}
	if words.IsEnding(p.subject) {
		return doubt("a pattern covers the whole name, and no file is named "+quote(p.subject), "*"+p.subject)
	}
	for _, g := range p.files {
		switch {
		case strings.HasPrefix(g.text, "../") && g.form == inProject:
			return vague("a relative pattern never matches a file outside the project", "begin it with / or ~/")
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

// command returns the pattern that is probably meant by one that no command matches: a regular expression, or
// the name of a program that is never run by itself. It is "" for any other.
func (p *Pattern) command() string {
	if inner := strings.Trim(p.subject, "/"); inner != "" && p.subject == "/"+inner+"/" {
		return "*" + strings.TrimSuffix(inner, ".*") + "*"
	}
	verb := strings.HasPrefix(words.Of(words.Program, firstWord(p.subject)), "needs a")
	if before, ok := strings.CutSuffix(p.subject, ".*"); ok && verb && !strings.ContainsAny(before, "*./") {
		return before + "*"
	}
	if verb && firstWord(p.subject) == p.subject && p.class == fact.NoClass { // @shell(aws),@shell(aws *)
		return p.subject + " *"
	}
	return ""
}

// doubtColon is for names with a colon, or a dot after mcp: no agent has such tools.
func doubtColon(name string) *Mistake {
	m := &Mistake{Kind: Doubtful, Length: len(name), Message: "no tool has such a name: " + quote(name)}
	tool, rest, colon := strings.Cut(name, ":")
	switch {
	case strings.HasPrefix(name, "mcp:") || strings.HasPrefix(name, "mcp."):
		m.Fix = strings.NewReplacer(":", "__", ".", "__").Replace(name)
	case words.Of(words.Fact, rest) == "last_tool_call_failed":
		m.Hint = "write tool_failed:" + tool
		return m
	case isCount(rest):
		m.Hint = counted(tool, rest)
		return m
	case colon && words.Of(words.Tool, tool) == tool && rest != "":
		m.Fix = tool + "(" + rest + ")"
	default:
		return nil
	}
	if _, wrong := Parse(m.Fix); wrong != nil { // no fix is shown that is none
		return nil
	}
	m.Hint, m.Replace = "write "+m.Fix, true
	return m
}

// counted is the hint about a number behind the name of a tool.
func counted(tool, count string) string {
	return fmt.Sprintf("how often is a condition, as in tool_count(%q) >= %s", tool, count)
}

func isCount(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// doubtName is for words of the language and of everyday speech that stand where a tool is named.
func doubtName(name string) *Mistake {
	m := &Mistake{Kind: Doubtful, Length: len(name), Message: "no tool is named " + quote(name)}
	switch name {
	case "any", "all", "everything":
		m.Hint, m.Replace, m.Fix = "write *: it is any tool", true, "*"
	case "pause":
		m.Hint = "it is a key: `pause: true`"
	case "failed", "fails", "error":
		m.Hint = "a failed call is a condition: tool_failed:Bash"
	default:
		if !strings.HasPrefix(words.Of(words.Program, name), "needs ") {
			return nil
		}
		m.Message, m.Replace, m.Fix = name+" is a program, which a shell tool runs", true, "@shell("+name+" *)"
		m.Hint = "write " + m.Fix
	}
	return m
}

// doubtCommand is for what no command by itself has: commands are split at these signs, and redirections are
// no words of theirs.
func (p *Pattern) doubtCommand(vague func(message, hint string) *Mistake) *Mistake {
	for _, sign := range []string{"&&", "||", "|", ";"} {
		before, after, ok := strings.Cut(p.subject, sign)
		if !ok || before == "" || strings.TrimSpace(after) == "" || strings.HasSuffix(before, `\`) ||
			!strings.ContainsAny(before[len(before)-1:]+after[:1], " *") && // within a word
				firstWord(before) != firstWord(after) { // git push|git merge
			continue
		}
		return vague("the commands of a line are compared one by one, so none holds "+quote(sign),
			"write them one by one, as in "+p.Name()+"("+strings.TrimSpace(before)+")")
	}
	for _, sign := range []string{" > ", " >> ", " < "} {
		if strings.Contains(p.subject, sign) {
			return vague("a redirection is not part of the command that is compared",
				`write: command matches, as in command matches "> *\S+\.env"`)
		}
	}
	if isList(p.subject, "*") {
		return vague("a comma in the parentheses belongs to the pattern",
			"write "+p.Name()+"("+strings.Join(piecesOf(p.subject), "), "+p.Name()+"(")+")")
	}
	return nil
}

func firstWord(command string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return word
}

// piecesOf returns what stands between the commas of a text.
func piecesOf(text string) []string {
	pieces := strings.Split(text, ",")
	for i, piece := range pieces {
		pieces[i] = strings.TrimSpace(piece)
	}
	return pieces
}

// isList reports whether a text is several patterns with commas between them: each piece has one of the
// signs.
func isList(text, signs string) bool {
	return strings.Contains(text, ",") && !slices.ContainsFunc(piecesOf(text), func(piece string) bool {
		return !strings.ContainsAny(piece, signs)
	})
}

// prefix reports whether a subject that goes on with :* is likely to be a permission rule. A script of npm
// may have a colon in its name, a URL has one.
func (p *Pattern) prefix(before string, class fact.Class) bool {
	return before != "" && (class == fact.NoClass || class == fact.Shell) &&
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
	if ofFiles && strings.Contains(text, "|") {
		return true
	}
	return strings.HasPrefix(text, "^") || strings.HasSuffix(text, "$") ||
		slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(text, sign) })
}
