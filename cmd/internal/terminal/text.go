package terminal

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Width returns the width of s in columns of a terminal, where a change of style takes none.
func Width(s string) int { return ansi.StringWidthWc(s) }

// Cut shortens s to n columns, with … at its end where something was cut off.
func Cut(s string, n int) string { return ansi.TruncateWc(s, n, "…") }

// Shorten cuts s to at most n columns, with more at its end where something was cut off; "" where more has no
// room. Blanks before more go.
func Shorten(s string, n int, more string) string {
	if Width(s) <= n {
		return s
	}
	room := n - Width(more)
	if room <= 0 {
		return ""
	}
	return strings.TrimRight(ansi.TruncateWc(s, room, ""), " ") + more
}

// Fill pads s on the right to n columns.
func Fill(s string, n int) string { return s + strings.Repeat(" ", max(0, n-Width(s))) }

// Wrap cuts s between words into lines of at most n columns. A word that is longer has a line of its own.
func Wrap(s string, n int) []string {
	var lines []string
	line, used := "", 0
	for word := range strings.FieldsSeq(s) {
		w := Width(word)
		switch {
		case used == 0:
			line, used = word, w
		case used+1+w <= n:
			line, used = line+" "+word, used+1+w
		default:
			lines = append(lines, line)
			line, used = word, w
		}
	}
	return append(lines, line)
}

// Fold wraps the lines of a text that are wider than a terminal of n columns, 0 for none, below their first
// word; the row of a table below the last of its columns that begins in the left half. Examples, which are
// indented by four blanks, stay as they are, so that people can copy them.
func Fold(text string, n int) string {
	if n <= 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		said := strings.TrimRight(line, "\n")
		if Width(said) <= n || strings.HasPrefix(said, "    ") {
			b.WriteString(line)
			continue
		}
		at := lastColumn(said, n/2)
		indent := strings.Repeat(" ", Width(said[:at]))
		if strings.HasPrefix(said[at:], "- ") {
			indent += "  "
		}
		wrapped := Wrap(said[at:], max(n-len(indent), 8))
		b.WriteString(said[:at] + strings.Join(wrapped, "\n"+indent) + line[len(said):])
	}
	return b.String()
}

// lastColumn returns the offset in a line of the last word that begins within n columns and has two blanks or
// the margin before it.
func lastColumn(line string, n int) int {
	at := len(line) - len(strings.TrimLeft(line, " "))
	for i := at; ; {
		gap := strings.Index(line[i:], "  ")
		if gap < 0 {
			return at
		}
		i += gap
		i += len(line[i:]) - len(strings.TrimLeft(line[i:], " "))
		if Width(line[:i]) > n {
			return at
		}
		at = i
	}
}

// Thousands returns a number that is not below 0 with commas: "1,234".
func Thousands[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Many is Count with commas: "1 thing" or "1,234 things".
func Many(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Thousands(n) + " " + thing + "s"
}

// Times says how often something was: "once" or "1,234 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return Many(n, "time")
}

// Ago returns how long ago something was, to one unit: "3 minutes ago".
func Ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 5*time.Second:
		return "just now"
	case d < time.Minute:
		return Count(int(d/time.Second), "second") + " ago"
	case d < time.Hour:
		return Count(int(d/time.Minute), "minute") + " ago"
	case d < day:
		return Count(int(d/time.Hour), "hour") + " ago"
	}
	return Count(int(d/day), "day") + " ago"
}
