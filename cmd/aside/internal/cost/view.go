package cost

import (
	"github.com/aside-go/aside/cmd/aside/internal/price"
	"github.com/aside-go/aside/cmd/aside/internal/replay"
	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile/reminder"
	tag "github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/promptcache"
)

// View is a replay.View that computes the costs. Subagents have an account of their own, since their conversations are separate, and
// mostly with another model.
type View struct {
	Root, Subagents Account

	prices price.List
	way    Way             // None: the default of each model
	open   map[int]*[]Call // the calls so far of the runs that go on, by number
}

// NewView returns a View. way is the way for which JSON and the lower table show each reminder; None stands for the default of each
// model.
func NewView(prices price.List, way Way) *View {
	return &View{prices: prices, way: way, open: map[int]*[]Call{}}
}

// Turn implements replay.View.
func (v *View) Turn(s *replay.Step) {
	calls := v.open[s.RunN]
	if calls == nil {
		calls = new([]Call)
		v.open[s.RunN] = calls
	}
	charge(calls, s.Turn)
	c := callOf(s.Turn)
	c.Fired, c.Due = wrapped(s.Decision.Fired), wrapped(s.Decision.Due)
	*calls = append(*calls, c)
}

// callOf returns the call of a turn, without what is known only after the call, and without texts.
func callOf(t *transcript.Turn) Call {
	c := Call{Model: t.Model, At: t.At, Rewritten: t.Compacted, New: t.New}
	c.Blocks = max(1, len(t.Prompts)+2*min(len(t.Calls), 1)+min(len(t.Response), 1)) // calls in a row are one, results too
	return c
}

// charge sets what was recorded of the latest call, which the turn after it tells. after may be nil: unknown.
func charge(calls *[]Call, after *transcript.Turn) {
	if n := len(*calls); n > 0 && after != nil {
		(*calls)[n-1].Recorded = recorded(after)
	}
}

func recorded(t *transcript.Turn) (r Recorded) {
	u := t.Usage
	r.Read, r.Write, r.Hour = int(u.Read.N), int(u.Written.N), int(u.WrittenHour.N)
	r.Cached = u.Read.Known || u.Written.Known
	r.Prompt = int(u.Fresh.N) + r.Read + r.Write
	if !u.Fresh.Known && !r.Cached && t.ContextTokens.Known && !t.Compacted {
		r.Prompt = int(t.ContextTokens.N)
	}
	r.Cached = r.Cached && r.Prompt > 0
	r.Output, r.Spoke = int(u.Output.N), u.Output.Known
	return r
}

// token is a mark as long as those of real runs.
const token = "01234567"

var seal = tag.New(tag.Options{Mark: token})

// wrapped returns texts with the length that they have with their tags. Blank texts are left out, since they are not sent.
func wrapped(due []reminder.Due) (out []Text) {
	for _, d := range due {
		if w := seal.Wrap(d.Text); w != "" {
			out = append(out, Text{d.ID, promptcache.Tokens(len(w))})
		}
	}
	return out
}

// RunOver implements replay.View.
func (v *View) RunOver(r *replay.Rest) {
	calls := v.open[r.RunN]
	if calls == nil {
		return
	}
	delete(v.open, r.RunN)
	charge(calls, r.After)
	a := &v.Root
	if r.Run.Thread != "root" {
		a = &v.Subagents
	}
	a.Play(*calls, v.prices)
}

// End implements replay.View.
func (v *View) End(r *replay.Report) { v.json(r) }
