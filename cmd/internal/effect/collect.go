package effect

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/aside-go/aside/cmd/internal/effect/confidence"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/model"
)

// Group counts the firings of one version of a reminder in the runs that were sent its text, or in those that
// were held out.
type Group struct {
	Runs    int
	Firings int // whose outcome is recorded: the three that follow
	Heeded  int
	Ignored int
	Open    int
	// Further ones, whose outcome is not recorded: the run goes on, or nobody knows what became of it. It may be
	// that the text was never sent, since a process was killed on that turn.
	Waiting int

	Tokens  int     // of the texts; in runs that are held out, of those that would have been sent
	Dollars float64 // for them, each written into the cache once, where the model's price is known
	// firings whose price is not known
	Unpriced int

	turns   []float64 // until heeded, ascending
	settled confidence.Runs
}

// Rate is the share of heeded firings among those that are heeded or ignored, in the mean of the runs; NaN
// where there are none.
func (g *Group) Rate() float64 { return g.settled.Rate() }

// Version is the evidence of one version of a reminder's text.
type Version struct {
	ID, Version  string
	Agent, Model string // "" unless By counts their runs apart
	First, Last  time.Time
	Sent, Held   Group
}

// By says which runs of a version are counted apart: those of each agent, of each model, or of both.
type By struct{ Agent, Model bool }

// version is the identity of a Version.
type version struct{ id, version, agent, model string }

// firing is what is known of one firing.
type firing struct {
	cluster
	at      time.Time
	turns   int32 // to the outcome
	tokens  int32
	outcome byte // the first of reminder.Fired, Unread, Heeded, Ignored or Open
	price   int32
}

// cluster is a run's share in one group of one version.
type cluster struct {
	version, run int32
	heldOut      bool
}

// Collect adds up records, those of firings since a time, by reminder and by the time of each version's first
// firing. The error is the first of records.
func Collect(records iter.Seq2[*reminder.Record, error], since time.Time, by By) ([]*Version, error) {
	c := collector{since: since, by: by, firings: map[uint64]int32{}, versions: map[version]int32{},
		runs: map[string]int32{}, models: map[string]int32{}}
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		c.add(r)
	}
	return c.sum(), nil
}

// collector holds the firings of the records that were added.
type collector struct {
	since    time.Time
	by       By
	firings  map[uint64]int32 // by Record.Firing, in list
	list     []firing
	versions map[version]int32 // in names
	names    []version
	runs     map[string]int32
	models   map[string]int32 // in prices
	prices   []price
}

// price is what a token of a text costs: it is written into the cache, which most later requests read.
type price struct {
	dollars float64
	known   bool
}

// add adds a record. Of a firing the last one counts; the tokens stand in that of the firing itself. One that
// fires behind its end is another firing: the run was deleted and begun anew.
func (c *collector) add(r *reminder.Record) {
	hash, err := strconv.ParseUint(r.Firing, 16, 64)
	if err != nil || r.Outcome == "" {
		return
	}
	i, known := c.firings[hash]
	if known = known && (r.Outcome != reminder.Fired || c.list[i].outcome == reminder.Fired[0]); !known {
		i = int32(len(c.list))
		c.firings[hash] = i
		c.list = append(c.list, firing{price: -1})
	}
	f := &c.list[i]
	f.outcome, f.turns = r.Outcome[0], int32(r.Turns)
	if known && r.Outcome != reminder.Fired {
		return
	}
	v := version{id: r.ID, version: r.Version}
	if c.by.Agent {
		v.agent = r.Agent
	}
	if c.by.Model {
		v.model = r.Model
	}
	f.cluster = cluster{index(c.versions, v), index(c.runs, r.Run), r.HeldOut}
	if int(f.version) == len(c.names) {
		c.names = append(c.names, v)
	}
	if f.at = r.Time; r.Outcome != reminder.Fired {
		return
	}
	f.tokens, f.price = int32(r.Tokens), index(c.models, r.Model)
	if int(f.price) == len(c.prices) {
		row := model.Of(r.Model)
		dollars, ok := row.Cost(model.Tokens{Written: 1})
		c.prices = append(c.prices, price{dollars, ok})
	}
}

// index returns the number of a key, the next one for a new key.
func index[K comparable](m map[K]int32, k K) int32 {
	i, ok := m[k]
	if !ok {
		i = int32(len(m))
		m[k] = i
	}
	return i
}

// sum returns the versions of the firings.
func (c *collector) sum() []*Version {
	all := make([]Version, len(c.names))
	settled := map[cluster][2]int{} // firings, heeded
	for i := range c.list {
		f := &c.list[i]
		if f.at.Before(c.since) || f.outcome == reminder.Unread[0] {
			continue
		}
		v := &all[f.version]
		if v.First.IsZero() || f.at.Before(v.First) {
			v.First = f.at
		}
		if f.at.After(v.Last) {
			v.Last = f.at
		}
		s, seen := settled[f.cluster]
		g := v.group(f.heldOut)
		if f.outcome == reminder.Fired[0] {
			g.Waiting++
			continue
		}
		if !seen {
			g.Runs++
		}
		c.count(g, f, &s)
		settled[f.cluster] = s
	}
	for at, s := range settled {
		all[at.version].group(at.heldOut).settled.Add(s[0], s[1])
	}
	var out []*Version
	for i := range all {
		v := &all[i]
		if v.First.IsZero() {
			continue
		}
		n := c.names[i]
		v.ID, v.Version, v.Agent, v.Model = n.id, n.version, n.agent, n.model
		slices.Sort(v.Sent.turns)
		slices.Sort(v.Held.turns)
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b *Version) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Model, b.Model),
			a.First.Compare(b.First), cmp.Compare(a.Version, b.Version))
	})
	return out
}

func (v *Version) group(heldOut bool) *Group {
	if heldOut {
		return &v.Held
	}
	return &v.Sent
}

// count adds a firing to its group, and to what its run has settled.
func (c *collector) count(g *Group, f *firing, settled *[2]int) {
	g.Firings++
	switch f.outcome {
	case reminder.Heeded[0]:
		g.Heeded++
		g.turns = append(g.turns, float64(f.turns))
		settled[0]++
		settled[1]++
	case reminder.Ignored[0]:
		g.Ignored++
		settled[0]++
	default:
		g.Open++
	}
	g.Tokens += int(f.tokens)
	if f.price >= 0 && c.prices[f.price].known {
		g.Dollars += float64(f.tokens) * c.prices[f.price].dollars
	} else {
		g.Unpriced++
	}
}
