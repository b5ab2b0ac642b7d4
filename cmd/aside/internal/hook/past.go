package hook

import "context"

// Reader reads what an agent's own file of a session tells of what has been. It reads no more than the end of a long file. A file
// that is not there, or of a kind that it does not know, is no error.
type Reader func(ctx context.Context, of PastOf) (Past, error)

// PastOf says whose past is asked for.
type PastOf struct {
	Agent      string // as --agent names it
	Transcript string // the session's file, an absolute path
	Subagent   string // its id; "" for the session itself
	TurnKey    string // of the user turn that has just begun, which does not count among UserTurns; "": none that is known
	First      bool   // nothing is known of the run yet: UserTurns is of use, if it costs no more than the end of the file
}

// Past is what a session's file tells; what it does not tell is nil, "" or empty.
type Past struct {
	ContextTokens  *int64
	ContextWindow  *int64
	ResponseTokens *int64
	Response       string // names the response of ResponseTokens, so that it is told once
	Model          string
	At             int64    // where in the file that stands which ContextTokens is from, in bytes
	Compacted      bool     // ContextTokens is what a compaction left
	Failed         []string // ids of tool calls that failed, among the last ones
	UserTurns      *int64   // prompts of persons, all of them
}
