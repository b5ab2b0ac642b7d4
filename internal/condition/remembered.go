package condition

import (
	"crypto/sha256"
	"encoding/base64"
	"math"
	"slices"

	"github.com/aside-go/aside/compile/fact"
)

// Remembered is the value of a condition, or of a term, on what happens: it is read where that is told, and
// remembered in place of the texts and calls themselves (LANGUAGE.md §1).
type Remembered struct {
	Key   string // a hash of its text: what is written alike in all sets has the same
	Of    Source
	Fold  Fold
	Reads []fact.ID // the facts that tell it
	// WithCalls says that one of them comes with the calls of a turn.
	WithCalls bool
	Alone     bool // it is a fact itself, which is kept with its turn
	// Direct returns the value of what a frame itself holds; NaN is unknown.
	Direct func(*fact.Frame) float64
}

// Source says what tells a Remembered.
type Source uint8

const (
	// OfTexts are prompt and response, which stand until there are others.
	OfTexts Source = iota
	// OfCalls are the calls that were made, or of before_tool the one at hand.
	OfCalls
	// OfEvents are the results of calls, and whatever else happens between two turns.
	OfEvents
)

// recall is how a frame says that it recalls what s tells.
var recall = [...]fact.Recall{OfCalls: fact.RecallCalls, OfEvents: fact.RecallEvents}

// Fold says how the values of two parts of a turn, or of two turns, make one.
type Fold uint8

const (
	// Either is true if one of them is.
	Either Fold = iota
	// EitherOfTurn is Either within a turn, and of two turns the later one that knows it.
	EitherOfTurn
	// Sum adds them.
	Sum
	// UpToTwo is Sum, where two are too many, however many there are beside them.
	UpToTwo
	// Latest is the later one that is known.
	Latest
)

// Parts returns the value of two parts of a turn, where both tell it.
func (fold Fold) Parts(a, b float64) float64 {
	switch {
	case fold == UpToTwo && b >= 2:
		return b
	case fold == UpToTwo && a >= 2:
		return a
	case fold == Sum, fold == UpToTwo:
		return a + b
	case fold == Latest && b == b, fold != Latest && b == 1:
		return b
	case fold == Latest || b == b || a == 1:
		return a
	}
	return b
}

// Turns returns the value of a turn and of those before it.
func (fold Fold) Turns(before, turn float64) float64 {
	if fold == EitherOfTurn {
		fold = Latest
	}
	return fold.Parts(before, turn)
}

// Told reports whether a frame tells it: it holds one of the facts, or the calls that come with such facts.
func (r *Remembered) Told(f *fact.Frame) bool {
	for _, id := range r.Reads {
		if f.Known(id) {
			return true
		}
	}
	return r.WithCalls && f.Known(fact.ToolUsed)
}

// Recalled reports whether a frame recalls it, whatever the frame itself holds.
func (r *Remembered) Recalled(f *fact.Frame) bool { return f.Recalls(recall[r.Of]) }

// newRemembered returns the memory of what a text says that reads facts; nil if none of them happens, or if
// one is not known before the turn is counted.
func newRemembered(text string, fold Fold, reads []fact.ID, s *fact.Schema,
	direct func(*fact.Frame) float64) *Remembered {
	r := &Remembered{Of: OfTexts, Fold: fold, Direct: direct}
	one := true // each fact that happens is one text or number, of which the latest stands
	for _, id := range reads {
		switch ft := s.Fact(id); {
		case counted(id):
			return nil
		case ft.Kind == fact.Event:
			if r.Of == OfTexts {
				r.Of = OfCalls
			}
			if id != fact.ToolUsed && id != fact.Command && id != fact.Path && id != fact.Written &&
				id != fact.CallList {
				r.Of = OfEvents
			}
			one = one && ft.Type != fact.Bool && ft.Type != fact.Set && ft.Type != fact.Calls
			r.Reads, r.WithCalls = append(r.Reads, id), r.WithCalls || id.WithCalls()
		}
	}
	switch {
	case len(r.Reads) == 0:
		return nil
	case one:
		r.Fold = Latest
	}
	r.Key = keyOf(text)
	return r
}

// counted reports whether the engine counts a fact itself, once it knows all that the host tells.
func counted(id fact.ID) bool {
	switch id {
	case fact.OutputTokens, fact.TurnCount, fact.UserTurnCount, fact.Started, fact.ToolCalls,
		fact.IdenticalCalls,
		fact.FailuresInRow, fact.Elapsed, fact.Idle, fact.ContextUsage:
		return true
	}
	return false
}

func keyOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:6]) // fact.KeySize letters
}

