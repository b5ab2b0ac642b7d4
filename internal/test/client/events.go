package client

import (
	"context"
	"fmt"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// between plays what may happen between two user turns. half is the number of model calls at which the model
// changes.
func (a *Agent) between(ctx context.Context, half int) {
	t, h := a.main, a.opts.Habits
	if w := a.opts.Window; w > 0 && a.size(t) > w*8/10 {
		a.compact(ctx, t)
	}
	if a.opts.Next != "" && a.model != a.opts.Next && t.made >= half {
		a.change(a.opts.Next)
	}
	if a.chance(h.Resume) {
		a.resume(t)
	}
	if a.chance(h.Fork) {
		a.forks++
		a.run = fmt.Sprintf("%s-fork-%d", a.run, a.forks)
	}
	if a.chance(h.Rewind) {
		a.rewind(t)
	}
}

// size returns the length of the history in tokens, as the client sees it. It does not use the API's numbers,
// which count what others have put in: so an agent does the same whatever happens to its requests on their
// way.
func (a *Agent) size(t *thread) int {
	n := 0
	for _, m := range t.history {
		n += len(m.text) + len(m.note) + len(m.said())
		for _, c := range m.calls() {
			n += len(c.args)
		}
		for _, r := range m.results {
			n += len(r.text)
		}
	}
	return n / 4
}

// resume restarts the client, which reads its history from where it was saved.
func (a *Agent) resume(t *thread) {
	t.resumed++
	for i := range t.history {
		t.history[i].age++
	}
}

// rewind drops the last messages, back to before a prompt. Another prompt follows.
func (a *Agent) rewind(t *thread) {
	for drop := 1 + a.rng.IntN(3); drop > 0; drop-- {
		for i := len(t.history) - 1; i > 0; i-- {
			if t.history[i].role == person && !t.history[i].summary && t.history[i-1].role == model {
				t.history = t.history[:i]
				break
			}
		}
	}
}

// Switch goes on with another model, and maybe with another API. What a model has thought is kept, and sent
// to that model alone.
func (a *Agent) Switch(api modelapi.API, model string) {
	if api != a.opts.API {
		a.main.named()
	}
	a.opts.API, a.model = api, model
}

// change goes on with another model, for which the history is written anew, without thinking.
func (a *Agent) change(model string) {
	a.model = model
	for i, m := range a.main.history {
		a.main.history[i] = m.thoughtless()
	}
}

// compact asks for a summary, and replaces the history by it. Some clients keep the last messages behind the
// summary.
func (a *Agent) compact(ctx context.Context, t *thread) {
	c := Cue{Seed: a.rng.Uint64()}
	from := t.history
	t.history = append(from[:len(from):len(from)], message{role: person, text: summaryWords[a.opts.API] +
		" so far.\n" + c.String()})
	r, ok := a.ask(ctx, t, Compaction)
	t.history = from
	if !ok {
		return
	}
	t.window++
	next := []message{{role: person, summary: true,
		text: "This session is being continued from a previous conversation. Summary: " + r.said()}}
	if a.opts.API == modelapi.Gemini || a.opts.API == modelapi.Converse {
		next = append(next, message{role: model, parts: []part{
			{text: "Got it. Thanks for the additional context!"}}})
	}
	if !a.opts.Stateful {
		next = append(next, tail(from, a.manner.keep)...)
	}
	t.history = next
}

// tail returns the last n messages or more, beginning with a prompt, without thinking; none if n is 0.
func tail(from []message, n int) []message {
	if n == 0 {
		return nil
	}
	i := max(0, len(from)-n)
	for i > 0 && from[i].role != person {
		i--
	}
	if i == 0 || from[i].summary {
		return nil
	}
	var out []message
	for _, m := range from[i:] {
		out = append(out, m.thoughtless())
	}
	return out
}

// summaryWords begin the request for a summary, in the words of each client.
var summaryWords = map[modelapi.API]string{
	modelapi.Anthropic: "Your task is to create a detailed summary of the conversation",
	modelapi.Chat:      "Provide a detailed prompt for continuing our conversation",
	modelapi.Responses: "You are performing a CONTEXT CHECKPOINT COMPACTION. Summarize the work",
	modelapi.Gemini:    "First, reason in your scratchpad. Then, generate the <state_snapshot>",
	modelapi.Converse:  "Your task is to create a detailed summary of the conversation",

	modelapi.Interactions: "Your task is to create a detailed summary of the conversation",
}

// count asks how many tokens the next request has, if the API can tell.
func (a *Agent) count(ctx context.Context, t *thread) {
	switch a.opts.API {
	case modelapi.Chat, modelapi.Converse, modelapi.Interactions:
		return
	}
	if !a.opts.Stateful {
		a.ask(ctx, t, Count)
	}
}

// beside asks for a title, or, as Gemini CLI does, which model should answer.
func (a *Agent) beside(ctx context.Context) {
	k := Title
	if a.opts.API == modelapi.Gemini {
		k = Router
	}
	c := Cue{Seed: a.rng.Uint64()}
	a.ask(ctx, &thread{history: []message{{role: person, text: a.main.history[0].text},
		{role: person, text: "Name it.\n" + c.String()}}}, k)
}
