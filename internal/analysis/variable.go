package analysis

import (
	"math"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/condition"
)

// read finds the variables of a condition, and what it compares them with.
func (m *model) read(i int) {
	l := &m.leaves[i]
	if m.wider.free[l.text] || m.byItself(l) || !m.reads(l) {
		l.free, l.lin = true, nil
		l.vars = []int{m.variable(key{kind: varFree, name: l.text})}
	}
}

// byItself reports whether a condition at a moment is independent of all others on the same facts: its value
// is folded over parts and turns, in each of which these facts may have had other values.
func (m *model) byItself(l *leaf) bool {
	if m.moment == fact.Turn || !slices.ContainsFunc(l.Reads, func(id fact.ID) bool {
		return m.schema.Fact(id).Kind == fact.Event
	}) {
		return false
	}
	switch l.Kind {
	case condition.Members, condition.Called:
		return false
	case condition.Comparison:
		return len(l.Terms) > 1 || l.Function != "" && !m.atHand(l)
	}
	return true
}

// reads is read; it reports false for a condition that is not looked into.
func (m *model) reads(l *leaf) bool {
	on := func(k key) *variable {
		v := m.variable(k)
		l.vars = append(l.vars, v)
		return &m.vars[v]
	}
	compare := func(k key, op grammar.Op, cs ...float64) bool {
		on(k)
		for _, c := range cs {
			l.lin = append(l.lin, versus(l.vars[0], c, op))
		}
		return true
	}
	number := func(id fact.ID) key { return key{kind: varFact, id: id} }
	switch l.Kind {
	case condition.NumberIn:
		return compare(number(l.Fact), grammar.Equal, l.Numbers...)
	case condition.Cadence:
		c := float64(l.N)
		if l.Unit == grammar.Elapsed {
			c = float64(l.Every)
		}
		return compare(key{varPace, fact.ID(l.Unit), l.self}, grammar.GreaterEqual, c)
	case condition.Comparison:
		switch k, ok := answerOf(l.Terms[0]); {
		case len(l.Terms) > 1:
			on(number(l.Fact))
			if l.Fact == l.Other {
				return true
			}
			on(number(l.Other))
			l.lin = []linear{versus(l.vars[0], 0, l.Op).plus(versus(l.vars[1], 0, l.Op), -1)}
			l.lin[0].op = l.Op
			return true
		case ok && (l.Function == "used" || l.Function == "called_since" && k.kind == varCount):
			return compare(k, grammar.GreaterEqual, 1)
		case ok:
			return compare(k, l.Op, l.Numbers[0])
		case l.Terms[0].Tally:
			words, ok := l.tallied(l.Value)
			if ok {
				v := m.set(l, on)
				v.words = append(v.words, words...)
			}
			return ok
		case l.Function == "" && !(l.Fact == fact.LastToolCallFailed && m.calls.asked && m.moment == fact.Turn):
			return compare(number(l.Fact), l.Op, l.Numbers[0])
		case l.Function == "len" && l.Numbers[0] > maxMembers:
			return false
		}
		m.set(l, on)
		return true
	case condition.Text:
		v := on(key{kind: varText, id: l.Fact})
		for _, n := range l.Names {
			v.words = append(v.words, glob(n))
		}
		return true
	case condition.Members:
		v := m.set(l, on)
		for _, n := range l.Names {
			switch {
			case l.Word == "matches":
				l.vars = nil
				return false
			case l.Word != "":
				v.words = append(v.words, like(l.Word, n))
			case len(l.Patterns) > 0:
				v.words = append(v.words, wild(n))
			default:
				v.words = append(v.words, glob(n))
			}
		}
		return true
	case condition.Called, condition.Failed:
		return m.set(l, on).note(l.Patterns)
	case condition.Before, condition.Stopping:
		return on(key{kind: varMoment}).note(l.Patterns)
	case condition.General:
		if k, word, ok := compared(l.Value); ok {
			v := on(k)
			v.words = append(v.words, word)
			return true
		}
		lin, ok := m.difference(l.Value)
		if ok {
			l.lin, l.vars = []linear{lin}, slices.Clone(lin.vars)
		}
		return ok
	}
	return false
}

// set is the variable of the set that a condition asks for members of: tool_used and calls are the calls, or
// the one at hand.
func (m *model) set(l *leaf, on func(key) *variable) *variable {
	switch {
	case m.atHand(l) && (l.Kind == condition.Called || l.Fact == fact.ToolUsed || l.Fact == fact.CallList):
		return on(key{kind: varMoment})
	case l.Kind == condition.Called, l.Kind == condition.Failed,
		l.Fact == fact.ToolUsed, l.Fact == fact.CallList, l.Fact == fact.LastToolCallFailed:
		return on(key{kind: varCalls})
	}
	return on(key{kind: varSet, id: l.Fact})
}

// memory is what a condition remembers, or the term that it compares; nil for nothing.
func memory(l *condition.Leaf) *condition.Remembered {
	if l.Memory == nil && len(l.Terms) > 0 {
		return l.Terms[0].Memory
	}
	return l.Memory
}

