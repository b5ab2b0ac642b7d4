package fact

import (
	"math"
	"slices"
	"time"

	"github.com/aside-go/aside/internal/excerpt"
	"github.com/aside-go/aside/internal/jsonscan"
)

// Class is a kind of tools that agents call by different names (LANGUAGE.md §2, call patterns).
type Class string

// The classes of tools, each with the subject of its calls.
const (
	NoClass Class = ""       // the whole input
	Shell   Class = "shell"  // the command line
	Edit    Class = "edit"   // the files
	Read    Class = "read"   // the files
	Search  Class = "search" // the pattern
	Web     Class = "web"    // the URL or the query
	Todo    Class = "todo"   // none
	Task    Class = "task"   // the kind of subagent
)

// Classes are all classes but NoClass, in the order in which LANGUAGE.md lists them.
func Classes() []Class { return []Class{Shell, Edit, Read, Search, Web, Todo, Task} }

// Call is one use of a tool, as the host tells it. The frame that holds it, and everybody who gets it from
// there, treats it as immutable. Input, Command, Paths, Subject, Written and Output are the agent's business:
// they are never stored or logged.
type Call struct {
	Tool  string
	Class Class  // NoClass for a tool that stands in no table
	Input string // all that the tool is given, a JSON object; "" is not told

	// The subject is the one thing that the call is about. Which of the three fields holds it follows from the
	// class: Command of a Shell, Paths of Edit and Read, Subject of all others. Of a tool without class it is
	// the field that is not empty. Told says that the host reported it; a Todo has none, and needs no Told.
	Command string
	Paths   []string // each below the project directory if it lies there, else absolute; cleaned, with slashes
	Subject string
	Told    bool

	// Edits says that a Shell changes files: those in Paths and, if Unsaid, others that its command line does
	// not name. Such a call matches patterns of Edit, too.
	Edits, Unsaid bool

	// Written are the texts that the call puts into files: the content of a write, the new text of each
	// replacement, the lines that a patch adds to a file; each cut as CutOutput does. WrittenTold says that the
	// host reported them, of an Edit and of a Shell that edits.
	Written     []string
	WrittenTold bool

	// Matches says of patterns, by their texts, whether the call matches them: of a call that an earlier request
	// of the host told, whose subject nobody has kept.
	Matches map[string]Truth

	Output     string // the result as text, cut to its first and last OutputHead bytes
	OutputTold bool   // whether the host reported Output
	Failed     Truth  // Unknown where the host does not say

	Duration     time.Duration // of its execution
	DurationTold bool          // whether the host reported Duration
}

// HasSubject reports whether the subject of the call is known, or known to be none.
func (c *Call) HasSubject() bool { return c.Told || c.Class == Todo }

// Member returns a member of the input as text: a string as it is, anything else as compact JSON with sorted
// keys, "" where there is no such member. known is false where the input is not told.
func (c *Call) Member(name string) (text string, known bool) {
	raw := jsonscan.Member([]byte(c.Input), name)
	if len(raw) == 0 {
		return "", c.Input != ""
	}
	if raw[0] == '"' {
		return jsonscan.Unquote(raw), true
	}
	text = jsonscan.Compact(raw)
	return text, text != ""
}

// OutputHead is how many bytes of an output are kept at its beginning, and how many at its end.
const OutputHead = 32 << 10

// CutOutput returns an output as a Call has it: of a longer one than two times OutputHead, its beginning and
// its end as two lines, so that nothing spans the cut. It cuts between runes.
func CutOutput(s string) string {
	if len(s) <= 2*OutputHead {
		return s
	}
	return excerpt.Head(s, OutputHead) + "\n" + excerpt.Tail(s, OutputHead)
}

// Pattern is a call pattern (LANGUAGE.md §2). Implementations are immutable and safe for concurrent use.
type Pattern interface {
	// String returns the pattern in canonical form. Equal texts are equal patterns.
	String() string
	// Subject reports whether the pattern looks at the subject of a call, as Bash(git push*) does.
	Subject() bool
	// Match returns whether the call matches. It is Unknown if the name or class of the tool fits and the
	// subject, which the pattern looks at, was not told.
	Match(c *Call, at Place) Truth
}

// Moment is the occasion on which triggers are read.
type Moment uint8

const (
	// Turn is a model call about to be made.
	Turn Moment = iota
	// BeforeTool is a call about to be executed.
	BeforeTool
	// Stopping is the end of the agent's work, before it hands back to the person.
	Stopping
)

// String returns the moment as triggers and reports name it.
func (m Moment) String() string { return [...]string{"turn", "before_tool", "stopping"}[m] }

