package replay

import (
	"encoding/json"
	"io"
	"time"

	"github.com/aside-go/aside/cmd/internal/reasons"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// jsonView is the View that writes one object a turn and one for the summary, as CLI.md describes them. Facts
// that are durations have the form of rule tests ("1m30s").
type jsonView struct {
	Ignored
	enc *json.Encoder
	set *compile.Set
}

func newJSONView(w io.Writer, o Options) *jsonView {
	v := &jsonView{enc: json.NewEncoder(w), set: o.Set}
	v.enc.SetEscapeHTML(false)
	return v
}

// jsonPlace says which turn a line is about.
type jsonPlace struct {
	Source string `json:"source"`
	Run    string `json:"run"`
	Thread string `json:"thread_type"`
	Turn   int    `json:"turn"`
	Moment string `json:"moment,omitempty"` // before_tool or stopping, after the turn
	Tool   string `json:"tool,omitempty"`   // of before_tool
	At     string `json:"at,omitempty"`
}

func placeOf(s *Step) jsonPlace {
	p := jsonPlace{Source: s.Run.Source, Run: s.Run.ID, Thread: s.Run.Thread, Turn: s.Decision.Turn,
		Tool: s.Tool}
	if s.Moment != fact.Turn {
		p.Moment = s.Moment.String()
	}
	if !s.At.IsZero() {
		p.At = s.At.UTC().Format(time.RFC3339Nano)
	}
	return p
}

type jsonTurn struct {
	jsonPlace
	Facts map[string]any `json:"facts"`
	Fired []jsonFired    `json:"fired"`
	Held  []jsonHeld     `json:"held"`
}

type jsonFired struct {
	ID       string `json:"id"`
	Priority int    `json:"priority"`
	Tier     string `json:"tier"`
	Tokens   int    `json:"tokens"`
	Manual   bool   `json:"manual"`
	Why      string `json:"why"`
	Text     string `json:"text"`
}

type jsonHeld struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

type jsonSummary struct {
	Turns     int   `json:"turns"`
	Runs      int   `json:"runs"`
	Reminders []any `json:"reminders"`
}

// Turn implements View.
func (v *jsonView) Turn(s *Step) {
	d := s.Decision
	told := s.Facts()
	line := jsonTurn{jsonPlace: placeOf(s), Facts: make(map[string]any, len(told)), Fired: []jsonFired{},
		Held: []jsonHeld{}}
	// they are never exported
	for _, id := range []fact.ID{fact.Command, fact.Path, fact.Written, fact.Output, fact.CallList} {
		delete(told, factName(id))
	}
	for name, value := range told {
		if span, ok := value.(time.Duration); ok {
			value = span.String()
		}
		line.Facts[name] = value
	}
	for _, f := range d.Fired {
		line.Fired = append(line.Fired, jsonOf(f, d))
	}
	for _, h := range d.Held {
		if _, ok := v.set.Index(h.ID); ok {
			line.Held = append(line.Held, jsonHeld{h.ID, reasons.Held(h, v.set, d.Errors)})
		}
	}
	_ = v.enc.Encode(line) // the writer keeps its error
}

// End implements View.
func (v *jsonView) End(r *Report) {
	sum := jsonSummary{Turns: r.Turns, Runs: r.Runs, Reminders: []any{}}
	for _, m := range r.Reminders {
		sum.Reminders = append(sum.Reminders, with(m, m.Extra))
	}
	_ = v.enc.Encode(map[string]any{"summary": with(sum, r.Extra)}) // the writer keeps its error
}

// with returns v, an object in JSON, with extra as further members after its own, in the order of their
// names.
func with(v any, extra map[string]any) any {
	if len(extra) == 0 {
		return v
	}
	b, err := json.Marshal(v)
	more, errExtra := json.Marshal(extra)
	if err != nil || errExtra != nil { // nothing in here can fail to be JSON
		return v
	}
	return json.RawMessage(append(append(b[:len(b)-1], ','), more[1:]...))
}

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
	jsonPlace
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

// Turn implements View.
func (v *diffJSON) Turn(s *Step) {
	d := v.compare(s)
	if !d.any() {
		return
	}
	line := jsonDiffTurn{jsonPlace: placeOf(s), Gained: []jsonFired{}, Lost: []jsonFired{}, Moved: []jsonMoved{},
		Text: []jsonRewords{}}
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
		line.Text = append(line.Text, jsonRewords{r.after.ID, jsonOf(r.before, s.Decision),
			jsonOf(r.after, s.Against)})
	}
	_ = v.enc.Encode(line) // the writer keeps its error
}

func jsonOf(f reminder.Due, d *eval.Decision) jsonFired {
	return jsonFired{f.ID, f.Priority, f.Tier.String(), f.Tokens, f.Manual, d.Why(f.ID), f.Text}
}

// End implements View.
func (v *diffJSON) End(*Report) { _ = v.enc.Encode(map[string]any{"summary": v.summary()}) }
