package hook

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
)

const (
	maxTools = 256 // tool uses that wait for a turn
	maxMarks = 32  // entries of Calls, Prompts, Answered and Same each: every hook reads them all
)

// runNotes are the notes that hooks keep in a run's snapshot between its turns. A turn makes its facts from
// them.
type runNotes struct {
	// The events since the last turn. The next turn makes facts of them, and clears them.
	Tools     []agent.Call `json:"tools,omitempty"`
	User      bool         `json:"user,omitempty"` // a person submitted a prompt
	Compacted bool         `json:"compacted,omitempty"`
	Resumed   bool         `json:"resumed,omitempty"`
	Response  *int64       `json:"response,omitempty"` // tokens
	Rest      string       `json:"rest,omitempty"`     // the unsent rest of a text that was too long

	Turn openTurn `json:"turn,omitzero"` // the turn that was taken last

	// Values that stay. Prompts and Answered are marks of events, by which a repeated event is recognised.
	Users   int64    `json:"users,omitempty"` // the number of prompts by persons
	Model   string   `json:"model,omitempty"`
	Thread  string   `json:"thread,omitempty"`  // Event.SubagentType
	Mode    string   `json:"mode,omitempty"`    // Event.Mode
	Over    bool     `json:"over,omitempty"`    // the session, or the subagent, has ended
	Context *int64   `json:"context,omitempty"` // tokens
	Window  *int64   `json:"window,omitempty"`  // tokens
	Usage   *float64 `json:"usage,omitempty"`   // Event.ContextUsage, of an agent that gives no tokens
	// Context and Usage precede a compaction: facts once, then cleared
	Passing bool `json:"passing,omitempty"`
	// Window is from the status line, and overrides the session's file
	Exact bool `json:"exact,omitempty"`
	// how often in a row the session's file was waited for in vain
	Vain int `json:"vain,omitempty"`
	// offset in the session's file; figures before it no longer hold
	Stale int64 `json:"stale,omitempty"`
	// kinds that the agent has sent, among those of Event.Unless
	Shown []agent.Kind `json:"shown,omitempty"`
	// prompts that Users counts, and their user turns, by digest
	Prompts  []string `json:"prompts,omitempty"`
	Answered []string `json:"answered,omitempty"` // answered /remind commands, by digest
	// records whose events are in these notes, by record.mark; with a + those whose texts were offered again
	Done []string `json:"done,omitempty"`
	// events by digest and second, where an equal one is the same: two configurations register the hook
	Same []string `json:"same,omitempty"`
	// what is known of the calls of the latest answer
	Calls []callNote `json:"calls,omitempty"`
	// keys of calls that failed, and were told before: late, or calls of the next answer, as its batch says
	Failures []string `json:"failures,omitempty"`
	// the answer whose calls are being made, among them that of a subagent, whose own calls no event tells
	// from those of the session
	Nested string `json:"nested,omitempty"`
	// the reason for which the work was kept from ending, by digest: some agents tell it as a person's prompt
	Reason  string `json:"reason,omitempty"`
	Last    string `json:"last,omitempty"`    // the last response whose tokens were a fact
	Summary int    `json:"summary,omitempty"` // the turn with the latest compaction
	Served  bool   `json:"served,omitempty"`  // a server says what is due
	// requests that servers had carried when the turn began, and what was left to a server on it, by id
	Carried int64    `json:"carried,omitempty"`
	Unsaid  []string `json:"unsaid,omitempty"`
	// what the session's file told of the costs when it was read last, where rules read the costs
	Spent *session.Billed `json:"spent,omitempty"`
}

// readNotes returns the notes that a run's snapshot carries, the zero notes if it carries none. A later
// version of the program may have written other members, so unknown members are ignored.
func readNotes(stored json.Marshaler) (n runNotes, err error) {
	raw := bytesOf(stored)
	if raw == nil {
		return n, nil
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return n, fmt.Errorf("notes of the run: %w", err)
	}
	return n, nil
}

