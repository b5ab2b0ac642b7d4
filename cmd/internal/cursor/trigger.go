package cursor

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/vocabulary"
)

// Want is the kind of word that the trigger language expects at a place of a trigger.
type Want struct {
	What Wanted
	From int       // the offset in the trigger where the word at the place begins
	Fact fact.Fact // for an operator or a value: the fact on the left
	Tool string    // for a subject: the tool or the class before the parenthesis
	Done bool      // for an operator: the fact alone is a condition already
}

// Wanted is a kind of word that the trigger language expects.
type Wanted uint8

const (
	WantNothing  Wanted = iota
	WantOperand         // the beginning of a condition
	WantOperator        // after a fact: the operator
	WantValue           // the other side of a comparison
	WantJoin            // after a condition: and, or
	WantUnit            // after every N: the unit that is counted
	WantTool            // a call pattern up to its parenthesis
	WantSubject         // a call pattern within its parentheses
	WantLink            // a tool of a chain
	WantThread
	WantID
	WantSet // the first argument of any( and the like
)

// WantAt returns the kind of word that is expected after before, the beginning of a trigger as written in the
// file. Inside YAML's quotes that may have \" for ". The grammar knows it: with a word more it parses before
// to a tree, in which the word has a place, or reports one mistake more, where none may follow.
func WantAt(before string, schema *fact.Schema) Want {
	src, facts := strings.ReplaceAll(before, `\"`, ` "`), lookup{schema}
	tree, mistakes := parsed(src + "x")
	path, closers := around(tree, len(src)), open(src)
	if w, ok := facts.inArgument(path, src, strings.ContainsAny(closers, `"'`)); ok {
		return w
	}
	from := wordStart(src)
	head := strings.TrimRight(src[:from], " \t\r\n")
	whole, fewer := parsed(head)
	w := Want{What: WantUnit}
	switch denied, not := strings.CutSuffix(head, " not"); {
	case number.MatchString(src[from:]), fewer < mistakes && strings.HasPrefix(closers, "]"):
		return Want{}
	case cadence.MatchString(head):
	case fewer < mistakes:
		w = facts.behind(whole)
	default:
		w = facts.place(path)
		if _, fewer = parsed(head + " in [x]"); not && fewer < mistakes {
			whole, _ = parsed(denied)
			w = facts.behind(whole) // the operator goes on
		}
	}
	w.From = from
	return w
}

var (
	number  = regexp.MustCompile(`^-*[0-9]`)
	cadence = regexp.MustCompile(`\bevery(\s+[0-9]+)?(\s+user)?$`) // one that is not whole
)

// A lookup finds the facts that a tree names.
type lookup struct{ *fact.Schema }

// open returns the signs that close what is open at the end of a text, innermost first.
func open(src string) string {
	signs := []byte{0}
	for _, c := range []byte(src) {
		switch top := signs[len(signs)-1]; {
		case c == top && c != 0: // the first of signs is none
			signs = signs[:len(signs)-1]
		case top == '"' || top == '\'':
		case c == '"' || c == '\'':
			signs = append(signs, c)
		case c == '(':
			signs = append(signs, ')')
		case c == '[':
			signs = append(signs, ']')
		}
	}
	slices.Reverse(signs)
	return string(signs[:len(signs)-1])
}

// parsed parses the beginning of a trigger, with all closed that is open, and counts its mistakes.
func parsed(src string) (root grammar.Expr, mistakes int) {
	t, ds := grammar.Parse(src + open(src))
	return t.Root, len(ds)
}

// around returns the nodes of a tree that the character at off is in, innermost first.
func around(x grammar.Expr, off int) []grammar.Expr {
	if at := x.Span(); off < at.Start.Offset || off >= at.End.Offset {
		return nil
	}
	var path []grammar.Expr
	for _, part := range grammar.Operands(x) {
		path = append(path, around(part, off)...)
	}
	return append(path, x)
}

// wordStart returns where the word at the end of a text begins.
func wordStart(text string) int {
	return len(text) - len(text[strings.LastIndexFunc(text, func(r rune) bool {
		return r < 0x80 && !IsWord(byte(r)) && !strings.ContainsRune(".*%-/:", r)
	})+1:])
}

