package callpattern

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/aside-go/aside/internal/excerpt"
)

const (
	// MaxLine is how many bytes of a command line are parsed.
	MaxLine = 32 << 10
	// maxParsed is how many bytes of one command line are parsed at most if the texts behind sh -c are added.
	// Such a text may stand in many others: without a limit the work would double with each.
	maxParsed = 4 * MaxLine
	// maxBehind is how many commands may stand one behind the other, as in sudo env nice make.
	maxBehind = 16
	// maxFrames is how many functions of the parser may be under way. A level of nesting takes about ten; at
	// this limit the stack stays below 2 MB (TestHostileLines). Without one, 32 KiB of "((" take 134 MB.
	maxFrames = 2000
	// maxDepth is how deep the tree of a command line is visited: arithmetic makes deep trees of flat texts.
	maxDepth = 1000
	// chunk is how much text the parser is given at once. Its stack is looked at between two chunks.
	chunk = 512
)

// Commands returns the simple commands of a command line, each as its words joined with one blank: those in
// lists, pipes, substitutions, subshells, loops and functions, those behind sudo and its like, and those in
// the text behind sh -c. Of a line that is not a shell command it returns the lines of its text. It never
// returns none: a line without any command has one without words.
func Commands(line string) []string {
	s := readLine(line, false)
	if len(s.commands) == 0 {
		return []string{""}
	}
	return s.commands
}

// shell goes through a command line as a shell does: it collects the simple commands and, if it writes, what
// they change in files.
type shell struct {
	changes

	writes   bool
	commands []string
	parser   *syntax.Parser
	left     int      // bytes that may still be parsed
	src      string   // the text that is gone through
	behind   int      // the commands that it stands behind
	depth    int      // the nodes that are being visited
	timed    []string // the words of time before the next command
}

func readLine(line string, writes bool) *shell {
	s := &shell{parser: syntax.NewParser(), left: maxParsed, writes: writes,
		changes: changes{all: true, seen: true}}
	s.line(excerpt.Head(line, MaxLine), text{}, 0)
	return s
}

// line visits the commands of a text, of which the first reads in. behind is how many commands it stands
// behind.
func (s *shell) line(src string, in text, behind int) {
	if s.left -= len(src); s.left < 0 {
		return
	}
	file, read, err := s.parse(src)
	if err != nil {
		for line := range strings.Lines(src) {
			if line = strings.TrimSpace(line); line != "" {
				s.commands = append(s.commands, line)
			}
		}
		return
	}
	before, beforeBehind := s.src, s.behind
	s.src, s.behind = read, behind
	s.apart(file.Stmts, in)
	s.src, s.behind = before, beforeBehind
}

var (
	errDeep  = errors.New("nested too deeply")
	errPanic = errors.New("the parser gave up")
)

// parse reads text as bash does, and returns it as it was read. In two ways bash is more lenient than the
// parser: a here-document without its last line goes to the end of the text, and "((" opens two subshells
// where no arithmetic follows.
func (s *shell) parse(text string) (file *syntax.File, read string, err error) {
	const maxOpen = 4 // here-documents
	var wrong syntax.ParseError
	for range maxOpen {
		if file, err = s.parseOnce(text); err == nil || !errors.As(err, &wrong) {
			return file, text, err
		}
		end, ok := strings.CutPrefix(wrong.Text, "unclosed here-document ")
		if !ok || len(end) < 2 {
			break
		}
		text += "\n" + end[1:len(end)-1] + "\n"
	}
	if strings.Contains(text, "((") {
		text = strings.ReplaceAll(text, "((", "( (")
		file, err = s.parseOnce(text)
	}
	return file, text, err
}

// parseOnce guards the parser, which is not made for text of unknown origin: a panic of it would end the
// agent.
func (s *shell) parseOnce(text string) (file *syntax.File, err error) {
	defer func() {
		if recover() != nil {
			s.parser = syntax.NewParser()
			file, err = nil, errPanic
		}
	}()
	r := reader{rest: text}
	file, err = s.parser.Parse(&r, "")
	if r.deep {
		return nil, errDeep
	}
	return file, err
}

// reader gives the parser its text in chunks, and no more of it if the parser, which calls Read, is nested
// too deeply. That ends the text for the parser and is no error: behind an error of Read it takes a word that
// it does not expect for the next one, again and again.
type reader struct {
	rest        string
	begun, deep bool
}

