package callpattern

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/excerpt"
	"github.com/aside-go/aside/internal/patch"
)

// Writes completes a call of Shell whose command line is told: whether it changes files, which, and what it
// writes into them (LANGUAGE.md §2). locate returns a path as a Call has it. Other calls stay as they are.
func Writes(c *fact.Call, locate func(path string) string) {
	if c.Class != fact.Shell || !c.Told || c.Paths != nil || !mayWrite(c.Command) {
		return
	}
	s := readLine(c.Command, true)
	if !s.edits {
		return
	}
	c.Edits, c.Unsaid, c.Written, c.WrittenTold = true, !s.all, s.texts, s.seen
	for _, p := range s.paths {
		c.Paths = append(c.Paths, locate(p))
	}
}

// writers are the programs of shell.program that change files, and what stands behind git.
var writers = map[string]options{
	"tee": {}, "rm": {}, "apply_patch": {},
	"sed":   {short: "ef", glued: "i", long: []string{"expression", "file"}},
	"perl":  {short: "eEI", glued: "CDFMVdimx"},
	"touch": {short: "Adrt", long: []string{"date", "reference", "time"}},
	"cp":    {short: "tS", long: []string{"target-directory", "suffix"}},
	"mv":    {short: "tS", long: []string{"target-directory", "suffix"}},
	"patch": {short: "BDFVYdgioprxz", nothing: []string{"--dry-run", "-C", "--check"},
		long: []string{"directory", "fuzz", "get", "ifdef", "input", "output", "prefix", "reject-file", "strip",
			"suffix"}},
	"git rm": {nothing: []string{"-n", "--dry-run"}}, "git mv": {nothing: []string{"-n", "--dry-run"}},
	"git apply": {short: "Cp", nothing: []string{"--check", "--stat", "--numstat", "--summary"}},
}

// mayWrite reports whether a line may change files, without the parser, which most lines do not need
// (BenchmarkAimReplay). false is certain.
func mayWrite(line string) bool {
	if line = excerpt.Head(line, MaxLine); !plain(line) {
		return true
	}
	line = bare(line)
	for at := strings.IndexByte(line, '>'); at >= 0; {
		rest := strings.TrimLeft(line[at:], ">|")
		if file := strings.TrimLeft(rest, "& \t"); !strings.HasPrefix(file, "/dev/") &&
			!(strings.HasPrefix(rest, "&") && file != "" && strings.IndexByte("0123456789-", file[0]) >= 0) {
			return true
		}
		next := strings.IndexByte(rest, '>')
		if next < 0 {
			break
		}
		at = len(line) - len(rest) + next
	}
	line = strings.ReplaceAll(line, "/", " ") // /bin/rm is rm
	for name := range writers {
		if v := (sieve{head: name[strings.IndexByte(name, ' ')+1:], whole: true}); v.begins(line) {
			return true
		}
	}
	return false
}

// text is what a command reads or writes, where it is known.
type text struct {
	s     string
	known bool
}

// changes are what a command line changes in files.
type changes struct {
	edits, all, seen bool // some are changed; all of them are in paths; all that is written is in texts
	paths, texts     []string
	at               folder
}

// folder is where the commands of a line work, below the directory of the line.
type folder struct {
	dir  string
	lost bool // dir is not known
}

// outputs are the redirections that write files.
var outputs = []syntax.RedirOperator{syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll,
	syntax.AppAll, syntax.DplOut}

// input returns what a command reads with a redirection, and in without it.
func (s *shell) input(r *syntax.Redirect, in text) text {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc != nil {
			return text{s.document(r), true}
		}
		return text{}
	case syntax.WordHdoc:
		return text{s.word(r.Word) + "\n", constant(r.Word)}
	case syntax.RdrIn:
		return text{}
	}
	return in
}

