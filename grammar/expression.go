package grammar

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/aside-go/aside/internal/code"
)

// The grammar of a condition that computes (LANGUAGE.md §2). Here too, one token decides at each fork.
//
//	expression = all { ( "or" | "||" ) all } .
//	all        = negation { ( "and" | "&&" ) negation } .
//	negation   = { "not" | "!" } relation .
//	relation   = sum [ op sum ] .
//	op         = "==" | "!=" | "<" | "<=" | ">" | ">=" | [ "not" ] ( "in" | "contains" | "startsWith" |
//	             "endsWith" | "matches" ) .
//	sum        = product { ( "+" | "-" ) product } .
//	product    = factor { ( "*" | "/" | "%" ) factor } .
//	factor     = { "-" | "not" } term .
//	term       = literal | fact | "#" | "." field [ "." name ] | name "(" [ argument { "," argument } ] ")" |
//	             "[" [ expression { "," expression } ] "]" | "(" expression ")" .
//	argument   = expression | "{" expression "}" .
type (
	expressionSyntax struct {
		First allSyntax           `parser:"@@"`
		Rest  []alternativeSyntax `parser:"@@*"`
	}
	alternativeSyntax struct {
		Op lexer.Token `parser:"@Or"`
		X  allSyntax   `parser:"@@"`
	}
	allSyntax struct {
		First negationSyntax      `parser:"@@"`
		Rest  []conjunctionSyntax `parser:"@@*"`
	}
	conjunctionSyntax struct {
		Op lexer.Token    `parser:"@And"`
		X  negationSyntax `parser:"@@"`
	}
	negationSyntax struct {
		Nots     []lexer.Token  `parser:"@( Not+ )?"`
		Relation relationSyntax `parser:"@@"`
	}
	relationSyntax struct {
		Left  sumSyntax    `parser:"@@"`
		Not   *lexer.Token `parser:"( @'not'?"`
		Op    *lexer.Token `parser:"  @Compare"`
		Right *sumSyntax   `parser:"  @@ )?"`
	}
	sumSyntax struct {
		First productSyntax  `parser:"@@"`
		Rest  []addendSyntax `parser:"@@*"`
	}
	addendSyntax struct {
		Op lexer.Token   `parser:"@Add"`
		X  productSyntax `parser:"@@"`
	}
	productSyntax struct {
		First factorSyntax       `parser:"@@"`
		Rest  []multiplierSyntax `parser:"@@*"`
	}
	multiplierSyntax struct {
		Op lexer.Token  `parser:"@Multiply"`
		X  factorSyntax `parser:"@@"`
	}
	factorSyntax struct {
		Signs []lexer.Token `parser:"@( ( Add | Not )+ )?"`
		Term  termSyntax    `parser:"@@"`
	}
	termSyntax struct {
		Tokens []lexer.Token
		Group  *expressionSyntax   `parser:"  Open @@ Close"`
		Open   *lexer.Token        `parser:"| @OpenList"`
		Items  []*expressionSyntax `parser:"  ( @@ ( Comma @@ )* )? CloseList"`
		Value  *lexer.Token        `parser:"| @Value"`
		Called *lexer.Token        `parser:"  ( @Open"`
		Args   []argumentSyntax    `parser:"    ( @@ ( Comma @@ )* )? Close )?"`
	}
	argumentSyntax struct {
		Braced *expressionSyntax `parser:"  OpenMap @@ CloseMap"`
		Plain  *expressionSyntax `parser:"| @@"`
	}
)

// expressions builds participle's parser on first use: few triggers compute.
var expressions = sync.OnceValue(func() *participle.Parser[expressionSyntax] {
	return participle.MustBuild[expressionSyntax](participle.Lexer(definition{}), participle.UseLookahead(1))
})

// expressionKind is the kind of a token as the grammar of expressions has it.
func expressionKind(t token, src string) kind {
	switch t.kind {
	case tokEnd, tokOr, tokAnd, tokNot, tokOpen, tokClose, tokOpenList, tokCloseList, tokOpenMap, tokCloseMap,
		tokComma:
		return t.kind
	case tokOp:
		return tokCompare
	case tokSign:
		switch text := t.text(src); {
		case isLetter(text[0]):
			return tokCompare
		case text == "+" || text == "-":
			return tokAdd
		case text == "*" || text == "/" || text == "%":
			return tokMultiply
		}
		return tokUnknown
	}
	return tokWord
}

// expression parses the tokens of an operand, the last of them tokEnd. Where they are none, the problem says
// why.
func (r *repairer) expression(ts []token) (Expr, *problem) {
	tokens, err := lexer.Upgrade(&stream{src: r.src, places: r.places, tokens: ts, kindOf: expressionKind})
	if err != nil {
		return nil, &problem{code: code.UnreadableExpression, start: ts[0].start, message: err.Error()}
	}
	s, err := expressions().ParseFromLexer(tokens)
	if err == nil {
		b := expressionBuilder{places: r.places, src: r.src}
		return b.expression(s), b.wrong
	}
	at := ts[0].start
	if e := participle.Error(nil); errors.As(err, &e) {
		at = e.Position().Offset
	}
	i := 0
	for i < len(ts)-1 && ts[i].start < at {
		i++
	}
	return nil, unexpected(ts, i, r.src)
}