// Served reports whether a server has said what was due on the last turn of a run of hooks, by the notes of
// the run's snapshot.
func Served(stored json.Marshaler) bool {
	n, err := readNotes(stored)
	return err == nil && n.Served
}

// Over reports whether the agent has told that the run is at its end, by the notes of the run's snapshot. A
// run that is resumed goes on.
func Over(stored json.Marshaler) bool {
	n, err := readNotes(stored)
	return err == nil && n.Over
}

// bytesOf returns the JSON of stored notes, nil if there are none. In a hook, only write makes notes, so they
// are JSON already.
func bytesOf(stored json.Marshaler) json.RawMessage {
	raw, _ := stored.(json.RawMessage)
	return raw
}

// write returns the notes as JSON. Equal notes give equal bytes.
func (n *runNotes) write() json.RawMessage {
	raw, _ := json.Marshal(n) // no field is of a type that could fail
	return raw
}

// mark appends id to a list, which keeps the latest maxMarks entries. It returns false where the list has id
// already.
func mark(list *[]string, id string) bool {
	if slices.Contains(*list, id) {
		return false
	}
	old := (*list)[max(len(*list)-maxMarks+1, 0):]
	*list = append(slices.Clone(old), id)
	return true
}

// repeats reports whether an event with this digest has come a moment ago; false for "".
func (n *runNotes) repeats(sum string, now time.Time) bool {
	if sum == "" {
		return false
	}
	for _, s := range n.Same {
		of, at, _ := strings.Cut(s, "@")
		sec, _ := strconv.ParseInt(at, 10, 64)
		if age := now.Unix() - sec; of == sum && age < sameEvent && age > -sameEvent {
			return true
		}
	}
	return false
}

// cameAt records when an event with this digest has come.
func (n *runNotes) cameAt(sum string, now time.Time) {
	if sum != "" {
		mark(&n.Same, fmt.Sprintf("%s@%d", sum, now.Unix()))
	}
}

// again reports whether an event that opens a turn has come before. recorded is the id of the latest answer
// that the session's file has: behind another answer, equal events are others.
func (n *runNotes) again(r *run, recorded string) bool {
	e, was := &r.event, n.Turn.Answer
	if !r.stamped && isResult(e.Kind) && recorded != "" && was != "" && recorded != was {
		return false
	}
	if n.repeats(r.same, r.host.Clock()) {
		return true
	}
	untold := func(c agent.Call) bool { return !n.told(c) }
	return isResult(e.Kind) && e.Kind != agent.ToolBatch && n.Turn.Results && len(e.Calls) > 0 &&
		recorded != "" && recorded == was && !slices.ContainsFunc(e.Calls, untold)
}

// behind returns the answer of the turn before, "" where the event may be of the same one: a call of that one
// has the id of a call of the event.
func (n *runNotes) behind(r *run) string {
	if n.Turn.Results && !n.Turn.Batch && r.event.Kind == agent.ToolBatch || n.repeats(r.same, r.host.Clock()) {
		return ""
	}
	for _, c := range r.event.Calls {
		if slices.ContainsFunc(n.Calls, func(o callNote) bool { return o.Told && o.ID == idSuffix(c.ID) }) {
			return n.Turn.Answer
		}
	}
	return ""
}

// callNote is what events have told of a call of the model. Ids are given by others, who may give one
// twice, so the call has a name of ours, which holds until the next answer.
type callNote struct {
	Key   string `json:"key"`             // callKey
	ID    string `json:"id"`              // idSuffix; pairs events of which not all tell the input
	Asked bool   `json:"asked,omitempty"` // at which, before it was made, a text went out, or it was held back
	Held  bool   `json:"held,omitempty"`  // it was held back
	Told  bool   `json:"told,omitempty"`  // it was a fact of a turn
}

// callKey names a call in its answer, "" where the agent gives it no id.
func callKey(c *agent.Call) string {
	if c.ID == "" {
		return ""
	}
	var input bytes.Buffer
	if json.Compact(&input, c.Input) != nil {
		input.Reset()
		input.Write(c.Input)
	}
	return digest(c.ID, c.Name, input.String())
}

