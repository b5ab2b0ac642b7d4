package grammar

import (
	"strconv"
	"strings"
	"time"
)

// Format returns the canonical text of t: the words and, or and not, single blanks, no parentheses but those that are
// needed, the fact on the left. Names, bare words and numbers stay as they were written, quoted texts are put in double
// quotes, general leaves are spaced anew. Triggers that are formatted alike mean the same. Where t has a Bad node
// stands what t's source has there.
//
// Parse reads what Format returns back to the same tree. To keep that so, a trigger of which the canonical text would
// be longer than MaxTrigger comes back as it was written, and so does a general leaf for which it would pass MaxGeneral.
func Format(t *Trigger) string {
	if t == nil || t.Root == nil {
		return ""
	}
	p := &printer{src: t.Source}
	p.expr(t.Root, 0)
	if p.Len() > MaxTrigger && t.Source != "" && len(t.Source) <= MaxTrigger {
		return t.Source
	}
	return p.String()
}

type printer struct {
	strings.Builder
	src string
}

// How tightly a node holds its parts together; one that holds less tightly than what it stands in needs parentheses.
const (
	looseOr = 1 + iota
	looseAnd
	looseNot
	tight
)

func strength(x Expr) int {
	switch x.(type) {
	case *Or:
		return looseOr
	case *And:
		return looseAnd
	case *Not:
		return looseNot
	default:
		return tight
	}
}

// expr prints x where something stands around it that holds as tightly as outer.
func (p *printer) expr(x Expr, outer int) {
	if strength(x) < outer {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	switch x := x.(type) {
	case *Or:
		p.terms(x.Terms, " or ", looseAnd)
	case *And:
		p.terms(x.Terms, " and ", looseNot)
	case *Not:
		p.WriteString("not ")
		p.expr(x.X, looseNot)
	case *Constant:
		p.WriteString(x.Name)
	case *Bare:
		p.WriteString(x.Name)
	case *Shorthand:
		p.shorthand(x)
	case *Cadence:
		p.cadence(x)
	case *Comparison:
		p.operand(&x.Left)
		p.WriteString(" " + x.Op.String() + " ")
		p.operand(&x.Right)
	case *General:
		p.WriteString(spaceGeneral(x.Text))
	case *Bad:
		if x.End.Offset <= len(p.src) {
			p.WriteString(p.src[x.Start.Offset:x.End.Offset])
		}
	}
}

func (p *printer) terms(terms []Expr, between string, strength int) {
	for i, x := range terms {
		if i > 0 {
			p.WriteString(between)
		}
		p.expr(x, strength)
	}
}

func (p *printer) shorthand(x *Shorthand) {
	p.WriteString(x.Name)
	p.WriteByte(':')
	for i, a := range x.Args {
		if i > 0 {
			p.WriteByte(',')
		}
		if isPlainArg(a.Text) {
			p.WriteString(a.Text)
		} else {
			p.WriteString(quote(a.Text))
		}
	}
}

// isPlainArg reports whether an argument needs no quotes.
func isPlainArg(s string) bool {
	if s == "" || s[0] == '"' || s[0] == '\'' || rawArg(s) < len(s) {
		return false
	}
	for i, r := range s {
		if isLookalike(r) || isBinary(s[i:]) {
			return false
		}
	}
	return true
}

func (p *printer) cadence(x *Cadence) {
	p.WriteString("every ")
	if x.Unit == Elapsed {
		p.WriteString(FormatDuration(x.Duration))
		return
	}
	p.WriteString(strconv.Itoa(x.N))
	if x.Unit == UserTurns {
		p.WriteString(" user")
	}
	p.WriteString(" turn")
	if x.N != 1 {
		p.WriteByte('s')
	}
}

// FormatDuration returns d as triggers say it, without the units it has none of: 5m, not 5m0s.
func FormatDuration(d time.Duration) string {
	s := strings.ReplaceAll(d.String(), "µ", "u")
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-len("0s")]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-len("0m")]
	}
	return s
}

func (p *printer) operand(o *Operand) {
	switch o.Kind {
	case String:
		p.WriteString(quote(o.Text))
	case List:
		p.WriteByte('[')
		for i := range o.List {
			if i > 0 {
				p.WriteString(", ")
			}
			p.operand(&o.List[i])
		}
		p.WriteByte(']')
	default:
		p.WriteString(o.Text)
	}
}
