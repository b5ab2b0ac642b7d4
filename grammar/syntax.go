package grammar

import (
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/aside-go/aside/internal/code"
)

// The grammar of LANGUAGE.md §2. One token decides at every fork, so participle needs no more than one of
// lookahead, and its time is linear. Captures cost participle more than anything else, so a part holds its
// tokens and the parts in it, and reading.before finds the operators between these.
type (
	orSyntax struct {
		Tokens []lexer.Token
		Terms  []andSyntax `parser:"@@ ( Or @@ )*"`
	}
	andSyntax struct {
		Tokens []lexer.Token
		Terms  []notSyntax `parser:"@@ ( And @@ )*"`
	}
	notSyntax struct {
		Tokens    []lexer.Token
		Shorthand []lexer.Token `parser:"Not* ( @( Shorthand Arg ( Comma Arg )* )"`
		Cadence   []lexer.Token `parser:"| @( Every Value ( 'user'? ( 'turns' | 'turn' ) )? )"`
		Bad       *lexer.Token  `parser:"| @Bad"`
		Sides     []sumSyntax   `parser:"| @@ ( Compare @@ )? )"`
	}
	sumSyntax struct {
		Tokens []lexer.Token
		Terms  []productSyntax `parser:"@@ ( Add @@ )*"`
	}
	productSyntax struct {
		Tokens []lexer.Token
		Terms  []termSyntax `parser:"@@ ( Multiply @@ )*"`
	}
	termSyntax struct {
		Tokens []lexer.Token
		Group  *orSyntax        `parser:"( Add | Not )* ( Open @@ Close"`
		Items  []orSyntax       `parser:"| OpenList ( @@ ( Comma @@ )* )? CloseList"`
		Args   []argumentSyntax `parser:"| Value ( Open ( @@ ( Comma @@ )* )? Close )? )"`
	}
	argumentSyntax struct {
		X *orSyntax `parser:"OpenMap @@ CloseMap | @@"`
	}
)

// parser builds participle's parser on first use: it takes longer than most programs have triggers to read.
var parser = sync.OnceValue(func() *participle.Parser[orSyntax] {
	return participle.MustBuild[orSyntax](participle.Lexer(definition{}), participle.UseLookahead(0))
})

// symbols are the kinds of tokens that the grammar knows, by the names that it has for them.
var symbols = map[string]kind{"EOF": tokEnd, "Or": tokOr, "And": tokAnd, "Not": tokNot, "Open": tokOpen,
	"Close": tokClose, "OpenList": tokOpenList, "CloseList": tokCloseList, "OpenMap": tokOpenMap,
	"CloseMap": tokCloseMap, "Comma": tokComma, "Shorthand": tokShorthand, "Arg": tokArg, "Every": tokEvery,
	"Bad": tokBad, "Value": tokWord, "Compare": tokOp, "Add": tokAdd, "Multiply": tokMultiply}

// symbol returns the number by which participle knows a token. Its own for the end is -1. All that is a value
// by itself is one kind to the grammar, and a sign that it does not have is none.
func (t token) symbol(src string) lexer.TokenType {
	k := t.kind
	switch text := t.text(src); {
	case k == tokPointer, isLiteral(k):
		k = tokWord
	case k != tokSign:
	case isLetter(text[0]):
		k = tokOp
	case text == "+" || text == "-":
		k = tokAdd
	case text == "*" || text == "/" || text == "%":
		k = tokMultiply
	}
	return lexer.EOF - lexer.TokenType(k)
}

// definition is our lexer in the form that participle takes.
type definition struct{}

// Symbols implements lexer.Definition.
func (definition) Symbols() map[string]lexer.TokenType {
	all := map[string]lexer.TokenType{}
	for name, k := range symbols {
		all[name] = lexer.EOF - lexer.TokenType(k)
	}
	return all
}

// Lex implements lexer.Definition.
func (definition) Lex(_ string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	tokens, _ := scan(string(src), newPlaces(string(src)))
	return &stream{src: string(src), tokens: tokens}, err
}

// stream hands tokens to participle. The line of a token's position is its index.
type stream struct {
	src    string
	tokens []token // the last of them tokEnd
	next   int
}

// Next implements lexer.Lexer.
func (s *stream) Next() (lexer.Token, error) {
	t, i := s.tokens[s.next], s.next
	if t.kind != tokEnd {
		s.next++
	}
	return lexer.Token{Type: t.symbol(s.src), Value: t.text(s.src), Pos: lexer.Position{Line: i}}, nil
}

// parse has participle parse tokens, the last of them tokEnd. If they are no trigger, failed is the index of
// the first that cannot go on with those before it.
func parse(src string, tokens []token) (root *orSyntax, failed int, err error) {
	l, err := lexer.Upgrade(&stream{src: src, tokens: tokens})
	if err == nil {
		root, err = parser().ParseFromLexer(l)
	}
	if e := participle.Error(nil); errors.As(err, &e) {
		failed = e.Position().Line
	}
	return root, failed, err
}

