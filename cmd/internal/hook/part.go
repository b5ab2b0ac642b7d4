package hook

import (
	"slices"
	"strconv"

	"github.com/aside-go/aside/internal/agent"
)

// openTurn is the turn that a run took last, as far as it takes to know whether an event is a further part of
// it. A turn is one model call (LANGUAGE.md §4), and several events may come before the same one: a session's
// start and a prompt, a prompt and its expansion, each result of a parallel batch. Where the boundary between
// two calls is seen differs from agent to agent (HOOKS.md §2).
type openTurn struct {
	Open     bool   `json:"open,omitempty"`     // the model is not known to have answered
	Prompted bool   `json:"prompted,omitempty"` // a prompt belongs to the turn
	Results  bool   `json:"results,omitempty"`  // the latest events of the turn told results of calls
	Batch    bool   `json:"batch,omitempty"`    // with Results: one event told all of them
	Answer   string `json:"answer,omitempty"`   // what names the answer before the turn; "": not known
	// "file" where a call was held back, and the session's file alone tells how it went on
	Owed  string `json:"owed,omitempty"`
	Round string `json:"round,omitempty"` // agent.Event.Round of a call that was held back, whose turn this is
}

// take records that an event takes a turn, and returns whether that is a further part of the turn before.
// recorded is the id of the latest answer that the session's file has.
func (n *runNotes) take(a *agent.Agent, e *agent.Event, recorded string) (more bool) {
	was := n.Turn
	now := openTurn{Open: true, Results: len(e.Calls) > 0 || isResult(e.Kind), Answer: recorded, Round: e.Round}
	now.Prompted, now.Batch = e.Kind == agent.UserPrompt, e.Kind == agent.ToolBatch
	if e.Iteration != nil {
		now.Answer = strconv.FormatInt(*e.Iteration, 10)
	}
	switch same := now.Answer == was.Answer; {
	case !was.Open:
	case e.Kind == agent.ToolBatch: // results that were told one by one may have opened the turn
		more = was.Results && !was.Batch && slices.ContainsFunc(e.Calls, n.told)
	case now.Prompted && was.Prompted, !now.Results && len(n.Tools) > 0: // an answer lies between
	case !now.Results:
		more = same || now.Answer == ""
	case was.Results:
		more = a.Rounds == agent.RoundsEnd && e.Agent == "" || a.Rounds == agent.RoundsAsked ||
			now.Answer != "" && same &&
				(a.Rounds == agent.RoundsCounted || a.Rounds == agent.RoundsRecorded || a.Rounds == agent.RoundsEnd)
	}
	if n.Turn = now; more {
		n.Turn.Prompted = now.Prompted || was.Prompted
	} else if e.Kind != agent.ModelRequest { // it tells the calls of an answer before again; else they are past
		n.Calls = slices.DeleteFunc(slices.Clone(n.Calls), func(c callNote) bool { return c.Told })
	}
	return more
}

// asks reports whether calls about to be made may be of the answer before the turn, whose other calls have
// opened it by their results.
func (t *openTurn) asks(a *agent.Agent, e *agent.Event) bool { return !t.Batch && t.stays(a, e) }

// stays reports whether the turn is open behind a call about to be made. Where all calls of an answer are
// asked about before the first result, it has one by a call of the same answer that was held back.
func (t *openTurn) stays(a *agent.Agent, e *agent.Event) bool {
	return t.Open && t.Results && (a.Rounds != agent.RoundsAsked || e.Round != "" && e.Round == t.Round)
}

// isResult reports whether events of a kind tell results of calls.
func isResult(k agent.Kind) bool {
	return k == agent.ToolResult || k == agent.ToolFailed || k == agent.ToolBatch
}

// observe records what an event tells of the turn's model call.
func (t *openTurn) observe(a *agent.Agent, e *agent.Event) {
	switch e.Kind {
	case agent.SessionStart, agent.UserPrompt, agent.PromptExpansion: // what follows is of a later answer
		t.Results = false
	case agent.ModelRequest, agent.ModelResponse, agent.Stop, agent.SubagentStop: // it is made, or is over
		*t = openTurn{Answer: t.Answer}
	case agent.ToolCall: // and so it has here, while results of that answer may follow
		t.Open = t.stays(a, e)
	}
}