// inArgument returns the kind of word that is expected at the end of src in the arguments of a shorthand, and
// in a string that is open; ok is false at any other place. path are the nodes around the place.
func (l lookup) inArgument(path []grammar.Expr, src string, inString bool) (w Want, ok bool) {
	from := strings.LastIndexAny(src, `"'`) + 1
	for _, x := range path {
		switch x := x.(type) {
		case *grammar.Shorthand:
			from = x.NameRange.End.Offset + 1
			return argument(vocabulary.Find(vocabulary.Shorthands(), x.Name), from, src[from:]), true
		case *grammar.Call:
			if inString {
				w = argument(vocabulary.Find(vocabulary.Functions(), x.Name), from, src[from:])
			}
			return w, inString
		case *grammar.Binary:
			name, word := x.Left.(*grammar.Name)
			if !word || x.Op.Turned() == "" {
				break
			}
			ft, _ := l.Lookup(name.Name)
			if ft.ID == fact.ToolUsed {
				return pattern(from, src[from:]), inString
			}
			return Want{What: WantValue, Fact: ft, From: from}, inString
		}
	}
	return w, inString
}

// place returns the kind of word for which a word stands in a tree; path are the nodes around it.
func (l lookup) place(path []grammar.Expr) Want {
	var in grammar.Expr // the part of a node that the word is in
	for _, x := range path {
		switch x := x.(type) {
		case *grammar.Unary:
			return Want{What: WantOperand}
		case *grammar.And, *grammar.Or, *grammar.Not:
			return condition(in)
		case *grammar.Call:
			switch first := len(x.Args) > 0 && in == x.Args[0]; {
			case first && slices.Contains(ofSets, x.Name):
				return Want{What: WantSet}
			case first && slices.Contains(ofTexts, x.Name):
				return Want{What: WantOperand}
			}
			return Want{}
		case *grammar.Binary:
			of := l.behind(x.Left)
			if name, word := x.Left.(*grammar.Name); in == x.Right && !slices.Contains(joining, x.Op) &&
				(!word || of.Fact.Name == name.Name) {
				return Want{What: WantValue, Fact: of.Fact}
			}
			return Want{What: WantOperand}
		}
		in = x
	}
	return condition(in)
}

// condition returns the kind of word for which a word stands that is a condition by itself; none for any
// other condition.
func condition(x grammar.Expr) (w Want) {
	if _, word := x.(*grammar.Name); word {
		w.What = WantOperand
	}
	return w
}

var (
	ofSets  = []string{"len", "count", "any", "all", "none", "one"}
	ofTexts = []string{"lower", "upper"}
	joining = []grammar.Op{"+", "-", "*", "/", "%", "and", "or"}
)

// behind returns the kind of word that is expected behind an expression that is whole.
func (l lookup) behind(x grammar.Expr) Want {
	name := ""
	switch x := x.(type) {
	case *grammar.Name:
		name = x.Name
	case *grammar.Call:
		fn := vocabulary.Find(vocabulary.Functions(), x.Name)
		if fn != nil && !fn.Asks || slices.Contains(slices.Concat(ofSets[:2], ofTexts), x.Name) {
			return Want{What: WantOperator, Fact: fact.Fact{Type: fact.Int}}
		}
	case *grammar.And, *grammar.Or, *grammar.Not:
		parts := grammar.Operands(x)
		return l.behind(parts[len(parts)-1])
	case *grammar.Binary:
		if slices.Contains(joining[:5], x.Op) {
			return l.behind(x.Right)
		}
	}
	if ft, ok := l.Lookup(name); ok {
		return Want{What: WantOperator, Fact: ft, Done: ft.Type == fact.Bool}
	}
	return Want{What: WantJoin}
}

// argument returns the kind of word that is expected at the end of the unfinished arguments of a shorthand or
// a function, which begin at from.
func argument(of *vocabulary.Word, from int, text string) Want {
	part := from + strings.LastIndexAny(text, ",>: ") + 1
	switch {
	case of == nil:
	case of.Takes == vocabulary.CallPattern:
		return pattern(from, text)
	case of.Takes == vocabulary.Reminder:
		return Want{What: WantID, From: from}
	case of.Takes == vocabulary.Chain && !strings.Contains(text, "|"):
		return Want{What: WantLink, From: part}
	case of.Name == "thread":
		return Want{What: WantThread, From: part}
	}
	return Want{}
}

// pattern returns the kind of word that is expected at the end of unfinished call patterns with commas
// between them, which begin at from.
func pattern(from int, text string) Want {
	begin, subject, depth := 0, 0, 0 // of the last pattern; subject is 0 where it has none
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(':
			if depth++; depth == 1 {
				subject = i + 1
			}
		case c == ')':
			depth--
		case depth == 0 && strings.IndexByte(", \"'", c) >= 0:
			begin, subject = i+1, 0
		}
	}
	switch {
	case subject == 0:
		return Want{What: WantTool, From: from + begin}
	case depth > 0:
		return Want{What: WantSubject, From: from + subject, Tool: text[begin : subject-1]}
	}
	return Want{}
}
