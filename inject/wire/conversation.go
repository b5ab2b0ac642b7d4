package wire

import (
	"iter"
	"slices"
	"strconv"

	"github.com/aside-go/aside/inject"
)

// Put is what was put at one place of a request, and what later requests must hold there again. As JSON it comes back equal.
type Put struct {
	API    API      `json:"api"`
	Anchor string   `json:"anchor,omitempty"` // the key of the message that it stands with; "": the beginning
	After  int      `json:"after,omitempty"`  // how many system messages of the client's own stand between the two
	Shape  Shape    `json:"shape"`
	Role   string   `json:"role,omitempty"`   // of a message
	Lapses bool     `json:"lapses,omitempty"` // a message that the API lets lapse with the turn
	Texts  []string `json:"texts"`            // as they stand: wrapped
	IDs    []string `json:"ids"`              // of the reminders, one for each text
}

// Shape is with what a text stands in a request.
type Shape string

// The shapes. How each is written depends on what the client has written there: a block behind string content makes blocks
// of that, a result or a prompt that is a string is made longer.
const (
	ShapeBlock   Shape = "block"   // at the end of a message's content, a block of its own
	ShapeText    Shape = "text"    // at the end of the last tool result in a message
	ShapeMessage Shape = "message" // a message of its own
	ShapePrompt  Shape = "prompt"  // at the end of the system prompt
)

// Gone is a Put that cannot be repeated, and why.
type Gone struct {
	Put int    // index into what was to be repeated
	Why string // one line
}

// Conversation is a request that was read for putting texts into it. It keeps the body, which must not be written to. It may
// be used concurrently.
type Conversation struct {
	body    *body
	opts    Options
	reading *reading // what it is released to; nil: nothing
}

// ReadConversation reads a request of opts.API, which it takes to be JSON. What it says of the conversation is what the client's own messages say: a
// client keeps none of our texts. An *Error says why the body could not be read, ErrAPI that there is no such API.
func ReadConversation(b []byte, opts Options) (*Conversation, error) {
	d, err := opts.read(b)
	if err != nil {
		return nil, err
	}
	if opts.API == "" {
		opts.API = Messages
	}
	new(keyer).make(d)
	return &Conversation{body: d, opts: opts}, nil
}

// messageKeys returns the messages that have a key.
func (c *Conversation) messageKeys() []messageKey { return c.body.keys }

// find returns the message with a key.
func (c *Conversation) find(key string) (k messageKey, ok bool) {
	n, err := strconv.ParseUint(key, 16, 64)
	if err != nil || len(key) != 16 {
		return k, false
	}
	for _, k := range slices.Backward(c.messageKeys()) { // mostly it is asked for late ones
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

// Keys returns a key for each message, oldest first, but for those of the host (system, developer) and for thinking. The key
// of a message is the same in every request that holds it, however the client writes it: 16 hexadecimal digits.
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

// Ends returns the keys of the first message and of the last one, "" where there are none.
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

// Head names the conversation as it stands: it is the same for each request that asks for the next message of the same one,
// whatever its parameters, markers, spelling and host messages are.
func (c *Conversation) Head() string {
	head := c.body.headKey(c.messageKeys(), nil)
	return spell(head)
}

// Heads returns for each message that has a key the Head of the conversation as it stood when that was the last one, so that the
// last of them is the Head.
func (c *Conversation) Heads() []string {
	heads := make([]string, 0, c.Len())
	c.body.headKey(c.messageKeys(), func(head uint64) { heads = append(heads, spell(head)) })
	return heads
}

// Calls tells the ids of the tool calls that the conversation holds, or holds the results of, the newest first and each once.
// Those that are "" are left out.
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

// recent is within how many calls the result of one is looked for.
const recent = 256

// Answered reports whether the model has said anything in it, thought or called.
func (c *Conversation) Answered() bool {
	return c.body.head.previous.to > 0 || c.body.lastAnswer() >= 0
}

// lastAnswer returns the last message that is the model's, -1 if there is none.
func (d *body) lastAnswer() int {
	i := len(d.messages) - 1
	for i >= 0 && d.messages[i].class != classAssistant {
		i--
	}
	return i
}

// Gone returns which of past cannot be repeated here, in order.
func (c *Conversation) Gone(past []Put) []Gone {
	_, gone := c.repeat(c.view(c.opts.Seal(), new(Report)), past)
	return gone
}

// view returns how the body is seen when texts are put into it: nothing in it is ours. What is read again for it goes into
// memory of its own.
func (c *Conversation) view(seal inject.Seal, report *Report) *view {
	d := *c.body
	d.blocks, d.texts = slices.Clip(d.blocks), slices.Clip(d.texts)
	return &view{body: &d, seal: seal, ours: make([]bool, len(d.messages)), turn: -1, last: len(d.messages) - 1,
		model: c.opts.model(&d, report), opts: c.opts, replayed: true}
}
