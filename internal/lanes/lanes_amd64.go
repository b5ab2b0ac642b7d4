package lanes

import "golang.org/x/sys/cpu"

var wide = cpu.X86.HasAVX2 && cpu.X86.HasBMI1

// quotes is Quotes for whole blocks.
func quotes(mask []uint64, b []byte, escaped uint64) uint64 {
	if wide {
		return quotesAVX2(mask, b, escaped)
	}
	return quotesByWords(mask, b, escaped)
}

// quotesAVX2 is quotesByWords.
//
//go:noescape
func quotesAVX2(mask []uint64, b []byte, escaped uint64) uint64

// opening returns where suspect stops first in b; where it does not, the complement of how much of b that is known of.
func opening(b []byte) int {
	if wide {
		return openingAVX2(b, &after)
	}
	return openingByWords(b)
}

// openingAVX2 is openingByWords.
//
//go:noescape
func openingAVX2(b []byte, after *[2][256]uint8) int
