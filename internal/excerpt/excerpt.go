// Package excerpt owns how a text is cut short: never inside a character. It is pure, and its functions may
// be called concurrently.
package excerpt

import "unicode/utf8"

// Head returns the beginning of s, at most n bytes of it.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for least := max(n-utf8.UTFMax, 0); n > least && !utf8.RuneStart(s[n]); {
		n--
	}
	return s[:n]
}

// Tail returns the end of s, at most n bytes of it.
func Tail(s string, n int) string {
	from := max(len(s)-n, 0)
	for most := min(from+utf8.UTFMax, len(s)); from > 0 && from < most && !utf8.RuneStart(s[from]); {
		from++
	}
	return s[from:]
}

// Of returns s, or where it is longer than n bytes its beginning, with … behind it.
func Of(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Head(s, n) + "…"
}

// Runes returns s, or where it has more than n characters the first n-1, with … behind them.
func Runes(s string, n int) string {
	last := 0 // where the nth character begins
	for at := range s {
		if n--; n == 0 {
			last = at
		} else if n < 0 {
			return s[:last] + "…"
		}
	}
	return s
}