// SetCalls sets the calls of the previous turn, and with them the facts that follow: tool_used, command,
// path, written, output, last_tool_call_failed, and the list that Failed returns. A nil list is known to be
// empty. The frame keeps the list without copying it and never modifies it.
func (f *Frame) SetCalls(calls []Call) {
	f.calls, f.known[CallList] = calls, true
	f.remember()
	tools := make([]string, 0, len(calls))
	var commands, paths, texts, outputs members
	for i := range calls {
		c := &calls[i]
		tools = append(tools, c.Tool)
		if c.Class == Shell || c.Command != "" {
			commands.add(c.Told, c.Command)
		}
		if c.Class == Edit || c.Class == Read || len(c.Paths) > 0 {
			paths.add(c.Told, c.Paths...)
		}
		paths.missing = paths.missing || c.Unsaid
		if c.Class == Edit || c.Edits {
			texts.add(true, c.Written...)
			texts.missing = texts.missing || !c.WrittenTold
		}
		outputs.add(c.OutputTold, c.Output)
	}
	f.SetSet(ToolUsed, tools)
	f.setMembers(Command, commands)
	f.setMembers(Path, paths)
	f.setMembers(Written, texts)
	f.setMembers(Output, outputs)
	f.SetOutcomes(calls)
}

// SetOutcomes sets what follows from the outcomes of the calls of the previous turn alone:
// last_tool_call_failed, and the list that Failed returns if it is known of each call whether it failed.
func (f *Frame) SetOutcomes(calls []Call) {
	failed := []string{}
	anyFailed, sure := False, true
	for i := range calls {
		c := &calls[i]
		anyFailed = anyFailed.Or(c.Failed)
		if c.Failed == True {
			failed = append(failed, c.Tool)
		}
		sure = sure && c.Failed != Unknown
	}
	if anyFailed != Unknown {
		f.SetBool(LastToolCallFailed, anyFailed == True)
	}
	if sure {
		f.SetFailed(failed)
	}
}

// ForgetOutcomes makes unknown what SetOutcomes sets, for a host that may be silent about calls that failed.
func (f *Frame) ForgetOutcomes() {
	f.num[LastToolCallFailed], f.failed, f.failedKnown = math.NaN(), nil, false
}

// OfCalls reports whether a fact is a set of texts that SetCalls sets.
func (id ID) OfCalls() bool { return id == Command || id == Path || id == Written || id == Output }

// WithCalls reports whether a host tells a fact together with the calls of a turn.
func (id ID) WithCalls() bool {
	return id.OfCalls() || id == ToolUsed || id == CallList || id == LastToolCallFailed
}

// members are the known members of a set, some of which the host may not have told.
type members struct {
	list    []string
	missing bool
}

func (m *members) add(told bool, list ...string) {
	if !told {
		m.missing = true
		return
	}
	m.list = append(m.list, list...)
}

// setMembers sets a Set fact of which some members may be missing: it is not known then, and Members returns
// those that are.
func (f *Frame) setMembers(id ID, m members) { f.set[id], f.known[id] = m.list, !m.missing }

// SetTools sets the calls of the previous turn of which only Tool and Class are told: tool_used, which call
// patterns read together with the classes. The frame keeps the list without copying it.
func (f *Frame) SetTools(calls []Call) {
	tools := make([]string, len(calls))
	for i := range calls {
		tools[i] = calls[i].Tool
	}
	f.calls = calls
	f.SetSet(ToolUsed, tools)
}

// Use is a call of which the tool and the outcome alone are told. It is a fifth of a Call: a turn of an
// Observer with lists of Call in its place takes a tenth longer (BenchmarkAimTurn).
type Use struct {
	Tool   string
	Failed Truth
}

// SetUses is SetTools for tools whose classes are not told. It copies the list.
func (f *Frame) SetUses(uses []Use) {
	f.room = f.room[:0]
	for _, u := range uses {
		f.room = append(f.room, Call{Tool: u.Tool, Failed: u.Failed})
	}
	f.SetTools(f.room)
}

// Batch returns the calls of the previous turn as far as they are told: those of SetCalls or SetTools, or
// calls that have the names in tool_used and no class. known is false if the tools are unknown. Of a call
// that is not in the fact calls, neither subject nor output is told. The list holds until Reset.
func (f *Frame) Batch() (calls []Call, known bool) {
	names, known := f.Set(ToolUsed)
	if !known || len(f.calls) == len(names) {
		return f.calls, known
	}
	calls = make([]Call, len(names))
	for i, name := range names {
		calls[i] = Call{Tool: name}
	}
	return calls, true
}

// SetMoment says on which occasion the triggers are read. call is the call about to be executed, of
// BeforeTool alone: it takes the place of the calls that were made, and of results there are none. Without
// SetMoment it is a Turn.
func (f *Frame) SetMoment(m Moment, call *Call) {
	if f.moment, f.hand = m, call; call == nil {
		return
	}
	c := *call
	c.Failed, c.Output, c.OutputTold, c.DurationTold = Unknown, "", false, false
	failed, names, known := f.num[LastToolCallFailed], f.failed, f.failedKnown
	f.SetCalls([]Call{c})
	f.num[LastToolCallFailed], f.failed, f.failedKnown = failed, names, known
}

