package grammar

import (
	"fmt"
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

// readNumber reads a whole number, a decimal, a percentage, a number with k or M, or a duration.
func readNumber(s string) (number, *flaw) {
	body, last := s[:len(s)-1], s[len(s)-1]
	switch {
	case isDigits(s):
		return scaled(s, "", tokWhole)
	case isDecimal(s):
		return scaled(s, "", tokDecimal)
	case last == '%' && isDecimal(body):
		return scaled(body, "e-2", tokPercent)
	case last == 'k' && isDecimal(body):
		return scaled(body, "e3", tokWhole)
	case last == 'M' && isDecimal(body):
		return scaled(body, "e6", tokWhole)
	case isDuration(s):
		d, err := time.ParseDuration(s)
		if err != nil {
			return number{}, &flaw{message: fmt.Sprintf("%s is longer than a duration can be", quoted(s)), hint: "write a shorter one"}
		}
		return number{kind: tokDuration, duration: d}, nil
	default:
		return number{}, misspeltNumber(s)
	}
}

// scaled reads decimal digits with a power of ten behind them.
func scaled(digits, power string, k kind) (number, *flaw) {
	v, err := strconv.ParseFloat(digits+power, 64)
	if n, wrong := strconv.ParseUint(digits, 10, 64); err != nil || v > maxWhole || wrong == nil && n > maxWhole { // 2^53+1 rounds down
		return number{}, &flaw{message: "the number is too large", hint: fmt.Sprintf("write at most %d", int64(maxWhole))}
	}
	if k == tokWhole && v != float64(int64(v)) {
		k = tokDecimal // 1.2345k
	}
	return number{kind: k, value: v}, nil
}

// misspeltNumber says how s should have been written.
func misspeltNumber(s string) *flaw {
	instead := func(t, why string) *flaw {
		return &flaw{message: fmt.Sprintf("%s is not how a number is written", quoted(s)), hint: fmt.Sprintf("write %s: %s", t, why), instead: t}
	}
	readable := func(t string) bool {
		if t == "" {
			return false
		}
		_, f := readNumber(t)
		return f == nil
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
	t := strconv.Quote(s)
	return &flaw{message: fmt.Sprintf("%s is not a number", quoted(s)), hint: "quote text that begins with a digit: " + t, instead: t}
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
