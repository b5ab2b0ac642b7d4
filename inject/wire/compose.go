package wire

import (
	"github.com/aside-go/aside/compile/reminder"

	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// Copy says what became of the texts in an edited request.
type Copy struct {
	Report
	Puts  []Put  // the due texts that were put, a Put for each place; none with Report.Delivery Tail and in the generic shape
	Gone  []Gone // the past Puts that were not repeated
	Since string // to be given to the next Compose or Edit of the run
}

// Compose is Edit, with the edited request appended to dst, which must not overlap the body.
func (c *Conversation) Compose(dst []byte, past []Put, due []reminder.Due, since string) ([]byte, Copy) {
	e, out := c.Edit(past, due, since)
	return e.AppendTo(dst), out
}

// Edit returns the request with past repeated, each Put at its place and with the bytes that it had there, and due put behind it.
// Without past, due and since that is the body as it came.
//
// Due texts go where Inject puts them, with two exceptions. No text goes in front of what the model has said, so once there
// is an answer behind their place, texts for the beginning of a run or for a turn go to the end. With the delivery Tail all texts
// go to the end. Texts that cannot be put are held, as there.
//
// since is a key, Copy.Since of the request before. Forged tags are neutralised from that message on, in every request of the run
// alike, so that no earlier message changes. It is "" until the first text was put.
//
// In the generic shape due texts go where Inject puts them, once; nothing is repeated.
func (c *Conversation) Edit(past []Put, due []reminder.Due, since string) (Edition, Copy) {
	var out Copy
	v := c.view(mark.New(c.opts.tag()).Only(due), &out.Report)
	groups, gone := c.repeat(v, past)
	out.Gone = gone
	again := len(groups)
	var s splices
	var plain []outline.Edit
	if v.f.vendor {
		groups = v.fresh(groups, c.Answered(), due, &out.Report)
		out.Puts = c.puts(groups[again:], out.Delivery)
	} else if plain = outline.Plan(v.outlines(v.seal), due, c.opts.outline()); plain != nil {
		out.Delivery = Tail
	}
	from, next := c.since(v, since, len(groups) > again || plain != nil)
	if out.Since = next; from < len(v.b) {
		v.dropTextsBefore(from)
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

// fresh appends the groups of the due texts to groups. answered is whether the model has answered already.
func (v *view) fresh(groups []group, answered bool, due []reminder.Due, report *Report) []group {
	var start, tail group
	for _, d := range due {
		if d.Attach == reminder.RunStart && !answered && v.opts.Delivery != Tail {
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

// puts returns the groups as Puts, for later requests to repeat; none with the delivery Tail.
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
