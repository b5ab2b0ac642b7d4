package replay

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/aside-go/aside/cmd/internal/reasons"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/agent/session"
)

// timeline is the View for people: a header for each run, a line for each turn on which something happened,
// and below it the firings, with reason and text. Consecutive quiet turns are one line.
type timeline struct {
	Ignored // the response to a run's last turn, since that belongs to no turn
	w       io.Writer
	g       glyphs
	width   int
	color   bool
	verbose bool
	set     *compile.Set

	some  bool // something was written
	run   *session.Run
	model string
	date  string
	quiet quiet
}

const (
	barCells = 10
	margin   = 6  // columns before the lines below a turn's line
	least    = 40 // columns of the narrowest timeline
)

func newTimeline(w io.Writer, o Options) *timeline {
	t := &timeline{w: w, g: unicodeGlyphs, width: o.Width, color: o.Color, verbose: o.Verbose, set: o.Set}
	if o.ASCII {
		t.g = asciiGlyphs
	}
	if t.width <= 0 {
		t.width = 80
	}
	t.width = max(t.width, least)
	return t
}

// text is a piece of a line in one style.
type text struct {
	style style
	s     string
}

// line writes pieces on one line, which it cuts to the width of the timeline.
func (t *timeline) line(pieces ...text) {
	var b strings.Builder
	left := t.width
	for _, p := range pieces {
		s := terminal.Shorten(p.s, left, t.g.more)
		left -= terminal.Width(s)
		if t.color && p.style != plain && s != "" {
			s = string(p.style) + s + reset
		}
		b.WriteString(s)
	}
	t.some = true
	fmt.Fprintln(t.w, strings.TrimRight(b.String(), " ")) // the writer keeps its error
}

// Turn implements View.
func (t *timeline) Turn(s *Step) {
	if s.First {
		t.flush()
		t.header(s)
	} else if s.Run != t.run {
		t.flush()
		t.again(s)
	}
	if !t.verbose && s.Moment == fact.Turn && t.isQuiet(s) {
		if t.quiet.n++; t.quiet.n == 1 {
			t.quiet.first = s
		}
		t.quiet.calls.add(s.Calls...)
		return
	}
	t.flush()
	t.show(s)
}

// isQuiet reports whether nothing happened on a turn except calls of tools.
func (t *timeline) isQuiet(s *Step) bool {
	d := s.Decision
	return !s.First && len(d.Fired) == 0 && len(d.Errors) == 0 && len(s.Prompts) == 0 && !s.Compacted &&
		!s.Resumed && s.Model == t.model
}

// quiet is a stretch of turns that is not shown yet.
type quiet struct {
	n     int
	first *Step
	calls tally
}

// flush writes the quiet turns that were held back: a single one like any turn, several as one line.
func (t *timeline) flush() {
	q := t.quiet
	t.quiet = quiet{}
	switch q.n {
	case 0:
	case 1:
		t.show(q.first)
	default:
		head := fmt.Sprintf("%*s  %s", 4, t.g.more, terminal.Count(q.n, "quiet turn"))
		what := t.tallied(&q.calls)
		if len(what) > 0 {
			head += ": "
		}
		t.line(append([]text{{dim, head}}, what...)...)
	}
}

func (t *timeline) header(s *Step) {
	if t.some {
		t.line()
	}
	t.run, t.model, t.date = s.Run, s.Model, ""
	facts := []string{s.Run.Thread}
	if s.Model != "" {
		facts = append(facts, clean(s.Model))
	}
	if s.Window > 0 {
		facts = append(facts, "window "+terminal.Thousands(s.Window))
	}
	if !s.At.IsZero() {
		t.date = s.At.UTC().Format("2006-01-02")
		facts = append(facts, t.date+" UTC")
	}
	t.line(text{plain, fmt.Sprintf("run %d  ", s.RunN)}, text{bold, clean(s.Run.ID)})
	t.line(text{dim, clean(s.Run.Source)})
	t.line(text{dim, strings.Join(facts, " "+t.g.dot+" ")})
	context := terminal.Fill("context", barCells+5)
	t.line(text{dim, fmt.Sprintf("%4s  %s%s  %s", "turn", t.clockColumn("time"), context,
		"since the turn before")})
}

