package trigger

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// Identity names what the trigger means: triggers whose types are the same and that differ in spelling alone
// have the same identity. 50% and 0.5, 5m and 300s, turn_gt:10 and turn_count > 10 are spellings of one
// thing, as are quotes, blanks, comments, brackets around a whole operand, && and and, x != y and not x == y,
// and the order of a list. That of operands counts. A Func is named by its name.
func (p *Predicate) Identity() string {
	if p.root == nil {
		return p.text
	}
	return string(identity(nil, p.root, p.schema, false))
}

// identity appends the identity of n, or of its opposite.
func identity(b []byte, n *node, s *fact.Schema, not bool) []byte {
	if n.Leaf != nil {
		return leafIdentity(b, *n.Leaf, s, not)
	}
	if _, ok := n.Expr.(*grammar.Not); ok {
		return identity(b, n.Kids[0], s, !not)
	}
	if not {
		b = append(b, "not "...)
	}
	for i, kid := range flat(n) {
		b = append(b, [2]string{"(", word(n.Expr)}[min(i, 1)]...)
		b = identity(b, kid, s, false)
	}
	return append(b, ')')
}

// word is "and" or "or", as a trigger has it between two operands.
func word(x grammar.Expr) string {
	if _, ok := x.(*grammar.And); ok {
		return " and "
	}
	return " or "
}

// flat returns the operands of and, or or, with those of an operand of the same kind in its place.
func flat(n *node) (out []*node) {
	for _, kid := range n.Kids {
		if _, not := kid.Expr.(*grammar.Not); kid.Leaf == nil && !not && word(kid.Expr) == word(n.Expr) {
			out = append(out, flat(kid)...)
		} else {
			out = append(out, kid)
		}
	}
	return out
}

// identities are the parts of the identity of a leaf, by its kind: f and g are Fact and Other, o is Op, w
// Word, t Truth, n the number, N the numbers and L the names in any order, P the names in theirs, F the
// function, A its argument, C the cadence, S the source. A word stands for itself.
var identities = [...]string{
	condition.Constant: "t", condition.Number: "f o n", condition.NumberIn: "f in N", condition.Facts: "f o g",
	condition.Text: "f in L", condition.Members: "f in L", condition.MemberOf: "f in g",
	condition.MemberLike: "f w L", condition.Called: "after_tool L", condition.Failed: "tool_failed L",
	condition.FailedCall: "tool_failed L", condition.Before: "before_tool L", condition.Stopping: "stopping",
	condition.Cadence: "every C", condition.Function: "F A o n", condition.CallFunction: "F P o n",
	condition.Tally: "S", condition.General: "S",
}

// leafIdentity appends the identity of an operand, or of its opposite.
func leafIdentity(b []byte, l condition.Leaf, s *fact.Schema, not bool) []byte {
	if not {
		switch l.Kind {
		case condition.Number, condition.Facts, condition.Function, condition.CallFunction:
			if l.Kind == condition.Number && s.Fact(l.Fact).Type == fact.Bool {
				l.Numbers = []float64{1 - l.Numbers[0]}
			} else {
				l.Op = l.Op.Opposite()
			}
			not = false
		case condition.Constant:
			l.Truth, not = l.Truth.Not(), false
		}
	}
	if not != l.Not {
		b = append(b, "not "...)
	}
	kind := identities[l.Kind]
	if !l.After && (l.Kind == condition.Called || l.Kind == condition.Members && l.Fact == fact.ToolUsed) {
		kind = "calls L" // of which before_tool sees another one than after_tool
	}
	for part := range strings.SplitSeq(kind, " ") {
		switch part {
		case "f":
			part = s.Fact(l.Fact).Name
		case "g":
			part = s.Fact(l.Other).Name
		case "o":
			part = l.Op.String()
		case "w":
			part = l.Word
		case "t":
			part = l.Truth.String()
		case "C":
			part = strconv.Itoa(l.N) + " " + strconv.Itoa(int(l.Unit)) + " " + l.Every.String()
		case "F":
			part = l.Function
		case "A":
			if part = strconv.Quote(l.Argument); l.Function == "len" {
				part = strconv.Quote(s.Fact(l.Fact).Name)
			}
		case "n":
			return strconv.AppendFloat(b, l.Numbers[0], 'g', -1, 64)
		case "S":
			return append(b, l.Source...)
		case "N":
			for _, v := range slices.Compact(slices.Sorted(slices.Values(l.Numbers))) {
				b = append(strconv.AppendFloat(b, v, 'g', -1, 64), ' ')
			}
			continue
		case "L", "P": // the order of the patterns of a function counts
			names := l.Names
			if part == "L" {
				names = slices.Sorted(slices.Values(names))
				for i := range names {
					if l.Kind == condition.Text && l.Fact.IgnoresCase() {
						names[i] = strings.ToLower(names[i])
					}
				}
				slices.Sort(names)
				names = slices.Compact(names)
			}
			for _, n := range names {
				b = append(strconv.AppendQuote(b, n), ' ')
			}
			continue
		}
		b = append(append(b, part...), ' ')
	}
	return b
}
