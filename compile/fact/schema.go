package fact

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Type is the type of a fact's value.
type Type uint8

// The types of LANGUAGE.md §1.
const (
	_ Type = iota // a declaration without a type
	Bool
	Int      // a whole number
	Number   // any finite number
	Ratio    // 0 to 1
	Dollars  // an amount of money, in US dollars
	Duration // a length of time; as a number, in nanoseconds
	String
	Set   // strings, of which triggers ask whether one is among them; the order given and repetitions are kept
	Calls // a list of Call
)

// types are the names of the types, as declarations and diagnostics write them.
var types = [...]string{Bool: "bool", Int: "int", Number: "number", Ratio: "ratio", Dollars: "dollars",
	Duration: "duration", String: "string", Set: "set", Calls: "calls"}

// String returns the type's name as diagnostics write it.
func (t Type) String() string {
	switch t {
	case Set:
		return "set of string"
	case Calls:
		return "list of call"
	default:
		return types[t]
	}
}

// Article returns what a value of the type is called, with its article: a ratio, an int.
func (t Type) Article() string {
	switch t {
	case Int:
		return "an int"
	case Dollars:
		return "an amount in dollars"
	default:
		return "a " + t.String()
	}
}

// Percent writes a ratio as a percentage: 0.76 as 76%. It rounds to four decimal places, which is fine enough
// that a ratio just below a limit, such as 0.75, is hardly ever shown as having reached it.
func Percent(ratio float64) string {
	return strconv.FormatFloat(math.Round(ratio*1e6)/1e4, 'f', -1, 64) + "%"
}

// Numeric reports whether values of type t can be compared with <, <=, > and >=.
func (t Type) Numeric() bool {
	return t == Int || t == Number || t == Ratio || t == Dollars || t == Duration
}

// Kind is how a fact's value may change from turn to turn.
type Kind uint8

const (
	// Gauge goes up and down.
	Gauge Kind = iota
	// Counter only rises during a run.
	Counter
	// Event is an occurrence between the previous turn and this one. It says nothing about any other turn.
	Event
	// Attribute describes something, such as the model, and seldom changes.
	Attribute
)

// kinds are the names of the kinds.
var kinds = [...]string{Gauge: "gauge", Counter: "counter", Event: "event", Attribute: "attribute"}

// String returns the kind's name.
func (k Kind) String() string { return kinds[k] }

// ParseKind returns the kind of a name, and whether there is one.
func ParseKind(name string) (Kind, bool) {
	i := slices.Index(kinds[:], name)
	return Kind(max(i, 0)), i >= 0
}

// ID is a fact's slot in a Frame. In every schema the built-in facts have the constants below; the ids of
// declared facts come after them.
type ID int

// The built-in facts, in the order of LANGUAGE.md §1.
const (
	ContextUsage ID = iota
	ContextTokens
	ContextWindow
	LastResponseTokens
	OutputTokens
	Cost
	MessageCount
	TurnCount
	UserTurnCount
	Started
	UserMessage
	ToolUsed
	Command
	Path
	Written
	Output
	CallList
	LastToolCallFailed
	ToolCalls
	IdenticalCalls
	FailuresInRow
	Compacted
	Resumed
	Prompt
	Response
	ThreadType
	Mode
	Model
	Provider
	Cwd
	Branch
	Hour
	Weekday
	Elapsed
	Idle
	builtins int = iota
)

// Private reports whether a fact holds words of a person, a model or a tool. Who stores, logs or exports
// facts leaves these out, and explanations never show them.
func (id ID) Private() bool {
	return !id.kept()
}

// IgnoresCase reports whether comparisons of a fact ignore the case of letters: agents write the names of
// threads and modes as they like.
func (id ID) IgnoresCase() bool { return id == ThreadType || id == Mode }

// Weekdays returns the values of the fact weekday, Monday first.
func Weekdays() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

// Fact is a named value that triggers read.
type Fact struct {
	ID   ID
	Name string
	Type Type
	Kind Kind
	Unit string // the unit of a number, such as "tokens"; "" for none
	Doc  string // the meaning of the fact, in one line

	// Compute, if it is not nil, returns the value of a declared fact for a run, in the forms that
	// Frame.SetValue takes; nil is unknown. The engine calls it at most once a turn, and only where a rule reads
	// the fact and the host has not given it. It must be safe for concurrent use, and return soon.
	Compute func(ctx context.Context, run string) (any, error)
}

