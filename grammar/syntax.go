package grammar

import (
	"io"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar. One token decides at every fork, so participle needs no more than one of lookahead, and its
// time is linear. The kinds of token.go stand for the words and signs of the language. Captures
// cost participle more than anything else, so a flat part is captured whole.
//
//	trigger    = or EOF .
//	or         = and { ( "or" | "||" ) and } .
//	and        = not { ( "and" | "&&" ) not } .
//	not        = ( "not" | "!" ) not | primary .
//	primary    = "(" or ")" | shorthand | cadence | comparison | constant | general .
//	constant   = "always" | "never" | "manual" .
//	shorthand  = name ":" arg { "," arg } .
//	cadence    = "every" ( int "turns" | int "user" "turns" | duration ) .
//	comparison = fact op literal | literal op fact | fact .
//	op         = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in" .
//	literal    = [ "-" ] ( number | number "%" | number ( "k" | "M" ) | "$" number | duration ) |
//	             string | bareword | "true" | "false" | list .
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
		Tokens     []lexer.Token
		Comparison *comparisonSyntax `parser:"Not* ( @@"`
		Shorthand  []lexer.Token     `parser:"| @( Shorthand Arg ( Comma Arg )* )"`
		Cadence    []lexer.Token     `parser:"| @( Every ( Time | Count User? Turns ) )"`
		Group      *orSyntax         `parser:"| Open @@ Close"`
		Leaf       *lexer.Token      `parser:"| @( Constant | General | Bad ) )"`
	}
	comparisonSyntax struct {
		Left  []lexer.Token `parser:"@( Value | OpenList Value ( Comma Value )* CloseList )"`
		Op    *lexer.Token  `parser:"( @Op"`
		Right []lexer.Token `parser:"@( Value | OpenList Value ( Comma Value )* CloseList ) )?"`
	}
)

// parser builds participle's parser on first use: it takes longer than most programs have triggers to read.
var parser = sync.OnceValue(func() *participle.Parser[orSyntax] {
	return participle.MustBuild[orSyntax](participle.Lexer(definition{}), participle.UseLookahead(1))
})

// definition is our lexer in the form that participle takes. Its tokens are repaired already.
type definition struct{}

// Symbols implements lexer.Definition.
func (definition) Symbols() map[string]lexer.TokenType {
	symbols := make(map[string]lexer.TokenType, len(kindNames))
	for k, name := range kindNames {
		if name != "" {
			symbols[name] = kind(k).tokenType()
		}
	}
	return symbols
}

// tokenType is the number participle knows a kind by. Its own for the end is -1. All that can be compared is
// one kind to the grammar: a value.
func (k kind) tokenType() lexer.TokenType {
	if isLiteral(k) {
		k = tokWord
	}
	return lexer.EOF - lexer.TokenType(k)
}

func kindOf(t lexer.Token) kind { return kind(lexer.EOF - t.Type) }

// Lex implements lexer.Definition.
func (d definition) Lex(file string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return d.LexString(file, string(src))
}

// LexString implements lexer.StringDefinition.
func (definition) LexString(_, src string) (lexer.Lexer, error) {
	return read(src).stream(), nil
}

// stream hands tokens to participle.
type stream struct {
	src    string
	places places
	tokens []token // the last of them tokEnd
	kindOf func(t token, src string) kind
}

// Next implements lexer.Lexer.
func (s *stream) Next() (lexer.Token, error) {
	t := s.tokens[0]
	if t.kind != tokEnd {
		s.tokens = s.tokens[1:]
	}
	p := s.places.at(t.start)
	return lexer.Token{
		Type:  s.kindOf(t, s.src).tokenType(),
		Value: t.text(s.src),
		Pos:   lexer.Position{Offset: p.Offset, Line: p.Line, Column: p.Column},
	}, nil
}

// From participle's structs to the tree of tree.go: a part that is nested in the grammar only for the sake of
// precedence is flattened, parentheses are gone, and the fact stands on the left of its comparison wherever
// that can be told.

func (r *reading) or(s *orSyntax) Expr {
	if len(s.Terms) == 1 {
		return r.and(&s.Terms[0])
	}
	x := &Or{Range: r.over(s.Tokens)}
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
	x := &And{Range: r.over(s.Tokens)}
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
	ts := s.Tokens
	nots := 0
	for kindOf(ts[nots]) == tokNot {
		nots++
	}
	x := r.primary(s)
	for nots--; nots >= 0; nots-- {
		x = &Not{Range: r.over(ts[nots:]), X: x}
	}
	return x
}

