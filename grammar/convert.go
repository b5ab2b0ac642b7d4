package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// From participle's structs to the tree of tree.go: what is nested in the grammar only for the sake of precedence is
// flattened, parentheses are gone, and the fact stands on the left of its comparison wherever that can be told.

func (r *reading) or(s *orSyntax) Expr {
	var terms []Expr
	for _, t := range s.Terms {
		x := r.and(t)
		if inner, ok := x.(*Or); ok && len(s.Terms) > 1 {
			terms = append(terms, inner.Terms...)
		} else {
			terms = append(terms, x)
		}
	}
	if len(terms) == 1 || len(s.Terms) == 1 {
		return terms[0]
	}
	return &Or{Range: r.over(s.Tokens), Terms: terms}
}

func (r *reading) and(s *andSyntax) Expr {
	var terms []Expr
	for _, t := range s.Terms {
		x := r.not(t)
		if inner, ok := x.(*And); ok && len(s.Terms) > 1 {
			terms = append(terms, inner.Terms...)
		} else {
			terms = append(terms, x)
		}
	}
	if len(s.Terms) == 1 {
		return terms[0]
	}
	return &And{Range: r.over(s.Tokens), Terms: terms}
}

func (r *reading) not(s *notSyntax) Expr {
	if s.X != nil {
		return &Not{Range: r.over(s.Tokens), X: r.not(s.X)}
	}
	return r.primary(s.Primary)
}

func (r *reading) primary(s *primarySyntax) Expr {
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
	at := r.of(*s.Leaf)
	switch kindOf(*s.Leaf) {
	case tokConstant:
		return &Constant{Range: at, Name: s.Leaf.Value}
	case tokGeneral:
		return &General{Range: at, Text: s.Leaf.Value}
	default:
		return &Bad{Range: at}
	}
}

func (r *reading) shorthand(s *shorthandSyntax) Expr {
	name := s.Name
	name.Value = strings.TrimSuffix(name.Value, ":")
	x := &Shorthand{Name: name.Value, NameRange: r.of(name), Args: make([]Arg, len(s.Args))}
	for i, a := range s.Args {
		text := a.Token.Value
		if text[0] == '"' || text[0] == '\'' {
			text = unquote(text)
		}
		x.Args[i] = Arg{Range: r.of(a.Token), Text: text}
	}
	x.Range = Range{Start: x.NameRange.Start, End: x.Args[len(x.Args)-1].End}
	return x
}

func (r *reading) cadence(s *cadenceSyntax) Expr {
	x := &Cadence{Range: r.over(s.Tokens)}
	if s.Time != nil {
		n, _ := readNumber(s.Time.Value)
		x.Unit, x.Duration = Elapsed, n.duration
		return x
	}
	n, _ := readNumber(s.Count.Value)
	x.N = int(n.value)
	if s.User {
		x.Unit = UserTurns
	}
	return x
}

func (r *reading) comparison(s *comparisonSyntax) Expr {
	left := r.operand(&s.Left)
	if s.Right == nil {
		return &Bare{Range: left.Range, Name: left.Text}
	}
	right := r.operand(&s.Right.Side)
	x := &Comparison{Left: left, Right: right, Op: operatorOf(s.Right.Op.Value), OpRange: r.of(s.Right.Op)}
	x.Range = Range{Start: left.Start, End: right.End}
	if left.Kind != Word && right.Kind == Word && x.Op != In {
		x.Left, x.Right, x.Op = right, left, x.Op.turned()
	}
	return x
}

func (r *reading) operand(s *operandSyntax) Operand {
	o := Operand{Range: r.over(s.Tokens)}
	if s.Value == nil {
		o.Kind = List
		o.Text = r.src[o.Start.Offset:o.End.Offset]
		o.List = make([]Operand, len(s.Items))
		for i := range s.Items {
			o.List[i] = r.operand(&s.Items[i])
		}
		return o
	}
	o.Text = s.Value.Value
	switch k := kindOf(*s.Value); k {
	case tokText:
		o.Kind, o.Text = String, unquote(o.Text)
	case tokBool:
		o.Kind = Bool
	case tokWord:
		o.Kind = Word
	default:
		n, _ := readNumber(o.Text)
		o.Number, o.Duration = n.value, n.duration
		o.Kind = map[kind]OperandKind{tokWhole: Int, tokDecimal: Decimal, tokPercent: Percent, tokDuration: Duration}[k]
	}
	return o
}

// of is where t stands: a token's value is the source's own text, or empty.
func (r *reading) of(t lexer.Token) Range {
	return r.places.between(t.Pos.Offset, t.Pos.Offset+len(t.Value))
}

// over is where ts stand, of which there is at least one.
func (r *reading) over(ts []lexer.Token) Range {
	last := ts[len(ts)-1]
	return r.places.between(ts[0].Pos.Offset, last.Pos.Offset+len(last.Value))
}
