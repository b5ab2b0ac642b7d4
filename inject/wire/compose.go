package wire

import (
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/inject"
)

// Copy is what Compose puts together.
type Copy struct {
	Report
	Puts  []Put  // what of due was put, a Put for each place; none with Report.Delivery Tail, and none in the generic shape
	Gone  []Gone // what of past was not repeated
	Since string // what to give to the next Compose of the run
}

// Compose appends to dst what Edit makes of the request. dst must not overlap the body.
func (c *Conversation) Compose(dst []byte, past []Put, due []terms.Due, since string) ([]byte, Copy) {
	e, out := c.Edit(past, due, since)
	return e.AppendTo(dst), out
}

// Edit returns the request with past repeated, each at its place and with the bytes that it had there, and due put behind it.
// Without past, due and since it is the body as it came.
//
// Due texts go where AppendInject puts them, but for two things: none goes in front of what the model has said, so texts for
// the beginning of a run and for a turn go to the end once there is an answer behind their place; and with the delivery Tail
// all go to the end. What cannot be put is held, as there.
//
// Since is a key: from that message on the tags that others wrote are neutralised, in every request of the run alike, so
// that no earlier message changes. It is "" until the first text was put.
//
// In the generic shape texts go where Inject puts them, once; nothing is repeated.
func (c *Conversation) Edit(past []Put, due []terms.Due, since string) (Edition, Copy) {
	var out Copy
	v := c.view(c.opts.Seal().Among(due), &out.Report)
	groups, gone := c.repeat(v, past)
	out.Gone = gone
	again := len(groups)
	var s splices
	var plain []inject.Edit
	if v.f.vendor {
		groups = v.fresh(groups, c.Answered(), due, &out.Report)
		out.Puts = c.puts(groups[again:], out.Delivery)
	} else if plain = inject.Plan(v.outlines(v.seal), due, c.opts.Options); plain != nil {
		out.Delivery = Tail
	}
	from, next := c.since(v, since, len(groups) > again || plain != nil)
	if out.Since = next; from < len(v.b) {
		v.only(from)
		if v.f.vendor {
			v.neutralise(&s)
		} else {
			v.body.neutralise(&s, v.seal, c.opts.Options)
		}
	}
	for _, g := range groups {
		if g.lapses {
			out.Beta = v.model.ClearAt
		}
	}
	v.body.put(&s, plain)
	v.insert(&s, groups)
	return newEdition(v.b, s), out
}

// fresh appends the groups of what is put for the first time.
func (v *view) fresh(groups []group, answered bool, due []terms.Due, report *Report) []group {
	var start, tail group
	for _, d := range due {
		if d.Attach == terms.RunStart && !answered && v.opts.Delivery != Tail {
			start.add(v.seal.Tag(d.Text), d.ID)
		} else {
			tail.add(v.seal.Wrap(d.Text), d.ID)
		}
	}
	if len(start.texts) > 0 {
		var why string
		start.site, why = v.prompt()
		groups = start.settle(groups, why, report)
	}
	c, hold := v.choose(v.opts.Delivery)
	return v.assign(groups, tail, v.anchor(), c, hold, report)
}

// puts returns what later requests must hold again.
func (c *Conversation) puts(groups []group, delivery Delivery) []Put {
	if delivery == Tail {
		return nil
	}
	var puts []Put
	for _, g := range groups {
		p := Put{API: c.opts.API, After: g.anchor.after, Shape: g.anchor.shape, Texts: g.texts, IDs: g.ids}
		if g.anchor.message >= 0 {
			p.Anchor = c.keyOf(g.anchor.message)
		} else if g.anchor.shape == ShapeMessage {
			p.Anchor = c.response()
		}
		if p.Shape == ShapeMessage {
			p.Role, p.Lapses = g.role, g.lapses
		}
		puts = append(puts, p)
	}
	return puts
}