// output notes the file of a redirection, into which out is written, and returns what is left of that.
func (s *shell) output(r *syntax.Redirect, out text) text {
	name := ""
	if r.Word != nil {
		name = s.word(r.Word)
	}
	if !slices.Contains(outputs, r.Op) || strings.HasPrefix(name, "/dev/") ||
		r.Op == syntax.DplOut && strings.Trim(name, "0123456789-") == "" { // a descriptor
		return out
	}
	if r.N != nil && r.N.Value != "1" {
		out = text{}
	}
	s.file(name, constant(r.Word), out)
	return text{"", true}
}

// document returns the text of a here-document as it stands.
func (s *shell) document(r *syntax.Redirect) string {
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		} else {
			b.WriteString(s.source(part))
		}
	}
	return b.String()
}

// file notes that a file is changed. fixed says that its name is what stands there.
func (s *shell) file(name string, fixed bool, wrote text) {
	s.name(name, fixed)
	if wrote.known {
		s.texts = append(s.texts, fact.CutOutput(wrote.s))
	} else {
		s.seen = false
	}
}

func (s *shell) names(list []operand) {
	for _, o := range list {
		s.name(o.word, o.fixed)
	}
}

// name notes that a file is changed, and nothing of what is written.
func (s *shell) name(name string, fixed bool) {
	s.edits = true
	if !path.IsAbs(name) && !strings.HasPrefix(name, "~/") {
		fixed = fixed && !s.at.lost
		name = path.Join(s.at.dir, name)
	}
	if !fixed || name == "" {
		s.all = false
	} else if !slices.Contains(s.paths, name) {
		s.paths = append(s.paths, name)
	}
}

