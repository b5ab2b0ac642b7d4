package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// TestFill: Fill and the map set the same facts, also when the turn is prepared again, and a turn may have
// both.
func TestFill(t *testing.T) {
	t.Parallel()
	turn := func(how string) eval.Turn {
		all := facts{"model": "m", "prompt": "deploy", "tool_used": []string{"Edit"},
			fact.FailedTools: []string{"Edit"}, "context_tokens": 10, "context_window": 100}
		fill := func(f *fact.Frame) {
			f.SetText(fact.Model, "m")
			f.SetText(fact.Prompt, "deploy")
			f.SetSet(fact.ToolUsed, []string{"Edit"})
			f.SetFailed([]string{"Edit"})
			f.SetInt(fact.ContextTokens, 10)
		}
		switch how {
		case "map":
			return eval.Turn{Key: "k", Facts: all}
		case "fill":
			return eval.Turn{Key: "k", Facts: facts{"context_window": 100, "model": "other"}, Fill: fill}
		default:
			return eval.Turn{Key: "k"}
		}
	}
	var want facts
	for _, how := range []string{"map", "fill"} {
		ev := evaluator(t, when("r", `prompt matches "deploy" and tool_failed:Edit`))
		for _, again := range []string{how, how, "nothing"} {
			d := decide(t, ev, turn(again))
			if want == nil {
				want = d.Facts()
				if want["prompt"] != "deploy" || want["last_tool_call_failed"] != true || want["context_usage"] != 0.1 {
					t.Fatal(want)
				}
			}
			got := d.Facts()
			if again == "nothing" {
				got["prompt"] = "deploy" // which no state keeps
			}
			if diff := cmp.Diff(want, got); diff != "" || ids(d.Fired) != "r" {
				t.Errorf("%s, then %s: fired %s, %s", how, again, ids(d.Fired), diff)
			}
		}
	}
}

