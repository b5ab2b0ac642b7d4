package session

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// thread folds what happens in one run into turns. The source of each format reads its own records, and tells
// the thread what they mean.
type thread struct {
	out    *Sink
	run    *Run
	where  agent.Where // Turn.Where
	first  string      // the first directory that the agent worked in
	branch string      // Turn.Branch
	mode   string      // Turn.Mode

	rawDir, rawBranch string // Turn.Where.Dir and Turn.Branch as JSON, to compare records without decoding
	turns             int    // so far
	clock             Clock
	line              int     // the n of Source.Line
	at                int     // the line that the context of the next turn is from
	window            Count   // Turn.Window
	model             string  // that was asked or chosen last
	open              bool    // a further record of the model belongs to last
	last              message // the model's latest message
	waiting           Turn    // what has happened since that message began
	// answers of the session that this one was forked from, behind the latest one that was copied
	parent []uint64
}

func newThread(source string, out *Sink) thread {
	return thread{out: out, run: &Run{Source: source, ID: stem(source), Thread: "root"}}
}

// next returns the turn that would be next, without a key and a model.
func (t *thread) next() *Turn {
	n := t.waiting
	t.last.fill(&n)
	n.Run, n.N, n.At, n.Window = t.run, t.turns+1, t.clock.Now, t.window
	n.Where, n.Branch, n.Mode = t.where, t.branch, t.mode
	return &n
}

// forked records that the first turns may be copies of those of another session. sure says that the file
// tells so, not its name alone.
func (t *thread) forked(from string, sure bool) {
	if t.out.Answers != nil {
		t.parent = t.out.Answers(from, sure)
	}
}

// answer tells of an answer of the model, and reports whether it was copied from the session that this one
// was forked from. A fork copies a part of that one's answers in their order; the first that is not there
// is its own, and so are all behind it.
func (t *thread) answer(parts ...[]byte) (copied bool) {
	if t.out.Answer == nil && t.parent == nil {
		return false
	}
	h := xxhash.New()
	for _, p := range parts {
		_, _ = h.Write(strconv.AppendInt(nil, int64(len(p)), 10))
		_, _ = h.Write(append([]byte{' '}, p...))
	}
	digest := h.Sum64()
	if t.out.Answer != nil {
		t.out.Answer(digest)
	}
	i := slices.Index(t.parent, digest)
	if copied = i >= 0; copied {
		t.parent = t.parent[i+1:]
	} else {
		t.parent = nil
	}
	return copied
}

// begin returns next as a turn, which a message of the model begins.
func (t *thread) begin(key, model string) *Turn {
	n := t.next()
	t.turns++
	t.clock.Stamp(n)
	if key != "" && key == t.last.id { // an id that is given to each answer names none
		key += "@" + strconv.Itoa(t.line)
	}
	n.Key, n.Model, n.Line = key, model, t.line
	id, _, _ := strings.Cut(key, "@")
	t.last, t.waiting = message{key: key, id: id, model: model}, Turn{}
	return n
}

// compacted records that the history was compacted to a number of tokens.
func (t *thread) compacted(after Count) {
	t.waiting.Compacted = true
	t.last.shortened, t.last.after, t.at = true, after, t.line
}

// used records the tokens of the model's latest message, whose response is complete.
func (t *thread) used(u usage) { t.last.usage, t.last.stopped, t.at = u, true, t.line }

// setWindow sets the size of the context window, if window is a number above 0.
func (t *thread) setWindow(window []byte) {
	if n := countOf(window); n.N > 0 {
		t.window = n
	}
}

// facts returns what the next turn says of the past.
func (t *thread) facts() Facts {
	n, key := t.next(), short(t.last.key)
	f := Facts{ContextTokens: n.ContextTokens.small(), ContextWindow: n.Window.small(),
		ResponseTokens: n.ResponseTokens.small(), Response: key, Answer: key, Model: short(t.last.model),
		Calls: n.Calls, At: int64(t.at)}
	f.Compacted = t.last.shortened && f.ContextTokens != nil
	return f
}

// past implements rereader.
func (t *thread) past() (f Facts, enough bool) {
	f = t.facts()
	if f.ContextWindow == nil {
		f.ContextWindow = window(f.Model, f.ContextTokens)
	}
	return f, f.ContextTokens != nil || t.waiting.Compacted
}

// middle implements rereader.
func (t *thread) middle(File) {}

// Pending implements Source.
func (t *thread) Pending() []*Turn { return []*Turn{t.next()} }

// Finish implements Source.
func (t *thread) Finish() {}

// message is what is known so far of a model's message.
type message struct {
	key       string
	id        string // key as the file has it
	model     string
	calls     []Call
	over      []int // indices of calls whose results were recorded
	texts     []string
	usage     usage
	stopped   bool  // the usage is of a finished response
	shortened bool  // the history that the message answers was replaced by a shorter one
	after     Count // with shortened: the tokens of the shorter history
}

// fill sets what a turn says of the model call before it, whose message this is.
func (m *message) fill(t *Turn) {
	t.Calls = m.calls
	t.Response = strings.Join(m.texts, "\n\n")
	t.ContextTokens = m.usage.context
	if m.shortened {
		t.ContextTokens = m.after
	}
	t.Usage = m.usage.billed
	if m.stopped {
		t.ResponseTokens = m.usage.response
	} else { // the count was taken when the response had only begun
		t.Usage.Output = Count{}
	}
}

// ended returns the call with an id whose result is recorded now, nil where the message has no such call.
// Where calls have one id, their results come in their order.
func (m *message) ended(id string) (c *Call) {
	for i := range m.calls {
		if m.calls[i].ID != id {
			continue
		}
		if c = &m.calls[i]; !slices.Contains(m.over, i) {
			m.over = append(m.over, i)
			break
		}
	}
	return c
}

// setFailed records whether the call with an id has failed.
func (m *message) setFailed(id string, failed fact.Truth) {
	for i := range m.calls {
		if m.calls[i].ID == id {
			m.calls[i].Failed = failed
		}
	}
}
