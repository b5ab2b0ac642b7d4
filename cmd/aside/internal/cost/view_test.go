package cost_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aside-go/aside/cmd/aside/internal/cost"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/sample"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/test/testkit"
)

// rules compiles what testdata/rules.yaml holds.
func rules(t testing.TB) *compile.Set {
	t.Helper()
	file := filepath.Join("testdata", "rules.yaml")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rs, diags := document.Read(file, src)
	set, more := compile.FromFiles(rs, compile.Options{})
	if diags.HasErrors() || more.HasErrors() {
		t.Fatal(diags, more)
	}
	return set
}

// view replays and returns the view and the summary in JSON.
func view(t testing.TB, o replay.Options, prices cost.Prices) (*cost.View, string) {
	t.Helper()
	v := cost.NewView(prices)
	var out, errs bytes.Buffer
	o.Views, o.JSON, o.Out, o.Err = []replay.View{v}, true, &out, &errs
	if err := replay.Run(context.Background(), o); err != nil {
		t.Fatal(err, errs.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return v, lines[len(lines)-1]
}

// style is a terminal.
type style struct {
	Width int
	ASCII bool
}

func printed(t testing.TB, v *cost.View, s style) string {
	t.Helper()
	var b strings.Builder
	if err := terminal.Print(&b, v.Blocks(), s.Width, s.ASCII); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func indented(t testing.TB, line string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(line), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}

func TestSample(t *testing.T) {
	t.Parallel()
	files, err := fs.Sub(sample.Sessions, "sample")
	if err != nil {
		t.Fatal(err)
	}
	own, err := cost.ParsePrices("in=3,out=15", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		prices cost.Prices
		style  style
	}{
		"sample":       {},
		"sample-ascii": {own, style{ASCII: true, Width: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, line := view(t, replay.Options{Files: files, Paths: []string{"."}, Set: rules(t)}, x.prices)
			testkit.Golden(t, filepath.Join("testdata", name+".txt"), printed(t, v, x.style))
			testkit.Golden(t, filepath.Join("testdata", name+".json"), indented(t, line))
		})
	}
}

// TestLongSessions: the figures that "aside help costs" shows.
func TestLongSessions(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"4d5611e5-241a-462a-8d15-5122611a9569", "8463c716-a2ea-4c14-9efa-87158ebd9f20"} {
		t.Run(id[:8], func(t *testing.T) {
			t.Parallel()
			v, _ := view(t, replay.Options{Paths: []string{testkit.Beside(t, "transcripts", "claude-code",
				id+".jsonl")}, Set: rules(t)}, cost.Prices{})
			testkit.Golden(t, filepath.Join("testdata", id[:8]+".txt"), printed(t, v, style{}))
		})
	}
}

// TestShortSession: the beginning of a long session.
func TestShortSession(t *testing.T) {
	t.Parallel()
	path := testkit.Data(t, "transcripts", "claude-code", "8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl")
	v, _ := view(t, replay.Options{Paths: []string{path}, Set: rules(t)}, cost.Prices{})
	testkit.Golden(t, filepath.Join("testdata", "8463c716-begins.txt"), printed(t, v, style{}))
}

// TestLogs: nothing was recorded of what these calls took.
func TestLogs(t *testing.T) {
	t.Parallel()
	set, diags := compile.New([]reminder.Reminder{{ID: "policy", Trigger: "every 5 turns", Mode: reminder.While,
		Text: "A booking is changed only after the customer has said yes to the price."}}, compile.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for name, data := range map[string]func(testing.TB, ...string) string{
		"airline-begins": testkit.Data,
		"airline":        testkit.Beside,
	} {
		t.Run(name, func(t *testing.T) {
			path := data(t, "transcripts", "openai-chat", "airline.jsonl")
			v, _ := view(t, replay.Options{Paths: []string{path}, Set: set}, cost.Prices{})
			testkit.Golden(t, filepath.Join("testdata", name+".txt"), printed(t, v, style{}))
		})
	}
}

// TestNarrow: no table is wider than the terminal, whatever a reminder is called; what it costs stays.
func TestNarrow(t *testing.T) {
	t.Parallel()
	files, err := fs.Sub(sample.Sessions, "sample")
	if err != nil {
		t.Fatal(err)
	}
	id := strings.Repeat("a-long-name-", 9)
	set, diags := compile.New([]reminder.Reminder{{ID: id + "1", Trigger: "every 5 turns", Mode: reminder.While,
		Text: "x"}, {ID: "short", Trigger: "every 5 turns", Mode: reminder.While, Text: "y"}}, compile.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	v, _ := view(t, replay.Options{Files: files, Paths: []string{"."}, Set: set}, cost.Prices{})
	for _, width := range []int{30, 40, 60, 80} {
		for _, look := range []style{{Width: width}, {Width: width, ASCII: true}} {
			got := printed(t, v, look)
			for line := range strings.Lines(got) {
				if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width && !strings.HasPrefix(line, "cost of ") {
					t.Errorf("%+v: %d columns: %s", look, n, line)
				}
			}
			if !strings.Contains(got, "  dollars") || !strings.Contains(got, "  short ") || !strings.Contains(got,
				"  a-long-") {
				t.Errorf("%+v:\n%s", look, got)
			}
		}
	}
}

// log is a recording of a model that nobody has a price for, whose name would clear the screen.
const log = `{"id":"desk","model":"evil\u001b[2J\u2028\ufeff\u2060-1","messages":[{"role":"user","content":"Book me a seat."},
{"role":"assistant","content":"12A?"},{"role":"user","content":"Yes."},{"role":"assistant","content":"Done."}]}`

// TestUnknownPrice: tokens alone, and it is said; no name reaches the terminal as it is.
func TestUnknownPrice(t *testing.T) {
	t.Parallel()
	set, diags := compile.New([]reminder.Reminder{{ID: "polite", Trigger: "always", Mode: reminder.While,
		Text: "The customer is in a hurry."}}, compile.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	v, line := view(t, replay.Options{Files: fstest.MapFS{"log.json": {Data: []byte(log)}},
		Paths: []string{"log.json"}, Set: set}, cost.Prices{})
	got := printed(t, v, style{})
	if strings.Contains(got, "$") || !strings.Contains(got, "nobody has said what it costs") ||
		strings.ContainsAny(got, "\x1b\u2028\ufeff\u2060") {
		t.Error(got)
	}
	var sum struct {
		Summary struct {
			Cost struct {
				Root struct {
					Recorded struct{ Dollars *float64 }
				}
				Unpriced []struct {
					Model string
					Calls int
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(line), &sum); err != nil {
		t.Fatal(err)
	}
	if c := sum.Summary.Cost; c.Root.Recorded.Dollars != nil || len(c.Unpriced) != 1 ||
		c.Unpriced[0].Calls != 2 {
		t.Error(line)
	}
	testkit.Golden(t, filepath.Join("testdata", "unknown.txt"), got)
}

// TestLongPrompts: a prompt that is past the length of the price's first tier costs what the second says, and
// it is told.
func TestLongPrompts(t *testing.T) {
	t.Parallel()
	const log = `{"id":"l","model":"claude-sonnet-4-5","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","usage":{"input_tokens":100000,"output_tokens":1}},
{"role":"user","content":"c"},{"role":"assistant","content":"d","usage":{"input_tokens":300000,"output_tokens":1}}]}`
	v, _ := view(t, replay.Options{Files: fstest.MapFS{"log.json": {Data: []byte(log)}},
		Paths: []string{"log.json"}, Set: rules(t)}, cost.Prices{})
	// the first prompt is written, then read
	if got, want := v.Root.Base().Dollars, 0.1*3.75+0.1*0.6+0.2*7.5; math.Abs(got-want) > 1e-9 {
		t.Errorf("$%g, want $%g", got, want)
	}
	if got := printed(t, v, style{Width: 300}); !strings.Contains(got,
		"; 1 call with prompts past 200,000 tokens: $6 in, $0.6 read, $7.5 write, $12 for an hour\n") {
		t.Error(got)
	}
}
