// Package terms holds the words in which a reminder is lent to a conversation: how long it must hold, how often it may
// fire, how long its text stays, who goes first when there is no room, and where it is put. They are plain values that
// the compiler writes, the machine obeys and the injector places, so that none of the three needs to know another.
package terms

import (
	"fmt"
	"time"
)

// Span is a distance between two turns: a number of turns or a stretch of time, never both. The zero Span is no distance.
type Span struct {
	Turns int           `json:"turns,omitempty"`
	Time  time.Duration `json:"time,omitempty"`
}

// IsZero reports whether s is no distance at all.
func (s Span) IsZero() bool { return s == Span{} }

// String returns the span as rule files write it: "3 turns", "1 turn", "2m0s", "0".
func (s Span) String() string {
	switch {
	case s.Turns == 1:
		return "1 turn"
	case s.Turns != 0:
		return fmt.Sprintf("%d turns", s.Turns)
	case s.Time != 0:
		return s.Time.String()
	default:
		return "0"
	}
}

// KeepUnit says what ends the stay of a fired text.
type KeepUnit uint8

const (
	// KeepDefault is KeepTurn for a reminder that fires on edges and KeepCall for one that fires on levels.
	KeepDefault KeepUnit = iota
	// KeepCall keeps the text for one model call.
	KeepCall
	// KeepTurn keeps the text until the next user turn.
	KeepTurn
	// KeepTurns keeps the text for a number of turns, the one on which it fired included.
	KeepTurns
	// KeepConversation keeps the text until the history is compacted.
	KeepConversation
)

// Keep says how long a fired text stays before the model.
type Keep struct {
	Unit  KeepUnit
	Turns int // of KeepTurns, at least 1
}

// String returns keep as rule files write it; the default is "".
func (k Keep) String() string {
	switch k.Unit {
	case KeepCall:
		return "call"
	case KeepTurn:
		return "turn"
	case KeepTurns:
		return Span{Turns: k.Turns}.String()
	case KeepConversation:
		return "conversation"
	default:
		return ""
	}
}

// Tier says who is dropped last when a budget is short. Higher tiers survive.
type Tier uint8

// The tiers, the first to be dropped first.
const (
	Guidance Tier = iota
	Correctness
	Safety
)

// String returns the tier as rule files write it.
func (t Tier) String() string { return tiers[t] }

// Attach says which message a text belongs to.
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

// String returns "priority" or "tier".
func (o Order) String() string { return orders[o] }

// Budget limits the tokens of automatically fired texts. Zero means no limit.
type Budget struct {
	Turn int // tokens a turn
	Run  int // tokens a run
}

// Due is a text that is to be put before the model, with what is needed to place it.
type Due struct {
	ID       string `json:"id"`
	Text     string `json:"text"` // rendered, without any tag
	Priority int    `json:"priority"`
	Tier     Tier   `json:"tier"`
	Attach   Attach `json:"attach"`
	Keep     Keep   `json:"keep"`
	Tokens   int    `json:"tokens"` // of Text, as the budget counts
	Manual   bool   `json:"manual"` // fired by name
	Late     bool   `json:"late"`   // fired on an earlier turn that could not carry it
}