// atHand reports whether a condition is about the call that is about to be executed.
func (m *model) atHand(l *leaf) bool {
	r := memory(l.Leaf)
	return m.moment == fact.BeforeTool && r != nil && r.Of == condition.OfCalls
}

// recalled reports whether a set at a moment, or the calls, are those that the turns before it told.
func (m *model) recalled(v *variable) bool {
	ofCall := v.id.OfCalls() && v.id != fact.Output
	return m.moment != fact.Turn && (v.kind == varCalls || m.schema.Fact(v.id).Kind == fact.Event &&
		!(ofCall && m.moment == fact.BeforeTool))
}

// compared finds the text with which an expression compares a fact that is a text.
func compared(v *condition.Value) (k key, word glob, ok bool) {
	if word, ok = texts(v); !ok {
		return k, nil, false
	}
	of := v.Parts[0].Fact
	return key{kind: varText, id: of.ID}, word, of.Type == fact.String
}

// texts is the text with which an expression compares its left side.
func texts(v *condition.Value) (glob, bool) {
	if len(v.Parts) != 2 {
		return nil, false
	}
	text, _ := v.Parts[1].Expr.(*grammar.Literal)
	if text == nil || text.Kind != grammar.String {
		return nil, false
	}
	switch v.Op {
	case "==", "!=":
		return glob(text.Text), true
	case "contains", "startsWith", "endsWith":
		return like(v.Op, text.Text), true
	}
	return nil, false
}

// tallied finds the texts with which any, all or none compare the members of a set, or the tools of calls; ok
// is false where they ask for anything else.
func (l *leaf) tallied(v *condition.Value) (words []glob, ok bool) {
	if v.Op != l.Function || l.Function == "one" || l.Function == "count" {
		return nil, false
	}
	field := func(v *condition.Value, names ...string) bool {
		f, ok := v.Expr.(*grammar.Field)
		return ok && slices.Contains(names, f.Text)
	}
	var walk func(v *condition.Value) bool
	walk = func(v *condition.Value) bool {
		if v.Op == "and" || v.Op == "or" || v.Op == "not" {
			return !slices.ContainsFunc(v.Parts, func(part *condition.Value) bool { return !walk(part) })
		}
		word, ok := texts(v)
		words = append(words, word)
		return ok && field(v.Parts[0], "#", ".tool") || field(v, ".failed")
	}
	return words, walk(v.Parts[1])
}

// The bounds of what is made up: members of a set, values of a variable.
const (
	maxMembers = 4096
	maxValues  = 2048
)

// represent finds the values of a variable; false if there are too many. Those of numbers are found with the
// states.
func (m *model) represent(i int) bool {
	v := &m.vars[i]
	nothing := value{num: unknown, cost: 128}
	switch v.kind {
	case varText:
		words, ok := wordsOf(v.words, "other", "another", "something else")
		if v.id == fact.Weekday {
			words = fact.Weekdays()
		} else if v.id == fact.ThreadType && m.moment == fact.Stopping && m.host != nil && m.host.Root {
			words = []string{"root"}
		}
		for j, w := range words {
			v.values = append(v.values, value{texts: []string{w}, cost: float64(min(j, 9))})
		}
		v.values = append(v.values, nothing)
		return ok
	case varSet:
		return m.sets(i)
	case varCalls:
		return m.batches(i)
	case varMoment:
		kinds, ok := m.kinds(v, false)
		v.values = []value{nothing}
		if m.host.mute(m.moment) {
			break
		}
		v.values = append(v.values, value{num: 1})
		for j := range kinds {
			v.values = append(v.values, value{batch: kinds[j : j+1]})
		}
		return ok
	case varFree:
		m.frees(v)
	}
	return true
}

// frees makes a truth that comes out in any way: of a condition that reads no event the same in the gap after
// the turn. Nothing compares the truths in two gaps, so one stands for all in which not all texts are there.
func (m *model) frees(v *variable) {
	l := &m.leaves[slices.IndexFunc(m.leaves, func(l leaf) bool { return l.text == v.name })]
	possible, texts := m.possible(l), condition.TextsOf(l.Reads)
	all := []fact.Truth{fact.True, fact.False, fact.Unknown}
	for _, t := range all {
		for _, gap := range all {
			for _, lacking := range all {
				if possible&of(t) != 0 && (t == gap || m.events(l)) && (gap == lacking || texts != 0) {
					here := truths{t, gap, lacking, lacking, lacking}
					v.values = append(v.values, value{truth: here, cost: 2 - float64(t)})
				}
			}
		}
	}
}

// put puts a value into a frame. Answers of the history are asked of m.past.
func (m *model) put(f *fact.Frame, v *variable, x *value) {
	switch v.kind {
	case varFact:
		switch {
		case x.num != x.num:
		case m.schema.Fact(v.id).Type == fact.Bool:
			f.SetBool(v.id, x.num == 1)
		case m.schema.Fact(v.id).Type == fact.Int:
			f.SetInt(v.id, int64(x.num))
		default: // of durations too it is the number that counts
			f.SetNumber(v.id, x.num)
		}
	case varText:
		if len(x.texts) > 0 {
			f.SetText(v.id, x.texts[0])
		}
	case varSet:
		switch {
		case x.part:
			f.SetCalls(partly(v.id, x.texts))
		case x.num == x.num:
			f.SetSet(v.id, x.texts)
		}
	case varCalls:
		x.tell(f)
	case varMoment:
		if len(x.batch) > 0 {
			f.SetMoment(fact.BeforeTool, &x.batch[0])
		} else if x.num == 1 {
			f.SetMoment(fact.Stopping, nil)
		}
	}
}