// refused are the signs that people write, and this language does not have.
var refused = map[string][2]string{
	"?":  {"a choice with ? or if", "write it with and, or, not"},
	"??": {"??", "an unknown fact makes the whole expression unknown"},
	"?.": {"?.", "a fact is a plain word"}, "..": {"a range, x..y,", "use in with a list, or two comparisons"},
	"**": {"a power", "write the multiplication out"},
	"^":  {"a power", "write the multiplication out"},
	"[":  {"an index", "use len, in, any or all"},
	"{":  {"a map", "write parentheses, ( and ), around a condition"},
}

// unexpected says what is wrong with the token at i, where an expression cannot go on with it.
func unexpected(ts []token, i int, src string) *problem {
	t := ts[i]
	text := t.text(src)
	p := &problem{code: code.UnreadableExpression, start: t.start, end: t.end,
		message: quoted(text) + " was not expected here", hint: "write a condition, such as turn_count > 10"}
	refusal, isRefused := refused[text]
	switch {
	case t.kind == tokEnd:
		p.message = "the expression ends too early"
	case isRefused:
		p.code, p.message, p.hint = code.NotAllowed, refusal[0]+" is not allowed in a trigger", refusal[1]
	case t.kind == tokOp:
		p.code, p.message = code.NotAllowed, "a chained comparison is not allowed in a trigger"
		p.hint = "write both comparisons, joined with and"
	case text == ":" && i > 0 && ts[i-1].kind.isNumber():
		p.message, p.hint = "a time of the day is not written in a trigger", "compare the hour, as in hour >= 22"
	case text == ":":
		p.hint = "a shorthand has no blank before its colon: write after_tool:Edit"
	case text == "." && i > 0 && ts[i-1].kind.endsValue():
		p.code, p.message = code.NotAllowed, "a field is not allowed in a trigger"
		p.hint = "the only names with a dot are those of declared facts, vars.NAME"
	case text == ".":
		p.hint = "a field stands inside any, all, none, one or count: any(calls, .tool == \"Bash\")"
	case text == "}":
		p.hint = "write parentheses, ( and ), around a condition"
	case text == "contains" || text == "startsWith" || text == "endsWith" || text == "matches":
		p.hint = fmt.Sprintf("it stands between its two sides: write prompt %s \"deploy\"", text)
	case text == ")":
		p.message = `a condition is missing before ")"`
	}
	return p
}

// expressionBuilder makes the tree of an expression from participle's structs. A part that is nested in the
// grammar only for the sake of precedence is flattened.
type expressionBuilder struct {
	places places
	src    string
	wrong  *problem // the first number that is none
}

func (b *expressionBuilder) expression(s *expressionSyntax) Expr {
	x := b.all(&s.First)
	for i := range s.Rest {
		x = b.binary("or", x, s.Rest[i].Op, b.all(&s.Rest[i].X))
	}
	return x
}

func (b *expressionBuilder) all(s *allSyntax) Expr {
	x := b.negation(&s.First)
	for i := range s.Rest {
		x = b.binary("and", x, s.Rest[i].Op, b.negation(&s.Rest[i].X))
	}
	return x
}

func (b *expressionBuilder) binary(op string, left Expr, sign lexer.Token, right Expr) *Binary {
	return &Binary{Range: Range{Start: left.Span().Start, End: right.Span().End}, Op: op, OpRange: b.at(sign),
		Left: left, Right: right}
}

func (b *expressionBuilder) negation(s *negationSyntax) Expr {
	x := b.relation(&s.Relation)
	for i := len(s.Nots) - 1; i >= 0; i-- {
		at := b.at(s.Nots[i])
		x = &Unary{Range: Range{Start: at.Start, End: x.Span().End}, Op: "not", OpRange: at, X: x}
	}
	return x
}

func (b *expressionBuilder) relation(s *relationSyntax) Expr {
	left := b.sum(&s.Left)
	if s.Op == nil {
		return left
	}
	right := b.sum(s.Right)
	op, not := s.Op.Value, s.Not
	if rest, is := strings.CutPrefix(op, "not"); is {
		op, not = strings.TrimSpace(rest), s.Op
	}
	if v, is := right.(*Literal); is && op == "matches" && v.Kind == String && s.Right.plain() {
		v.Text = patternOf(s.Right.First.First.Term.Value.Value)
	}
	x := b.binary(op, left, *s.Op, right)
	if not != nil {
		return &Unary{Range: x.Range, Op: "not", OpRange: b.at(*not), X: x}
	}
	return x
}

