package hook

import "context"

// Reader reads what the file that an agent keeps of a session says of its past. Of a long file it reads only
// the end. A file that does not exist, or is of an unknown format, is a zero Past and no error.
type Reader func(ctx context.Context, of PastOf) (Past, error)

// PastOf says what past a Reader is asked for.
type PastOf struct {
	Agent      string // as --agent names it
	Transcript string // the session's file, an absolute path
	Subagent   string // its id; "" for the session itself
	// the user turn that has just begun, which does not count in Past.UserTurns; "": none that is known
	TurnKey string
	// nothing is known of the run yet, so Past.UserTurns is wanted if the end of the file tells it
	First bool
}

// Past is what a session's file says. What the file does not say is nil, "" or empty.
type Past struct {
	ContextTokens  *int64
	ContextWindow  *int64
	ResponseTokens *int64
	Response       string // the id of the response of ResponseTokens, so that it is told once
	Model          string
	At             int64    // the offset in the file, in bytes, of the record that ContextTokens is from
	Compacted      bool     // ContextTokens is what a compaction left
	Failed         []string // ids of tool calls that failed, among the last ones
	UserTurns      *int64   // prompts of persons, all of them
}
