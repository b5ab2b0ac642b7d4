package grammar

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/words"
)

// maxWhole is the greatest whole number; up to it a float64 is exact.
const maxWhole = 1 << 53

// flaw is the reason why a text is not a number, and the text to write instead.
type flaw struct {
	message, hint string
	instead       string // "" where a person has to choose
}

// readNumber reads a number in one of the forms that numberOf knows, or says why s is none.
func readNumber(s string) (Literal, *flaw) {
	n, f, ok := numberOf(s)
	if !ok {
		f = misspeltNumber(s)
	}
	return n, f
}

// forms are those of numbers that are decimal digits with a sign, each with the power of ten that it stands
// for.
var forms = []struct {
	prefix, suffix, power string
	kind                  LiteralKind
}{{"$", "", "", Dollars}, {"", "%", "e-2", Percent}, {"", "k", "e3", Int}, {"", "M", "e6", Int},
	{"", "", "", Decimal}}

// numberOf reads a whole number, a decimal, a percentage, a number with k or M, or a duration, each perhaps
// with a minus before it. ok is false if s has none of these forms; if it has one, but is too large or too
// small, there is a flaw.
func numberOf(s string) (n Literal, f *flaw, ok bool) {
	sign, digits := signOf(s)
	if sign == "+" || digits == "" {
		return n, nil, false
	}
	for _, form := range forms {
		body, begins := strings.CutPrefix(digits, form.prefix)
		body, ends := strings.CutSuffix(body, form.suffix)
		if begins && ends && isDecimal(body) {
			if form.kind == Decimal && isDigits(body) {
				form.kind = Int
			}
			n, f = scaled(sign+body, form.power, form.kind)
			return n, f, true
		}
	}
	if !duration.Written(digits) {
		return n, nil, false
	}
	n.Kind = Duration
	var err error
	if n.Duration, err = duration.Parse(sign + digits); err != nil {
		f = &flaw{message: quoted(s) + " is longer than a duration can be", hint: "write a shorter one"}
	}
	return n, f, true
}

// signOf splits a number in the sign before it, if any, and the rest; blanks between the two are gone.
func signOf(s string) (sign, digits string) {
	if s == "" || s[0] != '-' && s[0] != '+' {
		return "", s
	}
	return s[:1], strings.TrimLeft(s[1:], " \t\r\n")
}

// scaled reads decimal digits, perhaps with a minus, with a power of ten behind them.
func scaled(digits, power string, k LiteralKind) (n Literal, f *flaw) {
	v, err := strconv.ParseFloat(digits+power, 64)
	whole, wrong := strconv.ParseInt(digits, 10, 64)
	beyond := wrong == nil && (whole > maxWhole || whole < -maxWhole) // 2^53+1 rounds down
	switch {
	case (err != nil || beyond || math.Abs(v) > maxWhole) && digits[0] == '-':
		return n, &flaw{message: "the number is too small", hint: fmt.Sprintf("write at least %d",
			int64(-maxWhole))}
	case err != nil || beyond || v > maxWhole:
		return n, &flaw{message: "the number is too large", hint: fmt.Sprintf("write at most %d",
			int64(maxWhole))}
	case k == Int && v != float64(int64(v)):
		k = Decimal // 1.2345k
	case v == 0:
		v = 0 // -0 is a zero like any other
	}
	return Literal{Kind: k, Number: v}, nil
}

// misspellings are forms of numbers that people write and the language writes otherwise. correct turns a
// number, without its sign, into the right form; where it does not apply, its result is not a number.
var misspellings = []struct {
	correct func(s string) string
	why     string
}{
	{func(s string) string { return "0" + s }, "a number begins with a digit"},
	{func(s string) string { return strings.TrimSuffix(s, ".") }, "a decimal point has digits behind it"},
	{func(s string) string { return strings.ReplaceAll(s, "_", "") }, "digits are not grouped"},
	{func(s string) string { return withSuffix(s, "K", "k") }, "a thousand is a small k"},
	{func(s string) string { return withSuffix(s, "percent", "%") }, "a share is written with %"},
	{func(s string) string { return withSuffix(s, "pct", "%") }, "a share is written with %"},
	{func(s string) string { return withSuffix(s, "pc", "%") }, "a share is written with %"},
	{strings.ToLower, "units of time are written small"},
	{spelledDuration, "the units are ns, us, ms, s, m, h and d"},
	{spelledDollars, "the sign stands before the amount"},
	{inDigits, "powers and other bases are spelt out"},
}

// withSuffix returns s with another suffix; "" if it does not have that one.
func withSuffix(s, suffix, other string) string {
	if body, ok := strings.CutSuffix(s, suffix); ok {
		return body + other
	}
	return ""
}

