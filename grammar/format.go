package grammar

import (
	"strconv"
	"strings"

	"github.com/aside-go/aside/internal/duration"
)

// Format returns the canonical text of t. It has the words and, or and not, single blanks, only the
// parentheses that are needed, the fact of a comparison on the left, and texts in double quotes. Names and
// numbers stay as they were written. A Bad node is printed as its source. Triggers with the same canonical
// text mean the same.
//
// Parse turns the canonical text back into the same tree. For that, Format returns a trigger as it was
// written if its canonical text would be longer than MaxTrigger, or that of an expression in it longer than
// MaxGeneral.
func Format(t *Trigger) string {
	if t == nil || t.Root == nil {
		return ""
	}
	p := &printer{src: t.Source}
	p.expr(t.Root, 0)
	if (p.Len() > MaxTrigger || p.long) && t.Source != "" && len(t.Source) <= MaxTrigger {
		return t.Source
	}
	return p.String()
}

type printer struct {
	strings.Builder
	src  string
	long bool // an expression is longer than MaxGeneral
}

func precedence(x Expr) int {
	switch x := x.(type) {
	case *Or:
		return precedenceOr
	case *And:
		return precedenceAnd
	case *Not:
		return precedenceNot
	case *Binary:
		return x.Op.Precedence()
	case *Unary:
		if x.Op == "not" {
			return precedenceNot
		}
	}
	return precedenceTerm
}

// expr prints x, in parentheses if its precedence is below least.
func (p *printer) expr(x Expr, least int) {
	if precedence(x) < least {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	start := p.Len()
	defer func() {
		at := x.Span()
		p.long = p.long || precedence(x) > precedenceNot && p.Len()-start > MaxGeneral &&
			at.End.Offset-at.Start.Offset <= MaxGeneral
	}()
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
	case *Shorthand:
		p.shorthand(x)
	case *Cadence:
		p.cadence(x)
	case *Binary:
		own := precedence(x)
		side := own
		if own == precedenceComparison {
			side++
		}
		p.expr(x.Left, side)
		p.WriteString(" " + string(x.Op) + " ")
		if text, is := x.Right.(*Literal); is && x.matches() && text.Kind == String {
			p.WriteString(quotePattern(text.Text))
		} else {
			p.expr(x.Right, own+1)
		}
	case *Unary:
		p.WriteString(string(x.Op))
		if x.Op == "not" {
			p.WriteByte(' ')
			p.expr(x.X, precedenceNot)
			break
		}
		least := precedenceTerm
		switch x.X.(type) {
		case *Literal, *Unary: // -5 is a literal
			least++
		}
		p.expr(x.X, least)
	case *Call:
		p.WriteString(x.Name + "(")
		p.terms(x.Args, ", ", 0)
		p.WriteByte(')')
	case *Array:
		p.WriteByte('[')
		p.terms(x.Items, ", ", 0)
		p.WriteByte(']')
	case *Name:
		p.WriteString(x.Name)
	case *Field:
		p.WriteString(x.Text)
	case *Literal:
		if x.Kind == String {
			p.WriteString(quote(x.Text))
		} else {
			p.WriteString(x.Text)
		}
	case *Bad:
		if x.End.Offset <= len(p.src) {
			p.WriteString(p.src[x.Start.Offset:x.End.Offset])
		}
	}
}

// quotePattern puts a pattern into quotes so that patternOf reads it. Its own backslashes stay alone where
// they can.
func quotePattern(s string) string {
	if plain := `"` + s + `"`; !strings.ContainsAny(s, "\"\n\r\t`") && patternOf(plain) == s &&
		(len(s) == 0 || s[len(s)-1] != '\\') {
		return plain
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
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
