package grammar

import (
	"fmt"
	"strings"

	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/words"
)

// every reads the cadence that in[i:end] begins with. It returns where the cadence ends, which may be before
// end.
func (r *repairer) every(i, end int) int {
	if end-i > 2 && r.tornDuration(r.in[i+1], r.in[i+2:end]) {
		return r.bad(i, end)
	}
	p, n := cadence{r: r.reading, ts: r.in[i:end]}.read()
	if p != nil {
		r.problems = append(r.problems, *p)
		return r.bad(i, i+n)
	}
	r.out = append(r.out, r.in[i:i+n]...)
	return i + n
}

// cadence is EVERY TIME, EVERY COUNT TURNS or EVERY COUNT USER TURNS.
func (r *reading) cadence(ts []token) Expr {
	if p, _ := (cadence{r: r, ts: ts}).read(); p != nil {
		r.problems = append(r.problems, *p)
		return &Bad{Range: r.over(ts)}
	}
	x := &Cadence{Range: r.over(ts)}
	n, _ := readNumber(r.text(ts[1]))
	switch len(ts) {
	case 2:
		x.Unit, x.Duration = Elapsed, n.Duration
	case 3:
		x.Unit, x.N = Turns, int(n.Number)
	case 4:
		x.Unit, x.N = UserTurns, int(n.Number)
	}
	return x
}

const cadenceHint = "write one of `every 5 turns`, `every 5 user turns` or `every 5m`"

// cadence is "every" and the tokens of its count and unit.
type cadence struct {
	r  *reading
	ts []token
}

// word returns the text of the i-th token if it is a word, else "".
func (c cadence) word(i int) string {
	if i < len(c.ts) && c.ts[i].kind == tokWord {
		return c.r.text(c.ts[i])
	}
	return ""
}

// read returns the number of tokens of the cadence, and its mistake.
func (c cadence) read() (*Diagnostic, int) {
	if len(c.ts) == 1 {
		return c.wrong(0, 1, Diagnostic{Message: `"every" needs a count or a time`, Hint: cadenceHint})
	}
	count := c.ts[1]
	switch {
	case isTurns(c.word(1)) && len(c.ts) == 2:
		return c.wrong(1, 2, Diagnostic{Message: `"every" needs a count`, Hint: "write every 1 turn",
			Fix: c.r.replace(count, "1 turn")})
	case !count.kind.isNumber():
		if count.kind == tokSign && c.r.text(count) == "-" && len(c.ts) > 2 && c.ts[2].kind.isNumber() {
			p, end := c.wrong(1, len(c.ts),
				Diagnostic{Code: code.NegativeCadence, Message: "a cadence counts from 1", Hint: cadenceHint})
			p.Range.End = c.r.at(c.ts[2].end)
			return p, end
		}
		p := Diagnostic{Message: c.r.quoted(count) + " is not a count", Hint: cadenceHint}
		if n := words.Of(words.Number, c.word(1)); isDigits(n) {
			p.Hint, p.Fix = "write "+n, c.r.replace(count, n)
		}
		return c.wrong(1, len(c.ts), p)
	case count.kind == tokNumber:
		_, f := readNumber(c.r.text(count))
		p := Diagnostic{Code: code.NumberNotation, Message: f.message, Hint: f.hint}
		if f.instead != "" && f.instead[0] != '"' {
			p.Fix = c.r.replace(count, f.instead)
		} else {
			p.Hint = cadenceHint
		}
		return c.wrong(1, c.unitEnd(), p)
	}
	n, _ := readNumber(c.r.text(count))
	switch {
	case count.kind == tokDuration && n.Duration == 0:
		return c.wrong(1, c.unitEnd(),
			Diagnostic{Message: fmt.Sprintf(`"every %s" would never come`, c.r.text(count)), Hint: "write at least 1"})
	case count.kind == tokWhole && n.Number == 0:
		return c.wrong(1, c.unitEnd(), Diagnostic{
			Message: fmt.Sprintf(`"every %s" would never come`, c.r.text(count)), Hint: "write at least 1",
			Fix: c.r.replace(count, "1")})
	case count.kind == tokDuration && (isTurns(c.word(2)) || c.word(2) == "user" && isTurns(c.word(3))):
		t := c.r.text(count)
		return c.wrong(1, c.unitEnd(), Diagnostic{Message: "a time is not counted in turns",
			Hint: "write every " + t, Fix: c.r.replace(token{start: count.start, end: c.ts[c.unitEnd()-1].end}, t)})
	case count.kind == tokDuration:
		return nil, 2
	case !isDigits(c.r.text(count)):
		p := Diagnostic{Message: c.r.quoted(count) + " is not a whole number", Hint: cadenceHint}
		if millions, ok := strings.CutSuffix(c.r.text(count), "M"); ok {
			p.Hint, p.Fix = "write "+millions+"m for minutes", c.r.replace(count, millions+"m")
		} else if count.kind == tokWhole {
			plain := plainNumber(n.Number)
			p.Hint, p.Fix = "write "+plain, c.r.replace(count, plain)
		}
		return c.wrong(1, c.unitEnd(), p)
	case isTurns(c.word(2)):
		return nil, 3
	case c.word(2) == "user" && isTurns(c.word(3)):
		return nil, 4
	}
	return c.wrongUnit(c.r.text(count))
}