func (r *reader) Read(b []byte) (int, error) {
	if r.rest == "" {
		return 0, io.EOF // not together with the last bytes: the parser's places would be wrong there
	}
	var pc [1]uintptr
	if r.begun && runtime.Callers(maxFrames, pc[:]) > 0 {
		r.rest, r.deep = "", true
		return 0, io.EOF
	}
	r.begun = true
	n := copy(b[:min(len(b), chunk)], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (s *shell) list(list []*syntax.Stmt, in text) {
	for _, stmt := range list {
		s.stmt(stmt, in)
	}
}

// stmt visits a command with its redirections, and returns what it writes to its output.
func (s *shell) stmt(stmt *syntax.Stmt, in text) (out text) {
	if s.depth >= maxDepth {
		return text{}
	}
	s.depth++
	defer func() { s.depth-- }()
	for _, r := range stmt.Redirs {
		in = s.input(r, in)
	}
	before := s.at
	out = s.command(stmt.Cmd, in)
	after := s.at
	s.at = before
	for _, r := range stmt.Redirs {
		if runs := expanded(r); runs != nil {
			s.inside(runs)
		}
	}
	for _, r := range stmt.Redirs {
		out = s.output(r, out)
	}
	s.at = after
	return out
}

// command visits a command and returns what it writes to its output.
func (s *shell) command(c syntax.Command, in text) (out text) {
	switch c := c.(type) {
	case nil:
		return text{"", true}
	case *syntax.CallExpr:
		before, timed := s.at, len(s.timed)
		words := s.words(s.timed, c.Args)
		s.timed = nil
		var fixed []bool
		if s.writes {
			fixed = make([]bool, len(words))
			for i, word := range c.Args {
				fixed[timed+i] = constant(word)
			}
		}
		out = s.simple(words, fixed, in)
		after := s.at
		s.at = before
		for _, a := range c.Assigns {
			s.inside(a)
		}
		for _, word := range c.Args {
			s.inside(word)
		}
		s.at = after
		return out
	case *syntax.BinaryCmd:
		return s.chain(c, in)
	case *syntax.Block:
		s.list(c.Stmts, in)
		return text{}
	case *syntax.Subshell:
		s.apart(c.Stmts, in)
		return text{}
	case *syntax.TimeClause: // a word of the shell, not of a command
		if c.Stmt == nil {
			return text{}
		}
		if _, ok := c.Stmt.Cmd.(*syntax.CallExpr); ok {
			s.timed = []string{"time"}
			if c.PosixFormat {
				s.timed = append(s.timed, "-p")
			}
		}
		return s.stmt(c.Stmt, in)
	case *syntax.DeclClause: // export, declare and their like are commands whose words the parser reads itself
		words := []string{c.Variant.Value}
		for _, a := range c.Args {
			words = append(words, s.assign(a))
		}
		s.simple(words, nil, in)
	case *syntax.LetClause:
		words := []string{"let"}
		for _, x := range c.Exprs {
			words = append(words, s.source(x))
		}
		s.simple(words, nil, in)
	}
	s.inside(c)
	return text{}
}

// apart visits the commands of a shell of its own, whose cd changes no other.
func (s *shell) apart(list []*syntax.Stmt, in text) {
	before := s.at
	s.list(list, in)
	s.at = before
}

// inside visits the commands within a node.
func (s *shell) inside(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil:
			s.depth--
			return false
		case *syntax.Stmt:
			s.stmt(n, text{})
			return false
		case *syntax.CmdSubst:
			s.apart(n.Stmts, text{})
			return false
		case *syntax.ProcSubst:
			s.apart(n.Stmts, text{})
			return false
		}
		if s.depth >= maxDepth {
			return false
		}
		s.depth++
		return true
	})
}

// expanded returns the word of a redirection in which a shell runs substitutions: its own, or a here-document
// whose word is not quoted; nil if there is none.
func expanded(r *syntax.Redirect) *syntax.Word {
	switch {
	case r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc:
		return r.Word
	case slices.ContainsFunc(r.Word.Parts, isQuoted):
		return nil
	}
	return r.Hdoc
}

func isQuoted(part syntax.WordPart) bool {
	lit, ok := part.(*syntax.Lit)
	return !ok || strings.Contains(lit.Value, `\`)
}

// chain visits the commands of a list or pipe from left to right, and returns what the last command of a pipe
// writes. The tree of a && b && c && d is as deep as the list is long.
func (s *shell) chain(c *syntax.BinaryCmd, in text) (out text) {
	links := []*syntax.BinaryCmd{c}
	for {
		inner, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || len(c.X.Redirs) > 0 {
			break
		}
		links, c = append(links, inner), inner
	}
	out = s.stmt(c.X, in)
	for _, l := range slices.Backward(links) {
		if l.Op == syntax.Pipe || l.Op == syntax.PipeAll {
			out = s.stmt(l.Y, out)
			continue
		}
		s.stmt(l.Y, in)
		out = text{}
	}
	return out
}

// simple adds the command with these words and what stands behind it, and returns what it writes to its
// output. fixed says of each word whether it is what stands there; nil: of none.
func (s *shell) simple(words []string, fixed []bool, in text) text {
	if fixed == nil && s.writes {
		fixed = make([]bool, len(words))
	}
	command, open := strings.Join(words, " "), false
	for behind := s.behind; ; behind++ {
		s.commands = append(s.commands, command)
		if behind >= maxBehind || len(words) == 0 {
			return text{"", len(words) == 0}
		}
		name := words[0][strings.LastIndexByte(words[0], '/')+1:]
		skip, line := follow(words)
		switch {
		case line != "":
			s.line(line, in, behind+1)
			return text{}
		case skip == 0 && !s.writes:
			return text{}
		case skip == 0:
			if open {
				words, fixed = append(slices.Clip(words), ""), append(slices.Clip(fixed), false)
			}
			return s.program(name, words[1:], fixed[1:], in)
		}
		if name == "xargs" { // what it reads stands behind the words
			open, in = true, text{}
		}
		for _, word := range words[:skip] {
			command = command[len(word)+1:]
		}
		words, fixed = words[skip:], fixed[min(skip, len(fixed)):]
	}
}
