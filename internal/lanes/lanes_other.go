//go:build !amd64

package lanes

// quotes is Quotes for whole blocks.
func quotes(mask []uint64, b []byte, escaped uint64) uint64 { return quotesByWords(mask, b, escaped) }
