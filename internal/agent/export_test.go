package agent

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// ReadDescription reads a description.
func ReadDescription(name string) (a Agent, err error) {
	if !json.Valid(file(name + ".json")) {
		return a, errors.New("it is no JSON")
	}
	return a, a.inherit(name)
}

// Table returns a table in Markdown of what each agent that has hooks can and cannot do, as the code has it.
func Table() string {
	rows := [][]string{{"agent", "texts go out with", "can be held back", "results of one answer are known by",
		"failed calls", "tokens", "subagents", "never told", "besides"}}
	for _, a := range WithHooks() {
		title := a.Title
		if a.Untried {
			title += " (untried)"
		}
		rows = append(rows, []string{title, a.speaks(), a.holds(), a.knowsRounds(), a.knowsFailures(),
			a.knowsTokens(),
			a.knowsSubagents(), a.silence(), or(a.Limit)})
	}
	rows = slices.Insert(rows, 1, slices.Repeat([]string{"---"}, len(rows[0])))
	var out strings.Builder
	for _, row := range rows {
		out.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return out.String()
}

func or(cell string) string {
	if cell == "" {
		return "–"
	}
	return cell
}

// speaks names the events that carry text.
func (a *Agent) speaks() string {
	var at []string
	for _, of := range []struct {
		name  string
		kinds []Kind
	}{
		{"starts", []Kind{SessionStart}}, {"prompts", []Kind{UserPrompt}}, {"calls", []Kind{ToolCall}},
		{"results", []Kind{ToolResult, ToolFailed, ToolBatch}}, {"subagents' starts", []Kind{SubagentStart}},
		{"each request", []Kind{ModelRequest}},
	} {
		if slices.ContainsFunc(of.kinds, func(k Kind) bool { return slices.Contains(a.Carries, k) }) {
			if of.kinds[0] == ModelRequest && slices.Contains(a.Modes, ModeBeforeModel) {
				of.name += " (with --mode " + ModeBeforeModel + ")"
			}
			at = append(at, of.name)
		}
	}
	switch {
	case len(at) == 0 && len(a.Config.Files) == 0:
		return "nothing"
	case len(at) == 0:
		return "a file that it reads"
	}
	return strings.Join(at, ", ")
}

func (a *Agent) holds() string {
	var at []string
	for _, m := range a.Moments {
		at = append(at, map[fact.Moment]string{fact.BeforeTool: "a call", fact.Stopping: "the end"}[m])
	}
	return or(strings.Join(at, ", "))
}

func (a *Agent) knowsRounds() string {
	switch {
	case a.TellsRequests():
		return "the request"
	case slices.Contains(a.Carries, ToolBatch):
		return "one event for all"
	case a.Rounds == RoundsCounted:
		return "its own count"
	case a.Rounds == RoundsEnd:
		return "an event behind them"
	case a.Rounds == RoundsAsked:
		return "the questions before them"
	case a.Rounds == RoundsRecorded:
		return "the session's file"
	case slices.Contains(a.Carries, ToolResult) || a.Before:
		return "nothing: each is a turn"
	}
	return "–"
}

func (a *Agent) knowsFailures() string {
	switch {
	case a.Recorded:
		return "from the session's file"
	case slices.Contains(a.Never, fact.LastToolCallFailed):
		return "never told"
	case a.Failures:
		return "told"
	}
	return "some are told"
}

func (a *Agent) knowsTokens() string {
	switch {
	case slices.Contains(a.Never, fact.ContextTokens):
		return "never told"
	case a.Rarely[fact.ContextTokens] != "":
		return "told at times"
	case !a.TellsRequests() && a.Session != nil && a.Session.Files != "":
		return "from the session's file"
	}
	return "told"
}

func (a *Agent) knowsSubagents() string {
	switch {
	case a.Nests != "":
		return "left out"
	case a.Subagents || a.Apart:
		return "runs of their own"
	}
	return "not told"
}

var (
	usage    = []fact.ID{fact.ContextUsage, fact.ContextTokens, fact.ContextWindow}
	failures = []fact.ID{fact.LastToolCallFailed, fact.FailuresInRow}
)

// silence names the facts that the agent never reports, but for those that none tells and those that have a
// column.
func (a *Agent) silence() string {
	var names []string
	schema := fact.Builtin()
	for _, id := range a.Never {
		if !slices.Contains(noHook, id) && !slices.Contains(usage, id) && !slices.Contains(failures, id) {
			names = append(names, "`"+schema.Fact(id).Name+"`")
		}
	}
	return or(strings.Join(names, ", "))
}
