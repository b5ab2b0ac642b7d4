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
	Constant: "t", Comparison: "f o n", NumberIn: "f in N",
	Text: "f in L", Members: "f in L", MemberOf: "f in g",
	Called: "after_tool L", Failed: "tool_failed L",
	Before: "before_tool L", Stopping: "stopping", Cadence: "every C", General: "S",
}

// Identity appends the identity of l, or of its opposite: what it means, however it is spelled.
func (l Leaf) Identity(b []byte, s *fact.Schema, not bool) []byte {
	if not {
		switch l.Kind {
		case Comparison:
			if _, of := l.OfFact(); of && l.Terms[0].Bool {
				l.Numbers, not = []float64{1 - l.Numbers[0]}, false
			} else if !l.Terms[0].Tally {
				l.Op, not = l.Op.Opposite(), false
			}
		case Constant:
			l.Truth, not = l.Truth.Not(), false
		}
	}
	if not != l.Not {
		b = append(b, "not "...)
	}
	kind := identities[l.Kind]
	switch {
	case l.Word != "":
		kind = "f w L"
	case !l.After && (l.Kind == Called || l.Kind == Members && l.Fact == fact.ToolUsed):
		kind = "calls L" // of which before_tool sees another one than after_tool
	case l.Kind != Comparison:
	case len(l.Terms) > 1:
		kind = "f o g"
	case l.Terms[0].Tally:
		kind = "S"
	case len(l.Patterns) > 1 || !l.ByName():
		kind = "F P o n"
	case l.Function != "":
		kind = "F A o n"
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
