package replay

import (
	"encoding/json"
	"io"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// diffJSON is the View that writes an object for each turn with a difference, and one for the summary.
type diffJSON struct {
	*differ
	enc *json.Encoder
}

func newDiffJSON(w io.Writer, o Options) *diffJSON {
	v := &diffJSON{newDiffer(&o), json.NewEncoder(w)}
	v.enc.SetEscapeHTML(false)
	return v
}

type jsonDiffTurn struct {
	Source string        `json:"source"`
	Run    string        `json:"run"`
	Thread string        `json:"thread_type"`
	Turn   int           `json:"turn"`
	At     string        `json:"at,omitempty"`
	Gained []jsonFired   `json:"gained"`
	Lost   []jsonFired   `json:"lost"`
	Moved  []jsonMoved   `json:"moved"` // their other turns are on earlier lines, as lost or gained
	Text   []jsonRewords `json:"reworded"`
}

type jsonMoved struct {
	ID   string `json:"id"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

type jsonRewords struct {
	ID     string    `json:"id"`
	Before jsonFired `json:"before"`
	After  jsonFired `json:"after"`
}

type jsonDiffReminder struct {
	ID       string   `json:"id"`
	Fires    [2]int   `json:"fires"`  // before, after
	Tokens   [2]int   `json:"tokens"` // before, after
	Gained   int      `json:"gained"`
	Lost     int      `json:"lost"`
	Moved    int      `json:"moved"`
	Reworded int      `json:"reworded"`
	In       []string `json:"in"` // before, after
}

type jsonDiffSummary struct {
	Turns     int                `json:"turns"`
	Runs      int                `json:"runs"`
	Changed   int                `json:"changed"` // turns
	Fires     [2]int             `json:"fires"`
	Tokens    [2]int             `json:"tokens"`
	Gained    int                `json:"gained"`
	Lost      int                `json:"lost"`
	Moved     int                `json:"moved"`
	Reworded  int                `json:"reworded"`
	Reminders []jsonDiffReminder `json:"reminders"`
}

// Turn implements View.
func (v *diffJSON) Turn(s *Step) {
	d := v.turn(s)
	if !d.any() {
		return
	}
	line := jsonDiffTurn{
		Source: s.Run.Source, Run: s.Run.ID, Thread: s.Run.Thread, Turn: s.Decision.Turn,
		Gained: []jsonFired{}, Lost: []jsonFired{}, Moved: []jsonMoved{}, Text: []jsonRewords{},
	}
	if !s.At.IsZero() {
		line.At = s.At.UTC().Format(time.RFC3339Nano)
	}
	for _, f := range d.gained {
		line.Gained = append(line.Gained, jsonOf(f, s.Against))
	}
	for _, f := range d.lost {
		line.Lost = append(line.Lost, jsonOf(f, s.Decision))
	}
	for _, m := range d.moved {
		line.Moved = append(line.Moved, jsonMoved{m.due.ID, m.from, m.to})
	}
	for _, r := range d.reworded {
		line.Text = append(line.Text, jsonRewords{r.after.ID, jsonOf(r.before, s.Decision), jsonOf(r.after, s.Against)})
	}
	_ = v.enc.Encode(line) // the writer keeps its error
}

func jsonOf(f reminder.Due, d *eval.Decision) jsonFired {
	return jsonFired{f.ID, f.Priority, f.Tier.String(), f.Tokens, f.Manual, d.Why(f.ID), f.Text}
}

// RunOver implements View.
func (v *diffJSON) RunOver(r *Rest) { delete(v.open, r.Run) }

// End implements View.
func (v *diffJSON) End(*Report) {
	d := &v.total
	sum := jsonDiffSummary{Turns: d.turns, Runs: d.runs, Changed: d.changed, Fires: d.fires, Tokens: d.tokens,
		Gained: d.gained, Lost: d.lost, Moved: d.moved, Reworded: d.reworded, Reminders: []jsonDiffReminder{}}
	for _, r := range v.reminders() {
		in := []string{}
		for i, name := range [...]string{"before", "after"} {
			if r.there[i] {
				in = append(in, name)
			}
		}
		sum.Reminders = append(sum.Reminders, jsonDiffReminder{r.id, r.fires, r.tokens, r.gained, r.lost, r.moved, r.reworded, in})
	}
	_ = v.enc.Encode(map[string]jsonDiffSummary{"summary": sum})
}
