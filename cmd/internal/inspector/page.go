package inspector

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/report"
	"github.com/aside-go/aside/compile/fact"
)

// summary is a run in the list of runs.
type summary struct {
	Run     string    `json:"run"`
	Turns   int       `json:"turns"`
	Fires   int       `json:"fires"`
	Tokens  int       `json:"tokens"`
	Heeded  int       `json:"heeded"`
	Ignored int       `json:"ignored"`
	Curve   []int     `json:"curve"` // how full the context was, in thousandths, in at most maxCurve steps; -1: unknown
	Marks   []int     `json:"marks"` // the steps of Curve on which something fired
	Model   string    `json:"model,omitempty"`
	API     string    `json:"api,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Passed  string    `json:"passed,omitempty"` // why the latest request went out as it came
	Status  int       `json:"status,omitempty"` // of the latest response
}

// maxCurve is how many steps the curve of a run has in the list of runs.
const maxCurve = 60

func (at *run) summary() summary {
	s := summary{Run: at.name, Fires: at.fires, Tokens: at.tokens, Heeded: at.heeded, Ignored: at.ignored,
		Model: report.Visible(at.model), API: at.api, At: at.at.UTC(), Passed: at.passed, Status: at.status,
		Curve: []int{}, Marks: []int{}}
	steps := min(len(at.turns), maxCurve)
	for i := range steps {
		fired, most := false, -1
		for _, t := range at.turns[i*len(at.turns)/steps : (i+1)*len(at.turns)/steps] {
			most, fired = max(most, t.usage), fired || t.fired()
		}
		if s.Curve = append(s.Curve, most); fired {
			s.Marks = append(s.Marks, i)
		}
	}
	if n := len(at.turns); n > 0 {
		s.Turns = at.turns[n-1].n
	}
	return s
}

// fired reports whether something fired on a turn, or at a moment after it.
func (t *turn) fired() bool {
	return len(t.decision.Fired) > 0 || slices.ContainsFunc(t.moments, func(d report.Decision) bool {
		return len(d.Fired) > 0
	})
}

// since returns the runs that have changed since a change, the latest first, and the number of the last
// change.
func (r *record) since(change uint64) (changed []summary, last uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed = []summary{}
	for _, at := range r.runs.Values() {
		if at.change > change {
			changed = append(changed, at.summary())
		}
	}
	slices.SortStableFunc(changed, func(a, b summary) int { return b.At.Compare(a.At) })
	return changed, r.changes
}

// told is a run with what the page draws. Where From is not 0 the page knows the turns before it, and the
// results and the rules that it was told: Results are those after them, and Data has no rules and begins with
// the turn before From, since a turn is told by its difference to the one before.
type told struct {
	summary
	Edition uint64             `json:"edition"`
	From    int                `json:"from"`
	Before  int                `json:"before"` // turns that are not kept any more
	Words   bool               `json:"words"`  // words of turns are kept
	Left    int64              `json:"left"`   // milliseconds until the first of them are dropped; 0: there are none
	Results []result           `json:"results"`
	Effects map[string]*effect `json:"effects"` // of all runs since the start, by reminder
	Data    json.RawMessage    `json:"data"`    // of package report
}

// seen says how much of a run a page has; the zero seen is nothing.
type seen struct {
	edition        uint64
	turns, results int
}

func seenFrom(q url.Values) (k seen) {
	k.edition, _ = strconv.ParseUint(q.Get("edition"), 10, 64) // what is not a number is nothing
	k.turns, _ = strconv.Atoi(q.Get("turns"))
	k.results, _ = strconv.Atoi(q.Get("results"))
	return k
}

// copied returns a run as it is now, with its turns from one on: they stay as they are while it goes on.
func (r *record) copied(name string, from int) (run, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, known := r.runs.Peek(name)
	if !known {
		return run{}, false
	}
	return at.copied(from), true
}

func (at *run) copied(from int) run {
	out := *at
	out.turns, out.results = slices.Clone(at.turns[min(from, len(at.turns)):]), slices.Clone(at.results)
	for i, t := range out.turns {
		if t.words != nil { // which may be dropped meanwhile
			w := *t.words
			out.turns[i].words = &w
		}
	}
	return out
}

// news returns what a page draws of a run beside its turns, and a copy of the run with those turns that the
// page has to be told. Its latest turn may have changed.
func (r *record) news(name string, has seen) (*told, run, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, is := r.runs.Peek(name)
	if !is {
		return nil, run{}, false
	}
	s := &told{summary: at.summary(), Edition: at.edition, Before: at.before, Words: r.keep > 0,
		Effects: map[string]*effect{}}
	if has.edition == at.edition && 2 <= has.turns && has.turns <= len(at.turns) &&
		0 <= has.results && has.results <= len(at.results) {
		s.From = has.turns - 1
	} else {
		has.results = 0
	}
	for _, t := range at.turns {
		if t.words != nil && !t.words.until.IsZero() { // those of later turns are dropped later
			s.Left = max(t.words.until.Sub(r.now()).Milliseconds(), 1)
			break
		}
	}
	s.Results = append([]result{}, at.results[has.results:]...)
	for id, e := range r.effects {
		e := *e
		s.Effects[id] = &e
	}
	return s, at.copied(max(s.From-1, 0)), true
}

// show returns a run as the page draws it.
func (r *record) show(name string, has seen) (*told, bool) {
	s, at, is := r.news(name, has)
	if !is {
		return nil, false
	}
	p := report.New(at.set)
	f := at.set.Schema().NewFrame()
	for i := range at.turns {
		t := &at.turns[i]
		if i == 0 {
			p.Begin(0, report.Run{ID: at.name, Thread: cmp.Or(at.api, "run"), Start: t.at, Timed: !t.at.IsZero()})
		}
		p.Add(0, t.shown(f))
		for _, d := range t.moments {
			p.Moment(0, d)
		}
	}
	if s.From > 0 {
		s.Data = json.RawMessage(p.More())
	} else {
		s.Data = json.RawMessage(p.Data())
	}
	return s, true
}

// fill puts the facts of a turn into a frame, with its words where these are kept.
func (t *turn) fill(f *fact.Frame) {
	_, _ = f.Restore(t.facts, fact.Values{}) // facts that the evaluator has written can be read
	if t.words == nil {
		return
	}
	if t.words.called {
		f.SetCalls(t.words.calls)
	}
	if t.words.asked {
		f.SetText(fact.Prompt, t.words.prompt)
	}
	if t.words.answered {
		f.SetText(fact.Response, t.words.response)
	}
}

// usageOf returns how full the context is, nil where that is unknown. The evaluator derives it, and keeps the
// facts that it derives it from.
func usageOf(f *fact.Frame) *float64 {
	usage, known := f.Value(fact.ContextUsage).(float64)
	if !known {
		tokens, counted := f.Value(fact.ContextTokens).(int64)
		window, _ := f.Value(fact.ContextWindow).(int64)
		if !counted || window <= 0 {
			return nil
		}
		usage = float64(tokens) / float64(window)
	}
	return &usage
}

// shown returns a turn as package report draws it.
func (t *turn) shown(f *fact.Frame) report.Turn {
	f.Reset()
	t.fill(f)
	out := report.Turn{At: t.at, Decision: t.decision}
	out.Measure(f)
	out.Usage = usageOf(f)
	out.Model, _ = f.Value(fact.Model).(string)
	out.Window, _ = f.Value(fact.ContextWindow).(int64)
	out.Compacted = f.Value(fact.Compacted) == true
	out.Resumed = f.Value(fact.Resumed) == true
	batch, _ := f.Batch()
	out.Calls = slices.Clone(batch)
	failed, _ := f.Failed()
	for i, c := range out.Calls {
		if slices.Contains(failed, c.Tool) {
			out.Calls[i].Failed = fact.True
		}
	}
	if f.Value(fact.UserMessage) == true {
		text, _ := f.Text(fact.Prompt)
		out.Prompts = []string{text}
	}
	out.Response, _ = f.Text(fact.Response)
	return out
}

// spoken are the words of a turn.
type spoken struct {
	Turn   int        `json:"turn"` // as in the page's data, from 0
	Prompt string     `json:"prompt,omitempty"`
	Answer string     `json:"answer,omitempty"` // to the turn before
	Calls  []saidCall `json:"calls,omitempty"`
}

// saidCall are the words of a call.
type saidCall struct {
	Tool    string `json:"tool"`
	Subject string `json:"subject,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	Output  string `json:"output,omitempty"`
}

// Characters that the page shows of a text of a turn, and turns that are told at once.
const (
	maxSaid   = 4_000
	maxOutput = 2_000
	mostSaid  = 500
)

// saidFrom returns the words of the turns of a run from one on, as far as they are kept.
func (r *record) saidFrom(name string, from int) ([]spoken, bool) {
	from = max(from, 0)
	at, known := r.copied(name, from)
	out := []spoken{}
	for i, t := range at.turns {
		if t.words == nil || t.words.until.IsZero() || len(out) == mostSaid {
			continue
		}
		s := spoken{Turn: from + i, Prompt: shown(t.words.prompt, maxSaid),
			Answer: shown(t.words.response, maxSaid)}
		for _, c := range t.words.calls {
			subject := c.Command + strings.Join(c.Paths, " ") + c.Subject
			s.Calls = append(s.Calls, saidCall{report.Visible(c.Tool), shown(subject, maxOutput),
				c.Failed == fact.True, shown(c.Output, maxOutput)})
		}
		out = append(out, s)
	}
	return out, known
}

// shown returns a text as the page shows it.
func shown(s string, most int) string { return report.Visible(report.Cut(s, most)) }