// remember makes l remember its value, as its kind has it. It is known by what it means.
func (l *Leaf) remember(s *fact.Schema) {
	text := string(l.Identity(nil, s, l.Not && !l.aboutTexts()))
	truth := func(l Leaf) func(*fact.Frame) float64 {
		l.Not = false
		eval := l.ofFrame()
		return func(f *fact.Frame) float64 { return NumberOf(eval(f)) }
	}
	switch {
	case l.aboutTexts():
		l.Memory = &Remembered{Key: keyOf(text), Of: OfTexts, Reads: l.Reads, Direct: truth(*l)}
		if l.Not {
			eval := l.ofFrame() // with its Not, as what earlier versions remembered
			l.Memory.Direct = func(f *fact.Frame) float64 { return NumberOf(eval(f)) }
		}
	case l.Kind == Comparison && len(l.Terms) == 1: // the term does
		if t := l.Terms[0]; t.Function == "" {
			t.rememberFact(s)
		}
	case l.Kind == General:
		recalls := func(t *Term) bool { return t.Memory != nil }
		bare := func(t *Term) bool { return t.Num == nil && s.Fact(t.Reads[0]).Kind == fact.Event }
		if !slices.ContainsFunc(l.Terms, recalls) || slices.ContainsFunc(l.Terms, bare) {
			l.Memory = newRemembered(text, Either, l.Reads, s, truth(*l))
		}
	default:
		if l.Memory = newRemembered(text, Either, l.Reads, s, truth(*l)); l.Memory != nil && l.After {
			l.Memory.Of = OfEvents
		}
	}
}

// TextsOf returns the texts among some facts.
func TextsOf(ids []fact.ID) (t fact.Texts) {
	for _, id := range ids {
		t |= id.Arrives()
	}
	return t
}

// aboutTexts reports whether l reads nothing but texts that are never kept.
func (l *Leaf) aboutTexts() bool {
	return (l.Kind == Text || l.Kind == General) && len(l.Reads) > 0 &&
		!slices.ContainsFunc(l.Terms, func(t *Term) bool { return t.Num != nil }) && // it asks the history
		!slices.ContainsFunc(l.Reads, func(id fact.ID) bool { return id != fact.Prompt && id != fact.Response })
}

// recalled returns the truth of l, which reads it from a frame or recalls it.
func (l *Leaf) recalled() func(*fact.Frame) fact.Truth {
	eval, r := l.ofFrame(), l.Memory
	switch {
	case r == nil:
		return eval
	case r.Of == OfTexts:
		texts := TextsOf(r.Reads)
		return func(f *fact.Frame) fact.Truth {
			if v := f.Told().Value(r.Key); v == v && f.Absent()&texts == 0 {
				return fact.Of(v == 1)
			}
			return eval(f)
		}
	}
	of := recall[r.Of]
	return func(f *fact.Frame) fact.Truth {
		if !f.Recalls(of) {
			return eval(f)
		}
		v := f.Told().Value(r.Key)
		if v != v {
			return fact.Unknown
		}
		return fact.Of(v == 1 != l.Not)
	}
}

// rememberFact makes t, a fact, remember its value.
func (t *Term) rememberFact(s *fact.Schema) {
	fold := Either
	if t.Reads[0] == fact.LastToolCallFailed {
		fold = EitherOfTurn
	}
	if r := newRemembered("fact "+t.Text, fold, t.Reads, s, t.Num); r != nil {
		r.Alone = true
		t.recalls(r, func(v float64) float64 { return v })
	}
}

// Remember makes t remember its value. one is how many members satisfy the condition of a Tally that wants
// one; nil for others.
func (t *Term) Remember(s *fact.Schema, one func(*fact.Frame) float64) *Term {
	if t.History {
		return t
	}
	direct, fold, result := t.Num, Sum, func(v float64) float64 { return v }
	switch t.Function {
	case "any":
		fold = Either
	case "none", "all": // what is against it
		is := direct
		direct, fold = func(f *fact.Frame) float64 { return 1 - is(f) }, Either
		result = func(v float64) float64 { return 1 - v }
	case "one":
		is := direct
		fold, direct = UpToTwo, func(f *fact.Frame) float64 {
			n := one(f)
			if n != n && is(f) == 0 {
				return 2 // there are several, however many
			}
			return n
		}
		result = func(v float64) float64 {
			if v != v {
				return math.NaN()
			}
			return NumberOf(fact.Of(v == 1))
		}
	}
	if r := newRemembered(t.Text, fold, t.Reads, s, direct); r != nil {
		t.recalls(r, result)
	}
	return t
}

// recalls gives t the value that r remembers, as result changes it.
func (t *Term) recalls(r *Remembered, result func(float64) float64) {
	plain, of := t.Num, recall[r.Of]
	t.Memory, t.Num = r, func(f *fact.Frame) float64 {
		if f.Recalls(of) {
			return result(f.Told().Value(r.Key))
		}
		return plain(f)
	}
}