// again writes a header for a run that goes on after turns of another run.
func (t *timeline) again(s *Step) {
	t.run, t.model, t.date = s.Run, s.Model, s.At.UTC().Format("2006-01-02")
	t.line()
	t.line(text{plain, fmt.Sprintf("run %d goes on  ", s.RunN)}, text{dim, clean(s.Run.ID)})
}

// clockColumn returns s as wide as the column of the time, "" for a run without times, which has no such
// column.
func (t *timeline) clockColumn(s string) string {
	if !t.run.Timed {
		return ""
	}
	return terminal.Fill(s, 7)
}

func (t *timeline) show(s *Step) {
	if date := s.At.UTC().Format("2006-01-02"); !s.At.IsZero() && date != t.date {
		t.date = date
		t.line(text{dim, fmt.Sprintf("%4s  %s", "", date)})
	}
	d := s.Decision
	pieces := []text{{plain, fmt.Sprintf("%4d  ", d.Turn)}, {dim, t.clockColumn(s.At.UTC().Format("15:04"))}}
	pieces = append(pieces, t.bar(s)...)
	pieces = append(pieces, text{plain, "  "})
	pieces = append(pieces, t.events(s)...)
	t.line(pieces...)
	for _, f := range d.Fired {
		head := strings.Repeat(" ", margin-2) + t.g.arrow + " "
		why := "because " + d.Why(f.ID)
		if f.Manual {
			why = "fired by name"
		}
		cost := "  " + terminal.Count(f.Tokens, "token")
		if why = clean(why); terminal.Width(head+f.ID+cost+", "+why) <= t.width {
			t.line(text{magenta, head}, text{bold + magenta, f.ID}, text{dim, cost + ", "}, text{plain, why})
		} else {
			t.line(text{magenta, head}, text{bold + magenta, f.ID}, text{dim, cost})
			t.block(plain, why)
		}
		t.block(dim, `"`+clean(f.Text)+`"`)
	}
	for _, e := range d.Errors {
		t.line(text{red, strings.Repeat(" ", margin-2) + t.g.cross + " " + e.ID + ": " + clean(e.Error)})
	}
	if t.verbose {
		t.held(s)
	}
}

// block writes a text below a turn's line: its first two lines, or all with Verbose.
func (t *timeline) block(st style, s string) {
	room := t.width - margin
	lines := terminal.Wrap(s, room)
	if !t.verbose && len(lines) > 2 {
		lines = []string{lines[0], terminal.Shorten(lines[1]+" "+lines[2], room, t.g.more)}
	}
	for _, l := range lines {
		t.line(text{st, strings.Repeat(" ", margin) + l})
	}
}

func (t *timeline) held(s *Step) {
	for _, h := range s.Decision.Held {
		if h.Why == reminder.HeldText {
			continue // shown already, as an error
		}
		if _, ok := t.set.Index(h.ID); ok {
			t.line(text{dim, strings.Repeat(" ", margin) + h.ID + " held, " + reasons.Held(h, t.set,
				s.Decision.Errors)})
		}
	}
}

// bar returns a bar of how full the context is.
func (t *timeline) bar(s *Step) []text {
	if s.Moment != fact.Turn {
		return []text{{plain, strings.Repeat(" ", barCells+5)}}
	}
	usage, ok := s.Fact(fact.ContextUsage).(float64)
	if !ok {
		unknown := "?"
		if n, ok := s.Fact(fact.ContextTokens).(int64); ok {
			unknown = terminal.Thousands(n) + " tokens"
		}
		return []text{{dim, fmt.Sprintf("%*s", barCells+5, unknown)}}
	}
	cells := min(barCells, int(math.Round(usage*barCells)))
	color := green
	switch {
	case usage > 0.75:
		color = red
	case usage > 0.5:
		color = yellow
	}
	return []text{
		{color, strings.Repeat(t.g.full, cells)},
		{dim, strings.Repeat(t.g.empty, barCells-cells)},
		{plain, fmt.Sprintf(" %3.0f%%", usage*100)},
	}
}