// call returns what is known of a call, nil where that is nothing.
func (n *runNotes) call(c agent.Call) *callNote {
	id := -1
	for i := range n.Calls {
		switch known := &n.Calls[i]; {
		case c.Key == "":
			return nil
		case known.Key == c.Key:
			return known
		case known.ID == idSuffix(c.ID) && c.Input == nil:
			id = i
		}
	}
	if id < 0 {
		return nil
	}
	return &n.Calls[id]
}

// told reports whether a call was a fact of a turn.
func (n *runNotes) told(c agent.Call) bool {
	known := n.call(c)
	return known != nil && known.Told
}

// know changes what is known of a call that has an id.
func (n *runNotes) know(c agent.Call, change func(*callNote)) {
	if c.Key == "" {
		return
	}
	n.Calls = slices.Clone(n.Calls[max(len(n.Calls)-maxMarks+1, 0):])
	known := n.call(c)
	if known == nil {
		n.Calls = append(n.Calls, callNote{Key: c.Key, ID: idSuffix(c.ID)})
		known = &n.Calls[len(n.Calls)-1]
	}
	change(known)
}

// sameEvent is within how many seconds an equal event is the same one.
const sameEvent = 5

// idSuffix returns the last bytes of an id. They identify it in its run: ids of one kind begin alike.
func idSuffix(id string) string { return id[max(len(id)-12, 0):] }

// digest returns a short hash of parts, to recognise texts that are too long to be stored, or may not be
// stored.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(append(append(strconv.AppendInt(nil, int64(len(p)), 10), ':'), p...))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// observe records an event. turns is the number of the run's turns, size the length of the session's file in
// bytes.
func (n *runNotes) observe(d *agent.Agent, e *agent.Event, turns int, size int64) {
	n.Turn.observe(d, e)
	if e.Kind == agent.Stop && !d.TellsRequests() { // the next user turn may have the id of this one
		n.Prompts, n.Answered = nil, nil
	}
	if over := e.Kind == agent.SessionEnd || e.Kind == agent.SubagentStop; over != n.Over {
		n.Over, n.Same = over, nil // an event that is equal to one before the end is another one
	}
	if (e.Kind == agent.ToolBatch || e.Kind == agent.ToolResult && e.Unless != "") &&
		!slices.Contains(n.Shown, e.Kind) {
		n.Shown = append(slices.Clone(n.Shown), e.Kind)
	}
	if e.Kind == agent.UserPrompt || e.Kind == agent.ModelRequest {
		n.countPrompt(e)
	}
	if e.Kind != agent.ToolCall || d.Before {
		n.addTools(e.Calls, e.Kind == agent.ToolBatch)
	}
	// An agent may send two events for one compaction, with a turn between them that had the fact.
	if e.Compacted && !(e.Kind == agent.PostCompact && n.Summary > 0 && n.Summary == turns) {
		n.Compacted = true
	}
	n.Resumed = n.Resumed || e.Resumed
	if len(e.Reset) > 0 {
		n.Context, n.Usage, n.Stale = nil, nil, size
	}
	n.Model, n.Thread = cmp.Or(e.Model, n.Model), cmp.Or(e.SubagentType, n.Thread)
	if e.Kind != agent.ToolCall && e.Kind != agent.Stop { // a moment leaves nothing behind, and others tell it
		n.Mode = cmp.Or(e.Mode, n.Mode)
	}
	if e.ContextTokens != nil || e.ContextUsage != nil {
		n.Context, n.Usage, n.Passing = e.ContextTokens, e.ContextUsage, e.Kind == agent.PreCompact
	}
	if e.ContextWindow != nil || e.Kind == agent.StatusLine {
		n.Window, n.Exact = e.ContextWindow, e.Kind == agent.StatusLine && e.ContextWindow != nil
	}
	if e.ResponseTokens != nil && (e.Response == "" || e.Response != n.Last) {
		n.Response, n.Last = e.ResponseTokens, cmp.Or(e.Response, n.Last)
	}
}

