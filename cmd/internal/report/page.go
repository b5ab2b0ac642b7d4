// Package report makes one self-contained HTML page of a replay: each run as a timeline, the reminders as
// lanes, and for each firing why, with the values that its trigger read.
//
// A Page is a replay.View: it receives the turns, keeps of them what the page shows, and is written at the
// end. Whoever has turns of another origin tells them with Begin, Add and Moment. The page loads nothing and
// sends nothing; a content security policy in it forbids what it does not need. Recorded texts are other
// people's words: they are data in the page and never markup, their invisible characters are written out, and
// long texts are cut. Equal replays make equal pages, byte for byte. The page's scripts and styles are in the
// folder asset, and are tested in a browser.
//
// A Page is for one goroutine.
package report

import (
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/eval"
)

// limits bound a page, so that a browser can open it however long the recording is. What does not fit is
// counted, and the page says how much that is.
type limits struct {
	turns, fires int
	stretches    int // rows of Held and Errors
	room         int // bytes of texts, after which further ones are cut to maxLate
}

func usual() limits { return limits{turns: 200_000, fires: 60_000, stretches: 60_000, room: 6 << 20} }

// Characters that are shown of a text.
const (
	maxPrompt = 600
	maxText   = 8_000
	maxValue  = 300
	maxLate   = 80
)

// Page collects a replay. Create one with New.
type Page struct {
	set     *compile.Set
	limits  limits
	strings table
	shapes  table // JSON: depth and text of each part of a trigger
	parts   table // JSON: truth and value of each part of a trigger on a turn
	rules   []rule
	all     []*run
	open    map[int]*run // the runs that go on, by number
	lost    lost
	partial bool
	notes   []note

	shownTurns, shownFires, stretches int // how many of each are on the page
}

// lost counts the parts of a replay for which the limits have no room.
type lost struct {
	Turns int `json:"turns,omitempty"`
	Fires int `json:"fires,omitempty"`
	Held  int `json:"held,omitempty"`
}

// rule is a reminder, in the form that the page's scripts read.
type rule struct {
	ID       string `json:"id"`
	Desc     string `json:"desc,omitempty"`
	File     string `json:"file,omitempty"`
	Mode     string `json:"mode"`
	Trigger  string `json:"trigger"`
	Rearm    string `json:"rearm,omitempty"`
	Tier     string `json:"tier"`
	Priority int    `json:"priority,omitempty"`
	For      string `json:"for,omitempty"`
	Cooldown string `json:"cooldown,omitempty"`
	Keep     string `json:"keep,omitempty"`
	Attach   string `json:"attach,omitempty"`
	MaxFires int    `json:"max,omitempty"`
	Text     string `json:"text"`

	Fires  int    `json:"fires"`
	Tokens int    `json:"tokens"`
	First  [2]int `json:"first"` // run and turn, from 1
	Last   [2]int `json:"last"`
	Held   int    `json:"held,omitempty"` // on how many turns
	Never  string `json:"never,omitempty"`
}

// run is one run, in the form that the page's scripts read: columns with an element for each turn, and rows
// [turn, …] for what only some turns have. Turns count from 0. Texts are indices in data.Strings.
type run struct {
	Source string `json:"source"`
	ID     string `json:"id"`
	Thread string `json:"thread"`
	Start  int64  `json:"start,omitempty"` // time of the first turn, in seconds since 1970
	N      int    `json:"n"`
	Usage  []int  `json:"usage"` // how full the window is, in thousandths; -1: unknown
	// in the window, -1: unknown; each as the difference to the one before
	Tokens  []int64  `json:"tokens"`
	Waits   []int64  `json:"waits,omitempty"`   // seconds since the turn before
	Models  [][2]int `json:"models,omitempty"`  // turn, name
	Windows [][2]int `json:"windows,omitempty"` // turn, tokens
	Calls   [][]int  `json:"calls,omitempty"`   // turn, then name, calls, failed ones for each tool
	Prompts [][2]int `json:"prompts,omitempty"` // turn, text
	Compact []int    `json:"compact,omitempty"`
	Resumed []int    `json:"resumed,omitempty"`
	Fires   [][]int  `json:"fires,omitempty"` // rule, turn, tokens, text, why, parts (-1 none), 1 if by name
	Held    [][4]int `json:"held,omitempty"`  // rule, first turn, last turn, why
	// of a turn with firings: turn, tool, subject, 1 if failed, output
	Did     [][5]int `json:"did,omitempty"`
	Answers [][2]int `json:"answers,omitempty"` // turn with firings, text
	Errors  [][4]int `json:"errors,omitempty"`  // rule, first turn, last turn, text

	timed      bool
	at         time.Time
	lastTokens int64
	model      string
	window     int64
	fired      bool           // something fired on the latest turn
	last       map[reason]int // index in Held or Errors of the latest row with a reason
}

// reason is a rule, by its index, and why it was held or not rendered.
type reason struct {
	rule int
	why  string
}

// New returns an empty page for a replay of set.
func New(set *compile.Set) *Page { return within(set, usual()) }

