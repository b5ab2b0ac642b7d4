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
	w := writer{walker: walker{splitter: &splitter{parser: syntax.NewParser(), left: maxParsed}}, all: true,
		seen: true}
	w.line(excerpt.Head(c.Command, MaxLine), text{}, 0)
	if !w.edits {
		return
	}
	c.Edits, c.Unsaid, c.Written, c.WrittenTold = true, !w.all, w.texts, w.seen
	for _, p := range w.paths {
		c.Paths = append(c.Paths, locate(p))
	}
}

// writers are the programs of writer.program that change files, and what stands behind git.
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
	for name := range writers {
		name = name[strings.IndexByte(name, ' ')+1:]
		for at := 0; ; at++ {
			i := strings.Index(line[at:], name)
			if i < 0 {
				break
			}
			at += i
			end := at + len(name)
			if (at == 0 || line[at-1] == '/' || !inWord(line[at-1])) && (end == len(line) || !inWord(line[end])) {
				return true
			}
		}
	}
	return false
}

// text is what a command reads or writes, where it is known.
type text struct {
	s     string
	known bool
}

// writer finds what a command line changes in files.
type writer struct {
	walker
	edits, all, seen bool // some are changed; all of them are in paths; all that is written is in texts
	paths, texts     []string
	dir              string // where the commands work, below the directory of the line
	lost             bool   // dir is not known
	behind, depth    int
}

// line visits the commands of a text, of which the first reads in.
func (w *writer) line(src string, in text, behind int) {
	if w.left -= len(src); w.left < 0 || behind > maxBehind {
		return
	}
	file, read, err := w.parse(src)
	if err != nil {
		return
	}
	before, beforeBehind := w.src, w.behind
	w.src, w.behind = read, behind
	w.list(file.Stmts, in)
	w.src, w.behind = before, beforeBehind
}

func (w *writer) list(list []*syntax.Stmt, in text) {
	for _, s := range list {
		w.stmt(s, in)
	}
}

// outputs are the redirections that write files.
var outputs = []syntax.RedirOperator{syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll,
	syntax.AppAll, syntax.DplOut}

// stmt visits a command with its redirections, and returns what it writes to its output.
func (w *writer) stmt(s *syntax.Stmt, in text) (out text) {
	if w.depth++; w.depth > maxDepth {
		w.depth--
		return text{}
	}
	defer func() { w.depth-- }()
	for _, r := range s.Redirs {
		if runs := expanded(r); runs != nil {
			w.inside(runs)
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if in = (text{}); r.Hdoc != nil {
				in = text{w.document(r), true}
			}
		case syntax.WordHdoc:
			in = text{w.word(r.Word) + "\n", constant(r.Word)}
		case syntax.RdrIn:
			in = text{}
		}
	}
	out = w.command(s.Cmd, in)
	for _, r := range s.Redirs {
		name := ""
		if r.Word != nil {
			name = w.word(r.Word)
		}
		if !slices.Contains(outputs, r.Op) || strings.HasPrefix(name, "/dev/") ||
			r.Op == syntax.DplOut && strings.Trim(name, "0123456789-") == "" { // a descriptor
			continue
		}
		wrote := out
		if r.N != nil && r.N.Value != "1" {
			wrote = text{}
		}
		w.file(name, constant(r.Word), wrote)
		out = text{"", true}
	}
	return out
}

// document returns the text of a here-document as it stands.
func (w *writer) document(r *syntax.Redirect) string {
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		} else {
			b.WriteString(w.source(part))
		}
	}
	return b.String()
}

// command visits a command and returns what it writes to its output.
func (w *writer) command(c syntax.Command, in text) text {
	switch c := c.(type) {
	case nil:
		return text{"", true}
	case *syntax.CallExpr:
		for _, a := range c.Assigns {
			w.inside(a)
		}
		for _, word := range c.Args {
			w.inside(word)
		}
		fixed := make([]bool, len(c.Args))
		for i, word := range c.Args {
			fixed[i] = constant(word)
		}
		return w.simple(w.words(nil, c.Args), fixed, in)
	case *syntax.BinaryCmd:
		return w.chain(c, in)
	case *syntax.Block:
		w.list(c.Stmts, in)
	case *syntax.Subshell:
		dir, lost := w.dir, w.lost
		w.list(c.Stmts, in)
		w.dir, w.lost = dir, lost
	default:
		w.inside(c)
	}
	return text{}
}

// chain visits a list or a pipe from left to right, as walker.list does, and returns what the last command of
// a pipe writes.
func (w *writer) chain(c *syntax.BinaryCmd, in text) (out text) {
	links := []*syntax.BinaryCmd{c}
	for {
		inner, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || len(c.X.Redirs) > 0 {
			break
		}
		links, c = append(links, inner), inner
	}
	out = w.stmt(c.X, in)
	for _, l := range slices.Backward(links) {
		if l.Op == syntax.Pipe || l.Op == syntax.PipeAll {
			out = w.stmt(l.Y, out)
			continue
		}
		w.stmt(l.Y, in)
		out = text{}
	}
	return out
}