var table = [builtins]Fact{
	{Name: "context_usage", Type: Ratio, Kind: Gauge, Doc: "tokens in the context window / size of the window"},
	{Name: "context_tokens", Type: Int, Kind: Gauge, Unit: "tokens",
		Doc: "tokens of the previous request's prompt, cached ones included"},
	{Name: "context_window", Type: Int, Kind: Gauge, Unit: "tokens", Doc: "size of the model's context window"},
	{Name: "last_response_tokens", Type: Int, Kind: Gauge, Unit: "tokens",
		Doc: "output of the previous model call, reasoning included"},
	{Name: "output_tokens", Type: Int, Kind: Counter, Unit: "tokens", Doc: "output so far in the run"},
	{Name: "cost", Type: Dollars, Kind: Counter,
		Doc: "what the run's model calls have cost so far, by the price table"},
	{Name: "message_count", Type: Int, Kind: Gauge, Unit: "messages", Doc: "messages in the request"},
	{Name: "turn_count", Type: Int, Kind: Counter, Unit: "turns",
		Doc: "the host's turn number if it sends one, else the engine's own count of evaluations, from 1"},
	{Name: "user_turn_count", Type: Int, Kind: Counter, Unit: "user turns", Doc: "user turns so far"},
	{Name: "started", Type: Bool, Kind: Event, Doc: "this is the run's first turn"},
	{Name: "user_message", Type: Bool, Kind: Event,
		Doc: "this turn answers a message that a person has just submitted"},
	{Name: "tool_used", Type: Set, Kind: Event, Doc: "tools called in the previous turn"},
	{Name: "command", Type: Set, Kind: Event, Doc: "command lines that shell tools ran in the previous turn"},
	{Name: "path", Type: Set, Kind: Event, Doc: "files that the calls of the previous turn named or changed"},
	{Name: "written", Type: Set, Kind: Event, Doc: "texts that the calls of the previous turn put into files"},
	{Name: "output", Type: Set, Kind: Event, Doc: "results of the previous turn's calls, as text"},
	{Name: "calls", Type: Calls, Kind: Event, Doc: "the previous turn's calls, for general expressions"},
	{Name: "last_tool_call_failed", Type: Bool, Kind: Event, Doc: "a call of the previous turn failed"},
	{Name: "tool_calls", Type: Int, Kind: Counter, Unit: "calls", Doc: "calls so far in the run"},
	{Name: "identical_calls", Type: Int, Kind: Gauge, Unit: "calls",
		Doc: "how often the call just made was made in this user turn, with the same input"},
	{Name: "failures_in_row", Type: Int, Kind: Gauge, Unit: "turns",
		Doc: "turns in a row, up to now, with a failed call"},
	{Name: "compacted", Type: Bool, Kind: Event, Doc: "the history was compacted since the previous turn"},
	{Name: "resumed", Type: Bool, Kind: Event, Doc: "the run was resumed since the previous turn"},
	{Name: "prompt", Type: String, Kind: Attribute, Doc: "text of the latest user-submitted message"},
	{Name: "response", Type: String, Kind: Attribute, Doc: "text of the previous model response"},
	{Name: "thread_type", Type: String, Kind: Attribute,
		Doc: "root, learn, plan, fast, or any name the host gives a subagent"},
	{Name: "mode", Type: String, Kind: Attribute,
		Doc: "the agent's permission mode in its own word; plan is plan for every agent"},
	{Name: "model", Type: String, Kind: Attribute, Doc: "the model, as in the request"},
	{Name: "provider", Type: String, Kind: Attribute, Doc: "the provider, as in the request"},
	{Name: "cwd", Type: String, Kind: Attribute, Doc: "the directory the agent works in"},
	{Name: "branch", Type: String, Kind: Attribute, Doc: "the git branch that is checked out there"},
	{Name: "hour", Type: Int, Kind: Attribute, Doc: "hour of the turn's time, 0 to 23, in the host's time zone"},
	{Name: "weekday", Type: String, Kind: Attribute, Doc: "day of the turn's time: mon to sun"},
	{Name: "elapsed", Type: Duration, Kind: Counter, Doc: "time since the run's first turn"},
	{Name: "idle", Type: Duration, Kind: Gauge, Doc: "time since the previous turn"},
}

// Schema says which facts there are. It is immutable and may be used concurrently.
type Schema struct {
	facts  []Fact // the built-in ones first, also in a schema of a host's own facts
	byName map[string]ID
	own    bool // the built-in ones are not there
}

