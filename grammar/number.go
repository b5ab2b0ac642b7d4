package grammar

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxWhole is the greatest whole number; up to it a float64 is exact.
const maxWhole = 1 << 53

// number is what a number means.
type number struct {
	kind     kind
	value    float64
	duration time.Duration
}

// flaw is why something is not a number, and what to write instead.
type flaw struct {
	message, hint string
	instead       string // "" where a person has to choose
}

// readNumber reads a whole number, a decimal, a percentage, a number with k or M, or a duration, each perhaps with a minus before it.
func readNumber(s string) (number, *flaw) {
	sign, digits := signOf(s)
	body, last := digits[:len(digits)-1], digits[len(digits)-1]
	switch {
	case sign == "+":
		return number{}, misspeltNumber(s)
	case isDigits(digits):
		return scaled(sign+digits, "", tokWhole)
	case isDecimal(digits):
		return scaled(sign+digits, "", tokDecimal)
	case last == '%' && isDecimal(body):
		return scaled(sign+body, "e-2", tokPercent)
	case last == 'k' && isDecimal(body):
		return scaled(sign+body, "e3", tokWhole)
	case last == 'M' && isDecimal(body):
		return scaled(sign+body, "e6", tokWhole)
	case isDuration(digits):
		d, err := time.ParseDuration(sign + digits)
		if err != nil {
			return number{}, &flaw{message: fmt.Sprintf("%s is longer than a duration can be", quoted(s)), hint: "write a shorter one"}
		}
		return number{kind: tokDuration, duration: d}, nil
	default:
		return number{}, misspeltNumber(s)
	}
}

// signOf splits a number in the sign before it, if any, and the rest; blanks between the two are gone.
func signOf(s string) (sign, digits string) {
	if s[0] != '-' && s[0] != '+' {
		return "", s
	}
	return s[:1], strings.TrimLeft(s[1:], " \t\r\n")
}

// scaled reads decimal digits, perhaps with a minus, with a power of ten behind them.
func scaled(digits, power string, k kind) (number, *flaw) {
	v, err := strconv.ParseFloat(digits+power, 64)
	n, wrong := strconv.ParseInt(digits, 10, 64)
	beyond := wrong == nil && (n > maxWhole || n < -maxWhole) // 2^53+1 rounds down
	switch {
	case (err != nil || beyond || math.Abs(v) > maxWhole) && digits[0] == '-':
		return number{}, &flaw{message: "the number is too small", hint: fmt.Sprintf("write at least %d", int64(-maxWhole))}
	case err != nil || beyond || v > maxWhole:
		return number{}, &flaw{message: "the number is too large", hint: fmt.Sprintf("write at most %d", int64(maxWhole))}
	case k == tokWhole && v != float64(int64(v)):
		k = tokDecimal // 1.2345k
	case v == 0:
		v = 0 // -0 is a zero like any other
	}
	return number{kind: k, value: v}, nil
}

// misspeltNumber says how s should have been written.
func misspeltNumber(written string) *flaw {
	sign, s := signOf(written)
	if sign == "+" {
		sign = ""
	}
	instead := func(t, why string) *flaw {
		t = sign + t
		return &flaw{message: fmt.Sprintf("%s is not how a number is written", quoted(written)), hint: fmt.Sprintf("write %s: %s", t, why), instead: t}
	}
	readable := func(t string) bool {
		if t == "" {
			return false
		}
		_, f := readNumber(t)
		return f == nil
	}
	if written[0] == '+' && readable(s) {
		return instead(s, "a number has no + before it")
	}
	if t := "0" + s; s[0] == '.' && readable(t) {
		return instead(t, "a number begins with a digit")
	}
	if t, ok := strings.CutSuffix(s, "."); ok && readable(t) {
		return instead(t, "a decimal point has digits behind it")
	}
	if t := strings.ReplaceAll(s, "_", ""); t != s && readable(t) {
		return instead(t, "digits are not grouped")
	}
	if t, ok := strings.CutSuffix(s, "K"); ok && readable(t+"k") {
		return instead(t+"k", "a thousand is a small k")
	}
	for _, word := range [...]string{"percent", "pct", "pc"} {
		if t, ok := strings.CutSuffix(s, word); ok && readable(t+"%") {
			return instead(t+"%", "a share is written with %")
		}
	}
	if t := strings.ToLower(s); t != s && isDuration(t) {
		return instead(t, "units of time are written small")
	}
	if days, ok := strings.CutSuffix(s, "d"); ok && isDigits(days) {
		if n, err := strconv.Atoi(days); err == nil && n < 100_000 {
			return instead(strconv.Itoa(24*n)+"h", "the units are ns, us, ms, s, m and h")
		}
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil && v <= maxWhole && v == v {
		if t := strconv.FormatFloat(v, 'f', -1, 64); readable(t) {
			return instead(t, "powers and other bases are spelt out")
		}
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil && v <= maxWhole {
		return instead(strconv.FormatInt(v, 10), "powers and other bases are spelt out")
	}
	if n := digitsOf(s); n > 0 && (s[n:] == "turns" || s[n:] == "turn") {
		return instead(s[:n]+" "+s[n:], "a blank stands before the unit")
	}
	t := strconv.Quote(written)
	return &flaw{message: fmt.Sprintf("%s is not a number", quoted(written)), hint: "quote text that begins with a digit: " + t, instead: t}
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

// isDuration reports whether s is one or more decimals, each with a unit behind it.
func isDuration(s string) bool {
	for s != "" {
		n := decimalOf(s)
		if n == 0 {
			return false
		}
		unit := n
		for unit < len(s) && isLetter(s[unit]) {
			unit++
		}
		switch s[n:unit] {
		case "ns", "us", "ms", "s", "m", "h":
		default:
			return false
		}
		s = s[unit:]
	}
	return true
}

// plainNumber writes v with digits alone.
func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