func within(set *compile.Set, l limits) *Page {
	p := &Page{set: set, limits: l, open: map[int]*run{}}
	p.strings.place("") // so that index 0 is not text
	for i := range set.Len() {
		p.rules = append(p.rules, newRule(set, i))
	}
	return p
}

func newRule(set *compile.Set, i int) rule {
	r := set.Reminder(i)
	out := rule{
		ID: r.ID, Desc: Visible(r.Description), File: Visible(r.File), Mode: r.Mode.String(), Trigger: Visible(
			set.Trigger(i).String()), Rearm: Visible(r.Rearm),
		Tier: r.Tier.String(), Priority: r.Priority, Keep: r.Keep.String(), MaxFires: r.MaxFires, Text: Cut(
			Visible(r.Text), maxText),
	}
	if !r.For.IsZero() {
		out.For = r.For.String()
	}
	if !r.Cooldown.IsZero() {
		out.Cooldown = r.Cooldown.String()
	}
	if r.Attach != reminder.Tail {
		out.Attach = r.Attach.String()
	}
	return out
}

// Run is a run as the page names it.
type Run struct {
	ID, Source, Thread string
	Start              time.Time // of its first turn; zero: unknown
	Timed              bool      // its turns have times
}

// Turn is one turn as the page shows it.
type Turn struct {
	At        time.Time // zero: unknown
	Model     string
	Window    int64    // tokens that the context window holds; 0: unknown
	Usage     *float64 // how full it is, 0 to 1; nil: unknown
	Tokens    *int64   // in the context; nil: unknown
	Calls     []fact.Call
	Prompts   []string
	Response  string // the model's answer to the turn before
	Compacted bool
	Resumed   bool
	Decision
}

// Decision is what was decided on a turn.
type Decision struct {
	Fired  []Fire
	Held   []reminder.Held
	Errors []reminder.TextError
}

// Fire is a firing, and why.
type Fire struct {
	reminder.Due
	Why  string
	Part trigger.Part
}

// Turn implements replay.View.
func (p *Page) Turn(s *replay.Step) {
	if s.Moment != fact.Turn {
		p.Moment(s.RunN, DecisionOf(s.Decision))
		return
	}
	if p.open[s.RunN] == nil && p.shownTurns < p.limits.turns {
		p.Begin(s.RunN, Run{s.Run.ID, s.Run.Source, s.Run.Thread, s.At, s.Run.Timed})
	}
	t := Turn{At: s.At, Model: s.Model, Window: s.Window, Prompts: s.Prompts, Response: s.Response,
		Compacted: s.Compacted, Resumed: s.Resumed, Decision: DecisionOf(s.Decision)}
	s.Decision.Read(t.Measure)
	for _, c := range s.Calls {
		t.Calls = append(t.Calls, c.Fact())
	}
	p.Add(s.RunN, t)
}

// Measure takes from the facts of the turn how full the context is.
func (t *Turn) Measure(f *fact.Frame) {
	if u, ok := f.Value(fact.ContextUsage).(float64); ok {
		t.Usage = &u
	}
	if n, ok := f.Value(fact.ContextTokens).(int64); ok {
		t.Tokens = &n
	}
}

// DecisionOf returns what the page shows of a decision.
func DecisionOf(d *eval.Decision) Decision {
	out := Decision{Held: slices.Clone(d.Held), Errors: slices.Clone(d.Errors)}
	for _, f := range d.Fired {
		part, _ := d.Part(f.ID)
		out.Fired = append(out.Fired, Fire{f, d.Why(f.ID), part})
	}
	return out
}

// Begin begins the run with a number of the caller's.
func (p *Page) Begin(n int, named Run) {
	r := &run{Source: Visible(named.Source), ID: Visible(named.ID), Thread: Visible(named.Thread),
		Usage: []int{}, Tokens: []int64{}, last: map[reason]int{}, timed: named.Timed}
	if !named.Start.IsZero() {
		r.Start = named.Start.Unix()
	}
	p.open[n] = r
	p.all = append(p.all, r)
}

// Add adds the next turn of a run.
func (p *Page) Add(n int, t Turn) {
	r := p.open[n]
	if r == nil || p.shownTurns >= p.limits.turns {
		p.lost.Turns++
		return
	}
	p.shownTurns++
	p.answer(r, t.Response)
	at := r.N
	r.N++
	p.measure(r, at, &t)
	if row := p.calls(at, t.Calls); row != nil {
		r.Calls = append(r.Calls, row)
	}
	for _, text := range t.Prompts {
		r.Prompts = append(r.Prompts, [2]int{at, p.text(text, maxPrompt)})
	}
	if t.Compacted {
		r.Compact = append(r.Compact, at)
	}
	if t.Resumed {
		r.Resumed = append(r.Resumed, at)
	}
	p.decision(r, at, t.Decision)
	if r.fired = len(t.Fired) > 0; r.fired {
		p.did(r, at, t.Calls)
	}
}