// Moment returns what SetMoment set.
func (f *Frame) Moment() (Moment, *Call) { return f.moment, f.hand }

// Unset makes unknown each fact for which drop returns true, and what is known of the calls with tool_used.
func (f *Frame) Unset(drop func(Fact) bool) {
	for id, ft := range f.schema.facts {
		if !drop(ft) {
			continue
		}
		f.num[id], f.text[id], f.set[id], f.known[id] = math.NaN(), "", nil, false
		if ID(id) == ToolUsed {
			f.calls, f.failed, f.failedKnown = nil, nil, false
		}
	}
}

// EndEvents brings the frame to the state between its turn and the next one (LANGUAGE.md §4, step 4): every
// event that is known is over, a set of events is empty, and Between is true. Other facts stay. Where the
// calls were told, a set of which some members were not is empty, too.
func (f *Frame) EndEvents() {
	f.calls = nil
	for id, ft := range f.schema.facts {
		if ft.Kind != Event {
			continue
		}
		f.set[id], f.text[id] = nil, ""
		if ft.Type < String && f.Known(ID(id)) {
			f.num[id] = 0
		}
	}
	if f.known[CallList] { // of no calls all is known
		for id := range f.known {
			f.known[id] = f.known[id] || ID(id).OfCalls()
		}
	}
	if f.failedKnown {
		f.failed = nil
	}
	f.moment, f.hand, f.between, f.recall = Turn, nil, true, 0
}

// Between reports whether the frame stands between two turns, where no cadence is true.
func (f *Frame) Between() bool { return f.between }

// Stand sets each fact that is unknown, and no event, to its value in an earlier part of the turn.
func (f *Frame) Stand(earlier *Frame) {
	for id, ft := range f.schema.facts {
		if ft.Kind != Event && !f.Known(ID(id)) {
			f.copyFact(earlier, ID(id))
		}
	}
}

// tellsFailure reports whether the frame tells of calls, or whether one of them failed.
func (f *Frame) tellsFailure() bool { return f.Known(ToolUsed) || f.Known(LastToolCallFailed) }

// Unite adds to the facts of one part of a turn those of the parts before it (LANGUAGE.md §4): sets are
// united, of bools one that is true stands, and other facts of the earlier parts stand where this part gives
// none. Of the earlier calls no more is known than the frame earlier tells.
func (f *Frame) Unite(earlier *Frame) {
	failed := f.Truth(LastToolCallFailed)
	switch {
	case !f.tellsFailure():
		failed = earlier.Truth(LastToolCallFailed)
	case earlier.tellsFailure():
		failed = failed.Or(earlier.Truth(LastToolCallFailed))
	}
	if before, ok := earlier.Batch(); ok && len(before) > 0 {
		f.uniteCalls(before, earlier)
	}
	for id, ft := range f.schema.facts {
		id := ID(id)
		switch {
		case id == ToolUsed && f.Known(id), id.OfCalls(), id == CallList, id == LastToolCallFailed:
		case !f.Known(id):
			f.copyFact(earlier, id)
		case ft.Type == Set && earlier.known[id]:
			f.set[id] = slices.Concat(earlier.set[id], f.set[id])
		case ft.Type == Bool && earlier.num[id] == 1:
			f.num[id] = 1
		}
	}
	if f.num[LastToolCallFailed] = math.NaN(); failed != Unknown {
		f.SetBool(LastToolCallFailed, failed == True)
	}
}

// uniteCalls puts the calls of an earlier part before those of this one.
func (f *Frame) uniteCalls(before []Call, earlier *Frame) {
	before = slices.Clone(before)
	for i := range before {
		before[i].Failed = Unknown
		if earlier.failedKnown {
			before[i].Failed = Of(slices.Contains(earlier.failed, before[i].Tool))
		}
	}
	now, known := f.Batch()
	failed, failedKnown := f.failed, f.failedKnown || !known || len(now) == 0
	all := slices.Concat(before, now)
	if f.known[CallList] {
		f.SetCalls(all)
	} else {
		f.SetTools(all)
	}
	f.failed, f.failedKnown = slices.Concat(earlier.failed, failed), earlier.failedKnown && failedKnown
}

// Inherit sets each fact that is unknown to its value in another frame of the same schema. Where the tools
// that were used are known, no more is taken about calls.
func (f *Frame) Inherit(from *Frame) {
	toldCalls := f.Known(ToolUsed)
	for id := range f.schema.facts {
		if id := ID(id); !f.Known(id) && !(toldCalls && id.WithCalls()) {
			f.copyFact(from, id)
		}
	}
	if !f.failedKnown && !toldCalls {
		f.failed, f.failedKnown = from.failed, from.failedKnown
	}
}

func (f *Frame) copyFact(from *Frame, id ID) {
	f.num[id], f.text[id], f.set[id], f.known[id] = from.num[id], from.text[id], from.set[id], from.known[id]
	if id == CallList {
		f.calls = from.calls
		f.remember()
	}
}