// plain reports whether s is one token.
func (s *sumSyntax) plain() bool { return s.First.First.Term.Value != nil }

// patternOf returns the pattern that is written between quotes: a backslash before a backslash or a quote
// stands for these, every other one is the pattern's own. Between backquotes nothing is escaped.
func patternOf(s string) string {
	inner := s[1 : len(s)-1]
	if s[0] == '`' {
		return inner
	}
	var out strings.Builder
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' && i+1 < len(inner) && strings.IndexByte("\\\"'", inner[i+1]) >= 0 {
			i++
		}
		out.WriteByte(inner[i])
	}
	return out.String()
}

func (b *expressionBuilder) sum(s *sumSyntax) Expr {
	x := b.product(&s.First)
	for i := range s.Rest {
		x = b.binary(s.Rest[i].Op.Value, x, s.Rest[i].Op, b.product(&s.Rest[i].X))
	}
	return x
}

func (b *expressionBuilder) product(s *productSyntax) Expr {
	x := b.factor(&s.First)
	for i := range s.Rest {
		x = b.binary(s.Rest[i].Op.Value, x, s.Rest[i].Op, b.factor(&s.Rest[i].X))
	}
	return x
}

func (b *expressionBuilder) factor(s *factorSyntax) Expr {
	x := b.term(&s.Term)
	for i := len(s.Signs) - 1; i >= 0; i-- {
		sign := s.Signs[i]
		if sign.Value == "+" {
			b.report(&problem{code: code.NotAllowed, start: sign.Pos.Offset, end: sign.Pos.Offset + 1,
				message: "a sign + is not allowed in a trigger", hint: "leave it out"})
		}
		op := sign.Value
		if op != "-" && op != "+" { // on the right of a comparison: resumed == not compacted
			op = "not"
		}
		x = &Unary{Range: Range{Start: b.at(sign).Start, End: x.Span().End}, Op: op, OpRange: b.at(sign), X: x}
	}
	return x
}

func (b *expressionBuilder) term(s *termSyntax) Expr {
	last := s.Tokens[len(s.Tokens)-1]
	all := b.places.between(s.Tokens[0].Pos.Offset, last.Pos.Offset+len(last.Value))
	switch {
	case s.Group != nil:
		return b.expression(s.Group)
	case s.Open != nil:
		x := &Array{Range: all}
		for _, item := range s.Items {
			x.Items = append(x.Items, b.expression(item))
		}
		return x
	case s.Called != nil:
		x := &Call{Range: all, Name: s.Value.Value, NameRange: b.at(*s.Value)}
		for _, a := range s.Args {
			if a.Braced != nil {
				a.Plain = a.Braced
			}
			x.Args = append(x.Args, b.expression(a.Plain))
		}
		return x
	}
	return b.value(*s.Value)
}

// value is a literal, a name, # or a field, which its first character tells.
func (b *expressionBuilder) value(t lexer.Token) Expr {
	text, at := t.Value, b.at(t)
	switch c := text[0]; {
	case text == "true" || text == "false":
		return &Literal{Operand{Range: at, Kind: Bool, Text: text}}
	case isLetter(c):
		return &Name{Range: at, Name: text}
	case c == '#', c == '.' && isLetter(text[1]):
		if strings.HasPrefix(text, "#.") {
			text = text[1:]
		}
		return &Field{Range: at, Text: text}
	case c == '`':
		return &Literal{Operand{Range: at, Kind: String, Text: text[1 : len(text)-1]}}
	case c == '"' || c == '\'':
		return &Literal{Operand{Range: at, Kind: String, Text: unquote(text)}}
	}
	n, flaw := readNumber(text)
	if flaw != nil {
		n, flaw = otherNumber(text, flaw)
	}
	if flaw != nil {
		p := &problem{code: code.NumberNotation, start: t.Pos.Offset, end: t.Pos.Offset + len(text),
			message: flaw.message, hint: flaw.hint}
		b.report(p)
	}
	return &Literal{Operand{Range: at, Kind: n.kind.operandKind(), Text: text, Number: n.value,
		Duration: n.duration}}
}

// otherNumber reads what expressions have taken as numbers since there are any: .5, 1e3, 0x10, 1_000.
func otherNumber(text string, f *flaw) (number, *flaw) {
	if v, err := strconv.ParseInt(text, 0, 64); err == nil && v <= maxWhole {
		return number{kind: tokWhole, value: float64(v)}, nil
	}
	if v, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); err == nil {
		return number{kind: tokDecimal, value: v}, nil
	}
	return number{kind: tokDecimal}, f
}

func (b *expressionBuilder) report(p *problem) {
	if b.wrong == nil {
		b.wrong = p
	}
}

func (b *expressionBuilder) at(t lexer.Token) Range {
	return b.places.between(t.Pos.Offset, t.Pos.Offset+len(t.Value))
}
