package wire

import "github.com/aside-go/aside/internal/contextwindow"

// Windows says how many tokens the context windows of models hold, by prefix of a model's id. It is for callers who know better
// than the table: for a deployment with a name of its own, a local server, a smaller input limit. Any prefix in it that fits goes
// before the table; a size of 0 makes the window unknown. The nil Windows is the table alone.
type Windows map[string]int64

// Of returns the size of a model's window in tokens; ok is false where it is unknown. Ids may have the prefixes of other
// platforms ("us.anthropic.claude-…", "openai/gpt-…"). It may be called concurrently.
func (w Windows) Of(model string) (tokens int64, ok bool) {
	return contextwindow.Of(w, model)
}

// Holds returns the size of a model's window in tokens, given that a prompt of used tokens has fitted into it. Where used is
// larger than the size that is known, the window must be another one, and ok is false.
func (w Windows) Holds(model string, used int64) (tokens int64, ok bool) {
	return contextwindow.Holds(w, model, used)
}
