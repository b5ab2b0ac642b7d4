//go:build !amd64

package lanes

// quotes is Quotes for whole blocks.
func quotes(mask []uint64, b []byte, escaped uint64) uint64 { return quotesByWords(mask, b, escaped) }

// opening is Opening for as much of b as it looks at; where nothing is, it returns the complement of how much that was.
func opening(b []byte) int { return openingByWords(b) }
