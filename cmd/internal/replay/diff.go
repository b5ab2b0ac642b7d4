package replay

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/agent/session"
)

// differ compares the firings by two sets of rules, before and after, turn by turn.
//
// A firing by only one of the sets is lost or gained. A lost firing and a gained one of the same reminder in
// the same run, with no firing by both sets in between, are a single firing that has moved. The later of
// their two turns reports it as moved; the earlier one was reported as lost or gained before that could be
// known.
type differ struct {
	sum  diffSummary
	byID map[string]*diffReminder               // those of sum
	open map[*session.Run]map[string]*unmatched // by run and id
}

// diffSummary sums up a comparison. CLI.md describes its JSON.
type diffSummary struct {
	Turns      int             `json:"turns"`
	Runs       int             `json:"runs"`
	Changed    int             `json:"changed"` // turns with a difference
	diffCounts                 // of all reminders together
	Reminders  []*diffReminder `json:"reminders"` // by id
}

// diffReminder sums up a comparison for one reminder.
type diffReminder struct {
	ID string `json:"id"`
	diffCounts
	In []string `json:"in"` // the sets that have it: before, after
}

// diffCounts counts firings. Pairs are before and after.
type diffCounts struct {
	Fires    [2]int `json:"fires"`
	Tokens   [2]int `json:"tokens"`
	Gained   int    `json:"gained"`
	Lost     int    `json:"lost"`
	Moved    int    `json:"moved"`
	Reworded int    `json:"reworded"` // on the same turn with another text
}

func (c *diffCounts) same() bool { return c.Gained+c.Lost+c.Moved+c.Reworded == 0 }

// unmatched are the lost or the gained firings of one reminder in one run since the last firing by both sets.
// There are never both: they would match.
type unmatched struct {
	lost  bool // else gained
	turns []int
}

// diffTurn holds the differences on one turn, each list in the order of the firings.
type diffTurn struct {
	gained, lost []reminder.Due
	moved        []move
	reworded     []reworded
}

func (d *diffTurn) any() bool { return len(d.gained)+len(d.lost)+len(d.moved)+len(d.reworded) > 0 }

// move is a firing that has moved to another turn. One of from and to is the turn that is reported.
type move struct {
	due      reminder.Due // of the turn that is reported
	from, to int
}

type reworded struct{ before, after reminder.Due }

func newDiffer(o *Options) *differ {
	d := &differ{byID: map[string]*diffReminder{}, open: map[*session.Run]map[string]*unmatched{}}
	d.sum.Reminders = []*diffReminder{}
	for i, set := range [...]*compile.Set{o.Set, o.Against} {
		for _, id := range set.IDs() {
			if !o.Wanted(id) {
				continue
			}
			r := d.byID[id]
			if r == nil {
				r = &diffReminder{ID: id}
				d.byID[id] = r
				d.sum.Reminders = append(d.sum.Reminders, r)
			}
			r.In = append(r.In, [...]string{"before", "after"}[i])
		}
	}
	slices.SortFunc(d.sum.Reminders, func(a, b *diffReminder) int { return strings.Compare(a.ID, b.ID) })
	return d
}

// summary returns the summary of the turns so far.
func (d *differ) summary() *diffSummary {
	d.sum.diffCounts = diffCounts{}
	for _, r := range d.sum.Reminders {
		for i := range r.Fires {
			d.sum.Fires[i] += r.Fires[i]
			d.sum.Tokens[i] += r.Tokens[i]
		}
		d.sum.Gained += r.Gained
		d.sum.Lost += r.Lost
		d.sum.Moved += r.Moved
		d.sum.Reworded += r.Reworded
	}
	return &d.sum
}

// compare compares the two decisions on a turn.
func (d *differ) compare(s *Step) diffTurn {
	var out diffTurn
	if s.Moment == fact.Turn {
		d.sum.Turns++
	}
	if s.First {
		d.sum.Runs++
	}
	before, after := s.Decision.Fired, s.Against.Fired
	for _, f := range before {
		d.count(0, f)
		if g := find(after, f.ID); g != nil {
			delete(d.open[s.Run], f.ID)
			if g.Text != f.Text {
				d.byID[f.ID].Reworded++
				out.reworded = append(out.reworded, reworded{f, *g})
			}
			continue
		}
		if at, ok := d.match(s, f.ID, true); ok {
			out.moved = append(out.moved, move{f, s.Decision.Turn, at})
		} else {
			out.lost = append(out.lost, f)
		}
	}
	for _, g := range after {
		d.count(1, g)
		if find(before, g.ID) != nil {
			continue
		}
		if at, ok := d.match(s, g.ID, false); ok {
			out.moved = append(out.moved, move{g, at, s.Decision.Turn})
		} else {
			out.gained = append(out.gained, g)
		}
	}
	if out.any() {
		d.sum.Changed++
	}
	return out
}