// TestDetailLater: a decision gives the same details before Commit, after it, after later turns of the run,
// and after Discard.
func TestDetailLater(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := evaluator(t, while("r", `started and prompt matches "go"`), when("s", "manual"))
	turn := eval.Turn{Facts: facts{"prompt": "go", "idle": time.Minute, "tool_used": []string{"Edit"}},
		Remind: []string{"s"}}
	tell := func(d *eval.Decision) []any {
		part, ok := d.Part("r")
		return []any{d.Facts(), d.Why("r"), d.Why("s"), d.Why("t"), part, ok}
	}
	discarded, err := ev.Prepare(ctx, "run", turn)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ev.Prepare(ctx, "run", turn)
	if err != nil {
		t.Fatal(err)
	}
	want := tell(d)
	if want[1] != `started and prompt matches "go"` || want[2] != "manual" || want[3] != "" ||
		want[5] != true {
		t.Fatal(want)
	}
	for _, next := range []func(){
		func() { _ = d.Commit(ctx) },
		func() { decide(t, ev, eval.Turn{Facts: facts{"prompt": "no"}}) },
		func() { ev.Reload(nil) },
		func() { discarded.Discard(); d = discarded },
	} {
		next()
		if diff := cmp.Diff(want, tell(d)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestDecisionJSON: the JSON of a decision has the facts of the turn and the reason of each firing.
func TestDecisionJSON(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, when("r", "turn_count == 1"))
	for _, again := range []string{"", `,"again":true`} {
		d := decide(t, ev, eval.Turn{Key: "k", Facts: facts{"model": "m"}, Mark: "m4rk"})
		due := `[{"id":"r","text":"text of r","priority":0,"tier":"guidance","attach":"tail",` +
			`"keep":"user turn","tokens":3,"manual":false,"late":false}]`
		want := `{"turn":1,"key":"k","fired":` + due + `,"due":` + due + `,"why":{"r":"turn_count == 1"},` +
			`"facts":{"elapsed":0,"hour":0,"model":"m","started":true,"turn_count":1,"weekday":"thu"},"mark":"m4rk"` +
			again + `}`
		if got, err := json.Marshal(d); err != nil || string(got) != want {
			t.Errorf("%s, %v, want\n%s", got, err, want)
		}
	}
}

// list are notes that cannot be compared.
type list []int

func (l list) MarshalJSON() ([]byte, error) { return json.Marshal([]int(l)) }

// TestNoteOfTheHost: notes of a host's own come back as they are, and are written again if they are others.
func TestNoteOfTheHost(t *testing.T) {
	t.Parallel()
	type pointer struct{ list }
	one := &pointer{list{1}}
	for _, c := range []struct {
		was, now json.Marshaler
		written  bool
	}{
		{one, one, false},
		{one, &pointer{list{1}}, true},
		{one, nil, true},
		{list{1}, list{1}, true}, // the values cannot be compared
		{list{1}, json.RawMessage(`[1]`), true},
		{json.RawMessage(` [1]`), list{1}, false},
		{json.RawMessage(`[1]`), list{2}, true},
		{json.RawMessage(`[1]`), nil, true},
		{json.RawMessage(`null`), json.RawMessage{}, true},
		{nil, json.RawMessage{}, false},
		{nil, nil, false},
		{nil, one, true},
	} {
		ctx, store := context.Background(), state.NewMemory()
		ev := noted(t, store)
		if d := prepare(t, ev, eval.Turn{}); errors.Join(d.Carry(c.was), d.Commit(ctx)) != nil {
			t.Fatal("the turn is not committed")
		}
		_, before, _ := store.Load(ctx, "r")
		err := ev.Note(ctx, "r", func(json.Marshaler) (json.Marshaler, error) { return c.now, nil })
		if _, after, _ := store.Load(ctx, "r"); err != nil || (after != before) != c.written {
			t.Errorf("%v, then %v: written %v, %v", c.was, c.now, after != before, err)
		}
		if got, _, err := ev.Notes(ctx, "r"); c.now == json.Marshaler(one) && got != c.now || err != nil {
			t.Errorf("%v came back as %v, %v", c.now, got, err)
		}
	}
}

// TestFactsRead: the facts of a stored turn are read from any JSON with the same meaning. Facts that the
// schema does not know are left out; JSON of another shape is corrupt.
func TestFactsRead(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := state.NewMemory()
	ev := eval.New(set(t, when("r", "manual")), eval.Options{Store: store, Clock: stopped})
	in := facts{"context_usage": 1e-7, "context_tokens": 5, "user_message": true, "idle": 90 * time.Second,
		"model":     "a\"<\x01ü",
		"tool_used": []string{"a", "b\n"}, "vars.todos": 3, fact.FailedTools: []string{}, "prompt": "p"}
	first, err := ev.Decide(ctx, "run", eval.Turn{Key: "k", Facts: in})
	if err != nil {
		t.Fatal(err)
	}
	stored, _, err := store.Load(ctx, "run")
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(stored.Facts())
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(written, &all); err != nil {
		t.Fatal(err)
	}
	all["facts"].(map[string]any)["vars.gone"] = 7
	other, err := json.MarshalIndent(all, "", " ") // in the order of the names
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		raw string
		err error
	}{
		"as written":  {raw: string(written)},
		"otherwise":   {raw: string(other)},
		"no facts":    {raw: `{"facts":7}`, err: state.ErrCorrupt},
		"no duration": {raw: `{"facts":{"idle":"soon"},"unkept":["prompt"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := state.NewMemory()
			ev := eval.New(set(t, when("r", "manual")), eval.Options{Store: store, Clock: stopped})
			var given fact.Values
			if err := json.Unmarshal([]byte(c.raw), &given); err != nil {
				t.Fatal(err)
			}
			snap, _, err := firing.Step(nil, firing.NewRules(nil), firing.Input{Key: "k", At: stopped(),
				UserMessage: fact.True, Compacted: fact.Unknown,
				Resumed: fact.Unknown, Failed: fact.False, Calls: []fact.Call{{Tool: "a"}, {Tool: "b\n"}},
				ToolsKnown: true, Facts: given})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := store.Save(ctx, "run", 0, snap); err != nil {
				t.Fatal(err)
			}
			again, err := ev.Prepare(ctx, "run", eval.Turn{Key: "k", Facts: facts{"prompt": "p"}})
			if !errors.Is(err, c.err) {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			want := first.Facts()
			if name == "no duration" {
				delete(want, "hour") // the snapshot above does not keep them
				delete(want, "weekday")
				for known := range want {
					if _, given := in[known]; given && known != "prompt" {
						delete(want, known)
					}
				}
				delete(want, "last_tool_call_failed")
			}
			if diff := cmp.Diff(want, again.Facts()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
