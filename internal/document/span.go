package document

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/near"
)

// firstWritten finds what a hint says to write, where it is one thing, or the likeliest of two.
var firstWritten = regexp.MustCompile("^write `([^`]+)`(?:$|: |, or a time)")

// fixOf is what to write in place of a value, as its hint has it; "" where a person has to choose.
func fixOf(hint string) string {
	if m := firstWritten.FindStringSubmatch(hint); m != nil {
		return m[1]
	}
	return ""
}

// parseSpan reads a span as rule files write it: "3 turns", "1 turn", "2m", "1h30m", "0". What is wrong comes back in words
// that follow the key's name, with what to write instead.
func parseSpan(s string) (span reminder.Span, wrong, hint string) {
	s = strings.TrimSpace(s)
	if s == "0" {
		return reminder.Span{}, "", ""
	}
	num, unit := splitNumber(s)
	switch word := strings.TrimSpace(unit); {
	case s == "":
		return span, "is empty", "write a number of turns such as `3 turns`, or a time such as `2m`"
	case num == "":
		return span, fmt.Sprintf("cannot be %q", s), "write a number of turns such as `3 turns`, or a time such as `2m`"
	case strings.HasPrefix(num, "-"):
		return span, fmt.Sprintf("cannot be negative: %q", s), "write `0` or more"
	case word == "":
		return span, fmt.Sprintf("has no unit: %q", s), fmt.Sprintf("write `%s turns`, or a time such as `%sm`", num, num)
	case word == "turn" || word == "turns":
		n, err := strconv.Atoi(num)
		if err != nil {
			return span, fmt.Sprintf("takes whole turns, not %q", s), "write a number of turns such as `3 turns`"
		}
		if n > math.MaxInt32 {
			return span, fmt.Sprintf("is too long: %q", s), fmt.Sprintf("write at most `%d turns`", math.MaxInt32)
		}
		return reminder.Span{Turns: n}, "", ""
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil && isTime(s):
		return span, fmt.Sprintf("is too long: %q", s), "write at most `2000000h`"
	case err != nil || !isTime(s):
		return span, fmt.Sprintf("cannot be %q", s), timeHint(num, strings.TrimSpace(unit))
	}
	return reminder.Span{Time: d}, "", ""
}

// canonicalSpan is s, a span or a way to keep a text, with its number of turns in canonical form. A time stays as its author wrote it,
// as numbers in triggers do: 90s may say more than 1m30s.
func canonicalSpan(s string) string {
	if span, wrong, _ := parseSpan(s); wrong == "" && span.Time == 0 {
		return span.String()
	}
	return s
}

// isTime reports whether s is written as the trigger language writes a time: numbers, each with its unit behind it.
func isTime(s string) bool {
	for s != "" {
		num, rest := splitNumber(s)
		if num == "" || num[0] < '0' || num[0] > '9' || strings.HasSuffix(num, ".") {
			return false
		}
		unit := len(rest) - len(strings.TrimLeft(rest, "nmsuh"))
		if unit == 0 {
			return false
		}
		s = rest[unit:]
	}
	return true
}

// timeHint says what to write in place of a number and a unit that is none.
func timeHint(num, unit string) string {
	n, err := strconv.Atoi(num)
	switch unit = strings.ToLower(unit); {
	case err != nil || n < 0:
	case strings.HasPrefix(unit, "user turn"):
		return fmt.Sprintf("write `%d turns`: model calls are counted here", n)
	case unit == "d" || strings.HasPrefix(unit, "day"):
		return fmt.Sprintf("write `%dh`: the units are ns, us, ms, s, m and h", 24*n)
	case unit == "s" || strings.HasPrefix(unit, "sec"):
		return fmt.Sprintf("write `%ds`", n)
	case unit == "m" || strings.HasPrefix(unit, "min"):
		return fmt.Sprintf("write `%dm`", n)
	case unit == "h" || strings.HasPrefix(unit, "hour") || strings.HasPrefix(unit, "hr"):
		return fmt.Sprintf("write `%dh`", n)
	case strings.HasPrefix(unit, "t"):
		return fmt.Sprintf("write `%d turns`", n)
	}
	return "write a number of turns such as `3 turns`, or a time such as `2m` or `1h30m`"
}

// splitNumber cuts s behind the number it begins with; num is "" if it begins with none.
func splitNumber(s string) (num, rest string) {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' || i == 0 && (s[i] == '-' || s[i] == '+')) {
		i++
	}
	if strings.Trim(s[:i], "+-.") == "" {
		return "", s
	}
	return s[:i], s[i:]
}

// keepWords are what people write for the ways to keep a text.
var keepWords = map[string]string{"forever": "conversation", "always": "conversation", "session": "conversation", "run": "conversation", "permanent": "conversation",
	"once": "call", "request": "call", "message": "turn", "user_turn": "turn"}

// parseKeep reads how long a text stays: "call", "turn", "3 turns", "conversation".
func parseKeep(s string) (keep reminder.Keep, wrong, hint string) {
	const forms = "write `call`, `turn`, a number of turns such as `3 turns`, or `conversation`"
	switch s = strings.TrimSpace(s); s {
	case "call":
		return reminder.Keep{Unit: reminder.KeepCall}, "", ""
	case "turn":
		return reminder.Keep{Unit: reminder.KeepTurn}, "", ""
	case "conversation":
		return reminder.Keep{Unit: reminder.KeepConversation}, "", ""
	}
	if s == "" {
		return keep, "is empty", forms
	}
	num, _ := splitNumber(s)
	if num == "" {
		if near := near.Names(s, []string{"call", "turn", "conversation"}); len(near) > 0 {
			return keep, fmt.Sprintf("cannot be %q", s), "write `" + near[0] + "`"
		}
		if to := keepWords[strings.ToLower(s)]; to != "" {
			return keep, fmt.Sprintf("cannot be %q", s), "write `" + to + "`"
		}
		return keep, fmt.Sprintf("cannot be %q", s), forms
	}
	span, wrong, hint := parseSpan(s)
	switch {
	case wrong != "" && strings.Contains(fixOf(hint), "turn"):
		return keep, wrong, "write `" + fixOf(hint) + "`"
	case wrong != "":
		return keep, wrong, forms
	case span.Time != 0:
		return keep, fmt.Sprintf("counts turns, not time: %q", s), forms
	case span.Turns < 1:
		return keep, fmt.Sprintf("must be at least 1 turn, not %q", s), forms
	}
	return reminder.Keep{Unit: reminder.KeepTurns, Turns: span.Turns}, "", ""
}

// parseWhole reads a whole number as YAML 1.2 writes it in decimal.
func parseWhole(s string) (int, bool) {
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || digits == "" || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil
}