// constant reports whether a shell takes a word as it stands, without its quotes.
func constant(word *syntax.Word) bool {
	if word == nil {
		return false
	}
	for i, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[{") || i == 0 && strings.HasPrefix(p.Value, "~") &&
				!strings.HasPrefix(p.Value, "~/") {
				return false
			}
		case *syntax.SglQuoted:
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				if _, ok := inner.(*syntax.Lit); !ok {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// program visits a program by its name. The list of programs that change files is closed.
func (s *shell) program(name string, args []string, fixed []bool, in text) text {
	ops, letters, idle := operands(name, args, fixed)
	if idle {
		return text{}
	}
	switch name {
	case "cd":
		switch {
		case len(ops) != 1 || !ops[0].fixed || ops[0].word == "-" || strings.HasPrefix(ops[0].word, "~"):
			s.at.lost = true
		case path.IsAbs(ops[0].word):
			s.at.dir, s.at.lost = ops[0].word, false
		default:
			s.at.dir = path.Join(s.at.dir, ops[0].word)
		}
	case "cat":
		if len(args) == 0 || len(args) == 1 && args[0] == "-" {
			return in
		}
		return text{}
	case "echo", "printf":
		return said(name, args, fixed)
	case "tee":
		for _, o := range ops {
			if !strings.HasPrefix(o.word, "/dev/") {
				s.file(o.word, o.fixed, in)
			}
		}
		return in
	case "sed", "perl": // they change files if they are given -i
		if !strings.ContainsAny(letters, map[string]string{"sed": "ef", "perl": "eE"}[name]) && len(ops) > 0 {
			ops = ops[1:]
		}
		if strings.Contains(letters, "i") {
			s.edits, s.seen, s.all = true, false, s.all && len(ops) > 0
			s.names(ops)
		}
	case "cp", "mv", "git mv":
		s.copy(name, ops, args, fixed)
	case "rm", "touch", "git rm":
		s.names(ops)
	case "patch":
		if len(ops) > 0 { // the file, and perhaps that of the patch
			s.file(ops[0].word, ops[0].fixed, text{})
			break
		}
		if strings.ContainsAny(letters, "id") {
			in = text{}
		}
		s.patch(in)
	case "git":
		s.git(args, fixed, in)
	case "git apply":
		if len(ops) > 0 && ops[0].word != "-" {
			in = text{}
		}
		s.patch(in)
	case "apply_patch":
		if len(ops) > 0 && ops[0].fixed {
			in = text{ops[0].word, true}
		}
		s.patch(in)
	case "find":
		for i, a := range args {
			if a == "-exec" || a == "-execdir" || a == "-ok" {
				before := len(s.commands) // the line does not have it as a command of its own
				s.simple(args[i+1:], nil, text{})
				s.commands = s.commands[:before]
			}
		}
	}
	return text{}
}

// operand is a word that is not an option.
type operand struct {
	word  string
	fixed bool
}

// operands returns the words of a program that are not options, the letters of its options, of long ones the
// first, and whether one says that nothing is changed.
func operands(name string, args []string, fixed []bool) (ops []operand, letters string, idle bool) {
	of := writers[name]
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			for i++; i < len(args); i++ {
				ops = append(ops, operand{args[i], fixed[i]})
			}
		case len(a) > 1 && a[0] == '-':
			idle = idle || slices.Contains(of.nothing, a)
			long, ok := strings.CutPrefix(a, "--")
			if !ok {
				letters += of.letters(a)
			} else if long, _, _ = strings.Cut(long, "="); slices.Contains(of.long, long) || long == "in-place" {
				letters += long[:1]
			}
			i += of.arguments(a)
			if name == "sed" && strings.HasSuffix(a, "i") && i+1 < len(args) && args[i+1] == "" {
				i++ // of BSD: no suffix
			}
		default:
			ops = append(ops, operand{a, fixed[i]})
		}
	}
	return ops, letters, idle
}

// said returns what echo or printf writes, of words that stand there as they are.
func said(name string, args []string, fixed []bool) text {
	if slices.Contains(fixed, false) || len(args) == 0 {
		return text{"\n", len(args) == 0 && name == "echo"}
	}
	if name == "printf" {
		if len(args) == 2 && (args[0] == "%s" || args[0] == `%s\n`) {
			return text{args[1] + unescapeC(args[0][2:]), true}
		}
		return text{unescapeC(args[0]), len(args) == 1 && !strings.Contains(args[0], "%")}
	}
	end := "\n"
	for len(args) > 0 && (args[0] == "-n" || args[0] == "-e" || args[0] == "-ne" || args[0] == "-en") {
		if strings.Contains(args[0], "n") {
			end = ""
		}
		args = args[1:]
	}
	return text{strings.Join(args, " ") + end, true}
}

// patch notes what a patch changes.
func (s *shell) patch(in text) {
	for _, f := range patch.Files(in.s) {
		s.name(f, in.known)
	}
	s.texts = append(s.texts, patch.Added(in.s)...)
	s.edits, s.all, s.seen = true, s.all && in.known, s.seen && in.known
}

// copy visits cp and mv. Into a directory a file goes by its own name.
func (s *shell) copy(name string, ops []operand, args []string, fixed []bool) {
	into := operand{}
	for i, a := range args {
		if dir, ok := strings.CutPrefix(a, "--target-directory="); ok {
			into = operand{dir + "/", fixed[i]}
		} else if a == "-t" && i+1 < len(args) {
			into = operand{args[i+1] + "/", fixed[i+1]}
		}
	}
	if into.word == "" && len(ops) > 1 {
		into, ops = ops[len(ops)-1], ops[:len(ops)-1]
		if len(ops) > 1 {
			into.word += "/"
		}
	}
	s.edits, s.seen = true, false
	for _, from := range ops {
		if name != "cp" {
			s.name(from.word, from.fixed)
		}
		if to := into; strings.HasSuffix(to.word, "/") {
			s.name(to.word+path.Base(from.word), to.fixed && from.fixed)
		} else {
			s.name(to.word, to.fixed)
		}
	}
}

// git visits the commands of git that change files by themselves.
func (s *shell) git(args []string, fixed []bool, in text) {
	before := s.at
	defer func() { s.at = before }()
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-C" && i+1 < len(args):
			i++
			s.program("cd", args[i:i+1], fixed[i:i+1], text{})
		case a == "-c":
			i++
		case strings.HasPrefix(a, "-"):
		default:
			if _, writes := writers["git "+a]; writes {
				s.program("git "+a, args[i+1:], fixed[i+1:], in)
			}
			return
		}
	}
}
