package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

func noted(t *testing.T, store state.Store) *eval.Evaluator {
	t.Helper()
	set, diags := compile.New([]reminder.Reminder{{ID: "a", Trigger: "turn_count == 1", Text: "A"}},
		compile.Options{})
	if diags != nil {
		t.Fatal(diags)
	}
	return eval.New(set, eval.Options{Store: store})
}

// bytesOf returns the bytes of notes.
func bytesOf(n json.Marshaler) string { raw, _ := n.(json.RawMessage); return string(raw) }

// TestCarry: notes are committed with the decision or not at all, and a text that could not be carried comes
// with the next turn.
func TestCarry(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := noted(t, nil)
	d, err := ev.Prepare(ctx, "r", eval.Turn{Key: "1", Mark: "m"})
	if err != nil || d.Notes() != nil {
		t.Fatal(err, d.Notes())
	}
	if err := d.Carry(json.RawMessage(`{`)); err == nil {
		t.Error("carried what is no JSON")
	}
	if err := d.Carry(json.RawMessage(`{"n": 1}`), "a"); err != nil || bytesOf(d.Notes()) != `{"n":1}` {
		t.Fatal(err, bytesOf(d.Notes()))
	}
	if notes, mark, err := ev.Notes(ctx, "r"); notes != nil || mark != "" || err != nil {
		t.Errorf("before the commit: %s, %q, %v", bytesOf(notes), mark, err)
	}
	if err := d.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if notes, mark, err := ev.Notes(ctx, "r"); bytesOf(notes) != `{"n":1}` || mark != "m" || err != nil {
		t.Errorf("after the commit: %s, %q, %v", bytesOf(notes), mark, err)
	}
	if err := d.Carry(nil); !errors.Is(err, eval.ErrCommitted) {
		t.Error(err)
	}
	d, err = ev.Prepare(ctx, "r", eval.Turn{Key: "2"})
	if err != nil || len(d.Fired) != 0 || len(d.Due) != 1 || !d.Due[0].Late || bytesOf(d.Notes()) != `{"n":1}` {
		t.Fatalf("%+v, %v", d, err)
	}
	d.Discard()
	if err := d.Carry(nil); !errors.Is(err, eval.ErrDiscarded) {
		t.Error(err)
	}
}

// TestNote: notes change between turns, and of a run that is not there nothing is made.
func TestNote(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := state.NewMemory()
	ev := noted(t, store)
	add := func(n json.Marshaler) (json.Marshaler, error) { return json.RawMessage(`[` + bytesOf(n) + `]`), nil }
	if err := ev.Note(ctx, "r", add); err != nil {
		t.Fatal(err)
	}
	if runs, _ := state.AllRuns(ctx, store); len(runs) != 0 {
		t.Errorf("runs %q", runs)
	}
	if _, err := ev.Decide(ctx, "r", eval.Turn{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`[]`, `[[]]`} {
		if err := ev.Note(ctx, "r", add); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := ev.Notes(ctx, "r"); bytesOf(got) != want {
			t.Errorf("%s, want %s", bytesOf(got), want)
		}
	}
	_, before, _ := store.Load(ctx, "r")
	stop := errors.New("stop")
	for _, edit := range []func(json.Marshaler) (json.Marshaler, error){
		func(json.Marshaler) (json.Marshaler, error) { return nil, stop },
		func(n json.Marshaler) (json.Marshaler, error) { return n, nil },
		func(json.Marshaler) (json.Marshaler, error) { return json.RawMessage(`{`), nil },
	} {
		_ = ev.Note(ctx, "r", edit)
		if _, now, _ := store.Load(ctx, "r"); now != before {
			t.Error("something was written")
		}
	}
	err := ev.Note(ctx, "r", func(json.Marshaler) (json.Marshaler, error) { return nil, stop })
	if !errors.Is(err, stop) {
		t.Error(err)
	}
}

// TestFork: a fork begins with the state of the other run, and from then on neither run changes the other.
func TestFork(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := noted(t, nil)
	if done, err := ev.Fork(ctx, "r", "s"); done || err != nil {
		t.Errorf("of nothing: %v, %v", done, err)
	}
	if _, err := ev.Decide(ctx, "r", eval.Turn{Mark: "m"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if done, err := ev.Fork(ctx, "r", "s"); done != want || err != nil {
			t.Errorf("%v, %v", done, err)
		}
	}
	d, err := ev.Decide(ctx, "s", eval.Turn{Mark: "other"})
	if err != nil || d.Turn != 2 || len(d.Fired) != 0 || d.Mark != "m" {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = ev.Decide(ctx, "r", eval.Turn{}); err != nil || d.Turn != 2 {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestCarryAgain: a turn that another process commits first keeps that process's notes, and the notes of a
// discarded turn are dropped.
func TestCarryAgain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := noted(t, nil)
	ours, theirs := prepare(t, ev, eval.Turn{Key: "1"}), prepare(t, ev, eval.Turn{Key: "1"})
	if err := errors.Join(ours.Carry(json.RawMessage(`"ours"`)),
		theirs.Carry(json.RawMessage(`"theirs"`))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(theirs.Commit(ctx), ours.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	if !ours.Again || theirs.Again || bytesOf(ours.Notes()) != `"theirs"` {
		t.Errorf("again %v and %v, notes %s", ours.Again, theirs.Again, bytesOf(ours.Notes()))
	}
	if err := ours.Carry(nil); !errors.Is(err, eval.ErrCommitted) {
		t.Error(err)
	}
	gone := prepare(t, ev, eval.Turn{Key: "2"})
	if err := gone.Carry(json.RawMessage(`"gone"`)); err != nil {
		t.Fatal(err)
	}
	gone.Discard()
	if d, err := ev.Decide(ctx, "r", eval.Turn{}); err != nil || d.Turn != 2 ||
		bytesOf(d.Notes()) != `"theirs"` {
		t.Errorf("%+v, %v", d, err)
	}
}

func prepare(t *testing.T, ev *eval.Evaluator, turn eval.Turn) *eval.Decision {
	t.Helper()
	d, err := ev.Prepare(t.Context(), "r", turn)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
