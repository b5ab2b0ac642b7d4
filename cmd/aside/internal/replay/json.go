package replay

import (
	"encoding/json"
	"io"
	"time"

	"github.com/aside-go/aside/compile"
)

// jsonView is the View that writes one object a turn and one for the summary, as CLI.md describes them. Facts that are durations have
// the form of rule tests ("1m30s").
type jsonView struct {
	enc *json.Encoder
	set *compile.Set
}

func newJSONView(w io.Writer, o Options) *jsonView {
	v := &jsonView{json.NewEncoder(w), o.Set}
	v.enc.SetEscapeHTML(false)
	return v
}

type jsonTurn struct {
	Source string         `json:"source"`
	Run    string         `json:"run"`
	Thread string         `json:"thread_type"`
	Turn   int            `json:"turn"`
	At     string         `json:"at,omitempty"`
	Facts  map[string]any `json:"facts"`
	Fired  []jsonFired    `json:"fired"`
	Held   []jsonHeld     `json:"held"`
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

type jsonReminder struct {
	ID     string `json:"id"`
	Fires  int    `json:"fires"`
	First  int    `json:"first"`
	Last   int    `json:"last"`
	Tokens int    `json:"tokens"`
	Never  string `json:"never"`
}

type jsonSummary struct {
	Turns     int   `json:"turns"`
	Runs      int   `json:"runs"`
	Reminders []any `json:"reminders"`
}

// Turn implements View.
func (v *jsonView) Turn(s *Step) {
	d := s.Decision
	line := jsonTurn{
		Source: s.Run.Source, Run: s.Run.ID, Thread: s.Run.Thread, Turn: d.Turn,
		Facts: make(map[string]any, len(s.Facts)), Fired: []jsonFired{}, Held: []jsonHeld{},
	}
	if !s.At.IsZero() {
		line.At = s.At.UTC().Format(time.RFC3339Nano)
	}
	for name, value := range s.Facts {
		if span, ok := value.(time.Duration); ok {
			value = span.String()
		}
		line.Facts[name] = value
	}
	for _, f := range d.Fired {
		line.Fired = append(line.Fired, jsonOf(f, d))
	}
	for _, h := range d.Held {
		if i, ok := v.set.Index(h.ID); ok {
			line.Held = append(line.Held, jsonHeld{h.ID, heldWhy(h, v.set.Reminder(i), d.Errors)})
		}
	}
	_ = v.enc.Encode(line) // the writer keeps its error
}

// RunOver implements View. It writes nothing.
func (v *jsonView) RunOver(*Rest) {}

// End implements View.
func (v *jsonView) End(r *Report) {
	sum := jsonSummary{Turns: r.Turns, Runs: r.Runs, Reminders: []any{}}
	for _, m := range r.Reminders {
		sum.Reminders = append(sum.Reminders, with(jsonReminder{m.ID, m.Fires, m.First.Turn, m.Last.Turn, m.Tokens, m.Never}, m.Extra))
	}
	_ = v.enc.Encode(map[string]any{"summary": with(sum, r.Extra)}) // the writer keeps its error
}

// with returns v, an object in JSON, with extra as further members after its own, in the order of their names.
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
