package request

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
)

// headers are the first values of a request's headers, by their names in lower case.
type headers map[string]string

// headersOf returns headers, whose names in all may be in any case.
func headersOf(all map[string][]string) headers {
	h := make(headers, len(all))
	for name, values := range all {
		if len(values) > 0 {
			h[strings.ToLower(name)] = strings.TrimSpace(values[0])
		}
	}
	return h
}

// Header returns the value of a header, whose name is in lower case; "" if there is none.
func (h headers) Header(name string) string { return h[name] }

// encoded reports whether the body is compressed.
func (h headers) encoded() bool {
	e := h.Header("content-encoding")
	return e != "" && !strings.EqualFold(e, "identity")
}

// judge decides what the request is for and who has spoken: by marks of the host first, then by structure
// (WIRE.md §2, §2.3).
func (y *history) judge(q *Request) {
	person := y.last == body.ByUser
	switch y.last {
	case body.ByUser:
		q.UserMessage = fact.True
	case body.ByTool, body.ByHost:
		q.UserMessage = fact.False
	}
	mark := strings.ToLower(y.Header("x-reminder-turn"))
	if q.Kind == api.KindTurn {
		q.Kind = y.kind(q, mark)
		if q.Kind != api.KindTurn {
			q.UserMessage = fact.False
			if person || y.isSideQuestion() {
				y.dropPrompt()
			}
		}
	}
	if q.Thread.Type != "" && q.Thread.Type != "root" { // a subagent's prompt was written by another agent
		q.UserMessage = fact.False
		y.prompted = false
	}
	switch y.mark(mark) {
	case fact.True:
		q.UserMessage = fact.True
		if !person || !y.prompted {
			y.prompt, y.prompted = y.tail, y.tail >= 0 && y.said[y.tail].spoke || y.prompted
			y.users++
		}
	case fact.False:
		q.UserMessage = fact.False
		if person && y.prompted && q.Kind == api.KindTurn {
			y.dropPrompt()
		}
	}
	if y.prompted {
		q.Prompt = Text{y.join(y.texts(nil, y.prompt), true), true}
		q.PromptKey, q.PromptAt = promptKey(y.users, q.Prompt.S), y.prompt
	}
}

// dropPrompt takes the last message that looked like a person's for the host's: the prompt is the one
// before it.
func (y *history) dropPrompt() {
	y.prompt, y.prompted = y.before, y.before >= 0
	y.users--
}

// mark says by the host's own marks whether a person has just submitted a message. mark is the value of
// x-reminder-turn, in lower case.
func (y *history) mark(mark string) fact.Truth {
	switch mark {
	case "user":
		return fact.True
	case "tool", "auto":
		return fact.False
	}
	return agent.Spoke(y)
}

// kind returns the kind of a request whose path is that of a turn. mark is the value of x-reminder-turn, in
// lower case.
func (y *history) kind(q *Request, mark string) api.Kind {
	switch {
	case y.d.Compacts:
		return api.KindCompaction
	case mark == "side":
		return api.KindSide
	case mark == "user" || mark == "tool":
		return api.KindTurn
	}
	if k := agent.Signed(y); k != api.KindTurn {
		return k
	}
	noTools := y.d.Tools == fact.False
	if noTools {
		if k := y.openingKind(y.first, true); k != api.KindTurn {
			return k
		}
	}
	if (noTools || y.responded) && y.fresh {
		// the words may stand behind other texts of the host and behind results of tools
		for _, t := range y.texts(nil, y.tail) {
			if k := y.openingKind(t, false); k != api.KindTurn {
				return k
			}
		}
	}
	if y.last == body.ByTool && y.isSideQuestion() {
		return api.KindSide
	}
	if noTools && q.Schema && !q.Stream {
		return agent.Structured(y)
	}
	return api.KindTurn
}

// isSideQuestion reports whether the last message of a person is in truth a question that the host asks
// beside the conversation, which may take several tool rounds.
func (y *history) isSideQuestion() bool {
	if !y.prompted {
		return false
	}
	texts := y.texts(nil, y.prompt)
	return len(texts) > 0 && y.openingKind(texts[0], false) == api.KindSide
}

// openingKind returns the kind of request that the string whose inside is at opens, api.KindTurn if it opens
// none of an agent's own.
func (y *history) openingKind(at body.Span, system bool) api.Kind {
	const enough = 512 // bytes; all words are shorter, with all their escapes
	at.To = min(at.To, at.From+enough)
	for at.To > at.From && y.d.Bytes[at.To-1] == '\\' { // no half escape
		at.To--
	}
	return agent.Opened(y.d.Says(at), system)
}
