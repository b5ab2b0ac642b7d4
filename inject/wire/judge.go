package wire

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// headers are the headers of a request that are read, those that collect picks.
type headers []header

type header struct{ name, value string }

// collect appends the headers that get can be asked for. Names in all may be in any case.
func (h headers) collect(all map[string][]string) headers {
	for name, values := range all {
		if len(values) == 0 {
			continue
		}
		own := len(name) > 2 && name[0]|0x20 == 'x' && name[1] == '-'
		if n := len(name); own || n == len("thread-id") || n == len("session-id") || n == len("user-agent") || n == len("content-encoding") {
			h = append(h, header{name, values[0]})
		}
	}
	return h
}

// get returns the first value of a header, without blanks around it; "" if there is none. name is in lower
// case: x-…, thread-id, session-id, user-agent or content-encoding.
func (h headers) get(name string) string {
	for i := range h {
		if len(h[i].name) == len(name) && strings.EqualFold(h[i].name, name) {
			return strings.TrimSpace(h[i].value)
		}
	}
	return ""
}

// encoded reports whether the body is compressed.
func (h headers) encoded() bool {
	e := h.get("content-encoding")
	return e != "" && !strings.EqualFold(e, "identity")
}

// kinds are the kinds of requests by the purpose for which an agent makes them.
var kinds = [...]Kind{
	agent.Turn: KindTurn, agent.Compaction: KindCompaction, agent.Title: KindTitle, agent.Side: KindSide,
	agent.Router: KindRouter,
}

// judge decides what the request is for and who has spoken: by marks of the host first, then by structure
// (WIRE.md §2, §2.3).
func (y *history) judge(q *Request) {
	person := y.last == actorPerson
	switch y.last {
	case actorPerson:
		q.UserMessage = fact.True
	case actorTool, actorHost:
		q.UserMessage = fact.False
	}
	mark := strings.ToLower(y.get("x-reminder-turn"))
	if q.Kind == KindTurn {
		q.Kind = y.kind(q, mark)
		if q.Kind != KindTurn {
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
		if person && y.prompted && q.Kind == KindTurn {
			y.dropPrompt()
		}
	}
	if y.prompted {
		var few [8]span
		q.Prompt = Text{y.join(y.texts(few[:0], y.prompt), true), true}
		q.PromptKey = promptKey(y.users, q.Prompt.S)
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
	return agent.Spoke(asked{y})
}

// kind returns the kind of a request whose path is that of a turn. mark is the value of x-reminder-turn, in
// lower case.
func (y *history) kind(q *Request, mark string) Kind {
	if mark == "user" || mark == "tool" {
		return KindTurn
	}
	if p := agent.Signed(asked{y}); p != agent.Turn {
		return kinds[p]
	}
	noTools := y.params.tools == fact.False
	if noTools {
		if k := y.openingKind(y.first, true); k != KindTurn {
			return k
		}
	}
	if (noTools || y.responded) && y.fresh {
		var few [8]span
		for _, t := range y.texts(few[:0], y.tail) { // the words may stand behind other texts of the host and behind results of tools
			if k := y.openingKind(t, false); k != KindTurn {
				return k
			}
		}
	}
	if y.last == actorTool && y.isSideQuestion() {
		return KindSide
	}
	if noTools && q.Schema && !q.Stream {
		return kinds[agent.Structured(asked{y})]
	}
	return KindTurn
}

// isSideQuestion reports whether the last message of a person is in truth a question that the host asks
// beside the conversation, which may take several tool rounds.
func (y *history) isSideQuestion() bool {
	if !y.prompted {
		return false
	}
	var few [8]span
	texts := y.texts(few[:0], y.prompt)
	return len(texts) > 0 && y.openingKind(texts[0], false) == KindSide
}

// openingKind returns the kind of request that the string whose inside is at opens, KindTurn if it opens
// none of an agent's own.
func (y *history) openingKind(at span, system bool) Kind {
	const enough = 512 // bytes; all words are shorter, with all their escapes
	end := at.from
	for end < at.to && end < at.from+enough { // in whole escapes
		switch {
		case y.b[end] != '\\':
			end++
		case y.b[end+1] == 'u':
			end += 6
		default:
			end += 2
		}
	}
	at.to = min(end, at.to)
	return kinds[agent.Opened(y.says(at), system)]
}
