package wire

import "github.com/aside-go/aside/internal/contextwindow"

// Windows says how many tokens the context windows of models hold, by the prefix of a model's id, where somebody knows
// better than the table: a deployment with a name of its own, a local server, a smaller input limit. Any prefix of it that
// fits goes before the table; 0 makes a window unknown. The nil Windows is the table alone.
type Windows map[string]int64

// Of returns the size of a model's window in tokens; ok is false for a model of which nobody knows it. Ids may have the
// prefixes of other platforms ("us.anthropic.claude-…", "openai/gpt-…"). It may be called concurrently.
func (w Windows) Of(model string) (tokens int64, ok bool) {
	return contextwindow.Of(w, model)
}

// Holds returns the size of a model's window, given that a prompt of used tokens went into it. A window that held more
// than it is said to hold is another one, and then nothing is known.
func (w Windows) Holds(model string, used int64) (tokens int64, ok bool) {
	return contextwindow.Holds(w, model, used)
}
