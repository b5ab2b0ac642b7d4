package agent

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
)

// noHook are the facts that no hook tells: no agent hands the messages or its answer to one, or says who
// makes its model.
var noHook = []fact.ID{fact.MessageCount, fact.Response, fact.Provider}

var (
	usage    = []fact.ID{fact.ContextUsage, fact.ContextTokens, fact.ContextWindow}
	answers  = []fact.ID{fact.LastResponseTokens, fact.OutputTokens}
	failures = []fact.ID{fact.LastToolCallFailed, fact.FailuresInRow}
	cost     = []fact.ID{fact.Cost} // of an agent without session files, which alone have all usage
	output   = []fact.ID{fact.Output}
	compacts = []fact.ID{fact.Compacted} // of an agent whose hooks are told of no compaction
	resumes  = []fact.ID{fact.Resumed}   // of one whose starts do not say whether a session goes on
	modes    = []fact.ID{fact.Mode}
)

// never returns the facts that an agent never tells: noHook and these.
func never(more ...[]fact.ID) []fact.ID {
	return slices.Concat(append([][]fact.ID{noHook}, more...)...)
}

// Advice says what to use in place of a fact that the agent never tells.
func (a *Agent) Advice(f fact.ID) string {
	if a.Instead != nil {
		if s := a.Instead(f); s != "" {
			return s
		}
	}
	switch f {
	case fact.ContextUsage, fact.ContextTokens, fact.ContextWindow:
		return "count turns instead, as in turn_count > 40, or run the agent through aside serve"
	case fact.LastToolCallFailed, fact.FailuresInRow:
		return "run the agent through aside serve, or leave this part out"
	case fact.MessageCount:
		return "use turn_count, or run the agent through aside serve"
	case fact.OutputTokens, fact.LastResponseTokens, fact.Response, fact.Cost, fact.Output:
		return "run the agent through aside serve, or leave this part out"
	case fact.IdenticalCalls:
		return "use tool_chain_repeats, which reads the names of tools alone"
	case fact.Mode:
		return "leave this part out, or compare thread_type, which is plan in a subagent that plans"
	case fact.Provider:
		return "compare model instead, or leave this part out"
	}
	return "leave this part out"
}
