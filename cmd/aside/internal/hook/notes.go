package hook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

const (
	maxTools  = 256      // uses of tools that wait to be told
	maxMarks  = 32       // uses of tools that were told, and prompts that were counted or answered: notes are read by each hook
	maxPrompt = 16 << 10 // bytes of a prompt that is kept
)

// notes are what hooks keep with a run, in the run's snapshot: what was seen and no turn has told yet, and what lasts.
type notes struct {
	// Seen and to be told by the next turn.
	Tools     []Tool `json:"tools,omitempty"`
	User      bool   `json:"user,omitempty"` // a person submitted a prompt
	Compacted bool   `json:"compacted,omitempty"`
	Resumed   bool   `json:"resumed,omitempty"`
	Response  *int64 `json:"response,omitempty"` // tokens
	Rest      string `json:"rest,omitempty"`     // of a text that was too long to go out at once

	// What lasts.
	Prompt   string   `json:"prompt,omitempty"` // the latest of a person, unless it is long
	Users    int64    `json:"users,omitempty"`  // prompts of persons
	Model    string   `json:"model,omitempty"`
	Thread   string   `json:"thread,omitempty"`
	Context  *int64   `json:"context,omitempty"` // tokens
	Window   *int64   `json:"window,omitempty"`  // tokens
	Usage    *float64 `json:"usage,omitempty"`   // where only that is told
	Passing  bool     `json:"passing,omitempty"` // Context and Usage are from right before a compaction, and told once
	Exact    bool     `json:"exact,omitempty"`   // Window is what the agent itself shows
	Stale    int64    `json:"stale,omitempty"`   // what the session's file tells before this place no longer holds
	Shown    []Kind   `json:"shown,omitempty"`   // kinds of events for whose sake others stay silent
	Told     []string `json:"told,omitempty"`    // ends of the ids of tools
	Prompts  []string `json:"prompts,omitempty"` // that were counted
	Answered []string `json:"answered,omitempty"`
	Last     string   `json:"last,omitempty"` // the response whose tokens were told
	Summary  int      `json:"summary,omitempty"`
}

// mark adds id to a list of the latest; false means that it was there.
func mark(list *[]string, id string) bool {
	if slices.Contains(*list, id) {
		return false
	}
	old := (*list)[max(len(*list)-maxMarks+1, 0):]
	*list = append(slices.Clone(old), id)
	return true
}

// ending is as much of an id as tells it from others of its kind, which begin alike.
func ending(id string) string { return id[max(len(id)-12, 0):] }

// digest names what is too long, or not to be kept.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(append(append(strconv.AppendInt(nil, int64(len(p)), 10), ':'), p...))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// observe takes an event into the notes of a run that has had that many turns. size is how long the session's file is.
func (n *notes) observe(d *Dialect, e *Event, turns int, size int64) {
	switch e.Kind {
	case ToolBatch, SubagentStart:
		if !slices.Contains(n.Shown, e.Kind) {
			n.Shown = append(slices.Clone(n.Shown), e.Kind)
		}
	case UserPrompt, ModelRequest:
		n.prompt(e)
	}
	if e.Kind != ToolCall || d.Before {
		n.tools(e.Tools)
	}
	// An agent may tell of one compaction twice, before and after the turn that told it.
	if e.Compacted && !(e.Kind == PostCompact && n.Summary > 0 && n.Summary == turns) {
		n.Compacted = true
	}
	n.Resumed = n.Resumed || e.Resumed
	if len(e.Reset) > 0 {
		n.Context, n.Usage, n.Stale = nil, nil, size
	}
	n.Model, n.Thread = cmp.Or(e.Model, n.Model), cmp.Or(e.SubagentType, n.Thread)
	if e.ContextTokens != nil || e.ContextUsage != nil {
		n.Context, n.Usage, n.Passing = e.ContextTokens, e.ContextUsage, e.Kind == PreCompact
	}
	if e.ContextWindow != nil || e.Kind == StatusLine {
		n.Window, n.Exact = e.ContextWindow, e.Kind == StatusLine && e.ContextWindow != nil
	}
	if e.ResponseTokens != nil && (e.Response == "" || e.Response != n.Last) {
		n.Response, n.Last = e.ResponseTokens, cmp.Or(e.Response, n.Last)
	}
}

