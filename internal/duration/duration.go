// Package duration owns how a length of time is read and written: in triggers, rule files, facts, texts of
// reminders and flags. It is pure, and its functions may be called concurrently.
package duration

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Parse reads a duration as time.ParseDuration does, and knows d, days of 24 hours: 90m, 2d, 1.5d, 1d12h.
func Parse(s string) (time.Duration, error) {
	const numeral = "0123456789."
	rest, negative := strings.CutPrefix(s, "-")
	if !negative {
		rest = strings.TrimPrefix(s, "+")
	}
	var sum time.Duration
	for first := true; first || rest != ""; first = false {
		count := rest[:len(rest)-len(strings.TrimLeft(rest, numeral))]
		unit := rest[len(count):]
		if next := strings.IndexAny(unit, numeral); next >= 0 {
			unit = unit[:next]
		}
		rest = rest[len(count)+len(unit):]
		size := time.Duration(1)
		if unit == "d" {
			unit, size = "h", 24
		}
		part, err := time.ParseDuration(count + unit)
		if err != nil || unit == "" && !first || part > (math.MaxInt64-sum)/size {
			return 0, fmt.Errorf("%q is not a duration such as 90s or 5m", s)
		}
		sum += part * size
	}
	if negative {
		sum = -sum
	}
	return sum, nil
}

// Written reports whether s is written as a duration: numbers, each with its unit behind it. It may be longer
// than Parse takes.
func Written(s string) bool {
	for first := true; first || s != ""; first = false {
		unit := strings.TrimLeft(s, "0123456789.")
		whole, fraction, point := strings.Cut(s[:len(s)-len(unit)], ".")
		s = strings.TrimLeft(unit, "nsumhd")
		switch unit[:len(unit)-len(s)] {
		case "ns", "us", "ms", "s", "m", "h", "d":
		default:
			return false
		}
		if whole == "" || point && (fraction == "" || strings.Contains(fraction, ".")) {
			return false
		}
	}
	return true
}

// Format returns d as triggers write it: like time.Duration.String, but 5m rather than 5m0s, us rather than
// µs, and whole days as 2d.
func Format(d time.Duration) string {
	const day = 24 * time.Hour
	if d != 0 && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	s := strings.ReplaceAll(d.String(), "µ", "u")
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-len("0s")]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-len("0m")]
	}
	return s
}