func isTurns(word string) bool { return word == "turn" || word == "turns" }

// wrong fills in p for the token at i; the cadence ends at end.
func (c cadence) wrong(i, end int, p Diagnostic) (*Diagnostic, int) {
	if p.Code == "" {
		p.Code = code.CadenceForm
	}
	p.Range = c.r.between(c.ts[i].start, c.ts[i].end)
	return &p, end
}

// wrongUnit is for a count without a unit that is known.
func (c cadence) wrongUnit(count string) (*Diagnostic, int) {
	end := c.unitEnd()
	unit := c.word(2)
	if end == 2 {
		p := Diagnostic{Message: fmt.Sprintf(`the unit of "every %s" is missing`, count),
			Hint: fmt.Sprintf("write %s turns, %s user turns or %sm", count, count, count)}
		if !strings.HasPrefix(c.r.src[c.ts[1].end:], ":") { // turns: would be a shorthand
			p.Fix = c.r.replace(c.ts[1], count+" turns")
		}
		return c.wrong(1, end, p)
	}
	whole := token{start: c.ts[1].start, end: c.ts[end-1].end}
	units := token{start: c.ts[2].start, end: c.ts[end-1].end}
	p := Diagnostic{Message: c.r.quoted(units) + " is not a unit", Hint: cadenceHint}
	lower := strings.ToLower(unit)
	switch near := near.Names(unit, []string{"turn", "turns"}); {
	case timeUnit(lower) != "":
		right := count + timeUnit(lower)
		p.Hint, p.Fix = "write "+right, c.r.replace(whole, right)
	case lower == "user" || lower == "users":
		p.Hint, p.Fix = "write user turns", c.r.replace(units, "user turns")
	case len(near) > 0:
		p.Hint, p.Fix = "write "+near[0], c.r.replace(units, near[0])
	}
	result, _ := c.wrong(2, end, p)
	result.Range.End = c.r.at(units.end)
	return result, end
}

// unitEnd returns the end of the words behind the count that can only be its unit. The next word begins a
// condition if an operator follows it.
func (c cadence) unitEnd() int {
	end := 2
	for end < len(c.ts) && end < 4 && c.word(end) != "" && (end+1 == len(c.ts) || c.ts[end+1].kind != tokOp &&
		c.ts[end+1].kind != tokSign) {
		if end == 3 && !strings.EqualFold(c.word(2), "user") {
			break
		}
		end++
	}
	return end
}