// countPrompt records a person's prompt. It counts the prompt unless an earlier event had the same prompt, or
// another prompt of the same user turn.
func (n *runNotes) countPrompt(e *agent.Event) {
	if e.Human != fact.True || n.Reason != "" && n.Reason == digest(strings.TrimSpace(e.Prompt)) {
		return
	}
	if e.UserTurns != nil && len(n.Prompts) == 0 {
		n.Users = max(n.Users, *e.UserTurns-1)
	}
	if e.TurnKey != "" {
		if !mark(&n.Prompts, digest(e.TurnKey, e.Prompt)) {
			return
		}
		// a user turn may be given further prompts while it lasts, and counts once
		if mark(&n.Prompts, digest(e.TurnKey)) {
			n.Users++
		}
	} else {
		n.Users++
	}
	n.User = true
}

// addTools records uses of tools. A use that has a name is recorded once, and has failed if any of its
// events says so. Inputs and outputs are there only until the notes are written: of a use that waits for a
// later event, the tool and the outcome alone are known. ordered says that tools are all of an answer, in
// the order of the model's calls, whatever events came before.
func (n *runNotes) addTools(tools []agent.Call, ordered bool) {
	if len(tools) == 0 {
		return
	}
	earlier, added := slices.Clone(n.Tools), []agent.Call(nil)
	for _, t := range tools {
		switch i := earlierUse(earlier, tools, t, ordered); {
		case i >= 0:
			old := earlier[i]
			if t.Failed != fact.Unknown && old.Failed != fact.True {
				old.Failed = t.Failed
			}
			if t.Input != nil {
				old.Input = t.Input
			}
			if t.Output != nil {
				old.Output = t.Output
			}
			if t.Took > 0 {
				old.Took = t.Took
			}
			if earlier[i] = old; ordered {
				earlier, added = slices.Delete(earlier, i, i+1), append(added, old)
			}
		case !n.told(t):
			if k := slices.Index(n.Failures, t.Key); k >= 0 && t.Key != "" {
				n.Failures, t.Failed = slices.Delete(slices.Clone(n.Failures), k, k+1), fact.True
			}
			added = append(added, t)
		case t.Failed == fact.True:
			mark(&n.Failures, t.Key)
		}
	}
	n.Tools = append(earlier, added...)
	n.Tools = n.Tools[max(len(n.Tools)-maxTools, 0):]
}

// earlierUse returns the index of the use of a tool among earlier ones, -1 where it is another one. The ids
// of two events pair them where one of the events does not tell the input, or tells all calls of the
// answer, one of which has the id.
func earlierUse(earlier, tools []agent.Call, t agent.Call, ordered bool) int {
	if t.Key == "" {
		return -1
	}
	same := func(o agent.Call) bool { return o.ID == t.ID }
	i := slices.IndexFunc(earlier, func(o agent.Call) bool { return o.Key == t.Key })
	if i >= 0 {
		return i
	}
	if i = slices.IndexFunc(earlier, same); i < 0 || slices.ContainsFunc(earlier[i+1:], same) {
		return -1
	}
	old := agent.Call{ID: t.ID, Name: earlier[i].Name}
	once := len(slices.DeleteFunc(slices.Clone(tools), func(o agent.Call) bool { return !same(o) })) == 1
	if t.Input == nil || earlier[i].Key == "" || earlier[i].Key == callKey(&old) || ordered && once {
		return i
	}
	return -1
}

// tell returns the known facts of a turn by their names, but for those of calls, and clears the notes that
// are facts of one turn only. turn is the number of that turn.
func (n *runNotes) tell(d *agent.Agent, e *agent.Event, past session.Facts, turn int) map[string]any {
	f := map[string]any{}
	tellEvent(f, d, fact.Compacted, n.Compacted)
	tellEvent(f, d, fact.Resumed, n.Resumed)
	// After a start a prompt may follow that belongs to the same turn.
	if e.Kind != agent.SessionStart || n.User {
		tellEvent(f, d, fact.UserMessage, n.User)
	}
	if e.Human == fact.True && (n.User || e.Kind == agent.ModelRequest) {
		tellText(f, "prompt", e.Prompt)
	}
	if n.Users > 0 {
		f["user_turn_count"] = n.Users
	}
	n.tellThread(d, e, f)
	tellText(f, "mode", n.Mode)
	n.tellUsage(e, past, f)
	if past.Cost != nil {
		f["cost"] = *past.Cost
	}
	if n.Compacted {
		n.Summary = turn
	}
	n.User, n.Compacted, n.Resumed = false, false, false
	if n.Passing {
		n.Context, n.Usage, n.Passing = nil, nil, false
	}
	return f
}

