package cost

import (
	"maps"
	"math"
	"slices"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/agent/session"
	tag "github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/promptcache"
)

// View is a replay.View that computes the costs. Subagents have an account of their own, since their
// conversations are separate, and mostly with another model.
type View struct {
	Root, Subagents Account

	prices Prices
	open   map[int][]Call // the calls so far of the runs that go on, by number
}

// NewView returns a View.
func NewView(prices Prices) *View { return &View{prices: prices, open: map[int][]Call{}} }

// Turn implements replay.View.
func (v *View) Turn(s *replay.Step) {
	calls := v.open[s.RunN]
	if s.Moment != fact.Turn { // what is said between two calls goes out with the next one, and stays
		if n := len(calls); n > 0 {
			c := &calls[n-1]
			c.Fired = append(c.Fired, wrapped(s.Decision.Fired)...)
		}
		return
	}
	record(calls, s.Turn)
	c := callOf(s.Turn)
	c.Fired = wrapped(s.Decision.Fired)
	v.open[s.RunN] = append(calls, c)
}

// callOf returns the call of a turn, without the usage, which only the turn after it tells, and without
// texts.
func callOf(t *session.Turn) Call {
	c := Call{Model: t.Model, At: t.At, Rewritten: t.Compacted, New: t.New}
	// calls in a row are one, results too
	c.Blocks = max(1, len(t.Prompts)+2*min(len(t.Calls), 1)+min(len(t.Response), 1))
	return c
}

// record sets the recorded usage of the latest call, which the turn after it tells. after may be nil:
// unknown.
func record(calls []Call, after *session.Turn) {
	if n := len(calls); n > 0 && after != nil {
		calls[n-1].Recorded = usageOf(after)
	}
}

