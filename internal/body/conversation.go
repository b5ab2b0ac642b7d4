package body

import (
	"slices"
	"strconv"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/mark"
)

// Conversation is a request that was read for putting texts into it. It borrows the body, which must not be
// written to. It belongs to one goroutine at a time.
type Conversation struct {
	body *Body
	opts Options

	// what has been asked for once
	steps []Step
	asked string
	said  map[int]evidence.Said // by Step.from
}

// NewConversation returns a body as a Conversation. The client's messages are taken to hold none of our
// texts, since a client's history never gets them. d must not be used any more.
func NewConversation(d *Body, opts Options) *Conversation {
	d.makeKeys()
	return &Conversation{body: d, opts: opts}
}

// Marked returns a copy of the conversation with the run's mark in its options. Apart from the mark, which
// depends on the run, everything can be read before the run is known.
func (c *Conversation) Marked(mark string) *Conversation {
	d := *c
	d.opts.Mark = mark
	return &d
}

// Copy is the outcome of an edit.
type Copy struct {
	Report
	Put    []Insertion // the due texts, by place; none with Report.Delivery Tail
	Placed []Placement // where due texts were put behind the messages
	Stands []Stand     // every text of ours in it, those of past first
	Gone   []Gone      // the past Insertions that were not repeated
}

// Stand is a text of ours in an edited request, and the client's message that it stands with.
type Stand struct {
	ID      string // of its reminder
	Text    string // with its tag
	Message int    // index of the client's message; -1: none, it stands with the beginning
	Shape   Shape  // how it stands there
	New     bool   // no earlier request held it there
}

// stands returns the texts of a group.
func (g *group) stands(isNew bool) (list []Stand) {
	for k, text := range g.texts {
		s := Stand{Text: text, Message: g.anchor, Shape: g.shape, New: isNew}
		if k < len(g.ids) {
			s.ID = g.ids[k]
		}
		list = append(list, s)
	}
	return list
}

// Edit returns the request with past repeated, each Insertion at its place and with the bytes that it had
// there, and due put behind it. Without past and due that is the body as it came, but for the tags below.
//
// Due texts go where Body.Inject puts them, with two exceptions. No text goes in front of the model's words,
// so once there is an answer behind their place, texts for the beginning of a run or for a turn go to the
// end. With the delivery Tail all texts go to the end. Texts that cannot be put are held, as there.
//
// Tags that claim the run's mark are neutralised wherever they stand, in every request of the run alike, so
// that no earlier message changes; with mark.All every tag that is not ours is. Without a mark and without
// mark.All none is.
func (c *Conversation) Edit(past []Insertion, due []reminder.Due) (Edited, Copy) {
	var out Copy
	var s Splices
	dr := c.draft(mark.New(c.opts.Options).Only(due), &out.Report)
	groups, gone := c.repeat(dr, past)
	out.Gone = gone
	again := len(groups)
	open := !c.Answered() && c.opts.Delivery != Tail // no text goes in front of the model's words
	groups = dr.plan(groups, open, due, &out.Report)
	for n, g := range groups {
		isNew := n >= again
		out.Stands = append(out.Stands, g.stands(isNew)...)
		if isNew && out.Delivery != Tail {
			out.Put = append(out.Put, c.insertion(&g))
		}
		if isNew && g.shape != ShapePrompt {
			out.Placed = append(out.Placed, dr.placement(&g.Target))
		}
	}
	if c.opts.Mark != "" || c.opts.Neutralise == mark.All {
		dr.neutraliseTexts(&s)
	}
	dr.insert(&s, groups)
	return newEdited(dr.Bytes, s), out
}

// insertion returns a group for later requests to repeat.
func (c *Conversation) insertion(g *group) Insertion {
	p := Insertion{API: c.body.Format.Name, After: g.after, Shape: g.shape, Texts: g.texts, IDs: g.ids}
	if g.anchor >= 0 {
		p.Anchor, p.Says = c.keyOf(g.anchor), c.body.message(&c.body.Messages[g.anchor]).Words
	} else if g.shape == ShapeMessage {
		p.Anchor = c.response()
	}
	if p.Shape == ShapeMessage {
		p.Role, p.Lapses = g.role, g.lapses
	}
	return p
}

