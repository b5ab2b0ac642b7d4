package wire

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/outline"
)

// actor is who a message is from, as far as its form tells (WIRE.md §2).
type actor uint8

const (
	actorNone   actor = iota // nobody that counts: system, developer, unknown items
	actorModel               // the model
	actorTool                // the results of tools
	actorHost                // the host, in a user's place
	actorPerson              // a person
	actorOther               // somebody, but the form does not tell who
)

// ascribe sets the actor of a message that was read, and the number of calls and results in it.
func (d *body) ascribe(m *message) {
	switch {
	case d.item(m):
		d.ascribeItem(m)
		return
	case d.f.items && d.word(m.kind) == "" && d.word(m.role) == "":
		return
	}
	var few [8]span
	words, media := d.words(few[:0], m), false
	m.spoke = len(words) > 0
	for i := range d.of(m) {
		part := d.blocks[m.blocks.from+i].part
		media = media || part&partMedia != 0
		if part&partCall != 0 {
			m.callCount++
		}
		if part&partResult != 0 {
			m.resultCount++
		}
	}
	if m.callCount += m.calls.to - m.calls.from; m.called.to > 0 {
		m.callCount++
	}
	if d.f.items {
		m.callCount, m.resultCount = 0, 0 // calls and results are items of their own there
	}
	switch role := d.word(m.role); role {
	case "assistant", "model":
		m.actor = actorModel
	case "system", "developer":
	case "tool", "function":
		if m.actor = actorTool; d.f.keyed || d.f.items {
			break
		}
		if m.spoke = false; m.resultCount == 0 {
			m.resultCount = 1 // the message is the result
		}
	case "user":
		m.actor = d.inUserPlace(m, words, media)
	default:
		if m.actor = actorOther; role == "" && d.f.promptParts != "" {
			m.actor = d.inUserPlace(m, words, media)
		}
	}
}

// inUserPlace says who a message in a user's place is from, and whether it is a summary: rules 2, 3 and 5 of WIRE.md §2. words
// are the texts in it; media is whether it holds what only persons send.
func (d *body) inUserPlace(m *message, words []span, media bool) actor {
	switch {
	case m.resultCount > 0:
		return actorTool
	case m.form == outline.NoContent && !m.spoke:
		return actorOther
	case isHostName(m.name.of(d.b)):
	case media || !m.spoke:
		return actorPerson
	default:
		for _, w := range words {
			if !isHostText(w.of(d.b)) {
				return actorPerson
			}
		}
	}
	for _, w := range words {
		_, summary := agent.WroteNote(w.of(d.b))
		m.summary = m.summary || summary
	}
	return actorHost
}

// words appends the texts of a message's content: of its blocks, or of a string, even in an API that takes no string content.
func (d *body) words(to []span, m *message) []span {
	if at := m.content; m.form == outline.NoContent && at.from < at.to && d.b[at.from] == '"' {
		return append(to, span{at.from + 1, at.to - 1})
	}
	for _, b := range d.of(m) {
		if b.said.to > 0 {
			to = append(to, b.said)
		}
	}
	if m.refusal.to > 0 {
		to = append(to, m.refusal)
	}
	return to
}

// stringMessage returns a list of messages that is a string as the one message it stands for.
func (d *body) stringMessage() message {
	m := message{span: d.list, form: outline.StringContent, spoke: true, actor: actorHost}
	if raw := d.listString.of(d.b); !isHostText(raw) {
		m.actor = actorPerson
	}
	return m
}

// item reports whether a message is an item other than somebody's words. What stands beside an item proves nothing: developer
// messages stand between a call and its output, so calls and outputs are matched by their ids.
func (d *body) item(m *message) bool {
	if !d.f.items {
		return false
	}
	kind := d.word(m.kind)
	return kind != "" && kind != "message"
}

// ascribeItem is ascribe for an item.
func (d *body) ascribeItem(m *message) {
	switch k := d.word(m.kind); {
	case strings.HasSuffix(k, "_output"):
		m.actor, m.resultCount = actorTool, 1
	case strings.HasSuffix(k, "_call"):
		m.actor, m.callCount = actorModel, 1
	case k == "reasoning", k == "item_reference":
		m.actor = actorModel
	case k == "mcp_approval_response":
		m.actor = actorTool
	}
}

// itemFailed says whether the call failed that an item is, or is the output of. broken is whether the item has an error.
func itemFailed(kind, status string, broken bool) fact.Truth {
	if strings.HasSuffix(kind, "_output") {
		return outputFailed(kind, status)
	}
	return callFailed(kind, status, broken)
}

// outputFailed says by the output of a call whether the call failed. The status of most outputs says only that the item is
// complete.
func outputFailed(kind, status string) fact.Truth {
	switch {
	case status == "failed":
		return fact.True
	case kind == "apply_patch_call_output" && status == "completed":
		return fact.False
	default:
		return fact.Unknown
	}
}

// shellFailed says by the output of a shell whether one of its commands failed:
// [{"stdout","stderr","outcome":{"type":"exit","exit_code":0}}]. A command that ran out of time has the type "timeout". Where no
// command is known to have failed, and the outcome of one is missing, the result is unknown.
//
// Source: openai-go v3.94.0 responses/response.go.
func shellFailed(output []byte) fact.Truth {
	s := scanner{b: output}
	if s.peek() != '[' {
		return fact.Unknown
	}
	failed, told := fact.False, 0
	s.enter()
	n := 0
	for ; s.more(n == 0, ']'); n++ {
		s.eachMember(func(name []byte) {
			if string(name) != "outcome" {
				s.value()
				return
			}
			told++
			failed = failed.Or(s.commandFailed())
		})
	}
	if told < n || n == 0 {
		failed = failed.Or(fact.Unknown)
	}
	return failed
}

// commandFailed reads the outcome of a command and says whether the command failed.
func (s *scanner) commandFailed() fact.Truth {
	failed := fact.Unknown
	s.eachMember(func(name []byte) {
		from := s.i
		switch s.value(); string(name) {
		case "type":
			if string(s.b[from:s.i]) == `"timeout"` {
				failed = fact.True
			}
		case "exit_code":
			failed = fact.Of(string(s.b[from:s.i]) != "0")
		}
	})
	return failed
}

// callFailed says by a call itself whether it failed. Only calls of tools that run on the server tell.
func callFailed(kind, status string, broken bool) fact.Truth {
	switch kind {
	case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call", "tool_search_call":
		return fact.Unknown
	}
	switch {
	case broken || status == "failed":
		return fact.True
	case status == "completed":
		return fact.False
	default:
		return fact.Unknown
	}
}