// inDigits returns 1e3 and 0x3e8 as 1000; "" for a text that is not a number in any such form.
func inDigits(s string) string {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return plainNumber(v)
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// misspeltNumber says how s should have been written, which is not a number in any form that numberOf knows.
func misspeltNumber(written string) *flaw {
	sign, s := signOf(written)
	instead := func(t, why string) *flaw {
		return &flaw{message: fmt.Sprintf("%s is not how a number is written",
			quoted(written)), hint: fmt.Sprintf("write %s: %s", t, why), instead: t}
	}
	if sign == "+" {
		if isNumber(s) {
			return instead(s, "a number has no + before it")
		}
		sign = ""
	}
	for _, m := range misspellings {
		if t := m.correct(s); isNumber(t) {
			return instead(sign+t, m.why)
		}
	}
	if n := digitsOf(s); n > 0 && (s[n:] == "turns" || s[n:] == "turn") {
		return instead(sign+s[:n]+" "+s[n:], "a blank stands before the unit")
	}
	t := strconv.Quote(written)
	return &flaw{message: fmt.Sprintf("%s is not a number",
		quoted(written)), hint: "quote text that begins with a digit: " + t, instead: t}
}

// isNumber reports whether readNumber can read s.
func isNumber(s string) bool {
	_, f, ok := numberOf(s)
	return ok && f == nil
}

func digitsOf(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func isDigits(s string) bool { return s != "" && digitsOf(s) == len(s) }

// decimalOf returns how much of s is digits, or digits, a point and digits.
func decimalOf(s string) int {
	n := digitsOf(s)
	if n > 0 && n+1 < len(s) && s[n] == '.' && isDigit(s[n+1]) {
		n += 1 + digitsOf(s[n+1:])
	}
	return n
}

func isDecimal(s string) bool { return s != "" && decimalOf(s) == len(s) }

// spelledDollars is an amount with another sign or word for dollars, as it should be written.
func spelledDollars(s string) string {
	lower := strings.ToLower(s)
	for _, word := range []string{"usd", "dollars", "dollar", "$"} {
		if body, ok := strings.CutSuffix(lower, word); ok {
			return "$" + strings.TrimPrefix(body, "$")
		}
	}
	if amount, ok := strings.CutPrefix(lower, "$"); ok {
		if n, f, ok := numberOf(amount); ok && f == nil && n.Kind <= Decimal {
			return "$" + plainNumber(n.Number)
		}
		return "$0" + amount // $.5
	}
	return ""
}

// spelledDuration is a duration whose units are written out, or that counts days or weeks, as it should be
// written: 30min, 2hours, 1d, 1h30. "" is anything else.
func spelledDuration(s string) string {
	var b strings.Builder
	for last := ""; s != ""; {
		n := decimalOf(s)
		letters := n + span(s[n:], isLetter)
		count, word := s[:n], strings.ToLower(s[n:letters])
		unit := timeUnit(word)
		whole, err := strconv.Atoi(count)
		switch {
		case unit != "":
			b.WriteString(count + unit)
		case words.Of(words.Unit, word) == "w" && err == nil && whole < 10_000:
			b.WriteString(strconv.Itoa(7*whole) + "d")
		case word == "" && finer[last] != "":
			b.WriteString(count + finer[last])
		default:
			return ""
		}
		last, s = unit, s[letters:]
	}
	return b.String()
}

// timeUnit is the unit of time that a word means, or one that is nearly it; "" if it means none.
func timeUnit(word string) string {
	unit := words.Of(words.Unit, word)
	if names := near.Names(word, words.List(words.Unit)); unit == "" && len(names) > 0 { // 10 minuten
		unit = words.Of(words.Unit, names[0])
	}
	if unit != "" && strings.Contains("s m h d ms", unit) {
		return unit
	}
	return ""
}

// finer is the unit of a number that stands after a unit and has none: 1h30.
var finer = map[string]string{"d": "h", "h": "m", "m": "s"}

// plainNumber writes v with digits alone.
func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// spelledUnit reports a unit in words behind the number that ends a comparison: turn_count > 5 turns, idle >
// 5 minutes. It reports whether right is one.
func (r *repairer) spelledUnit(left, right []token) bool {
	n := len(left)
	compares := n > 2 && left[n-2].kind == tokOp && left[n-1].kind.isNumber()
	counts := n == 2 && left[1].kind == tokArg && isDigits(r.text(left[1])) // turn_gt:20 turns
	if !compares && !counts || left[n-1].reported {
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
	means := words.Of(words.Unit, unit)
	var instead, why string
	switch {
	case words.Of(words.Counted, unit) != "" && left[n-1].kind != tokDuration:
		instead, why = count, "what is counted has no unit"
	case left[n-1].kind != tokWhole && left[n-1].kind != tokDecimal:
		return false
	case (means == "M" || r.text(right[0]) == "M") && isDecimal(digits):
		instead, why = count+"M", "M stands right behind its number"
	case means == "$":
		instead, why = "$"+count, "the sign stands before the amount"
	case means == "%" && isDecimal(digits):
		instead, why = count+"%", "a share is written with %"
	case means == "k" && isDecimal(digits):
		instead, why = count+"k", "k stands right behind its number"
	default:
		return false
	}
	whole := token{start: left[n-1].start, end: right[len(right)-1].end}
	r.mistake(whole, code.NumberNotation, r.quoted(whole)+" is not how a number is written",
		fmt.Sprintf("write %s: %s", instead, why)).Fix = r.replace(whole, instead)
	return true
}

// tornDuration reports a duration with blanks in it, elapsed > 1h 30m or 1 hour 30 minutes, and whether this
// is one: first is its first part.
func (r *repairer) tornDuration(first token, rest []token) bool {
	sign, together := signOf(r.text(first))
	for _, t := range rest {
		text := r.text(t)
		if t.kind != tokDuration && t.kind != tokWhole && t.kind != tokWord || text == "M" { // a million
			return false
		}
		together += text
	}
	if together = sign + spelledDuration(together); !isNumber(together) {
		return false
	}
	whole := token{start: first.start, end: rest[len(rest)-1].end}
	r.mistake(whole, code.NumberNotation, r.quoted(whole)+" is not how a number is written",
		fmt.Sprintf("write %s: a duration has no blanks", together)).Fix = r.replace(whole, together)
	return true
}
