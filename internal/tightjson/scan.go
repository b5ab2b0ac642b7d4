package tightjson

import "strings"

// maxDepth is how deep a value may be nested that is passed over as it is.
const maxDepth = 100

// Tight reports whether b is one JSON value without blanks that is nested no deeper than a Reader passes over.
func Tight(b []byte) bool { return value(b, 0, 0) == len(b) && len(b) > 0 }

// value returns where the value that begins at a place of s ends, and -1 where none is. It is nested that deep already.
func value[T string | []byte](s T, at, depth int) int {
	if at >= len(s) || depth > maxDepth {
		return -1
	}
	switch c := s[at]; {
	case c == '"':
		return quoted(s, at)
	case c == '{' || c == '[':
		return nested(s, at, depth)
	case c == '-' || isDigit(c):
		return number(s, at)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if end := at + len(word); end <= len(s) && string(s[at:end]) == word {
			return end
		}
	}
	return -1
}

// nested returns where the object or the list ends that begins at a place of s, and -1 where it is none.
func nested[T string | []byte](s T, at, depth int) int {
	opened := s[at]
	closed := opened + 2 // as in ASCII
	if at++; at < len(s) && s[at] == closed {
		return at + 1
	}
	for {
		if opened == '{' {
			if at = quoted(s, at); at < 0 || at >= len(s) || s[at] != ':' {
				return -1
			}
			at++
		}
		if at = value(s, at, depth+1); at < 0 || at >= len(s) {
			return -1
		}
		switch s[at] {
		case closed:
			return at + 1
		case ',':
			at++
		default:
			return -1
		}
	}
}

// quoted returns where the string ends that begins at a place of s, and -1 where none does.
func quoted[T string | []byte](s T, at int) int {
	if at >= len(s) || s[at] != '"' {
		return -1
	}
	for i := at + 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c != '\\':
		case i+1 < len(s) && strings.IndexByte(escapes, s[i+1]) >= 0:
			i++
		case i+5 < len(s) && s[i+1] == 'u' && isHex(s[i+2]) && isHex(s[i+3]) && isHex(s[i+4]) && isHex(s[i+5]):
			i += 5
		default:
			return -1
		}
	}
	return -1
}

// number returns where the number ends that begins at a place of s, and -1 where none does.
func number[T string | []byte](s T, at int) int {
	if s[at] == '-' {
		at++
	}
	if at < len(s) && s[at] == '0' {
		at++
	} else if at = digits(s, at); at < 0 {
		return -1
	}
	if at < len(s) && s[at] == '.' {
		if at = digits(s, at+1); at < 0 {
			return -1
		}
	}
	if at < len(s) && s[at]|0x20 == 'e' {
		if at++; at < len(s) && (s[at] == '+' || s[at] == '-') {
			at++
		}
		at = digits(s, at)
	}
	return at
}

// digits passes over digits, and returns -1 where none is.
func digits[T string | []byte](s T, at int) int {
	if at >= len(s) || !isDigit(s[at]) {
		return -1
	}
	for at < len(s) && isDigit(s[at]) {
		at++
	}
	return at
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
