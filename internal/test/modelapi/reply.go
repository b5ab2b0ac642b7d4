package modelapi

import (
	"encoding/json"
	"fmt"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/promptcache"
)

// Reply is what a model answers.
type Reply struct {
	Parts  []Part
	Output int // in tokens; 0: as many as the parts have
	Fault  Fault
}

// Part is a text, thinking or a call: one of its exported fields is set.
type Part struct {
	Text     string
	Thinking string
	Call     *Call

	signature string
}

// Call is a tool call. The calls of one reply are parallel.
type Call struct {
	ID, Name string
	Args     string // a JSON object, written as it is; "": {}
}

// Say returns a reply that is a text.
func Say(text string) Reply { return Reply{Parts: []Part{{Text: text}}} }

// Use returns a part that is a call.
func Use(id, name, args string) Part { return Part{Call: &Call{id, name, args}} }

// Fault is what goes wrong with an answer. The zero Fault is none.
type Fault struct {
	Status  int  // answered instead of the reply: 429, 500, 529
	Garbage bool // status 200, and a body that nobody can read

	After  int             // how many chunks get through before Cut, Reset or Stall
	Cut    bool            // the body ends, as if it were complete
	Reset  bool            // the connection is reset
	Stall  bool            // nothing more comes until the client is gone or Resume is closed
	Resume <-chan struct{} // ends the stall

	Chunk int             // bytes of a chunk; 0: a chunk is an event of the stream, or the whole body
	Pace  <-chan struct{} // each chunk waits for a value, or for the channel to be closed
}

// Script returns what the model answers to a prompt. It is not called concurrently, and not for requests that
// are refused.
type Script func(p *Prompt) Reply

// Turns returns a Script that answers with the replies in turn, and then with "done". Which reply it is
// follows from the number of answers in the prompt, so a retry gets the same one.
func Turns(replies ...Reply) Script {
	return func(p *Prompt) Reply {
		if n := p.Answers(); n < len(replies) {
			return replies[n]
		}
		return Say("done")
	}
}

// Answers returns how many answers of the model are in the prompt. Neighbours are one answer where the API
// makes several items of an answer (Responses), where the API joins messages of one role (Anthropic), and
// where a client keeps each chunk of a stream as a Content (Gemini, genai v1.77.0).
func (p *Prompt) Answers() int {
	n, before := 0, false
	for _, m := range p.Messages {
		is := m.Role == "assistant" || m.Role == "model"
		if is && !(before && p.API != Chat && p.API != Converse) {
			n++
		}
		before = is
	}
	return n
}

// finish returns the reply with its thinking signed and its arguments filled in, and how many tokens it has.
func (r Reply) finish(p *Prompt) (Reply, Usage) {
	parts := make([]Part, len(r.Parts))
	u := Usage{}
	bytes, thought, last := 0, 0, ""
	for i, x := range r.Parts {
		switch {
		case x.Call != nil:
			c := *x.Call
			if c.Args == "" {
				c.Args = "{}"
			}
			if !json.Valid([]byte(c.Args)) {
				panic("modelapi: the arguments of " + c.Name + " are not JSON")
			}
			x.Call = &c
			bytes += len(c.Name) + len(c.Args)
		case x.Thinking != "":
			last = p.Sign(last, x.Thinking)
			x.signature = last
			bytes += len(x.Thinking)
			thought += len(x.Thinking)
		default:
			bytes += len(x.Text)
		}
		parts[i] = x
	}
	r.Parts = parts
	u.Output, u.Reasoning = reminder.Tokens(bytes), reminder.Tokens(thought)
	if r.Output > 0 {
		u.Output = r.Output
	}
	return r, u
}

// calls reports whether the reply calls tools.
func (r Reply) calls() bool {
	for _, x := range r.Parts {
		if x.Call != nil {
			return true
		}
	}
	return false
}

// answered returns the prompt with the reply behind it, as a client would send it back: of Anthropic to the
// byte, since thinking is bound to it.
func (p *Prompt) answered(r Reply) *Prompt {
	out := *p
	out.Messages = p.Messages[:len(p.Messages):len(p.Messages)]
	for _, x := range r.Parts {
		b := TextBlock(x.Text)
		switch {
		case p.API == Anthropic:
			b = x.read()
		case x.Call != nil:
			b = call(x.Call.ID, x.Call.Name, x.Call.Args)
		case x.Thinking != "":
			b = Block{Kind: Thinking, Text: x.Thinking, Signature: x.signature, Raw: "reasoning " + x.Thinking,
				Bytes: len(x.Thinking)}
		}
		out.Messages = append(out.Messages, Message{Role: "assistant", Blocks: []Block{b}})
	}
	return &out
}

// read returns the part as a block that was read.
func (x Part) read() Block {
	n, err := parse(x.Block())
	b, no := anthropicBlock(n, "")
	if err != nil || no != nil {
		panic(fmt.Sprint("modelapi: ", err, no)) // it was written here
	}
	return b
}

// Usage is how many tokens a request takes.
type Usage struct {
	promptcache.Usage
	Output    int // with Reasoning
	Reasoning int
}