func usageOf(t *session.Turn) (r Recorded) {
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

// wrapped returns texts with the length that they have with their tags. Blank texts are left out, since they
// are not sent.
func wrapped(due []reminder.Due) (out []Text) {
	for _, d := range due {
		if w := seal.Wrap(d.Text); w != "" {
			out = append(out, Text{d.ID, reminder.Tokens(len(w))})
		}
	}
	return out
}

// RunOver implements replay.View.
func (v *View) RunOver(r *replay.Rest) {
	calls := v.open[r.RunN]
	delete(v.open, r.RunN)
	record(calls, r.After)
	a := &v.Root
	if r.Run.Thread != "root" {
		a = &v.Subagents
	}
	a.Play(calls, v.prices)
}

// End implements replay.View.
func (v *View) End(r *replay.Report) { v.json(r) }

// The members "cost" of the summary in JSON and of its reminders; CLI.md describes them.
type (
	jsonCost struct {
		Root      *jsonAccount  `json:"root,omitempty"`
		Subagents *jsonAccount  `json:"subagents,omitempty"`
		Unpriced  []jsonUnknown `json:"unpriced"`
	}
	jsonAccount struct {
		Runs     int         `json:"runs"`
		Calls    int         `json:"calls"`
		Known    jsonKnown   `json:"known"`
		Recorded jsonTokens  `json:"recorded"`
		Output   int         `json:"output"`
		More     jsonTokens  `json:"more"` // with the reminders
		Prices   []jsonPrice `json:"prices"`
	}
	jsonKnown struct { // for how many calls this is known
		Cache   int `json:"cache"`
		Length  int `json:"length"`
		Answers int `json:"answers"`
		Price   int `json:"price"`
	}
	jsonTokens struct {
		Prompt    int      `json:"prompt"`
		Read      int      `json:"read"`
		Write     int      `json:"write"` // WriteHour included
		WriteHour int      `json:"write_hour"`
		Plain     int      `json:"plain"`
		Dollars   *float64 `json:"dollars"` // null: no price is known
	}
	jsonPrice struct {
		Model   string  `json:"model"`
		Calls   int     `json:"calls"`
		In      float64 `json:"in"`
		Out     float64 `json:"out"`
		Read    float64 `json:"read"`
		Write   float64 `json:"write"`
		Hour    float64 `json:"hour"`
		Checked string  `json:"checked,omitempty"`
		Source  string  `json:"source"`
		Derived string  `json:"derived,omitempty"`
	}
	jsonUnknown struct {
		Model string `json:"model"`
		Calls int    `json:"calls"`
	}
	jsonShare struct {
		Fires  int        `json:"fires"`
		Tokens int        `json:"tokens"`
		Calls  int        `json:"calls"`
		Own    jsonTokens `json:"own"`
		Moved  jsonTokens `json:"moved"`
		Fresh  *float64   `json:"fresh_dollars"`
		Reads  *float64   `json:"read_dollars"`
		Total  *float64   `json:"dollars"`
	}
)

// json adds the members to the report.
func (v *View) json(r *replay.Report) {
	out := jsonCost{Unpriced: []jsonUnknown{}}
	unpriced := map[string]int{}
	shares := map[string]map[string]jsonShare{}
	for _, x := range []struct {
		name string
		a    *Account
		to   **jsonAccount
	}{{"root", &v.Root, &out.Root}, {"subagents", &v.Subagents, &out.Subagents}} {
		if x.a.Calls == 0 {
			continue
		}
		*x.to = x.a.json()
		for m, n := range x.a.Unpriced {
			unpriced[m] += n
		}
		for _, s := range x.a.Added().Shares {
			if shares[s.ID] == nil {
				shares[s.ID] = map[string]jsonShare{}
			}
			shares[s.ID][x.name] = s.json(x.a.Priced > 0)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(unpriced)) {
		out.Unpriced = append(out.Unpriced, jsonUnknown{m, unpriced[m]})
	}
	r.Extra = replay.With(r.Extra, "cost", out)
	for i := range r.Reminders {
		if s := shares[r.Reminders[i].ID]; s != nil {
			r.Reminders[i].Extra = replay.With(r.Reminders[i].Extra, "cost", s)
		}
	}
}

func (a *Account) json() *jsonAccount {
	priced := a.Priced > 0
	out := &jsonAccount{
		Runs: a.Runs, Calls: a.Calls, Known: jsonKnown{a.Cached, a.Measured, a.Spoke, a.Priced},
		Recorded: a.bare.json(priced), Output: a.Output, More: a.Added().More.json(priced), Prices: []jsonPrice{},
	}
	for _, m := range slices.Sorted(maps.Keys(a.Prices)) {
		p := a.Prices[m]
		out.Prices = append(out.Prices, jsonPrice{m, p.Calls, rate(p.In), rate(p.Out), rate(p.Price.Read),
			rate(p.Price.Write), rate(p.Price.Hour), p.Checked, p.Source, p.Derived})
	}
	return out
}

// rate rounds a price for a million tokens, to drop the error of floating-point multiplication.
func rate(f float64) float64 { return math.Round(f*1e6) / 1e6 }

func (t Total) json(priced bool) jsonTokens {
	return jsonTokens{t.Prompt, t.Read, t.Write, t.Hour, t.Plain(), dollars(t.Dollars, priced)}
}

// dollars rounds an amount, far below any bill, to drop the error of floating-point sums; nil where no
// price is known.
func dollars(d float64, priced bool) *float64 {
	if !priced {
		return nil
	}
	d = math.Round(d*1e10)/1e10 + 0 // no -0
	return &d
}

func (s Share) json(priced bool) jsonShare {
	own := func(u promptcache.Usage, d float64) jsonTokens { return Total{u, d}.json(priced) }
	return jsonShare{s.Fires, s.Tokens, s.Calls, own(s.Own, s.Fresh+s.Reads), own(s.Moved, s.Harm),
		dollars(s.Fresh, priced), dollars(s.Reads, priced), dollars(s.Dollars(), priced)}
}
