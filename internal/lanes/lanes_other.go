//go:build !amd64

package lanes

// quotes is Quotes for whole blocks.
func quotes(mask []uint64, b []byte, escaped uint64) uint64 { return quotesByWords(mask, b, escaped) }

// opening returns where suspect stops first in b; where it does not, the complement of how much of b that is known of.
func opening(b []byte) int { return openingByWords(b) }
