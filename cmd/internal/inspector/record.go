package inspector

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/aside-go/aside/cmd/internal/report"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/response"
)

// limits bound what is kept in memory.
type limits struct {
	runs  int // the latest
	turns int // of all runs; a single run keeps at most half of them
	words int // bytes of all turns
	text  int // bytes of one text of a turn
}

func usual() limits { return limits{runs: 200, turns: 20_000, words: 64 << 20, text: 64 << 10} }

// record is what is kept of all runs.
type record struct {
	limits limits
	keep   time.Duration // of words; 0: none are kept
	now    func() time.Time
	after  func(time.Duration, func()) // calls the func after a time

	mu      sync.Mutex
	runs    *simplelru.LRU[string, *run]
	turns   int // of all runs
	changes uint64
	ears    map[chan struct{}]struct{} // each told, without waiting, that something changed
	effects map[string]*effect         // by id

	said  []*words // by time, oldest first
	size  int      // bytes of said
	armed bool     // a sweep is to come
}

// run is a run as far as it is kept.
type run struct {
	name    string
	change  uint64 // the number of its latest change
	edition uint64 // the change since which turns were added, and none were forgotten or read by other rules
	set     *compile.Set
	turns   []turn
	before  int // turns that are not kept any more
	fires   int
	tokens  int
	heeded  int // of the firings of reminders that expect something
	ignored int
	model   string
	api     string
	passed  string // why the latest request went out as it came; "": it did not
	status  int    // of the latest response
	at      time.Time
	results []result
	survey  *survey // nil: nobody has asked yet
}

// turn is one turn of a run.
type turn struct {
	n        int // from 1
	at       time.Time
	facts    fact.Values
	usage    int // of the context window, in thousandths; -1: unknown
	decision report.Decision
	moments  []report.Decision // at moments after it
	words    *words            // nil: none are kept
}

// result is what became of a firing.
type result struct {
	ID      string `json:"id"`
	Fired   int    `json:"fired"` // the turn, from 1
	Turn    int    `json:"turn"`  // when it was known
	Outcome string `json:"outcome"`
}

// effect counts what became of the firings of a reminder that expects something.
type effect struct {
	Heeded  int `json:"heeded"`
	Ignored int `json:"ignored"`
	Open    int `json:"open"`
}

// words are the words of a turn, until they are dropped.
type words struct {
	until    time.Time
	size     int
	prompt   string
	asked    bool // whether prompt is known
	response string
	answered bool
	calls    []fact.Call
	called   bool
}

func newRecord(o Options, l limits) *record {
	r := &record{limits: l, keep: o.Keep, now: o.Now, after: o.After, ears: map[chan struct{}]struct{}{},
		effects: map[string]*effect{}}
	r.changes = uint64(r.now().UnixMicro())                          // no edition is that of a process before
	r.runs, _ = simplelru.NewLRU(l.runs, func(_ string, gone *run) { // fails for a size below 1 only
		r.turns -= len(gone.turns)
	})
	return r
}

// decided writes down a turn.
func (r *record) decided(name string, d *eval.Decision) {
	if response.Kept(name) {
		return
	}
	moment, model, usage := fact.Turn, "", -1
	var said *words
	d.Read(func(f *fact.Frame) {
		model, _ = f.Text(fact.Model)
		usage = report.Thousandths(usageOf(f))
		if moment, _ = f.Moment(); moment == fact.Turn && r.keep > 0 {
			said = r.wordsOf(f)
		}
	})
	if moment != fact.Turn && len(d.Fired) == 0 {
		return
	}
	decision := report.DecisionOf(d)
	after := d.After()
	r.mu.Lock()
	defer r.mu.Unlock()
	at, known := r.runs.Get(name)
	if !known {
		at = &run{name: name}
		r.runs.Add(name, at)
	}
	if at.set != d.Set() {
		r.renew(at)
	}
	at.set, at.model = d.Set(), cmp.Or(model, at.model)
	for _, f := range decision.Fired {
		at.fires++
		at.tokens += f.Tokens
	}
	r.follow(at, d)
	last := len(at.turns) - 1
	switch {
	case moment != fact.Turn && last >= 0:
		at.turns[last].moments = append(at.turns[last].moments, decision)
	case last >= 0 && at.turns[last].n == d.Turn: // a further part of the turn
		t := &at.turns[last]
		t.facts, t.usage = after.Facts(), usage
		t.decision.Fired = append(t.decision.Fired, decision.Fired...)
		t.decision.Held = decision.Held
		t.decision.Errors = append(t.decision.Errors, decision.Errors...)
		t.words = said
	case moment == fact.Turn:
		at.at = after.Run().Now().At
		at.turns = append(at.turns, turn{n: d.Turn, at: at.at, facts: after.Facts(), usage: usage,
			decision: decision, words: said})
		r.turns++
		r.bound(at)
	}
	r.hold(said)
	r.changed(at)
}

