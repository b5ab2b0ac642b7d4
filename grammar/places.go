package grammar

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// places knows the line and column of every offset of a text. It is made in one pass, so that asking is cheap.
type places struct {
	lines   []int   // where each line begins
	columns []int32 // by offset, from 1; nil while every character is one byte
}

func newPlaces(src string) *places {
	p := &places{lines: make([]int, 1, 1+strings.Count(src, "\n"))}
	plain := true
	for i := range len(src) {
		if src[i] == '\n' {
			p.lines = append(p.lines, i+1)
		}
		plain = plain && src[i] < utf8.RuneSelf
	}
	if plain {
		return p
	}
	p.columns = make([]int32, len(src)+1)
	column := int32(1)
	for i, r := range src {
		// An invalid byte is a character of its own; the bytes behind the first of a valid one share its column.
		for j := range runeLen(src, i) {
			p.columns[i+j] = column
		}
		column++
		if r == '\n' {
			column = 1
		}
	}
	p.columns[len(src)] = column
	return p
}

func runeLen(src string, i int) int {
	_, n := utf8.DecodeRuneInString(src[i:])
	return n
}

func (p *places) at(offset int) Position {
	line, found := slices.BinarySearch(p.lines, offset)
	if found {
		line++
	}
	column := offset - p.lines[line-1] + 1
	if p.columns != nil {
		column = int(p.columns[offset])
	}
	return Position{Offset: offset, Line: line, Column: column}
}

func (p *places) between(start, end int) Range {
	return Range{Start: p.at(start), End: p.at(end)}
}
