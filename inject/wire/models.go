package wire

import "github.com/aside-go/aside/internal/model"

// Model says which texts the models take whose ids begin with Prefix. It is for callers who know better
// than the project's own table: for a new model, or a deployment with a name of its own.
type Model struct {
	Prefix  string     // of the id, with or without a platform's part in front ("models/", "us.anthropic.")
	System  []Platform // where the model takes a system message in mid-conversation
	ClearAt string     // the value of the anthropic-beta header for messages with clear_at; "": it takes none
	Binds   bool       // thinking is valid only behind the very bytes behind which it was produced
	Strips  bool       // user content other than tool results makes the API drop earlier thinking
	Role    string     // of a message of ours behind the others: "developer" or "system"; "": "user"
	Checked string     // year and month, as in "2026-10"
	Source  string
}

// Platform is the place where a model is reached. The body tells it.
type Platform = model.Platform

// The platforms, as far as they accept different things.
const (
	Direct           = model.Direct // the vendor's own API, and platforms with the same Messages API
	Vertex           = model.Vertex // anthropic_version vertex-…
	Invoke           = model.Invoke // anthropic_version bedrock-…: InvokeModel
	Unknown Platform = ""
)

// row returns the row of a model: the row with the longest prefix in o.Models, else the table's; the zero
// Model if there is none.
func (o Options) row(id string) Model {
	if n := model.Longest(id, len(o.Models), func(i int) string { return o.Models[i].Prefix }); n >= 0 {
		return o.Models[n]
	}
	r := model.Of(id)
	d := r.Delivery
	return Model{r.Name, d.System, d.ClearAt, d.Binds, d.Strips, d.Role, d.Checked, d.Source}
}

// Windows says how many tokens the context windows of models hold, by prefix of a model's id. It is for
// callers who know better than the table: for a deployment with a name of its own, a local server, a
// smaller input limit. Any prefix in it that fits goes before the table; a size of 0 makes the window
// unknown. The nil Windows is the table alone.
type Windows map[string]int64

// Of returns the size of a model's window in tokens; ok is false where it is unknown. Ids may have the
// prefixes of other platforms ("us.anthropic.claude-…", "openai/gpt-…"). It may be called concurrently.
func (w Windows) Of(id string) (tokens int64, ok bool) { return model.Holds(w, id, 0) }

// Holds returns the size of a model's window in tokens, given that a prompt of used tokens has fitted into
// it. Where used is larger than the known size, the window must be another one, and ok is false.
func (w Windows) Holds(id string, used int64) (tokens int64, ok bool) {
	return model.Holds(w, id, used)
}