func (r *reading) primary(s *notSyntax) Expr {
	switch {
	case s.Comparison != nil:
		return r.comparison(s.Comparison)
	case s.Shorthand != nil:
		return r.shorthand(s.Shorthand)
	case s.Cadence != nil:
		return r.cadence(s.Cadence)
	case s.Group != nil:
		return r.or(s.Group)
	}
	at := r.over([]lexer.Token{*s.Leaf})
	switch kindOf(*s.Leaf) {
	case tokConstant:
		return &Constant{Range: at, Name: s.Leaf.Value}
	case tokGeneral:
		return &General{Range: at, Text: s.Leaf.Value, X: r.computed[s.Leaf.Pos.Offset]}
	default:
		return &Bad{Range: at}
	}
}

// shorthand is NAME: ARG , ARG …
func (r *reading) shorthand(ts []lexer.Token) Expr {
	x := &Shorthand{Range: r.over(ts), Name: strings.TrimSuffix(ts[0].Value, ":")}
	x.NameRange = r.places.between(ts[0].Pos.Offset, ts[0].Pos.Offset+len(x.Name))
	for i := 1; i < len(ts); i += 2 {
		text := ts[i].Value
		if text[0] == '"' || text[0] == '\'' {
			end := strings.LastIndexByte(text, text[0]) + 1
			text = unquote(text[:end]) + text[end:]
		}
		x.Args = append(x.Args, Arg{Range: r.over(ts[i : i+1]), Text: text})
	}
	return x
}

// cadence is EVERY TIME, EVERY COUNT TURNS or EVERY COUNT USER TURNS.
func (r *reading) cadence(ts []lexer.Token) Expr {
	x := &Cadence{Range: r.over(ts)}
	n, _ := readNumber(ts[1].Value)
	switch len(ts) {
	case 2:
		x.Unit, x.Duration = Elapsed, n.duration
	case 3:
		x.Unit, x.N = Turns, int(n.value)
	case 4:
		x.Unit, x.N = UserTurns, int(n.value)
	}
	return x
}

func (r *reading) comparison(s *comparisonSyntax) Expr {
	left := r.operand(s.Left)
	if s.Op == nil {
		return &Bare{Range: left.Range, Name: left.Text}
	}
	right := r.operand(s.Right)
	x := &Comparison{Left: left, Right: right, Op: operatorOf(s.Op.Value), OpRange: r.over([]lexer.Token{*s.Op})}
	x.Range = Range{Start: left.Start, End: right.End}
	if left.Kind != Word && right.Kind == Word && !x.Op.Membership() {
		x.Left, x.Right, x.Op = right, left, x.Op.Turned()
	}
	return x
}

// operand is VALUE or [ VALUE , VALUE … ].
func (r *reading) operand(ts []lexer.Token) Operand {
	o := Operand{Range: r.over(ts)}
	if len(ts) == 1 {
		r.value(&o, ts[0].Value)
		return o
	}
	o.Kind, o.Text = List, r.src[o.Start.Offset:o.End.Offset]
	for i := 1; i < len(ts); i += 2 {
		o.List = append(o.List, r.operand(ts[i:i+1]))
	}
	return o
}

// value fills in the value of text, whose first character tells its kind.
func (r *reading) value(o *Operand, text string) {
	o.Text = text
	switch c := text[0]; {
	case text == "true" || text == "false":
		o.Kind = Bool
	case isLetter(c), c == '@':
		o.Kind = Word
	case isDigit(c), c == '-', c == '$':
		n, _ := readNumber(text)
		sign, digits := signOf(text)
		o.Text = sign + digits // - 5 is -5
		o.Number, o.Duration = n.value, n.duration
		o.Kind = n.kind.operandKind()
	default:
		o.Kind, o.Text = String, unquote(text)
	}
}

// operandKind is the kind of the operand that a number of this kind is.
func (k kind) operandKind() OperandKind {
	return map[kind]OperandKind{tokWhole: Int, tokDecimal: Decimal, tokPercent: Percent, tokDuration: Duration,
		tokDollars: Dollars}[k]
}

// over is where ts stand, of which there is at least one: a token's value is the source's own text, or empty.
func (r *reading) over(ts []lexer.Token) Range {
	last := ts[len(ts)-1]
	return r.places.between(ts[0].Pos.Offset, last.Pos.Offset+len(last.Value))
}
