package fact

import (
	"cmp"
	"math"
	"slices"
)

// The set reads each condition on an event once, where the host tells the event. The run then keeps the
// value of the condition alone: for the later parts of the turn, the moments after it, the end of the user
// turn, and for whoever asks why (LANGUAGE.md §1). The set names the conditions by keys of its own.

// KeySize is the length of each key.
const KeySize = 8

// Told is the value of a condition: a number, or a truth as 1 or 0. NaN is unknown.
type Told struct {
	Key   string // KeySize letters, digits, - and _
	Value float64
}

// Memory are values by the order of their keys. Those that are unknown are not in it.
type Memory []Told

// Value returns the value of a key; NaN if it is unknown.
func (m Memory) Value(key string) float64 {
	for len(m) > 8 {
		if half := len(m) / 2; key < m[half].Key {
			m = m[:half]
		} else {
			m = m[half:]
		}
	}
	for i := range m {
		if m[i].Key == key {
			return m[i].Value
		}
	}
	return math.NaN()
}

func (m Memory) find(key string) (int, bool) {
	return slices.BinarySearchFunc(m, key, func(t Told, key string) int { return cmp.Compare(t.Key, key) })
}

// Set returns m with a value, which it writes into the list of m.
func (m Memory) Set(key string, value float64) Memory {
	if n := len(m); n == 0 || m[n-1].Key < key { // as in the order in which a set has them
		if value != value {
			return m
		}
		return append(m, Told{key, value})
	}
	i, ok := m.find(key)
	switch {
	case value != value && ok:
		return slices.Delete(m, i, i+1)
	case value != value:
		return m
	case ok:
		m[i].Value = value
		return m
	}
	return slices.Insert(m, i, Told{key, value})
}

// Texts are some of the texts that arrive: prompt and response, each of which ends the one before it.
type Texts uint8

const (
	PromptText Texts = 1 << iota
	ResponseText
	AllTexts = PromptText | ResponseText
)

// Arrives returns the text that the fact in slot id is; 0 if it is none that arrives.
func (id ID) Arrives() Texts {
	switch id {
	case Prompt:
		return PromptText
	case Response:
		return ResponseText
	}
	return 0
}

// Texts returns the texts that f holds.
func (f *Frame) Texts() (t Texts) {
	for id := Prompt; id <= Response; id++ {
		if f.known[id] {
			t |= id.Arrives()
		}
	}
	return t
}

// Lack takes texts out of f as they are between two of them: each is absent, and not unknown. Those that an
// earlier call took are back.
func (f *Frame) Lack(absent Texts) {
	for id := Prompt; id <= Response; id++ {
		t := id.Arrives()
		if takes, back := absent&t != 0 && f.known[id], absent&t == 0 && f.hidden&t != 0; takes || back {
			f.hidden, f.known[id] = f.hidden^t, back
			f.text[id], f.aside[id-Prompt] = f.aside[id-Prompt], f.text[id]
		}
	}
	f.absent = absent
}

// Absent returns the texts that Lack has made absent.
func (f *Frame) Absent() Texts { return f.absent }

// Gaps says in which states between two turns a trigger is false: bit n is that in which the Texts n are
// absent.
type Gaps uint8

// GapsOf returns the Gaps of a trigger that reads some of the texts; truth is its truth where texts are
// absent.
func GapsOf(reads Texts, truth func(absent Texts) Truth) (g Gaps) {
	for absent := range AllTexts + 1 {
		switch read := absent & reads; {
		case read != absent:
			g |= g >> read & 1 << absent
		case truth(absent) == False:
			g |= 1 << absent
		}
	}
	return g
}

// Alone returns the texts of which each by itself makes the trigger false by being absent.
func (g Gaps) Alone() (t Texts) {
	for _, one := range [...]Texts{PromptText, ResponseText} {
		if g.False(one) {
			t |= one
		}
	}
	return t
}

// False reports whether the trigger is false where those texts are absent.
func (g Gaps) False(absent Texts) bool { return g>>absent&1 == 1 }

// Recall says which of the conditions on what happens have their values from Told, and from nothing that the
// frame holds.
type Recall uint8

const (
	// RecallCalls are those on the calls that were made.
	RecallCalls Recall = 1 << iota
	// RecallEvents are those on the results of calls and on all other events.
	RecallEvents
)

// Recall sets which conditions have their values from Told.
func (f *Frame) Recall(r Recall) { f.recall = r }

// Recalls reports whether conditions of a kind have their values from Told.
func (f *Frame) Recalls(r Recall) bool { return f.recall&r != 0 }

// Told returns the values of conditions on this turn. The caller must not modify the list, which holds until
// the frame changes.
func (f *Frame) Told() Memory { return f.told }

// SetMemory sets what Told returns. The frame copies the list.
func (f *Frame) SetMemory(m Memory) { f.told = append(f.told[:0], m...) }

// SetTold sets the value of a condition on this turn; NaN is unknown.
func (f *Frame) SetTold(key string, value float64) { f.told = f.told.Set(key, value) }

// Before returns the values of conditions on the turns of this user turn before this one, as Told does.
func (f *Frame) Before() Memory { return f.before }

// SetBefore sets what Before returns. The frame copies the list.
func (f *Frame) SetBefore(m Memory) { f.before = append(f.before[:0], m...) }
