// Package terminal prints text for people on a terminal: tables, counts, and words that others wrote. Rules,
// recordings and names of files may come from anybody: whoever prints them must not print the characters that
// a terminal obeys instead of showing them. All functions may be called concurrently.
package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Obeys reports whether a terminal may act on a character, or show nothing, instead of showing it: control
// characters, which move the cursor and change colours; format characters, which change the direction of text
// or are invisible; and separators of lines and paragraphs.
func Obeys(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// Line returns s on one line: blanks and characters that a terminal would obey become single blanks.
func Line(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || Obeys(r) }), " ")
}

// Printable returns s with a blank for each character that a terminal would obey, except tabs.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && Obeys(r) {
			return ' '
		}
		return r
	}, s)
}

// Shown returns s with a picture for each control character, and the replacement character for any other that
// a terminal would obey. It stays as long as it was.
func Shown(s string) string { return strings.Map(picture, s) }

func picture(r rune) rune {
	switch {
	case r < ' ':
		return '␀' + r
	case r == 0x7f:
		return '␡'
	case Obeys(r):
		return unicode.ReplacementChar
	}
	return r
}

// Visible returns s with its invisible characters, and those that a terminal obeys, written out as code
// points: a person must see the text that the model will read.
func Visible(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, "<%02X>", s[i])
		case r == '\t' || unicode.IsPrint(r) && r != brailleBlank && !ignorable(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "<%U>", r)
		}
	}
	return b.String()
}

const brailleBlank = '\u2800' // printable by its class, but looks like a blank

// ignorable reports whether programs show nothing for a character that is printable by its class.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Count returns "1 thing" or "n things".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Plain returns the text of err without the name of the system call; "" for nil.
func Plain(err error) string {
	if err == nil {
		return ""
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		path := p.Path
		if path == "" {
			path = `""`
		}
		return strings.Replace(err.Error(), p.Op+" "+p.Path, path, 1)
	}
	return err.Error()
}
