package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/report"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/testkit"
)

// pageData is what is read back from a page.
type pageData struct {
	Rules []struct {
		ID, Mode, Trigger, Rearm, Tier, Text, Never string
		Fires, Tokens, Held                         int
		First, Last                                 [2]int
	}
	Runs []struct {
		Source, ID, Thread       string
		N                        int
		Start                    int64
		Usage, Tokens, Waits     []int
		Models, Windows, Prompts [][2]int
		Calls, Fires             [][]int
		Compact, Resumed         []int
		Held, Errors             [][4]int
	}
	Strings []string
	Shapes  [][]any
	Parts   [][]any
	Lost    struct{ Turns, Fires, Held int }
	Partial bool
}

func decode(t testing.TB, page string) pageData {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	raw, _, ended := strings.Cut(rest, "</script>")
	if !ok || !ended {
		t.Fatal("the page holds no data")
	}
	var d pageData
	if err := json.Unmarshal([]byte(raw), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestData holds each thing that the page is told of a run.
func TestData(t *testing.T) {
	t.Parallel()
	s := newSession("s-1")
	s.says("Fix the gauge.")
	s.calls(20_000, "Edit", "Bash!", "Bash")
	s.calls(50_000, "Edit")
	s.calls(150_000)
	s.compacts()
	s.calls(30_000, "Read")
	s.says("Thanks.")
	s.calls(30_500)
	d := decode(t, pageOf(t, compiled(t), map[string]*session{"s.jsonl": s}))
	if len(d.Runs) != 1 {
		t.Fatalf("%d runs", len(d.Runs))
	}
	r := d.Runs[0]
	if r.N != 5 || r.ID != "s-1" || r.Source != "s.jsonl" || r.Thread != "root" || r.Start == 0 || d.Partial {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct {
		name      string
		want, got any
	}{
		{"usage, unknown at first and after the compaction", []int{-1, 100, 250, -1, 150}, r.Usage},
		{"tokens, as differences", []int{-1, 20_001, 30_000, -50_001, 30_001}, r.Tokens},
		{"seconds between turns", []int{0, 35, 25, 22, 85}, r.Waits},
		{"models", []string{"0 claude-opus-4-6"}, pairs(d, r.Models)},
		{"windows", [][2]int{{0, 200_000}}, r.Windows},
		{"prompts", []string{"0 Fix the gauge.", "4 Thanks."}, pairs(d, r.Prompts)},
		{"calls: a turn, then tool, calls, failed", []string{"1 Edit 1 0 Bash 2 1", "2 Edit 1 0", "4 Read 1 0"},
			calls(d, r.Calls)},
		{"compactions", []int{3}, r.Compact},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// pairs shows rows of a turn and a text.
func pairs(d pageData, rows [][2]int) []string {
	var out []string
	for _, row := range rows {
		out = append(out, fmt.Sprint(row[0], " ", d.Strings[row[1]]))
	}
	return out
}

// calls shows rows of a turn and its tools.
func calls(d pageData, rows [][]int) []string {
	var out []string
	for _, row := range rows {
		s := fmt.Sprint(row[0])
		for i := 1; i < len(row); i += 3 {
			s += fmt.Sprint(" ", d.Strings[row[i]], " ", row[i+1], " ", row[i+2])
		}
		out = append(out, s)
	}
	return out
}

// TestDecisions holds what the page is told of firings, of what was held and of what could not be rendered.
func TestDecisions(t *testing.T) {
	t.Parallel()
	s := newSession("s-1")
	s.says("Fix the gauge.")
	s.calls(20_000, "Edit", "Bash")
	s.calls(150_000, "Edit", "Write")
	s.calls(151_000)
	s.calls(152_000)
	s.calls(153_000)
	s.compacts()
	s.calls(30_000, "Read")
	s.calls(30_500)
	d := decode(t, pageOf(t, compiled(t,
		reminder.Reminder{ID: "edits", Trigger: "after_tool:Edit,Write and not compacted", Text: "Test."},
		reminder.Reminder{ID: "full", Tier: reminder.Safety, Trigger: "context_usage > 70%",
			Rearm: "context_usage < 40%", Text: "{{.context_usage | percent}} full."},
		reminder.Reminder{ID: "never", Trigger: "after_tool:Task", Text: "x"},
		reminder.Reminder{ID: "wrong", Mode: reminder.While, Trigger: "turn_gt:3",
			Text: "At {{.context_usage | percent}}."},
	), map[string]*session{"s.jsonl": s}))
	r := d.Runs[0]
	text := func(i int) string { return d.Strings[i] }
	var fires, held, errs []string
	for _, f := range r.Fires {
		fires = append(fires, fmt.Sprintf("%s on %d, %d tokens: %s, because %s; %s", d.Rules[f[0]].ID, f[1], f[2],
			text(f[3]), text(f[4]), came(d, f[5])))
	}
	for _, h := range r.Held {
		held = append(held, fmt.Sprintf("%s on %d to %d: %s", d.Rules[h[0]].ID, h[1], h[2], text(h[3])))
	}
	for _, e := range r.Errors {
		errs = append(errs, fmt.Sprintf("%s on %d to %d: %s", d.Rules[e[0]].ID, e[1], e[2], text(e[3])))
	}
	for _, c := range []struct {
		name      string
		want, got any
	}{
		{"fires", []string{
			"edits on 1, 2 tokens: Test., because after_tool:Edit and not compacted; 0 t " +
				"after_tool:Edit,Write and not " +
				"compacted; 1 t after_tool:Edit,Write (tool_used is [Edit, Bash]); " +
				"2 t after_tool:Edit; 2 f after_tool:Write; 1 t not compacted; 2 f compacted (compacted is false)",
			"edits on 2, 2 tokens: Test., because after_tool:Edit and after_tool:Write and not compacted; 0 t " +
				"after_tool:Edit,Write and not compacted; 1 t after_tool:Edit,Write (tool_used is [Edit, Write]); " +
				"2 t after_tool:Edit; 2 t after_tool:Write; 1 t not compacted; 2 f compacted (compacted is false)",
			"full on 2, 3 tokens: 75% full., because context_usage > 70%; 0 t context_usage > 70% " +
				"(context_usage is 75%)",
			"wrong on 3, 2 tokens: At 76%., because turn_gt:3; 0 t turn_gt:3 (turn_count is 4)",
			"wrong on 4, 2 tokens: At 76%., because turn_gt:3; 0 t turn_gt:3 (turn_count is 5)",
			"wrong on 6, 2 tokens: At 15%., because turn_gt:3; 0 t turn_gt:3 (turn_count is 7)",
		}, fires},
		{"held", []string{
			"full on 3 to 4: not armed: it has fired, and waits for context_usage < 40%"}, held},
		{"errors", []string{"wrong on 5 to 5: context_usage is unknown"}, errs},
		{"never", "after_tool:Task (never used)", d.Rules[2].Never},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// came shows what the parts of a trigger came to.
func came(d pageData, place int) string {
	parts := d.Parts[place]
	shape, truths := d.Shapes[int(parts[0].(float64))], parts[1].(string)
	var out []string
	for i, c := range truths {
		s := fmt.Sprintf("%v %c %v", shape[2*i], c, shape[2*i+1])
		if v := d.Strings[int(parts[2+i].(float64))]; v != "" {
			s += " (" + v + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// TestSample holds the numbers of the sample's page, and that it is the same each time.
func TestSample(t *testing.T) {
	t.Parallel()
	page := samplePage(t)
	if page != samplePage(t) {
		t.Error("two pages of one replay differ")
	}
	d := decode(t, page)
	fires := 0
	for _, r := range d.Runs {
		fires += len(r.Fires)
		if len(r.Usage) != r.N || len(r.Tokens) != r.N || len(r.Waits) != r.N {
			t.Errorf("%s: columns of %d, %d and %d for %d turns", r.ID, len(r.Usage), len(r.Tokens), len(r.Waits), r.N)
		}
		for _, f := range r.Fires {
			parts := d.Parts[f[5]]
			shape := d.Shapes[int(parts[0].(float64))]
			if truths := parts[1].(string); len(shape) != 2*len(truths) || len(parts) != 2+len(truths) ||
				truths[0] != 't' {
				t.Errorf("%s, turn %d: %d parts, %q", d.Rules[f[0]].ID, f[1], len(shape)/2, truths)
			}
		}
	}
	sum := 0
	for _, r := range d.Rules {
		sum += r.Fires
		if (r.Fires == 0) == (r.Never == "") {
			t.Errorf("%s fired %d times, never because %q", r.ID, r.Fires, r.Never)
		}
	}
	if len(d.Runs) != 3 || fires == 0 || sum != fires {
		t.Errorf("%d runs, %d firings, %d in the sums", len(d.Runs), fires, sum)
	}
}

// TestNothing holds that there is a page for no rules, no runs, and one turn.
func TestNothing(t *testing.T) {
	t.Parallel()
	none := compiled(t)
	if d := decode(t, written(t, report.New(none))); len(d.Runs) != 0 || len(d.Rules) != 0 || d.Runs == nil {
		t.Errorf("%+v", d)
	}
	one := newSession("one")
	one.says("Hello.")
	one.calls(1000)
	d := decode(t, pageOf(t, none, map[string]*session{"one.jsonl": one}))
	if len(d.Runs) != 1 || d.Runs[0].N != 1 || d.Runs[0].Usage[0] != -1 {
		t.Errorf("%+v", d)
	}
}

// TestLimits holds that what does not fit is left out and counted, and that the sums stay whole.
func TestLimits(t *testing.T) {
	t.Parallel()
	set := compiled(t,
		reminder.Reminder{ID: "cool", Mode: reminder.While, Trigger: "always", Cooldown: reminder.Span{Turns: 2},
			Text: "Every other turn, number {{.turn_count}}. " + strings.Repeat("x", 100)},
		reminder.Reminder{ID: "level", Mode: reminder.While, Trigger: "always",
			Text: "Each turn, number {{.turn_count}}. " + strings.Repeat("x", 100)})
	files := fstest.MapFS{"l.jsonl": {Data: []byte(long(50).b.String())}}
	d := decode(t, written(t, played(t, report.Within(set, 40, 30, 5, 1000), set, files, "l.jsonl")))
	r := d.Runs[0]
	if r.N != 40 || len(r.Fires) != 30 || len(r.Held) != 5 || d.Lost.Turns != 10 || d.Lost.Fires != 60-30 ||
		d.Lost.Held != 15 {
		t.Errorf("%d turns, %d firings, %d stretches; lost %+v", r.N, len(r.Fires), len(r.Held), d.Lost)
	}
	if d.Rules[0].Fires != 25 || d.Rules[1].Fires != 50 || d.Rules[1].Last != [2]int{1, 50} {
		t.Errorf("%+v", d.Rules)
	}
	if first, last := d.Strings[r.Fires[0][3]], d.Strings[r.Fires[29][3]]; len(first) < 100 || len(last) > 130 ||
		!strings.Contains(last, "more characters)") {
		t.Errorf("%q, %q", first, last)
	}
}

// TestSize holds how large pages get.
func TestSize(t *testing.T) {
	t.Parallel()
	sizes := map[string]struct {
		page func(t *testing.T) string
		most int
	}{
		"20,000 turns": {func(t *testing.T) string {
			return pageOf(t, starters(t), map[string]*session{"long.jsonl": long(testkit.Repeat(4_000, 20_000))})
		}, 3_000_000},
		"a recorded session": {func(t *testing.T) string {
			set := starters(t)
			paths := testkit.DataGlob(t, "transcripts", "claude-code", "*-*-*.jsonl")
			return written(t, played(t, report.New(set), set, nil, paths...))
		}, 150_000},
		"two long sessions": {func(t *testing.T) string {
			paths := testkit.BesideGlob(t, "transcripts", "claude-code", "*-*-*.jsonl")
			set := starters(t)
			return written(t, played(t, report.New(set), set, nil, paths...))
		}, 300_000},
		"the sample": {func(t *testing.T) string { return samplePage(t) }, 150_000},
	}
	for name, c := range sizes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if n := len(c.page(t)); n > c.most {
				t.Errorf("%d bytes, at most %d", n, c.most)
			} else {
				t.Logf("%d bytes", n)
			}
		})
	}
}