// Moment adds to the latest turn of a run what was decided at another moment after it.
func (p *Page) Moment(n int, d Decision) {
	if r := p.open[n]; r != nil && r.N > 0 {
		p.decision(r, r.N-1, d)
	}
}

// maxCalls is how many calls before a firing are shown with their words, the latest of the turn.
const maxCalls = 4

// did adds the calls before a firing, with the output of those that failed.
func (p *Page) did(r *run, at int, calls []fact.Call) {
	for _, c := range calls[max(0, len(calls)-maxCalls):] {
		subject := c.Command + strings.Join(c.Paths, " ") + c.Subject
		row := [5]int{at, p.text(c.Tool, maxValue), p.text(subject, maxValue), 0, 0}
		if c.Failed == fact.True {
			row[3], row[4] = 1, p.text(c.Output, maxPrompt)
		}
		r.Did = append(r.Did, row)
	}
}

// answer adds the model's text after a turn on which something fired.
func (p *Page) answer(r *run, text string) {
	if r.fired && text != "" {
		r.Answers = append(r.Answers, [2]int{r.N - 1, p.text(text, maxPrompt)})
	}
	r.fired = false
}

// measure adds a turn to the columns.
func (p *Page) measure(r *run, at int, t *Turn) {
	r.Usage = append(r.Usage, Thousandths(t.Usage))
	tokens := int64(-1)
	if t.Tokens != nil {
		tokens = *t.Tokens
	}
	r.Tokens = append(r.Tokens, tokens-r.lastTokens)
	r.lastTokens = tokens
	if r.timed {
		wait := int64(0)
		if at > 0 && !t.At.IsZero() {
			wait = t.At.Unix() - r.at.Unix()
		}
		if !t.At.IsZero() {
			r.at = t.At
		}
		r.Waits = append(r.Waits, wait)
	}
	if t.Model != r.model {
		r.model = t.Model
		r.Models = append(r.Models, [2]int{at, p.text(t.Model, maxValue)})
	}
	if t.Window != r.window {
		r.window = t.Window
		r.Windows = append(r.Windows, [2]int{at, int(t.Window)})
	}
}

// Thousandths returns how full the context is as the page has it, -1 where that is unknown.
func Thousandths(usage *float64) int {
	if usage == nil {
		return -1
	}
	return int(*usage*1000 + 0.5)
}

// calls returns the row of run.Calls for a turn, nil for a turn without calls.
func (p *Page) calls(at int, calls []fact.Call) []int {
	if len(calls) == 0 {
		return nil
	}
	row := []int{at}
	where := map[string]int{}
	for _, c := range calls {
		i, again := where[c.Tool]
		if !again {
			i = len(row)
			where[c.Tool] = i
			row = append(row, p.text(c.Tool, maxValue), 0, 0)
		}
		row[i+1]++
		if c.Failed == fact.True {
			row[i+2]++
		}
	}
	return row
}

// RunOver implements replay.View.
func (p *Page) RunOver(rest *replay.Rest) {
	if r := p.open[rest.RunN]; r != nil && rest.After != nil {
		p.answer(r, rest.After.Response)
	}
	delete(p.open, rest.RunN)
}

// Note adds a part to the page.
func (p *Page) Note(title string, blocks []terminal.Block) {
	p.notes = append(p.notes, note{title, blocks})
}

// note is a part of the page that a terminal can show, too.
type note struct {
	Title  string
	Blocks []terminal.Block
}

// End implements replay.View.
func (p *Page) End(r *replay.Report) {
	p.partial = r.Interrupted
	for _, m := range r.Reminders {
		if i, ok := p.set.Index(m.ID); ok {
			r := &p.rules[i]
			r.Fires, r.Tokens, r.Never = m.Fires, m.Tokens, Visible(m.Never)
			r.First = [2]int{m.First.Run, m.First.Turn}
			r.Last = [2]int{m.Last.Run, m.Last.Turn}
		}
	}
}

// Turns returns the number of turns of the replay, with those that do not fit.
func (p *Page) Turns() int { return p.shownTurns + p.lost.Turns }

// Runs returns the number of runs on the page.
func (p *Page) Runs() int { return len(p.all) }

// Fires returns the number of firings of the replay, with those that do not fit.
func (p *Page) Fires() int {
	n := 0
	for i := range p.rules {
		n += p.rules[i].Fires
	}
	return n
}

// text returns the index of a recorded text in p.strings. The text is cut to most characters, and to maxLate
// once limits.room is full.
func (p *Page) text(s string, most int) int {
	if p.strings.size > p.limits.room {
		most = min(most, maxLate)
	}
	return p.strings.place(Visible(Cut(s, most)))
}

// table stores each string once.
type table struct {
	all   []string
	where map[string]int
	size  int // bytes of all
}

// place returns the index of s, which it adds where it is not there.
func (t *table) place(s string) int {
	i, again := t.where[s]
	if !again {
		if t.where == nil {
			t.where = map[string]int{}
		}
		i = len(t.all)
		t.where[s] = i
		t.all = append(t.all, s)
		t.size += len(s)
	}
	return i
}