func factName(id fact.ID) string { return builtin.Fact(id).Name }

var builtin = fact.Builtin()

// events returns the events between the turn before and this one.
func (t *timeline) events(s *Step) []text {
	switch s.Moment {
	case fact.BeforeTool:
		return []text{{cyan, "before " + clean(s.Tool)}}
	case fact.Stopping:
		return []text{{cyan, "before the end"}}
	}
	var out []text
	add := func(pieces ...text) {
		if len(out) > 0 {
			out = append(out, text{dim, ", "})
		}
		out = append(out, pieces...)
	}
	if s.Resumed {
		add(text{cyan, "session resumed"})
	}
	if s.Compacted {
		add(text{cyan, "history compacted"})
	}
	if len(s.Calls) > 0 {
		var calls tally
		calls.add(s.Calls...)
		add(t.tallied(&calls)...)
	}
	if s.Model != t.model {
		t.model = s.Model
		add(text{cyan, "model " + clean(s.Model)})
	}
	for _, p := range s.Prompts {
		add(text{cyan, "you: "}, text{plain, clean(p)})
	}
	if len(out) == 0 && s.First && s.Run.Thread != "root" {
		return []text{{dim, "task given by the agent"}}
	}
	if len(out) == 0 {
		return []text{{dim, t.g.dash}}
	}
	return out
}

// End implements View. It writes the summary, unless there was no turn.
func (t *timeline) End(r *Report) {
	t.flush()
	if r.Turns == 0 {
		return
	}
	if t.some {
		t.line()
	}
	fires, named := 0, len("reminder")
	for _, m := range r.Reminders {
		fires += m.Fires
		named = max(named, terminal.Width(m.ID))
	}
	t.line(text{bold, fmt.Sprintf("%s in %s", terminal.Count(r.Turns, "turn"), terminal.Count(r.Runs, "run"))},
		text{plain, fmt.Sprintf("; reminders fired %s, %s in all", terminal.Count(fires, "time"),
			terminal.Count(r.Tokens, "token"))})
	if len(r.Reminders) == 0 {
		t.line(text{dim, "  no rules were given"})
		return
	}
	if fires > 0 {
		t.fired(r, named)
	}
	if slices.ContainsFunc(r.Reminders, func(m ReminderReport) bool { return m.Fires == 0 }) {
		t.line(text{dim, "  never fired, and why:"})
	}
	named = min(named, t.width*2/5)
	for _, m := range r.Reminders {
		if m.Fires == 0 {
			t.never(m, named)
		}
	}
}

// fired writes the table of reminders that fired. named is how many columns their longest id takes. With
// several runs a turn is written as run:turn, which the heading says, or, where that is too narrow, a line
// under the table.
func (t *timeline) fired(r *Report, named int) {
	const leastID = 12
	heads, wide, note := []string{"fires", "first", "last", "tokens"}, []int{7, 8, 8, 8}, ""
	room := t.width - len("  ") - 31
	if first, last := "  first run:turn", "  last run:turn"; r.Runs > 1 {
		if less := len(first) + len(last) - 16; room-less >= leastID {
			room -= less
			heads[1], heads[2], wide[1], wide[2] = first, last, len(first), len(last)
		} else {
			note = "  (first and last are run:turn)"
		}
	}
	named = min(named, max(room, leastID))
	t.row(dim, dim, "reminder", named, wide, heads...)
	for _, m := range r.Reminders {
		if m.Fires > 0 {
			t.row(bold, plain, m.ID, named, wide, strconv.Itoa(m.Fires), m.First.show(r.Runs), m.Last.show(r.Runs),
				terminal.Thousands(m.Tokens))
		}
	}
	if note != "" {
		t.line(text{dim, note})
	}
}