// From participle's structs to the tree of tree.go: a part that is nested in the grammar only for the sake of
// precedence is flattened, parentheses are gone, and the fact stands on the left of its comparison wherever
// that can be told.

// part returns the tokens of a part of the grammar.
func (r *reading) part(ts []lexer.Token) []token {
	i := ts[0].Pos.Line
	return r.tokens[i : i+len(ts)]
}

// before returns the token before a part: the operator that joins it with the one before.
func (r *reading) before(ts []lexer.Token) token { return r.tokens[ts[0].Pos.Line-1] }

func (r *reading) or(s *orSyntax) Expr {
	if len(s.Terms) == 1 {
		return r.and(&s.Terms[0])
	}
	x := &Or{Range: r.over(r.part(s.Tokens))}
	for i := range s.Terms {
		switch term := r.and(&s.Terms[i]).(type) {
		case *Or:
			x.Terms = append(x.Terms, term.Terms...)
		default:
			x.Terms = append(x.Terms, term)
		}
	}
	return x
}

func (r *reading) and(s *andSyntax) Expr {
	if len(s.Terms) == 1 {
		return r.not(&s.Terms[0])
	}
	x := &And{Range: r.over(r.part(s.Tokens))}
	for i := range s.Terms {
		switch term := r.not(&s.Terms[i]).(type) {
		case *And:
			x.Terms = append(x.Terms, term.Terms...)
		default:
			x.Terms = append(x.Terms, term)
		}
	}
	return x
}

func (r *reading) not(s *notSyntax) Expr {
	ts := r.part(s.Tokens)
	nots := countOf(ts, tokNot)
	var x Expr
	switch group := s.group(); {
	case group != nil && ts[nots].kind == tokOpen: // and no sign before it
		x = r.or(group)
	case s.Shorthand != nil:
		x = r.shorthand(ts[nots:])
	case s.Cadence != nil:
		x = r.cadence(ts[nots:])
	case s.Bad != nil:
		x = &Bad{Range: r.over(ts[nots:])}
	default:
		x = r.operand(s, ts[nots:], s.Tokens[nots].Pos.Line)
	}
	for nots--; nots >= 0; nots-- {
		x = &Not{Range: r.over(ts[nots:]), X: x}
	}
	return x
}

// countOf returns how many tokens of a kind ts begins with.
func countOf(ts []token, k kind) (n int) {
	for ts[n].kind == k {
		n++
	}
	return n
}

// group returns the conditions in the parentheses that s is; nil if it is anything else.
func (s *notSyntax) group() *orSyntax {
	if len(s.Sides) != 1 || len(s.Sides[0].Terms) != 1 || len(s.Sides[0].Terms[0].Terms) != 1 {
		return nil
	}
	return s.Sides[0].Terms[0].Terms[0].Group
}

// shorthand is NAME: ARG , ARG …
func (r *reading) shorthand(ts []token) Expr {
	if ts[0].reported || r.bracketedArgs(ts) {
		return &Bad{Range: r.over(ts)}
	}
	x := &Shorthand{Range: r.over(ts), Name: strings.TrimSuffix(r.text(ts[0]), ":")}
	x.NameRange = r.places.between(ts[0].start, ts[0].start+len(x.Name))
	for i := 1; i < len(ts); i += 2 {
		text := r.text(ts[i])
		if text[0] == '"' || text[0] == '\'' {
			end := strings.LastIndexByte(text, text[0]) + 1
			text = unquote(text[:end]) + text[end:]
		}
		x.Args = append(x.Args, Arg{Range: r.over(ts[i : i+1]), Text: text})
	}
	return x
}

// value is a literal or a word, which its first character tells.
func (r *reading) value(t token) Expr {
	text := r.text(t)
	o := &Literal{Range: r.over([]token{t}), Text: text}
	switch c := text[0]; {
	case text == "true" || text == "false":
		o.Kind = Bool
	case isDigit(c), c == '-', c == '+', c == '$', c == '.':
		n, flaw := readNumber(text)
		if flaw != nil && c != '+' {
			n, flaw = otherNumber(text, flaw)
		}
		if flaw != nil {
			r.mistake(t, code.NumberNotation, flaw.message, flaw.hint)
		}
		sign, digits := signOf(text)
		o.Text = sign + digits // - 5 is -5
		o.Kind, o.Number, o.Duration = n.Kind, n.Number, n.Duration
	case c == '`':
		o.Kind, o.Text = String, text[1:len(text)-1]
	case isLetter(c) || c == '@':
		return &Name{Range: o.Range, Name: text}
	default:
		o.Kind, o.Text = String, unquote(text)
	}
	return o
}

// over is where ts stand, of which there is at least one.
func (r *reading) over(ts []token) Range { return r.places.between(ts[0].start, ts[len(ts)-1].end) }
