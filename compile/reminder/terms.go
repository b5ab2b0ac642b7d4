package reminder

import (
	"fmt"
	"time"
)

// Span is a distance between two turns: a number of turns, a number of user turns, or a length of time. Only
// one of them may be set. The zero Span is no distance.
type Span struct {
	Turns     int           `json:"turns,omitempty"`
	UserTurns int           `json:"user_turns,omitempty"`
	Time      time.Duration `json:"time,omitempty"`
}

// IsZero reports whether s is the zero Span.
func (s Span) IsZero() bool { return s == Span{} }

// String returns the span as rule files write it: "3 turns", "1 turn", "2 user turns", "2m0s", "0".
func (s Span) String() string {
	switch {
	case s.Turns != 0:
		return count(s.Turns, "turn")
	case s.UserTurns != 0:
		return count(s.UserTurns, "user turn")
	case s.Time != 0:
		return s.Time.String()
	default:
		return "0"
	}
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// KeepUnit says until when a text that fired stays before the model.
type KeepUnit uint8

const (
	// KeepDefault is one user turn for a reminder with when, and one turn for one with while.
	KeepDefault KeepUnit = iota
	// KeepTurns keeps the text for Keep.N turns, of which the one on which it fired is the first.
	KeepTurns
	// KeepUserTurns keeps the text for the user turn in which it fired and the Keep.N - 1 after it.
	KeepUserTurns
	// KeepConversation keeps the text until the history is compacted.
	KeepConversation
)

// Keep says how long a text that fired stays before the model.
type Keep struct {
	Unit KeepUnit
	N    int // for KeepTurns and KeepUserTurns, at least 1
}

// String returns keep as rule files write it: "1 turn", "user turn", "2 user turns", "conversation"; "" for
// the default.
func (k Keep) String() string {
	switch k.Unit {
	case KeepTurns:
		return count(k.N, "turn")
	case KeepUserTurns:
		if k.N == 1 {
			return "user turn"
		}
		return count(k.N, "user turn")
	case KeepConversation:
		return "conversation"
	default:
		return ""
	}
}

// Or returns k, or the default of a reminder of that mode if k is the default.
func (k Keep) Or(m Mode) Keep {
	switch {
	case k.Unit != KeepDefault:
		return k
	case m == While:
		return Keep{Unit: KeepTurns, N: 1}
	default:
		return Keep{Unit: KeepUserTurns, N: 1}
	}
}

// Tier says which texts are dropped first when the budget is short.
type Tier uint8

const (
	// Guidance is dropped first.
	Guidance Tier = iota
	// Correctness is dropped when no guidance is left to drop.
	Correctness
	// Safety is never dropped.
	Safety
)

// String returns the tier as rule files write it.
func (t Tier) String() string { return tiers[t] }

// Attach says to which message a text is attached.
type Attach uint8

const (
	// Tail is the last user or tool message.
	Tail Attach = iota
	// UserTurn is the last message that a person submitted.
	UserTurn
	// RunStart is the system prompt.
	RunStart
)

// String returns attach as rule files write it.
func (a Attach) String() string { return attaches[a] }

// Order is the order in which due texts are put before the model.
type Order uint8

const (
	// ByPriority puts higher priorities later, then ids in byte order.
	ByPriority Order = iota
	// ByTier puts safety first, then ids in byte order; priority plays no part.
	ByTier
)

// Budget limits the tokens of the texts that triggers fire. 0 is no limit.
type Budget struct {
	Turn int // tokens in one turn
	Run  int // tokens in one run
}

// Tokens estimates how many tokens a text of so many bytes has, where nobody counts them: a quarter, rounded
// up.
func Tokens(bytes int) int { return (bytes + 3) / 4 }

// Due is a text that is to be put before the model, with the terms by which it is placed.
type Due struct {
	ID       string `json:"id"`
	Text     string `json:"text"` // rendered, without any tag
	Priority int    `json:"priority"`
	Tier     Tier   `json:"tier"`
	Attach   Attach `json:"attach"`
	Keep     Keep   `json:"keep"`
	Tokens   int    `json:"tokens"`            // how many Text has, as the budget counts
	Manual   bool   `json:"manual"`            // fired by hand
	HeldOut  bool   `json:"held_out,omitzero"` // the run is held out of this reminder: the text is not sent
	Late     bool   `json:"late"`              // fired on an earlier turn, and no request has carried it yet
}
