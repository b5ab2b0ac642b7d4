package cost

import (
	"github.com/aside-go/aside/cmd/aside/internal/price"
	"github.com/aside-go/aside/cmd/aside/internal/replay"
	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire/cache"
)

// View adds up what it is shown. It implements replay.View. Subagents have an account of their own: their conversations are
// others, mostly with another model.
type View struct {
	Root, Subagents Account

	prices price.List
	way    Way // None: as each model takes texts best
	open   map[int]*[]Call
}

// NewView returns a View. way is what is told of each reminder in JSON and in the lower table; None stands for the way in which
// texts go to each model unless somebody says otherwise.
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
	c := heard(s.Turn)
	c.Fired, c.Due = wrapped(s.Decision.Fired), wrapped(s.Decision.Due)
	*calls = append(*calls, c)
}

// heard returns the call of a turn, as far as it is known before it is made.
func heard(t *transcript.Turn) Call {
	c := Call{Model: t.Model, At: t.At, Rewritten: t.Compacted, New: t.New}
	c.Blocks = max(1, len(t.Prompts)+2*min(len(t.Calls), 1)+min(len(t.Response), 1)) // calls in a row are one, results too
	return c
}

// charge notes what the latest call took, which is known once the next turn begins.
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

// token is as long as the marks of real runs.
const token = "01234567"

var seal = inject.Options{Mark: token}.Seal()

// wrapped returns texts as they go out.
func wrapped(due []terms.Due) (out []Text) {
	for _, d := range due {
		if w := seal.Wrap(d.Text); w != "" {
			out = append(out, Text{d.ID, cache.Tokens(len(w))})
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
