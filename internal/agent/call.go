package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/patch"
)

// Where is the place where an agent works, by absolute paths. What is not known is "".
type Where struct {
	Dir     string // the directory that relative paths in its calls begin in
	Project string // the project's directory
	Home    string
}

// Place returns the place in which call patterns compare the paths of calls.
func (w Where) Place() fact.Place {
	return fact.Place{Project: slashes(w.Project), Home: slashes(w.Home)}
}

// Call returns a call of a tool, of the agent's own or of any other, as rules see it. input and output are
// JSON, the input also JSON in a string; nil is not told. An input that is any other string is the subject. A
// subject that the input does not tell, or tells in another form than the table of tools says, is not told.
//
// The subject of Edit is the files, those of a patch in the form of apply_patch too; that of a tool without
// class the input as compact JSON with sorted keys. Several command lines, or several patterns of a search,
// are lines of one subject. Paths are cleaned; they are relative where they lie in the project, else
// absolute, as far as w tells. The outcome is unknown.
func (a *Agent) Call(tool string, input, output []byte, w Where) fact.Call {
	t := a.table(tool)
	c := fact.Call{Tool: tool, Class: t.Class}
	if input = bytes.TrimSpace(input); len(input) > 0 && input[0] == '"' {
		if said := []byte(strings.TrimSpace(stringOf(input))); len(said) > 0 && said[0] == '{' && json.Valid(said) {
			input = said
		}
	}
	if b := new(bytes.Buffer); len(input) > 0 && input[0] == '{' && json.Compact(b, input) == nil {
		c.Input = b.String()
	}
	switch t.Class {
	case Todo:
	case NoClass:
		c.Subject = jsonscan.Compact(input)
		c.Told = c.Subject != ""
	default:
		all := subjects(input, t)
		c.Told = len(all) > 0 && all[0] != ""
		switch {
		case !c.Told:
		case t.Class == Shell:
			c.Command = strings.Join(all, "\n")
		case t.Class == Edit, t.Class == Read:
			for _, p := range all {
				c.Paths = append(c.Paths, w.locate(p))
			}
		default:
			c.Subject = strings.Join(all, "\n")
		}
	}
	callpattern.Writes(&c, w.locate)
	if t.Class == Edit && c.Told {
		c.Written, c.WrittenTold = written(input, t)
	}
	if text, ok := outputOf(output, maxNested); ok {
		c.Output, c.OutputTold = fact.CutOutput(text), true
	}
	return c
}

// CallOfAny is Call where nobody says which agent it is: the first one that has the tool, and whose table
// finds the subject in the input.
func CallOfAny(tool string, input, output []byte, w Where) fact.Call {
	c := (&Agent{}).Call(tool, input, output, w)
	if ClassOf(tool) == NoClass {
		return c
	}
	for _, a := range All() {
		if a.ClassOf(tool) != NoClass {
			if c = a.Call(tool, input, output, w); c.HasSubject() {
				break
			}
		}
	}
	return c
}

// subjects returns the subjects of a call; none where its input does not tell them.
func subjects(input []byte, t Tools) (all []string) {
	member, words := strings.CutSuffix(t.Subject, " as words")
	var value []byte
	if o, ok := readObject(input); ok {
		value = o.find([]string{member}, aString+aList)
		if i := slices.IndexFunc(o.members, isPatch); len(value) == 0 && t.Class == Edit && i >= 0 {
			value = o.members[i].raw
		}
	} else if len(input) > 0 && input[0] == '"' && json.Valid(input) { // of a tool that takes a text
		value = input
	}
	if len(value) > 0 && value[0] == '"' {
		all = []string{stringOf(value)}
		if t.Class == Edit && strings.HasPrefix(all[0], patch.Begin) {
			return patch.Files(all[0])
		}
		return all
	}
	for _, raw := range jsonscan.Elements(value) {
		if raw[0] != '"' {
			return nil
		}
		all = append(all, stringOf(raw))
	}
	if words && len(all) > 0 {
		for i, w := range all {
			if strings.ContainsFunc(w, special) || w == "" {
				all[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
			}
		}
		return []string{strings.Join(all, " ")}
	}
	return all
}

// isPatch reports whether a member is a patch in the form of apply_patch, whatever its name.
func isPatch(m objectMember) bool { return strings.HasPrefix(stringOf(m.raw), patch.Begin) }

// special reports whether a shell may take a character for more than itself.
func special(r rune) bool {
	return r > '~' || r <= ' ' || strings.ContainsRune("\"'`\\$&|;<>()[]{}*?!#~", r)
}

// locate returns a path as fact.Call has it. "~/" at its beginning stays.
func (w Where) locate(p string) string {
	dir, project := w.Dir, w.Project
	if isDrive(p) || isDrive(dir) || isDrive(project) {
		p, dir, project = strings.ReplaceAll(p, `\`, "/"), slashes(dir), slashes(project)
	}
	if !isAbsolute(p) && !strings.HasPrefix(p, "~/") {
		p = path.Join(cmp.Or(dir, project), p)
	}
	p = path.Clean(p)
	project = strings.TrimSuffix(project, "/")
	switch rest, in := strings.CutPrefix(p, project); {
	case !in || project == "":
		return p
	case rest == "":
		return "."
	case rest[0] == '/':
		return rest[1:]
	}
	return p
}

func isAbsolute(p string) bool { return strings.HasPrefix(p, "/") || isDrive(p) }

// isDrive reports whether a path is absolute as Windows writes it.
func isDrive(p string) bool {
	return strings.HasPrefix(p, `\\`) || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// slashes returns a path of Windows with slashes, and any other as it is.
func slashes(p string) string {
	if isDrive(p) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

// resultTexts are the members in which a result has its text, where the result is an object.
var resultTexts = []string{"text_result_for_llm", "llm_content", "content", "output", "text",
	"message", "result"}

// OutputOf returns the result of a call, which is JSON, as text: a string, the texts of a list of blocks, or
// that of an object. ok is false where raw tells none.
func OutputOf(raw []byte) (text string, ok bool) { return outputOf(raw, maxNested) }

const maxNested = 4 // lists and objects around the text of a result

// outputOf is OutputOf of a result with so many lists and objects around it.
func outputOf(raw []byte, nested int) (text string, ok bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || nested == 0 {
		return "", false
	}
	switch raw[0] {
	case '"':
		return stringOf(raw), true
	case '[':
		var parts []string
		for _, part := range jsonscan.Elements(raw) {
			if s, ok := outputOf(part, nested-1); ok {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n"), true // of images nothing is told
	case '{':
		o := objectOf(raw)
		if o.has("stdout", "stderr") {
			return Lines(o.str("stdout"), o.str("stderr")), true
		}
		for _, name := range resultTexts {
			if s, ok := outputOf(o.find([]string{name}, aString+aList+anObject), nested-1); ok {
				return s, true
			}
		}
	}
	return "", false
}

// Lines joins texts that are not empty, each on lines of its own.
func Lines(texts ...string) string {
	var b strings.Builder
	for _, s := range texts {
		if s != "" && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(s)
	}
	return b.String()
}
