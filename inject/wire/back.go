package wire

import (
	"math/bits"

	"github.com/aside-go/aside/internal/lanes"
)

// backScanner walks backward over what it takes to be JSON. It finds no errors in it; where it cannot tell, it returns -1. The
// opening quote of a string is the nearest earlier quote that no backslash escapes.
type backScanner struct {
	b      []byte
	window quoteWindow
}

// blankBefore returns where the white space begins that ends at i; i if there is none.
func blankBefore(b []byte, i int) int {
	for i > 0 && (b[i-1] == ' ' || b[i-1] == '\n' || b[i-1] == '\t' || b[i-1] == '\r') {
		i--
	}
	return i
}

// string returns where the string begins that ends at i, -1 if none does.
func (k *backScanner) string(i int) int {
	if i < 2 || k.b[i-1] != '"' {
		return -1
	}
	return k.quote(i - 1)
}

// value returns where the value begins that ends at i, -1 if none does.
func (k *backScanner) value(i int) int {
	if i == 0 {
		return -1
	}
	switch k.b[i-1] {
	case '"':
		return k.string(i)
	case '}', ']':
		for depth := 0; i > 0; {
			switch k.b[i-1] {
			case '"':
				if i = k.string(i); i < 0 {
					return -1
				}
				continue
			case '}', ']':
				depth++
			case '{', '[':
				if depth--; depth == 0 {
					return i - 1
				}
			}
			i--
		}
		return -1
	}
	end := i
	for i > 0 && (k.b[i-1] >= '0' && k.b[i-1] <= '9' || k.b[i-1]|0x20 >= 'a' && k.b[i-1]|0x20 <= 'z' || k.b[i-1] == '.' || k.b[i-1] == '-' || k.b[i-1] == '+') {
		i--
	}
	if i == end {
		return -1
	}
	return i
}

// quote returns where the last quote before i stands that no backslash escapes, -1 if there is none.
func (k *backScanner) quote(i int) int {
	for w := &k.window; i > 0; i = w.from {
		if (i <= w.from || i > w.to) && !k.refill(i) {
			break
		}
		last := i - 1 - w.from
		n := last / lanes.Block
		if m := w.quotes[n] << (lanes.Block - 1 - last%lanes.Block); m != 0 {
			return i - 1 - bits.LeadingZeros64(m)
		}
		for n--; n >= 0; n-- {
			if m := w.quotes[n]; m != 0 {
				return w.from + n*lanes.Block + bits.Len64(m) - 1
			}
		}
	}
	return -1
}

// refill moves the window so that it ends at i. It returns false where so many backslashes stand before the window that it cannot
// tell whether its first byte is escaped.
func (k *backScanner) refill(i int) bool {
	w := &k.window
	w.span = span{max(0, i-windowSize), i}
	row := 0 // backslashes in a row, which end where the window begins
	for row < w.from && row < windowSize && k.b[w.from-1-row] == '\\' {
		row++
	}
	if row == windowSize {
		w.span = span{}
		return false
	}
	lanes.Quotes(w.quotes[:], w.of(k.b), uint64(row%2))
	return true
}