// word matches a name of letters, digits and _ that does not begin with a digit.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// NewSchema returns a schema of the built-in facts and of vars, the facts that a host declares. The name of
// a declared fact is "vars." and a word of letters, digits and _ that does not begin with a digit.
// NewSchema assigns the ids and ignores Fact.ID. Another name, a name used twice, and a type that is missing,
// does not exist or is Calls are errors.
func NewSchema(vars ...Fact) (*Schema, error) {
	s := newSchema()
	for _, f := range s.facts {
		s.byName[f.Name] = f.ID
	}
	for _, f := range vars {
		if name, ok := strings.CutPrefix(f.Name, "vars."); !ok || !word().MatchString(name) {
			return nil, fmt.Errorf("fact %q: the name of a declared fact is vars. and a word", f.Name)
		}
		if err := s.declare(f); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// reserved are the words that the language uses by itself.
var reserved = []string{"and", "or", "not", "in", "true", "false", "always", "never", "manual",
	"every", "vars",
	"contains", "startsWith", "endsWith", "matches", "stopping", "nil"}

// Must returns s, and panics if err is not nil. It is for schemas that stand in the code of a host, as in
// Must(OwnSchema(…)).
func Must(s *Schema, err error) *Schema {
	if err != nil {
		panic(err)
	}
	return s
}

// OwnSchema returns a schema of a host's own facts alone: none of the built-in facts is there, and the names
// have no prefix. It makes the language that of a general rule engine. A word that the language uses by
// itself is no name; the other errors are those of NewSchema.
func OwnSchema(facts ...Fact) (*Schema, error) {
	s := newSchema()
	s.own = true
	for _, f := range facts {
		if !word().MatchString(f.Name) || slices.Contains(reserved, f.Name) {
			return nil, fmt.Errorf("fact %q: a name is a word of letters, digits and _, and none of the language's",
				f.Name)
		}
		if err := s.declare(f); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// newSchema returns a schema with the slots of the built-in facts and without any name.
func newSchema() *Schema {
	s := &Schema{facts: slices.Clone(table[:]), byName: map[string]ID{}}
	for i := range s.facts {
		s.facts[i].ID = ID(i)
	}
	return s
}

func (s *Schema) declare(f Fact) error {
	switch _, twice := s.byName[f.Name]; {
	case twice:
		return fmt.Errorf("fact %q is declared twice", f.Name)
	case f.Type == 0:
		return fmt.Errorf("fact %q has no type", f.Name)
	case f.Type >= Calls:
		return fmt.Errorf("fact %q: there is no type %d", f.Name, f.Type)
	case f.Kind > Attribute:
		return fmt.Errorf("fact %q: there is no kind %d", f.Name, f.Kind)
	}
	f.ID = ID(len(s.facts))
	s.byName[f.Name] = f.ID
	s.facts = append(s.facts, f)
	return nil
}

// Has reports whether the schema has the fact in slot id: a schema of a host's own facts has no built-in one.
func (s *Schema) Has(id ID) bool { return !s.own || int(id) >= builtins }

// Builtin returns the schema of the built-in facts alone.
func Builtin() *Schema { return builtinSchema() }

var builtinSchema = sync.OnceValue(func() *Schema {
	s, err := NewSchema()
	if err != nil {
		panic(err) // cannot happen: the table above repeats no name, as TestBuiltin checks
	}
	return s
})

// Same reports whether two schemas have the same facts, by name and type, in the same slots: a frame of one
// may stand for a frame of the other.
func (s *Schema) Same(o *Schema) bool {
	return s == o || s.own == o.own && slices.EqualFunc(s.facts, o.facts, func(a, b Fact) bool {
		return a.Name == b.Name && a.Type == b.Type
	})
}

// ParseType returns the type that a declaration names: bool, int, number, ratio, dollars, duration, string or
// set. It reports false for any other name.
func ParseType(name string) (Type, bool) {
	i := slices.Index(types[:Calls], name)
	return Type(max(i, 0)), i > 0
}

// Lookup returns the fact of that name.
func (s *Schema) Lookup(name string) (Fact, bool) {
	id, ok := s.byName[name]
	if !ok {
		return Fact{}, false
	}
	return s.facts[id], true
}

// Fact returns the fact in slot id. It panics if s has no such slot.
func (s *Schema) Fact(id ID) Fact { return s.facts[id] }

// Len returns how many facts there are; ids run from 0 to Len()-1.
func (s *Schema) Len() int { return len(s.facts) }

// Names returns the names of all facts, built-in ones first.
func (s *Schema) Names() []string {
	names := make([]string, 0, len(s.byName))
	for _, f := range s.facts {
		if s.Has(f.ID) {
			names = append(names, f.Name)
		}
	}
	return names
}