// Gone returns which of past cannot be repeated in this request, in order.
func (c *Conversation) Gone(past []Insertion) []Gone {
	_, gone := c.repeat(c.draft(mark.New(c.opts.Options), new(Report)), past)
	return gone
}

// draft returns the draft of the body for putting texts into it, in which nothing is ours. Contents that are
// read again for it are appended to copies, so that the body stays as it is for concurrent callers.
func (c *Conversation) draft(w mark.Wrapper, report *Report) *Draft {
	d := *c.body
	d.allBlocks, d.Texts = slices.Clip(d.allBlocks), slices.Clip(d.Texts)
	return d.draft(w, c.opts, report)
}

// Answered reports whether the model has said, thought or called anything in the conversation.
func (c *Conversation) Answered() bool {
	return c.body.Previous.Found() || c.body.lastAnswer() >= 0
}

// Answers returns how often the model has answered: the same number, whatever API the conversation is written
// for.
func (c *Conversation) Answers() (n int) {
	open := false
	for i := range c.body.Messages {
		switch c.body.Messages[i].Class {
		case Assistant:
			if !open {
				n++
			}
			open = true
		case System:
		default:
			open = false
		}
	}
	return n
}

// lastAnswer returns the index of the model's last message, -1 if there is none.
func (d *Body) lastAnswer() int {
	i := len(d.Messages) - 1
	for i >= 0 && d.Messages[i].Class != Assistant {
		i--
	}
	return i
}

// At returns the index of the message with a key; ok is false if there is none. A minted key is made of ids
// that no other message has. Any other key may belong to a message that says the same, once the client has
// cut its history.
func (c *Conversation) At(key string) (message int, minted, ok bool) {
	n, err := strconv.ParseUint(key, 16, 64)
	if err != nil || len(key) != 16 {
		return 0, false, false
	}
	for _, k := range slices.Backward(c.body.keys) { // mostly it is a late one
		if k.key == n {
			return k.message, k.minted, true
		}
	}
	return 0, false, false
}

// keyOf returns the key of message i, "" if it has none.
func (c *Conversation) keyOf(i int) string {
	keys := c.body.keys
	n, ok := slices.BinarySearchFunc(keys, i, func(k messageKey, i int) int { return k.message - i })
	if !ok {
		return ""
	}
	return spell(keys[n].key)
}

// Keys returns the keys of the messages, oldest first. A message of the host (system, developer) and one that
// is only the model's thinking have none. A key is the same in every request that holds the message, however
// the client writes it: 16 hexadecimal digits.
func (c *Conversation) Keys() (keys []string) {
	for _, k := range c.body.keys {
		keys = append(keys, spell(k.key))
	}
	return keys
}

// Len returns how many messages have a key.
func (c *Conversation) Len() int { return len(c.body.keys) }

// Ends returns the first and the last of Keys, "" where there are none. Messages that may be gone the next
// time do not count, as long as there are others.
func (c *Conversation) Ends() (first, last string) {
	keys := c.body.keys
	if len(keys) == 0 {
		return "", ""
	}
	from, to := 0, len(keys)-1
	for from < to && keys[from].loose {
		from++
	}
	for from < to && keys[to].loose {
		to--
	}
	return spell(keys[from].key), spell(keys[to].key)
}

// Has reports whether the conversation holds the message with this key.
func (c *Conversation) Has(key string) bool {
	_, _, ok := c.At(key)
	return ok
}

// Head names the conversation as it stands: requests that ask for the next message of the same conversation
// have the same Head, whatever their parameters, cache marks, spelling and host messages are.
func (c *Conversation) Head() string {
	if n := c.Len(); n > 0 {
		return spell(c.body.keys[n-1].head)
	}
	return spell(c.body.begin)
}

// Heads returns, for each of Keys, the Head of the conversation as it stood when that message was the last
// one. The last of Heads is Head.
func (c *Conversation) Heads() []string {
	heads := make([]string, 0, c.Len())
	for _, k := range c.body.keys {
		heads = append(heads, spell(k.head))
	}
	return heads
}