// prompt counts a person's prompt, once.
func (n *notes) prompt(e *Event) {
	if e.Human != fact.True {
		return
	}
	if e.UserTurns != nil && len(n.Prompts) == 0 {
		n.Users = max(n.Users, *e.UserTurns-1)
	}
	if e.TurnKey != "" {
		if !mark(&n.Prompts, digest(e.TurnKey, e.Prompt)) {
			return
		}
		if mark(&n.Prompts, digest(e.TurnKey)) { // a turn may be given further prompts while it lasts
			n.Users++
		}
	} else {
		n.Users++
	}
	n.User, n.Prompt = true, e.Prompt
	if len(n.Prompt) > maxPrompt {
		n.Prompt = ""
	}
}

// tools adds uses of tools, each once, if its id is known.
func (n *notes) tools(tools []Tool) {
	if len(tools) == 0 {
		return
	}
	n.Tools = slices.Clone(n.Tools)
	for _, t := range tools {
		if t.ID == "" {
			n.Tools = append(n.Tools, t)
			continue
		}
		i := slices.IndexFunc(n.Tools, func(old Tool) bool { return old.ID == t.ID })
		switch {
		case i < 0 && !slices.Contains(n.Told, ending(t.ID)):
			n.Tools = append(n.Tools, t)
		case i >= 0 && t.Failed != fact.Unknown:
			n.Tools[i].Failed = n.Tools[i].Failed.Or(t.Failed)
			if n.Tools[i].Failed == fact.Unknown {
				n.Tools[i].Failed = t.Failed
			}
		}
	}
	n.Tools = n.Tools[max(len(n.Tools)-maxTools, 0):]
}

// tell hands over what is known before a model call, and takes out of the notes what is told once. turn is the number of the turn
// that tells.
func (n *notes) tell(d *Dialect, e *Event, past Past, turn int) map[string]any {
	f := map[string]any{"user_message": n.User, "compacted": n.Compacted, "resumed": n.Resumed}
	if n.Prompt != "" {
		f["prompt"] = n.Prompt
	}
	if e.Human == fact.True && n.User && e.Prompt != "" {
		f["prompt"] = e.Prompt
	}
	if n.Users > 0 {
		f["user_turn_count"] = n.Users
	}
	switch {
	case n.Thread != "":
		f["thread_type"] = n.Thread
	case e.Agent == "" && d.Threads:
		f["thread_type"] = "root"
	}
	n.tellTools(d, past, n.Resumed && turn == 1, f)
	n.tellUsage(e, past, f)
	if n.Compacted {
		n.Summary = turn
	}
	n.User, n.Compacted, n.Resumed = false, false, false
	if n.Passing {
		n.Context, n.Usage, n.Passing = nil, nil, false
	}
	return f
}

// tellTools tells which tools were used since the turn before. unseen says that a session goes on whose steps no hook has seen.
func (n *notes) tellTools(d *Dialect, past Past, unseen bool, f map[string]any) {
	names, failed, sure := []string{}, []string{}, true
	all := fact.False
	for _, t := range n.Tools {
		if t.ID != "" {
			mark(&n.Told, ending(t.ID))
			if slices.Contains(past.Failed, t.ID) {
				t.Failed = fact.True
			}
		}
		if t.Failed == fact.Unknown && d.Failures { // an agent that tells of failures told of none
			t.Failed = fact.False
		}
		names = append(names, t.Name)
		if t.Failed == fact.True {
			failed = append(failed, t.Name)
		}
		all = all.Or(t.Failed)
		sure = sure && t.Failed != fact.Unknown
	}
	if len(names) == 0 && !d.Failures {
		all, sure = fact.Unknown, false
	}
	n.Tools = nil
	if len(names) == 0 && unseen {
		return
	}
	f["tool_used"] = names
	if all != fact.Unknown {
		f["last_tool_call_failed"] = all == fact.True
	}
	if sure {
		f[fact.FailedTools] = failed
	}
}

func (n *notes) tellUsage(e *Event, past Past, f map[string]any) {
	context, window, usage := n.Context, n.Window, n.Usage
	if past.ContextTokens != nil && (past.Compacted || past.At >= n.Stale) {
		context, usage = past.ContextTokens, nil
	}
	exact := n.Exact && sameModel(n.Model, past.Model)
	switch {
	case exact:
	case strings.HasSuffix(n.Model, longWindow) && sameModel(n.Model, past.Model): // which the file does not tell
		n := int64(1_000_000)
		window = &n
	case past.ContextWindow != nil:
		window = past.ContextWindow
	}
	if context != nil && window != nil && *context > *window && usage == nil && !exact { // then it is not the window
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

func tellNumber(f map[string]any, name string, n *int64) {
	if n != nil {
		f[name] = *n
	}
}
