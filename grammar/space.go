package grammar

import "strings"

// spaceGeneral puts one blank between the tokens of a general leaf, and none where a reader expects none, so that two
// leaves that differ in blanks alone are the same text.
func spaceGeneral(leaf string) string {
	ts := scanGeneral(leaf, 0, len(leaf))
	ts = ts[:len(ts)-1]
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && !joined(ts[:i], t, leaf) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text(leaf))
	}
	if b.Len() > MaxGeneral && len(leaf) <= MaxGeneral {
		return leaf
	}
	return b.String()
}

// joined reports whether t follows what is before it without a blank.
func joined(before []token, t token, src string) bool {
	last := before[len(before)-1]
	switch t.kind {
	case tokClose, tokCloseList, tokComma:
		return true
	case tokOpen, tokOpenList:
		if continues(last.kind, t.kind) {
			return true
		}
	case tokSign:
		if s := t.text(src); s == "?." || s == "." && pointsAfter(last.kind) {
			return true
		}
	}
	switch last.kind {
	case tokOpen, tokOpenList:
		return true
	case tokNot:
		return last.text(src) == "!"
	case tokSign:
		s := last.text(src)
		beforeSign := tokEnd
		if len(before) > 1 {
			beforeSign = before[len(before)-2].kind
		}
		return s == "?." || s == "." && pointsAfter(beforeSign) || isUnary(s) && !beforeSign.endsValue()
	}
	return false
}

// pointsAfter reports whether a point behind k is written without blanks. Behind a word or a number it must have had
// some, else it would be part of it, and keeps them.
func pointsAfter(k kind) bool { return k == tokClose || k == tokCloseList || k == tokPointer }
