package wire

import (
	"encoding/binary"
	"math/bits"
)

// back walks JSON backward. It takes the body to be JSON and finds nothing wrong with it; where it is at a loss it says so.
// In JSON the opening quote of a string is the nearest earlier one with an even number of backslashes before it.

// blankBefore returns where the blanks begin that end at i.
func blankBefore(b []byte, i int) int {
	for i > 0 && (b[i-1] == ' ' || b[i-1] == '\n' || b[i-1] == '\t' || b[i-1] == '\r') {
		i--
	}
	return i
}

// stringBefore returns where the string begins that ends at i, -1 if none does.
func stringBefore(b []byte, i int) int {
	if i < 2 || b[i-1] != '"' {
		return -1
	}
	for i--; ; {
		if i = lastQuote(b[:i]); i < 0 {
			return -1
		}
		n := i
		for n > 0 && b[n-1] == '\\' {
			n--
		}
		if (i-n)%2 == 0 {
			return i
		}
	}
}

// valueBefore returns where the value begins that ends at i, -1 if none does.
func valueBefore(b []byte, i int) int {
	if i == 0 {
		return -1
	}
	switch b[i-1] {
	case '"':
		return stringBefore(b, i)
	case '}', ']':
		for depth := 0; i > 0; {
			switch b[i-1] {
			case '"':
				if i = stringBefore(b, i); i < 0 {
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
	for i > 0 && (b[i-1] >= '0' && b[i-1] <= '9' || b[i-1]|0x20 >= 'a' && b[i-1]|0x20 <= 'z' || b[i-1] == '.' || b[i-1] == '-' || b[i-1] == '+') {
		i--
	}
	if i == end {
		return -1
	}
	return i
}

// lastQuote returns where the last quote is, -1 if there is none. It looks at eight bytes at a time.
func lastQuote(b []byte) int {
	const ones, lows = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	i := len(b)
	for ; i >= 8; i -= 8 {
		x := binary.LittleEndian.Uint64(b[i-8:]) ^ ones*'"'
		if m := ^(x&lows + lows | x | lows); m != 0 { // exactly the zero bytes of x
			return i - 1 - bits.LeadingZeros64(m)/8
		}
	}
	for i--; i >= 0 && b[i] != '"'; i-- {
	}
	return i
}