// partly are calls whose commands, files or results are known, beside one whose are not.
func partly(id fact.ID, texts []string) []fact.Call {
	calls := []fact.Call{{Class: fact.Shell}}
	switch id {
	case fact.Path:
		calls[0].Class = fact.Read
	case fact.Written:
		calls[0].Class = fact.Edit
	}
	for _, s := range texts {
		c := fact.Call{Class: calls[0].Class, Told: true, WrittenTold: true, OutputTold: true}
		switch id {
		case fact.Command:
			c.Command = s
		case fact.Path:
			c.Paths = []string{s}
		case fact.Written:
			c.Written = []string{s}
		default:
			c.Output = s
		}
		calls = append(calls, c)
	}
	return calls
}

// sets finds the values of a set: for each way in which its members can look together, the fewest that do,
// and more of them where conditions ask how many there are.
func (m *model) sets(i int) bool {
	v := &m.vars[i]
	words, ok := wordsOf(v.words, "other")
	if !ok {
		return false
	}
	leaves := m.leavesOf(i)
	f := m.schema.NewFrame()
	unions := unionsOf(words, func(word string, note func(bool)) {
		f.SetSet(v.id, []string{word})
		for _, l := range leaves {
			l.look(f, note)
		}
	})
	v.values = []value{{num: unknown, cost: 128}}
	one := v.id == fact.Command && m.moment == fact.BeforeTool // as many as a call has
	for _, list := range unions {
		for _, more := range grown(leaves, list) {
			if one && len(more) > 1 {
				continue
			}
			v.values = append(v.values, value{texts: more, cost: float64(len(more))})
		}
		switch {
		case m.recalled(v):
			v.values = append(v.values, value{texts: list, missing: true, cost: 64})
		case v.id.OfCalls() && !one:
			v.values = append(v.values, value{texts: list, part: true, cost: 64})
		}
	}
	return unions != nil && len(v.values) <= maxValues
}

// leavesOf are the conditions that read a variable and no other.
func (m *model) leavesOf(v int) (out []*leaf) {
	for i := range m.leaves {
		if l := &m.leaves[i]; !l.free && len(l.vars) == 1 && l.vars[0] == v {
			out = append(out, l)
		}
	}
	return out
}

// grown are a list, and the list with more of its last member where conditions ask how many there are.
func grown[T any](leaves []*leaf, list []T) [][]T {
	out := [][]T{list}
	for _, l := range leaves {
		for d := -1; l.Function == "len" && len(list) > 0 && d <= 1; d++ {
			if n := int(math.Floor(l.Numbers[0])) + d; n > len(list) {
				out = append(out, append(slices.Clone(list), slices.Repeat(list[len(list)-1:], n-len(list))...))
			}
		}
	}
	return out
}

// look notes how a set of one member, or one call, looks to a condition, so that what some of them look like
// together is what any of them does.
func (l *leaf) look(f *fact.Frame, note func(bool)) {
	if l.Function == "len" {
		return
	}
	t := l.eval(f)
	if all := len(l.Terms) > 0 && l.Terms[0].Tally && l.Kind == condition.Comparison || l.Not; all {
		note(t < fact.True)
		note(t == fact.False)
		if l.Not {
			return
		}
	}
	note(t > fact.False)
	note(t == fact.True)
}

// unionsOf finds, for each way in which some members can look together, the fewest that do. It is nil where
// there are too many.
func unionsOf[T any](members []T, look func(member T, note func(bool))) [][]T {
	type bitset [4]uint64
	var kinds []T // one of each that look alike
	var looks []bitset
	over := false
	for _, member := range members {
		var own bitset
		at := 0
		look(member, func(is bool) {
			if over = over || at >= 64*len(own); is && !over {
				own[at/64] |= 1 << (at % 64)
			}
			at++
		})
		if !slices.Contains(looks, own) {
			kinds, looks = append(kinds, member), append(looks, own)
		}
	}
	out, all := [][]T{{}}, []bitset{{}}
	seen := map[bitset]bool{}
	for i := 0; i < len(out) && !over; i++ {
		for k, sum := range looks {
			for j := range sum {
				sum[j] |= all[i][j]
			}
			if !seen[sum] {
				seen[sum] = true
				out, all = append(out, append(slices.Clone(out[i]), kinds[k])), append(all, sum)
			}
		}
		over = len(out) > maxValues
	}
	if over {
		return nil
	}
	return out
}

// plain reports whether a call pattern looks at nothing but names.
func plain(pattern string) bool {
	p, bad := callpattern.ParseList(pattern)
	return bad == nil && len(p.Parts()) == 1 && !p.Subject() && p.Class() == fact.NoClass
}