// tellThread sets the type of the thread.
func (n *runNotes) tellThread(d *agent.Agent, e *agent.Event, f map[string]any) {
	switch {
	case n.Thread != "":
		f["thread_type"] = n.Thread
	case e.Agent == "" && d.Threads:
		f["thread_type"] = "root"
	}
}

// tellCalls returns the tools used since the turn before, and takes them out of the notes. first says that
// this is the run's first turn: the tools that a resumed session used before are unknown, so without a tool
// use nothing is known.
func (n *runNotes) tellCalls(d *agent.Agent, past session.Facts, first bool) (t tools) {
	t = tools{agent: d, used: n.Tools, known: len(n.Tools) > 0 || !n.Resumed || !first}
	for i := range t.used {
		u := &t.used[i]
		if u.ID != "" {
			held := false
			n.know(*u, func(c *callNote) { c.Told, held = true, c.Held })
			same := func(o agent.Call) bool { return o.ID == u.ID }
			alone := !slices.ContainsFunc(t.used[:i], same) && !slices.ContainsFunc(t.used[i+1:], same)
			switch { // the file knows results by ids, and which of several calls an id means it does not say
			case held, alone && slices.Contains(past.Failed, u.ID):
				u.Failed = fact.True
			case u.Failed == fact.Unknown && alone && slices.Contains(past.Passed, u.ID):
				u.Failed = fact.False
			}
		}
		if u.Failed == fact.Unknown && d.Failures { // this agent reports failures
			u.Failed = fact.False
		}
	}
	n.Tools, n.Failures = nil, nil
	return t
}

// tellUsage sets the facts about tokens and the model. The session's file overrides the events: for the
// context unless the file's figures are stale, and for the window unless Exact says that the status line gave
// the window of this model.
func (n *runNotes) tellUsage(e *agent.Event, past session.Facts, f map[string]any) {
	context, window, usage := n.Context, n.Window, n.Usage
	if past.ContextTokens != nil && (past.Compacted || past.At >= n.Stale) {
		context, usage = past.ContextTokens, nil
	}
	exact := n.Exact && sameModel(n.Model, past.Model)
	switch {
	case exact:
	case strings.HasSuffix(n.Model, longWindow) && sameModel(n.Model, past.Model):
		n := int64(1_000_000) // the file names the model without longWindow
		window = &n
	case past.ContextWindow != nil:
		window = past.ContextWindow
	}
	// A context beyond the window shows that the real window is larger.
	if context != nil && window != nil && *context > *window && usage == nil && !exact {
		window = nil
	}
	tellNumber(f, "context_tokens", context)
	tellNumber(f, "context_window", window)
	if usage != nil {
		f["context_usage"] = *usage
	}
	if model := cmp.Or(e.Model, past.Model, n.Model); model != "" {
		f["model"] = model
	}
	switch {
	case past.ResponseTokens != nil && past.Response != "" && past.Response != n.Last:
		f["last_response_tokens"], n.Last = *past.ResponseTokens, past.Response
	case n.Response != nil:
		f["last_response_tokens"] = *n.Response
	}
	n.Response = nil
}

// tellEvent tells whether an event happened, of which an agent may know nothing.
func tellEvent(f map[string]any, d *agent.Agent, id fact.ID, happened bool) {
	if !slices.Contains(d.Never, id) {
		f[fact.Builtin().Fact(id).Name] = happened
	}
}

func tellNumber(f map[string]any, name string, n *int64) {
	if n != nil {
		f[name] = *n
	}
}

func tellText(f map[string]any, name, text string) {
	if text != "" {
		f[name] = text
	}
}