// inside visits the commands within a node.
func (w *writer) inside(n syntax.Node) {
	depth := 0
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			depth--
			return false
		}
		s, ok := n.(*syntax.Stmt)
		if ok {
			w.stmt(s, text{})
		}
		if ok || depth >= maxDepth {
			return false
		}
		depth++
		return true
	})
}

// file notes that a file is changed. fixed says that its name is what stands there.
func (w *writer) file(name string, fixed bool, wrote text) {
	w.name(name, fixed)
	if wrote.known {
		w.texts = append(w.texts, fact.CutOutput(wrote.s))
	} else {
		w.seen = false
	}
}

func (w *writer) names(list []operand) {
	for _, o := range list {
		w.name(o.word, o.fixed)
	}
}

// name notes that a file is changed, and nothing of what is written.
func (w *writer) name(name string, fixed bool) {
	w.edits = true
	if !path.IsAbs(name) && !strings.HasPrefix(name, "~/") {
		fixed = fixed && !w.lost
		name = path.Join(w.dir, name)
	}
	if !fixed || name == "" {
		w.all = false
	} else if !slices.Contains(w.paths, name) {
		w.paths = append(w.paths, name)
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

// simple visits a simple command with what it reads, and returns what it writes to its output. fixed says of
// each word whether it is what stands there.
func (w *writer) simple(words []string, fixed []bool, in text) text {
	for open := false; len(words) > 0; {
		name := words[0][strings.LastIndexByte(words[0], '/')+1:]
		skip, line := follow(words)
		switch {
		case line != "":
			w.line(line, in, w.behind+1)
			return text{}
		case skip == 0:
			if open {
				words, fixed = append(slices.Clip(words), ""), append(slices.Clip(fixed), false)
			}
			return w.program(name, words[1:], fixed[1:], in)
		}
		if name == "xargs" { // what it reads stands behind the words
			open, in = true, text{}
		}
		words, fixed = words[skip:], fixed[skip:]
	}
	return text{"", true}
}

// program visits a program by its name. The list of programs that change files is closed.
func (w *writer) program(name string, args []string, fixed []bool, in text) text {
	ops, letters, idle := operands(name, args, fixed)
	if idle {
		return text{}
	}
	switch name {
	case "cd":
		switch {
		case len(ops) != 1 || !ops[0].fixed || ops[0].word == "-" || strings.HasPrefix(ops[0].word, "~"):
			w.lost = true
		case path.IsAbs(ops[0].word):
			w.dir, w.lost = ops[0].word, false
		default:
			w.dir = path.Join(w.dir, ops[0].word)
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
				w.file(o.word, o.fixed, in)
			}
		}
		return in
	case "sed", "perl": // they change files if they are given -i
		if !strings.ContainsAny(letters, map[string]string{"sed": "ef", "perl": "eE"}[name]) && len(ops) > 0 {
			ops = ops[1:]
		}
		if strings.Contains(letters, "i") {
			w.edits, w.seen, w.all = true, false, w.all && len(ops) > 0
			w.names(ops)
		}
	case "cp", "mv", "git mv":
		w.copy(name, ops, args, fixed)
	case "rm", "touch", "git rm":
		w.names(ops)
	case "patch":
		if len(ops) > 0 { // the file, and perhaps that of the patch
			w.file(ops[0].word, ops[0].fixed, text{})
			break
		}
		if strings.ContainsAny(letters, "id") {
			in = text{}
		}
		w.patch(in)
	case "git":
		w.git(args, fixed, in)
	case "git apply":
		if len(ops) > 0 && ops[0].word != "-" {
			in = text{}
		}
		w.patch(in)
	case "apply_patch":
		if len(ops) > 0 && ops[0].fixed {
			in = text{ops[0].word, true}
		}
		w.patch(in)
	case "find":
		for i, a := range args {
			if a == "-exec" || a == "-execdir" || a == "-ok" {
				w.simple(args[i+1:], make([]bool, len(args)-i-1), text{})
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
func (w *writer) patch(in text) {
	for _, f := range patch.Files(in.s) {
		w.name(f, in.known)
	}
	w.texts = append(w.texts, patch.Added(in.s)...)
	w.edits, w.all, w.seen = true, w.all && in.known, w.seen && in.known
}

// copy visits cp and mv. Into a directory a file goes by its own name.
func (w *writer) copy(name string, ops []operand, args []string, fixed []bool) {
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
	w.edits, w.seen = true, false
	for _, from := range ops {
		if name != "cp" {
			w.name(from.word, from.fixed)
		}
		if to := into; strings.HasSuffix(to.word, "/") {
			w.name(to.word+path.Base(from.word), to.fixed && from.fixed)
		} else {
			w.name(to.word, to.fixed)
		}
	}
}

// git visits the commands of git that change files by themselves.
func (w *writer) git(args []string, fixed []bool, in text) {
	dir, lost := w.dir, w.lost
	defer func() { w.dir, w.lost = dir, lost }()
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-C" && i+1 < len(args):
			i++
			w.program("cd", args[i:i+1], fixed[i:i+1], text{})
		case a == "-c":
			i++
		case strings.HasPrefix(a, "-"):
		default:
			if _, writes := writers["git "+a]; writes {
				w.program("git "+a, args[i+1:], fixed[i+1:], in)
			}
			return
		}
	}
}
