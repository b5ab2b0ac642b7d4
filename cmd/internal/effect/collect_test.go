package effect_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/effect"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// collected returns the evidence in records.
func collected(t *testing.T, records iter.Seq2[*reminder.Record, error], by effect.By) []*effect.Version {
	t.Helper()
	vs, err := effect.Collect(records, time.Time{}, by)
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

// killed is a store whose process is killed between the records and the snapshot of each second save.
type killed struct {
	*state.Memory
	saves int
	kept  []reminder.Record
}

func (k *killed) SaveRecorded(ctx context.Context, run string, prev state.Revision, next *state.Snapshot,
	records []reminder.Record) (state.Revision, error) {
	k.kept = append(k.kept, records...)
	if k.saves++; k.saves%2 == 1 {
		return 0, errors.New("killed")
	}
	return k.Memory.SaveRecorded(ctx, run, prev, next, nil)
}

func (k *killed) Records(context.Context) iter.Seq2[*reminder.Record, error] {
	return recordsOf(k.kept...)
}

func recordsOf(list ...reminder.Record) iter.Seq2[*reminder.Record, error] {
	return func(yield func(*reminder.Record, error) bool) {
		for i := range list {
			if !yield(&list[i], nil) {
				return
			}
		}
	}
}

// TestKilled: a turn that is decided again after a kill adds no firing and no outcome.
func TestKilled(t *testing.T) {
	t.Parallel()
	set, ds := compile.New([]reminder.Reminder{{ID: "r", Mode: reminder.When, Trigger: "after_tool:Edit",
		Expect: "after_tool:Bash", Within: 2, Text: "Run the tests."}}, compile.Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	store := &killed{Memory: state.NewMemory()}
	for _, run := range []string{"one", "two", "three"} {
		for n, tool := range []string{"Edit", "Read", map[string]string{"one": "Bash",
			"two": "Bash"}[run], "Edit"} {
			turn := eval.Turn{Key: fmt.Sprint(n), At: time.Unix(int64(n), 0), Facts: map[string]any{
				"tool_used": []string{tool}}}
			for try := range 2 { // a process of its own
				_, err := eval.New(set, eval.Options{Store: store}).Decide(t.Context(), run, turn)
				if err == nil {
					break
				}
				if try == 1 {
					t.Fatal(err)
				}
			}
		}
	}
	if len(store.kept) != 18 {
		t.Fatalf("%d records of nine firings and outcomes, each twice", len(store.kept))
	}
	vs := collected(t, store.Records(t.Context()), effect.By{})
	if len(vs) != 1 {
		t.Fatalf("%d versions", len(vs))
	}
	if g := vs[0].Sent; g.Runs != 3 || g.Firings != 3 || g.Heeded != 2 || g.Ignored != 1 ||
		g.Waiting != 3 || g.Tokens != 12 {
		t.Errorf("%+v", g)
	}
}

// TestBegunAnew: a run that was deleted and begins anew has firings of the same names, which are others.
func TestBegunAnew(t *testing.T) {
	t.Parallel()
	set, ds := compile.New([]reminder.Reminder{{ID: "r", Mode: reminder.When, Trigger: "after_tool:Edit",
		Expect: "after_tool:Bash", Within: 2, Text: "Run the tests."}}, compile.Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	store := state.NewMemory()
	ev := eval.New(set, eval.Options{Store: store})
	for _, last := range []string{"Bash", "Read", "Bash"} {
		for _, tool := range []string{"Edit", last, "Read", "Edit"} {
			at := eval.Turn{Facts: map[string]any{"tool_used": []string{tool}}}
			if _, err := ev.Decide(t.Context(), "run", at); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(ev.End(t.Context(), "run", time.Time{}), ev.Forget(t.Context(), "run")); err != nil {
			t.Fatal(err)
		}
	}
	g := collected(t, store.Records(t.Context()), effect.By{})[0].Sent
	if g.Firings != 6 || g.Heeded != 2 || g.Ignored != 1 || g.Open != 3 || g.Waiting != 0 {
		t.Errorf("%+v", g)
	}
}

// TestTrial: a trial is a version of its own, with which a test of the same text is compared, and no group of
// that.
func TestTrial(t *testing.T) {
	t.Parallel()
	r := reminder.Reminder{ID: "r", Mode: reminder.While, Trigger: "always",
		Expect: "after_tool:Bash", Within: 1,
		Holdout: 1, Text: "Run the tests."}
	store := state.NewMemory()
	for i, share := range []float64{1, 0.5} {
		r.Holdout = share
		set, ds := compile.New([]reminder.Reminder{r}, compile.Options{})
		if ds.HasErrors() {
			t.Fatal(ds)
		}
		at := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC) // the trial first
		ev := eval.New(set, eval.Options{Store: store, Clock: func() time.Time { return at }})
		for n := range 40 {
			for k := range 3 {
				facts := map[string]any{"tool_used": []string{[]string{"Read", "Bash"}[(i|n)%2*min(k, 1)]}}
				if _, err := ev.Decide(t.Context(), fmt.Sprint(i, n), eval.Turn{Facts: facts}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	vs := collected(t, store.Records(t.Context()), effect.By{})
	if len(vs) != 2 || !vs[0].Trial() || vs[1].Trial() || vs[0].Version != vs[1].Version+reminder.Trial {
		for _, v := range vs {
			t.Errorf("%+v", *v)
		}
		t.FailNow()
	}
	if vs[0].Sent.Firings > 0 || vs[0].Held.Runs != 40 || vs[1].Sent.Runs+vs[1].Held.Runs != 40 ||
		vs[1].Held.Runs < 9 {
		t.Errorf("%+v\n%+v", vs[0], vs[1])
	}
}

// many yields records of so many firings of each of seven rules: five in a run, a fifth of the runs is held
// out; of ten firings, seven are heeded, or five where the text was held out.
func many(firings int) iter.Seq2[*reminder.Record, error] {
	return func(yield func(*reminder.Record, error) bool) {
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for n := range 7 * firings {
			rule, k := n%7, n/7
			r := reminder.Record{Time: at.Add(time.Duration(n) * time.Minute), Run: fmt.Sprintf("%016x", k/5),
				Firing: fmt.Sprintf("%016x", n), ID: fmt.Sprint("rule-", rule), Version: fmt.Sprintf("%016x", rule),
				HeldOut: k/5%5 == 0, Outcome: reminder.Fired, Tokens: 20, Agent: "claude-code",
				Model: "claude-sonnet-4-5"}
			if !yield(&r, nil) {
				return
			}
			r.Outcome, r.Turns, r.Tokens = reminder.Ignored, 5, 0
			if of := k % 10; of < 5 || of < 7 && !r.HeldOut {
				r.Outcome, r.Turns = reminder.Heeded, 1+of%4
			}
			if !yield(&r, nil) {
				return
			}
		}
	}
}

// TestCollect: the outcomes that are known give counts, rates, money and verdicts.
func TestCollect(t *testing.T) {
	t.Parallel()
	vs := collected(t, many(2000), effect.By{Agent: true, Model: true})
	if len(vs) != 7 {
		t.Fatalf("%d versions", len(vs))
	}
	for _, v := range vs {
		s, h := &v.Sent, &v.Held
		tokens, dollars, _ := v.Spent()
		turns, _ := s.Turns()
		got := fmt.Sprintf("%s %s %s; %s; %s; after %.0f; %.0f tokens, $%.6f; %s", v.ID, v.Agent,
			v.Model, s, h, turns,
			tokens, dollars, v.Verdict())
		// 320 of 1,600 firings are heeded because of the text, of 20 tokens at $3.75 a million, written to a cache
		want := v.ID + " claude-code claude-sonnet-4-5; 1,600 firings in 320 runs: 1,120 heeded, 480 " +
			"ignored, 0 open; " +
			"70 % heeded in the mean of the runs; 400 firings in 80 runs: 200 heeded, 200 ignored, 0 open; " +
			"50 % heeded in the mean of the runs; after 2; 100 tokens, $0.000375; works"
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestSpentUnsure: 20 points more in too few runs are no effect, and nothing was paid for it.
func TestSpentUnsure(t *testing.T) {
	t.Parallel()
	v := collected(t, many(250), effect.By{})[0]
	if d := v.Difference(); !d.Known || v.Sent.Rate() <= v.Held.Rate() {
		t.Fatalf("%+v, %v, %v", d, v.Sent.Rate(), v.Held.Rate())
	}
	if tokens, _, ok := v.Spent(); ok {
		t.Errorf("%q, and %.0f tokens for each firing heeded because of the text", v.Verdict(), tokens)
	}
}

// TestNarrow: a narrow terminal shows the same words below each other.
func TestNarrow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := filestore.Open(dir, filestore.Options{Durability: filestore.Process})
	if err != nil {
		t.Fatal(err)
	}
	var records []reminder.Record
	for r := range many(50) {
		records = append(records, *r)
	}
	if _, err := store.SaveRecorded(t.Context(), "run", 0, firing.Remind(nil, "r"), records); err != nil {
		t.Fatal(err)
	}
	shown := func(columns int) []string {
		var b bytes.Buffer
		e := &command.Env{Out: bufio.NewWriter(&b), Err: &b, Width: columns}
		if err := effect.Run(t.Context(), e, effect.Options{State: dir, IDs: []string{"rule-1"}}); err != nil {
			t.Fatal(err)
		}
		if err := e.Out.Flush(); err != nil {
			t.Fatal(err)
		}
		return strings.Split(b.String(), "\n")
	}
	wide, narrow := shown(0), shown(40)
	for _, line := range narrow {
		if len(line) > 40 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if !slices.Equal(strings.Fields(strings.Join(narrow, " ")), strings.Fields(strings.Join(wide, " "))) {
		t.Errorf("%q, on a wide terminal %q", narrow, wide)
	}
}

// BenchmarkAimEffect: records, with -long a million, are reported in five times the time that reading them
// takes.
func BenchmarkAimEffect(b *testing.B) {
	dir := b.TempDir()
	store, err := filestore.Open(dir, filestore.Options{Durability: filestore.Process})
	if err != nil {
		b.Fatal(err)
	}
	firings := 50_000
	if testkit.Long() {
		firings = 500_000
	}
	var batch []reminder.Record
	var rev state.Revision
	save := func() {
		if rev, err = store.SaveRecorded(b.Context(), "run", rev, firing.Remind(nil, "r"), batch); err != nil {
			b.Fatal(err)
		}
		batch = batch[:0]
	}
	for r := range many(firings / 7) {
		if batch = append(batch, *r); len(batch) == 1000 {
			save()
		}
	}
	save()
	more, err := filepath.Glob(filepath.Join(dir, "outcomes-*"))
	if err != nil {
		b.Fatal(err)
	}
	valid := func() {
		all, err := os.ReadFile(filepath.Join(dir, "outcomes"))
		if err != nil {
			b.Fatal(err)
		}
		for _, part := range more {
			full, err := os.ReadFile(part)
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, full...)
		}
		for line := range bytes.Lines(all) {
			if !json.Valid(line) {
				b.Fatal(line)
			}
		}
	}
	read := func() {
		for _, err := range store.Records(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	report := func() {
		vs, err := effect.Collect(store.Records(b.Context()), time.Time{}, effect.By{})
		if err != nil || len(vs) != 7 || vs[0].Verdict() != "works" {
			b.Fatal(err, len(vs))
		}
	}
	for b.Loop() {
		var least [3]float64
		for range 3 {
			for i, do := range []func(){valid, read, report} {
				start := time.Now()
				do()
				if took := time.Since(start).Seconds(); least[i] == 0 || took < least[i] {
					least[i] = took
				}
			}
		}
		b.ReportMetric(least[2], "s")
		b.ReportMetric(least[2]/least[1], "×reading")
		b.ReportMetric(least[2]/least[0], "×json.Valid")
	}
}
