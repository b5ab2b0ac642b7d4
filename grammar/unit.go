package grammar

import (
	"fmt"
	"strings"

	"github.com/aside-go/aside/internal/code"
)

// countUnits are the words people write behind a number that needs none.
var countUnits = map[string]bool{
	"turn": true, "turns": true, "user turn": true, "user turns": true, "token": true, "tokens": true,
	"call": true, "calls": true, "time": true, "times": true, "message": true, "messages": true, "failures": true,
}

// spelledUnit reports a unit in words behind the number that ends a comparison: turn_count > 5 turns, idle > 5 minutes.
// It reports whether right is one.
func (r *repairer) spelledUnit(left, right []token) bool {
	n := len(left)
	if n < 3 || left[n-2].kind != tokOp || !left[n-1].kind.isNumber() || left[n-1].reported {
		return false
	}
	if r.tornDuration(left[n-1], right) {
		return true
	}
	if len(right) > 2 {
		return false
	}
	for _, t := range right {
		if t.kind != tokWord {
			return false
		}
	}
	count := r.text(left[n-1])
	_, digits := signOf(count)
	unit := strings.ToLower(strings.Join(strings.Fields(r.src[right[0].start:right[len(right)-1].end]), " "))
	var instead, why string
	switch {
	case left[n-1].kind != tokWhole && left[n-1].kind != tokDecimal:
		return false
	case countUnits[unit]:
		instead, why = count, "what is counted has no unit"
	case (unit == "million" || r.text(right[0]) == "M") && isDecimal(digits):
		instead, why = count+"M", "M stands right behind its number"
	case timeUnits[unit] != "" && isDecimal(digits):
		instead, why = count+timeUnits[unit], "a unit of time stands right behind its number"
	case (unit == "percent" || unit == "pct") && isDecimal(digits):
		instead, why = count+"%", "a share is written with %"
	case (unit == "k" || unit == "thousand") && isDecimal(digits):
		instead, why = count+"k", "k stands right behind its number"
	default:
		return false
	}
	whole := token{start: left[n-1].start, end: right[len(right)-1].end}
	r.report(whole, problem{
		code: code.NumberNotation, message: fmt.Sprintf("%s is not how a number is written", quoted(r.text(whole))),
		hint: fmt.Sprintf("write %s: %s", instead, why), fix: replace(whole, instead),
	})
	return true
}

// tornDuration reports a duration with blanks in it, elapsed > 1h 30m, and whether this is one: first is its first part.
func (r *repairer) tornDuration(first token, rest []token) bool {
	if first.kind != tokDuration || len(rest) == 0 {
		return false
	}
	together := r.text(first)
	for _, t := range rest {
		if t.kind != tokDuration {
			return false
		}
		together += r.text(t)
	}
	whole := token{start: first.start, end: rest[len(rest)-1].end}
	r.report(whole, problem{
		code: code.NumberNotation, message: fmt.Sprintf("%s is not how a number is written", quoted(r.text(whole))),
		hint: fmt.Sprintf("write %s: a duration has no blanks", together), fix: replace(whole, together),
	})
	return true
}