func (d *differ) count(which int, f reminder.Due) {
	r := d.byID[f.ID]
	r.Fires[which]++
	r.Tokens[which] += f.Tokens
}

func find(fired []reminder.Due, id string) *reminder.Due {
	if i := slices.IndexFunc(fired, func(f reminder.Due) bool { return f.ID == id }); i >= 0 {
		return &fired[i]
	}
	return nil
}

// match returns the turn of the earliest unmatched firing that makes a lost or gained firing on this turn one
// that has moved. Where there is none, ok is false, and this firing is unmatched from now on.
func (d *differ) match(s *Step, id string, lost bool) (turn int, ok bool) {
	run := d.open[s.Run]
	if run == nil {
		run = map[string]*unmatched{}
		d.open[s.Run] = run
	}
	r, u := d.byID[id], run[id]
	count := &r.Gained
	if u == nil {
		u = &unmatched{lost: lost}
		run[id] = u
	}
	if u.lost {
		count = &r.Lost
	}
	if u.lost == lost {
		u.turns = append(u.turns, s.Decision.Turn)
		*count++
		return 0, false
	}
	turn = u.turns[0]
	if u.turns = u.turns[1:]; len(u.turns) == 0 {
		delete(run, id)
	}
	*count--
	r.Moved++
	return turn, true
}

// RunOver implements View.
func (d *differ) RunOver(r *Rest) { delete(d.open, r.Run) }

// diffView is the View that shows the changes to people: a header for each run, a line for each difference,
// then a table.
type diffView struct {
	*differ
	t      *timeline
	run    *session.Run
	blocks *[]terminal.Block // Options.Blocks
}

// add adds a block for a page.
func (v *diffView) add(b terminal.Block) {
	if v.blocks != nil {
		*v.blocks = append(*v.blocks, b)
	}
}

func newDiffView(w io.Writer, o Options) *diffView {
	return &diffView{differ: newDiffer(&o), t: newTimeline(w, o), blocks: o.Blocks}
}

// Turn implements View.
func (v *diffView) Turn(s *Step) {
	d := v.compare(s)
	if !d.any() {
		return
	}
	t := v.t
	if s.Run != v.run {
		if t.some {
			t.line()
		}
		v.run = s.Run
		t.line(text{plain, fmt.Sprintf("run %d  ", s.RunN)}, text{bold, clean(s.Run.ID)})
		t.line(text{dim, clean(s.Run.Source)})
		v.add(terminal.Block{Heading: fmt.Sprintf("run %d  %s", s.RunN, s.Run.ID)})
		v.add(terminal.Block{Text: s.Run.Source})
	}
	rows := terminal.Block{Head: []string{"reminder", "turn", "change", "how"}, Words: true}
	turn := fmt.Sprintf("%4d  ", s.Decision.Turn)
	changes := map[string]string{"-": "lost", "+": "gained", "~": "moved", "=": "reworded"}
	say := func(st style, sign string, f reminder.Due, rest string) {
		rows.Rows = append(rows.Rows, []string{f.ID, strconv.Itoa(s.Decision.Turn), changes[sign], rest})
		t.line(text{plain, turn}, text{st, sign + " "}, text{bold + st, f.ID}, text{plain, "  " + rest})
		turn = strings.Repeat(" ", margin)
	}
	for _, f := range d.lost {
		say(red, "-", f, terminal.Count(f.Tokens, "token")+", was because "+clean(s.Decision.Why(f.ID)))
	}
	for _, f := range d.gained {
		say(green, "+", f, terminal.Count(f.Tokens, "token")+", because "+clean(s.Against.Why(f.ID)))
	}
	for _, m := range d.moved {
		if m.to == s.Decision.Turn {
			say(cyan, "~", m.due, fmt.Sprintf("moved here from turn %d, because %s", m.from,
				clean(s.Against.Why(m.due.ID))))
		} else {
			say(cyan, "~", m.due, fmt.Sprintf("moved from here to turn %d", m.to))
		}
	}
	for _, r := range d.reworded {
		say(magenta, "=", r.after,
			fmt.Sprintf("another text, %s instead of %d", terminal.Count(r.after.Tokens, "token"), r.before.Tokens))
	}
	if v.blocks == nil {
		return
	}
	if last := &(*v.blocks)[len(*v.blocks)-1]; last.Rows != nil { // of the same run
		last.Rows = append(last.Rows, rows.Rows...)
	} else {
		v.add(rows)
	}
}

