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
	s := splitter{parser: syntax.NewParser(), left: maxParsed}
	s.split(excerpt.Head(line, MaxLine), 0)
	if len(s.commands) == 0 {
		return []string{""}
	}
	return s.commands
}

// splitter collects the simple commands of one command line.
type splitter struct {
	commands []string
	parser   *syntax.Parser
	left     int // bytes that may still be parsed
}

// split adds the commands of text. behind is how many commands it stands behind.
func (s *splitter) split(text string, behind int) {
	if s.left -= len(text); s.left < 0 {
		return
	}
	file, read, err := s.parse(text)
	if err != nil {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				s.commands = append(s.commands, line)
			}
		}
		return
	}
	w := walker{splitter: s, src: read, behind: behind}
	syntax.Walk(file, w.visit)
}

var (
	errDeep  = errors.New("nested too deeply")
	errPanic = errors.New("the parser gave up")
)

// parse reads text as bash does, and returns it as it was read. In two ways bash is more lenient than the
// parser: a here-document without its last line goes to the end of the text, and "((" opens two subshells
// where no arithmetic follows.
func (s *splitter) parse(text string) (file *syntax.File, read string, err error) {
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
func (s *splitter) parseOnce(text string) (file *syntax.File, err error) {
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

// walker visits the tree of one parsed text.
type walker struct {
	*splitter
	src    string
	behind int              // the commands that the text stands behind
	depth  int              // the nodes that are being visited
	timed  *syntax.CallExpr // the command behind the latest time
}

// visit is called with each node and, when its children are done, with nil.
func (w *walker) visit(n syntax.Node) bool {
	if n == nil {
		w.depth--
		return false
	}
	if w.depth >= maxDepth || !w.command(n) {
		return false
	}
	w.depth++
	return true
}

// command adds the commands of one node and reports whether its children are to be visited.
func (w *walker) command(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		w.list(n)
		return false
	case *syntax.Redirect:
		if runs := expanded(n); runs != nil {
			syntax.Walk(runs, w.visit)
		}
		return false
	case *syntax.CallExpr:
		if n != w.timed {
			w.simple(w.words(nil, n.Args))
		}
	case *syntax.DeclClause: // export, declare and their like are commands whose words the parser reads itself
		words := []string{n.Variant.Value}
		for _, a := range n.Args {
			words = append(words, w.assign(a))
		}
		w.simple(words)
	case *syntax.LetClause:
		words := []string{"let"}
		for _, x := range n.Exprs {
			words = append(words, w.source(x))
		}
		w.simple(words)
	case *syntax.TimeClause: // a word of the shell, not of a command
		if n.Stmt == nil {
			break
		}
		if call, ok := n.Stmt.Cmd.(*syntax.CallExpr); ok {
			words := []string{"time"}
			if n.PosixFormat {
				words = append(words, "-p")
			}
			w.simple(w.words(words, call.Args))
			w.timed = call
		}
	}
	return true
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

// list visits the commands of a list or pipe from left to right. The tree of a && b && c && d is as deep as
// the list is long.
func (w *walker) list(n *syntax.BinaryCmd) {
	right := []*syntax.Stmt{n.Y}
	left := n.X
	for {
		inner, ok := left.Cmd.(*syntax.BinaryCmd)
		if !ok || len(left.Redirs) > 0 {
			break
		}
		right, left = append(right, inner.Y), inner.X
	}
	syntax.Walk(left, w.visit)
	for _, stmt := range slices.Backward(right) {
		syntax.Walk(stmt, w.visit)
	}
}

// simple adds the command with these words, and what stands behind it.
func (w *walker) simple(words []string) {
	text := strings.Join(words, " ")
	for behind := w.behind; ; behind++ {
		w.commands = append(w.commands, text)
		if behind >= maxBehind {
			return
		}
		skip, line := follow(words)
		if line != "" {
			w.split(line, behind+1)
		}
		if skip == 0 {
			return
		}
		for _, word := range words[:skip] {
			text = text[len(word)+1:]
		}
		words = words[skip:]
	}
}
