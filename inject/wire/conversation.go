package wire

import (
	"iter"
	"slices"
	"strconv"

	"github.com/aside-go/aside/internal/mark"
)

// Put is what was put at one place of a request, and what later requests must hold there again. It survives a round trip through
// JSON.
type Put struct {
	API    API      `json:"api"`
	Anchor string   `json:"anchor,omitempty"` // the key of the message that the texts stand with, or of the server's response that they follow; "": the beginning
	After  int      `json:"after,omitempty"`  // how many system messages of the client's own stand between that message and ours
	Shape  Shape    `json:"shape"`
	Role   string   `json:"role,omitempty"`   // of ShapeMessage
	Lapses bool     `json:"lapses,omitempty"` // of ShapeMessage: the API lets it lapse with the turn
	Texts  []string `json:"texts"`            // wrapped, as they stand in the body
	IDs    []string `json:"ids"`              // ids of the reminders, one for each text
}

// Shape is the form in which texts stand in a request, apart from how the API writes it.
type Shape string

// The shapes. How a shape is written depends on what the client has written there: a block behind string content turns the string
// into a block; a result or a prompt that is a string is made longer.
const (
	ShapeBlock   Shape = "block"   // blocks at the end of a message's content
	ShapeText    Shape = "text"    // at the end of the last tool result in a message
	ShapeMessage Shape = "message" // a message of its own
	ShapePrompt  Shape = "prompt"  // at the end of the system prompt
)

// Gone says that a Put cannot be repeated, and why.
type Gone struct {
	Put int    // index into the Puts that were to be repeated
	Why string // in one line
}

// Conversation is a request that was read for putting texts into it. It borrows the body, which must not be written to. It may be
// used concurrently.
type Conversation struct {
	body *body
	opts Options
}

// ReadConversation reads a request of opts.API, which it takes to be valid JSON. The client's messages are taken to hold none of
// our texts, since a client's history never gets them. An *Error says why the body cannot be read; ErrAPI that there is no such
// API.
func ReadConversation(b []byte, opts Options) (*Conversation, error) {
	d, err := opts.read(b)
	if err != nil {
		return nil, err
	}
	if opts.API == "" {
		opts.API = Messages
	}
	d.makeKeys()
	return &Conversation{body: d, opts: opts}, nil
}

// messageKeys returns the keys of the messages that have one, oldest first.
func (c *Conversation) messageKeys() []messageKey { return c.body.keys }

// find returns the message with a key; ok is false if there is none.
func (c *Conversation) find(key string) (k messageKey, ok bool) {
	n, err := strconv.ParseUint(key, 16, 64)
	if err != nil || len(key) != 16 {
		return k, false
	}
	for _, k := range slices.Backward(c.messageKeys()) { // mostly it is a late one
		if k.key == n {
			return k, true
		}
	}
	return k, false
}

// keyOf returns the key of message i, "" if it has none.
func (c *Conversation) keyOf(i int) string {
	list := c.messageKeys()
	n, ok := slices.BinarySearchFunc(list, i, func(k messageKey, i int) int { return k.message - i })
	if !ok {
		return ""
	}
	return spell(list[n].key)
}

// Keys returns the keys of the messages, oldest first. A message of the host (system, developer) and one that is only the model's
// thinking have none. A key is the same in every request that holds the message, however the client writes it: 16 hexadecimal
// digits.
func (c *Conversation) Keys() []string {
	list := c.messageKeys()
	out := make([]string, len(list))
	for i, k := range list {
		out[i] = spell(k.key)
	}
	return out
}

// Len returns how many messages have a key.
func (c *Conversation) Len() int { return len(c.messageKeys()) }

// Ends returns the first and the last of Keys, "" where there are none.
func (c *Conversation) Ends() (first, last string) {
	list := c.messageKeys()
	if len(list) == 0 {
		return "", ""
	}
	return spell(list[0].key), spell(list[len(list)-1].key)
}

// Has reports whether the conversation holds the message with this key.
func (c *Conversation) Has(key string) bool {
	_, ok := c.find(key)
	return ok
}

// Head names the conversation as it stands: requests that ask for the next message of the same conversation have the same Head,
// whatever their parameters, cache marks, spelling and host messages are.
func (c *Conversation) Head() string {
	head := c.body.headKey(c.messageKeys(), nil)
	return spell(head)
}

// Heads returns, for each of Keys, the Head of the conversation as it stood when that message was the last one. The last of Heads
// is Head.
func (c *Conversation) Heads() []string {
	heads := make([]string, 0, c.Len())
	c.body.headKey(c.messageKeys(), func(head uint64) { heads = append(heads, spell(head)) })
	return heads
}

// Calls yields the ids of the tool calls that the conversation holds, or holds the results of, newest first. Ids that are "" are
// left out, and an id that was yielded among the last 256 is not yielded again.
func (c *Conversation) Calls() iter.Seq[string] {
	return func(yield func(string) bool) {
		d := c.body
		var ids []string
		tell := func(at span) bool {
			if at.from >= at.to {
				return true
			}
			id := d.says(at)
			if slices.Contains(ids[max(len(ids)-recent, 0):], id) {
				return true
			}
			ids = append(ids, id)
			return yield(id)
		}
		for i := range slices.Backward(d.messages) {
			m := &d.messages[i]
			for _, b := range slices.Backward(d.of(m)) {
				if (b.kind == kindCall || b.kind == kindResult) && !tell(b.id) {
					return
				}
			}
			for _, at := range slices.Backward(d.calls[m.calls.from:m.calls.to]) {
				if !tell(at) {
					return
				}
			}
			if !tell(m.id) {
				return
			}
		}
	}
}

// recent is within how many ids a call and its result are taken for the same one.
const recent = 256

// Answered reports whether the model has said, thought or called anything in the conversation.
func (c *Conversation) Answered() bool {
	return c.body.head.previous.to > 0 || c.body.lastAnswer() >= 0
}

// lastAnswer returns the index of the model's last message, -1 if there is none.
func (d *body) lastAnswer() int {
	i := len(d.messages) - 1
	for i >= 0 && d.messages[i].class != classAssistant {
		i--
	}
	return i
}

// Gone returns which of past cannot be repeated in this request, in order.
func (c *Conversation) Gone(past []Put) []Gone {
	_, gone := c.repeat(c.view(mark.New(c.opts.tag()), new(Report)), past)
	return gone
}

// view returns the view of the body for putting texts into it, in which nothing is ours. Contents that are read again for it are
// appended to copies, so that the body stays as it is for concurrent callers.
func (c *Conversation) view(seal mark.Wrapper, report *Report) *view {
	d := *c.body
	d.blocks, d.texts = slices.Clip(d.blocks), slices.Clip(d.texts)
	return &view{body: &d, seal: seal, ours: make([]bool, len(d.messages)), turn: -1, last: len(d.messages) - 1,
		model: c.opts.model(&d, report), opts: c.opts, replayed: true}
}