// End implements View.
func (v *diffView) End(*Report) {
	t, d := v.t, v.summary()
	if d.Turns == 0 {
		return
	}
	if t.some {
		t.line()
	}
	turns, in := terminal.Count(d.Turns, "turn"), terminal.Count(d.Runs, "run")
	if d.Changed == 0 {
		head := fmt.Sprintf("nothing would change on %s in %s", turns, in)
		rest := fmt.Sprintf("; reminders fire %s, %s", terminal.Count(d.Fires[0], "time"),
			terminal.Count(d.Tokens[0], "token"))
		t.line(text{bold, head}, text{plain, rest})
		v.add(terminal.Block{Text: head + rest})
		v.onlyThere()
		return
	}
	head := fmt.Sprintf("%d of %s in %s would change", d.Changed, turns, in)
	rest := fmt.Sprintf("%s instead of %d, %s instead of %s (%+d)", terminal.Count(d.Fires[1], "firing"),
		d.Fires[0], terminal.Many(d.Tokens[1], "token"), terminal.Thousands(d.Tokens[0]), d.Tokens[1]-d.Tokens[0])
	t.line(text{bold, head})
	t.line(text{plain, rest})
	v.add(terminal.Block{Heading: head})
	v.add(terminal.Block{Text: rest})
	named, same := len("reminder"), 0
	for _, r := range d.Reminders {
		if r.same() {
			same++
		} else {
			named = max(named, terminal.Width(r.ID))
		}
	}
	const leastID = 8
	heads, wide := []string{"before", "after", "gained", "lost", "moved", "tokens"}, []int{8, 8, 8, 8, 8, 8}
	if t.width < 2+leastID+48 {
		wide = []int{7, 7, 7, 7, 7} // without the tokens, whose total stands above the table
	}
	named = min(named, max(leastID, t.width-2-wide[0]*len(wide)))
	t.row(dim, dim, "reminder", named, wide, heads...)
	rows := terminal.Block{Head: append([]string{"reminder"}, heads...)}
	for _, r := range d.Reminders {
		if !r.same() {
			cells := []string{strconv.Itoa(r.Fires[0]), strconv.Itoa(r.Fires[1]),
				zero(r.Gained, "+"), zero(r.Lost, "-"), zero(r.Moved, "~"), signed(r.Tokens[1] - r.Tokens[0])}
			t.row(bold, plain, r.ID, named, wide, cells...)
			rows.Rows = append(rows.Rows, append([]string{r.ID}, cells...))
		}
	}
	v.add(rows)
	if same > 0 {
		others := terminal.Count(same, "other reminder") + ": no difference"
		t.line(text{dim, "  " + others})
		v.add(terminal.Block{Text: others})
	}
	v.onlyThere()
}

// onlyThere names the reminders that only one of the sets has.
func (v *diffView) onlyThere() {
	for _, where := range [...]string{"before", "after"} {
		var ids []string
		for _, r := range v.sum.Reminders {
			if len(r.In) == 1 && r.In[0] == where {
				ids = append(ids, r.ID)
			}
		}
		if len(ids) > 0 {
			only := "only " + where + ": " + strings.Join(ids, ", ")
			v.add(terminal.Block{Text: only})
			for _, l := range terminal.Wrap(only, v.t.width-2) {
				v.t.line(text{dim, "  " + l})
			}
		}
	}
}

// zero returns a count with a sign before it, "" for 0.
func zero(n int, sign string) string {
	if n == 0 {
		return ""
	}
	return sign + strconv.Itoa(n)
}

// signed returns a difference with its sign, "" for 0.
func signed(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", n)
}
