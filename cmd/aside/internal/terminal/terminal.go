// Package terminal knows which characters a terminal obeys instead of showing them. Rules, recordings and names of files may come from
// anybody: whatever prints them must not print such characters as they are.
package terminal

import "unicode"

// Obeys reports whether a terminal may act on a character, or show nothing, instead of showing it: control characters, which move the
// cursor and change colours; format characters, which change the direction of text or are invisible; and separators of lines and
// paragraphs.
func Obeys(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
