package state

import (
	"encoding/json"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// version is the format that Encode writes. Formats are only ever added: Decode reads every one up to it.
const version = 1

// envelope is an encoded snapshot. The members of every object here stand in byte order, and so they do in encode.go, which writes
// them, and in read.go, which reads them as they were written; TestEncodeSorted and TestTwoWays hold it.
type envelope struct {
	Run json.RawMessage `json:"run"`
	Sum string          `json:"sum"` // CRC-32C of run, eight hexadecimal digits
	V   int             `json:"v"`
}

// wireRun is a Snapshot in format 1. Absent members are zero, or unknown where they are pointers.
type wireRun struct {
	Calls       []uint32        `json:"calls,omitempty"` // indices of tools, oldest first
	Clock       wireClock       `json:"clock"`
	Decision    *wireDecision   `json:"decision,omitempty"`
	Facts       json.RawMessage `json:"facts,omitempty"`
	Failures    int             `json:"failures,omitempty"`
	FailedKnown bool            `json:"failures_known,omitempty"`
	Keys        []string        `json:"keys,omitempty"` // hashes, oldest first
	Notes       json.RawMessage `json:"notes,omitempty"`
	Output      *int64          `json:"output_tokens,omitempty"`
	Queue       []string        `json:"queue,omitempty"`
	Rules       []wireEntry     `json:"rules,omitempty"` // by id
	Spent       int64           `json:"spent,omitempty"`
	Tag         string          `json:"tag,omitempty"`
	Texts       []wireText      `json:"texts,omitempty"` // by id
	ToolCalls   *int            `json:"tool_calls,omitempty"`
	Tools       []wireTool      `json:"tools,omitempty"` // in the order of their first use
	Turn        int             `json:"turn"`
	UserTurns   *int            `json:"user_turns,omitempty"`
}

type wireClock struct {
	First time.Time `json:"first"`
	High  time.Time `json:"high"`
	Last  time.Time `json:"last"`
	Prev  time.Time `json:"prev"`
}

// wireDecision names the texts it put before the model; they stand in wireRun.Texts.
type wireDecision struct {
	Due         []string    `json:"due,omitempty"`
	Errors      []wireError `json:"errors,omitempty"`
	Fired       []string    `json:"fired,omitempty"`
	Held        []wireHeld  `json:"held,omitempty"`
	Key         string      `json:"key,omitempty"`
	Undelivered []string    `json:"undelivered,omitempty"`
}

type wireError struct {
	Error string `json:"error"`
	ID    string `json:"id"`
}

type wireHeld struct {
	ID    string        `json:"id"`
	Time  time.Duration `json:"time,omitempty"`
	Turns int           `json:"turns,omitempty"`
	Why   string        `json:"why"`
}

type wireEntry struct {
	Before  *wireMark  `json:"before,omitempty"` // only of a rule that fired on the last turn
	Fired   bool       `json:"fired,omitempty"`  // on this edge: not armed
	Fires   int        `json:"fires,omitempty"`
	ID      string     `json:"id"`
	Last    *wireMark  `json:"last,omitempty"`
	Since   int        `json:"since,omitempty"`
	SinceAt *time.Time `json:"since_at,omitempty"`
	Version string     `json:"version"`
}

type wireMark struct {
	At        time.Time `json:"at"`
	Output    *int64    `json:"output_tokens,omitempty"`
	Turn      int       `json:"turn"`
	UserTurns *int      `json:"user_turns,omitempty"`
}

type wireText struct {
	Attach   reminder.Attach `json:"attach,omitempty"`
	ID       string          `json:"id"`
	Keep     reminder.Keep   `json:"keep"`
	Late     bool            `json:"late,omitempty"`
	Manual   bool            `json:"manual,omitempty"`
	Missed   bool            `json:"missed,omitempty"`
	Priority int             `json:"priority,omitempty"`
	Text     string          `json:"text"`
	Tier     reminder.Tier   `json:"tier,omitempty"`
	Tokens   int             `json:"tokens,omitempty"`
	Turn     int             `json:"turn"`
	Waiting  bool            `json:"waiting,omitempty"`
}

type wireTool struct {
	Calls int    `json:"calls"`
	Name  string `json:"name"`
	Turn  int    `json:"turn"`
}

func markIn(w *wireMark) fact.Mark {
	if w == nil {
		return fact.Mark{}
	}
	m := fact.Mark{At: w.At.UTC(), Turn: w.Turn}
	m.OutputTokens, m.OutputOK = value(w.Output)
	m.UserTurn, m.UserTurnOK = value(w.UserTurns)
	return m
}

func value[T any](p *T) (v T, ok bool) {
	if p == nil {
		return v, false
	}
	return *p, true
}
