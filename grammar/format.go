package grammar

import (
	"strconv"
	"strings"

	"github.com/aside-go/aside/internal/duration"
)

// Format returns the canonical text of t. It has the words and, or and not, single blanks, only the
// parentheses that are needed, the fact of a comparison on the left, and texts in double quotes. Names, bare
// words and numbers stay as they were written. A general leaf gets canonical blanks only. A Bad node is
// printed as its source. Triggers with the same canonical text mean the same.
//
// Parse turns the canonical text back into the same tree. For that, Format returns a trigger as it was
// written if its canonical text would be longer than MaxTrigger; likewise a general leaf that would become
// longer than MaxGeneral.
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

// The precedences of operators, the lowest first. A node in one of higher precedence needs parentheses.
const (
	precedenceOr = 1 + iota
	precedenceAnd
	precedenceNot
	precedenceOperand
)

func precedence(x Expr) int {
	switch x.(type) {
	case *Or:
		return precedenceOr
	case *And:
		return precedenceAnd
	case *Not:
		return precedenceNot
	default:
		return precedenceOperand
	}
}

// expr prints x, in parentheses if its precedence is below least.
func (p *printer) expr(x Expr, least int) {
	if precedence(x) < least {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	switch x := x.(type) {
	case *Or:
		p.terms(x.Terms, " or ", precedenceAnd)
	case *And:
		p.terms(x.Terms, " and ", precedenceNot)
	case *Not:
		p.WriteString("not ")
		p.expr(x.X, precedenceNot)
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

func (p *printer) terms(terms []Expr, between string, least int) {
	for i, x := range terms {
		if i > 0 {
			p.WriteString(between)
		}
		p.expr(x, least)
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
	if s == "" || s[0] == '"' || s[0] == '\'' || isBracket(s[0]) || rawArg(s) < len(s) || opensQuote(s) {
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
		p.WriteString(duration.Format(x.Duration))
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