// follow counts what became of earlier firings.
func (r *record) follow(at *run, d *eval.Decision) {
	for _, o := range d.Outcomes {
		at.results = append(at.results, result{o.ID, d.Turn - o.After, d.Turn, o.Outcome})
		if _, ours := at.set.Index(o.ID); !ours || o.HeldOut {
			continue
		}
		e := r.effects[o.ID]
		if e == nil {
			e = &effect{}
			r.effects[o.ID] = e
		}
		switch o.Outcome {
		case reminder.Heeded:
			e.Heeded++
			at.heeded++
		case reminder.Ignored:
			e.Ignored++
			at.ignored++
		default:
			e.Open++
		}
	}
}

// bound forgets the oldest turns of a run, and other runs, where there are too many.
func (r *record) bound(at *run) {
	if over := len(at.turns) - r.limits.turns/2; over > 0 {
		over += r.limits.turns / 20 // some at once: each time the rest moves
		at.turns = append([]turn(nil), at.turns[over:]...)
		at.before += over
		r.turns -= over
		r.renew(at)
		first := at.turns[0].n
		at.results = slices.DeleteFunc(at.results, func(o result) bool { return o.Fired < first })
	}
	for r.turns > r.limits.turns && r.runs.Len() > 1 {
		r.runs.RemoveOldest()
	}
}

// renew begins another edition of a run: pages that know an earlier one are told all of it again.
func (r *record) renew(at *run) {
	r.changes++
	at.edition = r.changes
}

// changed tells that a run has changed.
func (r *record) changed(at *run) {
	r.changes++
	at.change = r.changes
	r.tell()
}

// tell tells whoever listens that something has changed.
func (r *record) tell() {
	for ch := range r.ears {
		select {
		case ch <- struct{}{}:
		default: // it knows already
		}
	}
}

// reported writes down what became of the latest request of a run.
func (r *record) reported(t transport.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, known := r.runs.Peek(t.Run)
	if !known || t.Kind != "turn" {
		r.tell() // the coverage may have
		return
	}
	at.api, at.passed, at.status = string(t.API), t.Passed, t.Status
	r.changed(at)
}

// wordsOf returns copies of the words of a turn: the turn's own share the memory of a whole request.
func (r *record) wordsOf(f *fact.Frame) *words {
	w := &words{until: r.now().Add(r.keep)}
	short := func(s string) string {
		s = strings.Clone(s[:min(len(s), r.limits.text)])
		w.size += len(s)
		return strings.ToValidUTF8(s, "")
	}
	w.prompt, w.asked = f.Text(fact.Prompt)
	w.response, w.answered = f.Text(fact.Response)
	w.prompt, w.response = short(w.prompt), short(w.response)
	var calls []fact.Call
	calls, w.called = f.Batch()
	for _, c := range calls {
		c.Command, c.Subject, c.Output = short(c.Command), short(c.Subject), short(c.Output)
		c.Paths = slices.Clone(c.Paths)
		for i := range c.Paths {
			c.Paths[i] = short(c.Paths[i])
		}
		w.calls = append(w.calls, c)
	}
	return w
}

// hold keeps words for their time, and drops older ones for which there is no room.
func (r *record) hold(w *words) {
	if w == nil || w.size == 0 {
		return
	}
	r.said = append(r.said, w)
	r.size += w.size
	r.sweep()
}

// sweep drops words whose time is over, and comes again when that of the next ones is. It is called with the
// lock held.
func (r *record) sweep() {
	now, n := r.now(), 0
	for n < len(r.said) && (r.size > r.limits.words || !r.said[n].until.After(now)) {
		r.size -= r.said[n].size
		*r.said[n] = words{}
		n++
	}
	r.said = slices.Delete(r.said, 0, n)
	if len(r.said) == 0 || r.armed {
		return
	}
	r.armed = true
	r.after(r.said[0].until.Sub(now), func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.armed = false
		r.sweep()
	})
}

// listen returns a channel that has a value when something has changed, until end is called.
func (r *record) listen() (news chan struct{}, end func()) {
	news = make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ears[news] = struct{}{}
	return news, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.ears, news)
	}
}

// Decided writes down the decision of a turn. It is the Decided of eval.Options.
func (x *Inspector) Decided(_ context.Context, run string, d *eval.Decision) {
	x.record.decided(run, d)
}

// Report writes down what became of a request. It is the Report of transport.Options.
func (x *Inspector) Report(_ context.Context, r transport.Report) { x.record.reported(r) }
