package grammar

import (
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/aside-go/aside/internal/code"
)

// The tree of a condition that computes is made of the same structs as that of conditions (syntax.go), but
// inside it and, or and not are operators like any others.

func (r *reading) expression(s *orSyntax) Expr {
	x := r.all(&s.Terms[0])
	for i := range s.Terms[1:] {
		term := &s.Terms[i+1]
		x = r.binary("or", s.Tokens, x, term.Tokens, r.all(term))
	}
	return x
}

func (r *reading) all(s *andSyntax) Expr {
	x := r.relation(&s.Terms[0])
	for i := range s.Terms[1:] {
		term := &s.Terms[i+1]
		x = r.binary("and", s.Tokens, x, term.Tokens, r.relation(term))
	}
	return x
}

// binary is LEFT OP RIGHT, with the tokens of the whole of which left is the beginning, and those of right.
// An op that is "" stands before these.
func (r *reading) binary(op Op, whole []lexer.Token, left Expr, last []lexer.Token, right Expr) *Binary {
	sign := r.before(last)
	if op == "" {
		op = Op(r.text(sign))
	}
	from, to := r.part(whole)[0], r.part(last)[len(last)-1]
	return &Binary{Range: r.between(from.start, to.end), Op: op, OpRange: r.over([]token{sign}), Left: left,
		Right: right}
}

// relation is a comparison, perhaps denied, or a sum.
func (r *reading) relation(s *notSyntax) Expr {
	ts := r.part(s.Tokens)
	nots := countOf(ts, tokNot)
	if s.Sides != nil {
		return r.signed(ts[:nots], r.sides(s))
	}
	p := r.mistake(ts[nots], code.ShorthandForm, "a shorthand is a whole condition",
		"join it with others by and / or")
	if s.Cadence != nil {
		p.Message = "a cadence is a whole condition"
	}
	return &Bad{Range: r.over(ts)}
}

// sides is SUM OP SUM, or a sum alone.
func (r *reading) sides(s *notSyntax) Expr {
	left := r.sum(&s.Sides[0])
	if len(s.Sides) == 1 {
		return left
	}
	side := &s.Sides[1]
	x := r.binary("", s.Sides[0].Tokens, left, side.Tokens, r.sum(side))
	if sign := r.before(side.Tokens); sign.kind == tokOp {
		x.Op = sign.op
	} else if rest, denied := strings.CutPrefix(string(x.Op), "not"); denied {
		x.Op = Op("not " + strings.TrimLeft(rest, " \t\r\n"))
	}
	if v, is := x.Right.(*Literal); is && x.matches() && v.Kind == String && len(side.Tokens) == 1 {
		v.Text = patternOf(side.Tokens[0].Value)
	}
	return x
}

// matches reports whether the right side of x is a pattern.
func (x *Binary) matches() bool { return x.Op == "matches" || x.Op == "not matches" }

// signed puts the signs of ts, such as - and not, before x.
func (r *reading) signed(ts []token, x Expr) Expr {
	for i := len(ts) - 1; i >= 0; i-- {
		at, op := r.over(ts[i:i+1]), Op(r.text(ts[i]))
		if op == "+" {
			r.mistake(ts[i], code.NotAllowed, "a sign + is not allowed in a trigger", "leave it out")
		} else if op != "-" { // !, and not on the right of a comparison: resumed == not compacted
			op = "not"
		}
		x = &Unary{Range: Range{Start: at.Start, End: x.Span().End}, Op: op, OpRange: at, X: x}
	}
	return x
}

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

func (r *reading) sum(s *sumSyntax) Expr {
	x := r.product(&s.Terms[0])
	for i := range s.Terms[1:] {
		term := &s.Terms[i+1]
		x = r.binary("", s.Tokens, x, term.Tokens, r.product(term))
	}
	return x
}

func (r *reading) product(s *productSyntax) Expr {
	x := r.term(&s.Terms[0])
	for i := range s.Terms[1:] {
		term := &s.Terms[i+1]
		x = r.binary("", s.Tokens, x, term.Tokens, r.term(term))
	}
	return x
}

func (r *reading) term(s *termSyntax) Expr {
	ts, signs := r.part(s.Tokens), 0
	for ts[signs].kind == tokNot || ts[signs].kind == tokSign {
		signs++
	}
	first := ts[signs]
	all := r.over(ts[signs:])
	var x Expr
	switch {
	case s.Group != nil:
		x = r.expression(s.Group)
	case first.kind == tokOpenList:
		list := &Array{Range: all}
		for i := range s.Items {
			list.Items = append(list.Items, r.expression(&s.Items[i]))
		}
		x = list
	case len(ts) > signs+1:
		call := &Call{Range: all, Name: r.text(first), NameRange: r.over(ts[signs : signs+1])}
		for i := range s.Args {
			call.Args = append(call.Args, r.expression(s.Args[i].X))
		}
		x = call
	default:
		x = r.atom(first)
	}
	return r.signed(ts[:signs], x)
}

// atom is a literal, a name, # or a field.
func (r *reading) atom(t token) Expr {
	if text := r.text(t); t.kind == tokPointer {
		if strings.HasPrefix(text, "#.") {
			text = text[1:]
		}
		return &Field{Range: r.over([]token{t}), Text: text}
	}
	return r.value(t)
}

// otherNumber reads what expressions have taken as numbers since there are any: .5, 1e3, 0x10, 1_000.
func otherNumber(text string, f *flaw) (Literal, *flaw) {
	if v, err := strconv.ParseInt(text, 0, 64); err == nil && v <= maxWhole {
		return Literal{Kind: Int, Number: float64(v)}, nil
	}
	if v, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); err == nil {
		return Literal{Kind: Decimal, Number: v}, nil
	}
	return Literal{Kind: Decimal}, f
}
