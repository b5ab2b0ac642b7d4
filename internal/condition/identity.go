package condition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// identities are the parts of the identity of a leaf, by its kind: f and g are Fact and Other, o is Op, w
// Word, t Truth, n the number, N the numbers and L the names in any order, P the names in theirs, F the
// function, A its argument, C the cadence, S the source. A word stands for itself.
var identities = [...]string{
	Constant: "t", Number: "f o n", NumberIn: "f in N", Facts: "f o g",
	Text: "f in L", Members: "f in L", MemberOf: "f in g",
	MemberLike: "f w L", Called: "after_tool L", Failed: "tool_failed L",
	Before: "before_tool L", Stopping: "stopping", Cadence: "every C", Function: "F A o n",
	Tally: "S", General: "S",
}

// Identity appends the identity of l, or of its opposite: what it means, however it is spelled.
func (l Leaf) Identity(b []byte, s *fact.Schema, not bool) []byte {
	if not {
		switch l.Kind {
		case Number, Facts, Function:
			if l.Kind == Number && s.Fact(l.Fact).Type == fact.Bool {
				l.Numbers = []float64{1 - l.Numbers[0]}
			} else {
				l.Op = l.Op.Opposite()
			}
			not = false
		case Constant:
			l.Truth, not = l.Truth.Not(), false
		}
	}
	if not != l.Not {
		b = append(b, "not "...)
	}
	kind := identities[l.Kind]
	if !l.After && (l.Kind == Called || l.Kind == Members && l.Fact == fact.ToolUsed) {
		kind = "calls L" // of which before_tool sees another one than after_tool
	}
	if l.Kind == Function && (len(l.Patterns) > 1 || !l.ByName()) {
		kind = "F P o n"
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
					if l.Kind == Text && l.Fact.IgnoresCase() {
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