// row writes a row of a table: a name in so many columns, then cells, each at the right of its width.
func (t *timeline) row(id, numbers style, name string, named int, wide []int, cells ...string) {
	var b strings.Builder
	for i, n := range wide {
		fmt.Fprintf(&b, "%*s", n, cells[i])
	}
	name = terminal.Fill(terminal.Shorten(name, named, t.g.more), named)
	t.line(text{id, "  " + name}, text{numbers, b.String()})
}

// never writes why a reminder did not fire, on as many lines as needed.
func (t *timeline) never(m ReminderReport, named int) {
	id := terminal.Fill(terminal.Shorten(m.ID, named, t.g.more), named)
	for _, line := range terminal.Wrap(clean(m.Never), t.width-named-4) {
		t.line(text{plain, "  " + id}, text{dim, "  " + line})
		id = strings.Repeat(" ", named)
	}
}

// tally counts calls of tools: up to maxOrdered of them in their order, more by name. Its memory is bounded
// by the number of tools.
type tally struct {
	n       int     // calls
	ordered []group // consecutive calls of the same tool and outcome; nil for more than maxOrdered calls
	named   []group // one for each tool
}

// group is a number of calls of one tool.
type group struct {
	name      string
	n, failed int
}

// maxOrdered is how many calls are shown in their order.
const maxOrdered = 6

func (t *tally) add(calls ...session.Call) {
	for _, c := range calls {
		failed := 0
		if c.Failed == fact.True {
			failed = 1
		}
		i := slices.IndexFunc(t.named, func(g group) bool { return g.name == c.Name })
		if i < 0 {
			i = len(t.named)
			t.named = append(t.named, group{name: c.Name})
		}
		t.named[i].n++
		t.named[i].failed += failed
		if t.n++; t.n > maxOrdered {
			t.ordered = nil
			continue
		}
		if last := len(t.ordered) - 1; last >= 0 && t.ordered[last].name == c.Name &&
			(t.ordered[last].failed > 0) == (failed > 0) {
			t.ordered[last].n++
			t.ordered[last].failed += failed
		} else {
			t.ordered = append(t.ordered, group{c.Name, 1, failed})
		}
	}
}

// tallied returns the tools of a tally, with their numbers and a mark for calls that failed.
func (t *timeline) tallied(calls *tally) []text {
	groups := calls.ordered
	if calls.n > maxOrdered {
		groups = calls.named
	}
	var out []text
	for i, g := range groups {
		if i > 0 {
			out = append(out, text{dim, ", "})
		}
		out = append(out, text{plain, clean(g.name)})
		if g.failed == g.n {
			out = append(out, text{red, t.g.cross})
		}
		if g.n > 1 {
			out = append(out, text{dim, fmt.Sprintf(" %s%d", t.g.times, g.n)})
		}
		if g.failed > 0 && g.failed < g.n {
			out = append(out, text{red, fmt.Sprintf(" (%d%s)", g.failed, t.g.cross)})
		}
	}
	return out
}

// style is a colour or weight of the terminal.
type style string

const (
	plain  style = ""
	bold   style = "\x1b[1m"
	dim    style = "\x1b[2m"
	red    style = "\x1b[31m"
	green  style = "\x1b[32m"
	yellow style = "\x1b[33m"
	// of reminders: yellow letters cannot be read on a light terminal
	magenta style = "\x1b[35m"
	cyan    style = "\x1b[36m"
	reset         = "\x1b[0m"
)

// glyphs are the timeline's own characters, which a terminal may lack.
type glyphs struct {
	full, empty, arrow, cross, more, dash, dot, times, rule string
}

var (
	unicodeGlyphs = glyphs{"█", "░", "▸", "✗", "…", "–", "·", "×", "─"}
	asciiGlyphs   = glyphs{"#", ".", ">", "!", "...", "-", "-", "x", "-"}
)

// clean returns a text on one line, without the characters that move the cursor or change colours: recorded
// texts may come from anybody.
func clean(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			gap = b.Len() > 0
		case terminal.Obeys(r), r == unicode.ReplacementChar:
		default:
			if gap {
				b.WriteByte(' ')
				gap = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
