// Package terminal knows what a terminal obeys instead of showing it. Rules, recordings and names of files are other people's words:
// whatever prints them asks here what must not be printed as it is.
package terminal

import "unicode"

// Obeys reports whether a terminal may do something at a character, or show nothing, in place of showing it: control characters, which
// move the cursor and change colours; format characters, which turn the direction of a text or cannot be seen; and what ends a line or
// a paragraph.
func Obeys(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
