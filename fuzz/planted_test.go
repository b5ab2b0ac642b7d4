package fuzz_test

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/internal/test/planted"
	"github.com/aside-go/aside/internal/test/testkit"
)

// faults are put into the engine one at a time: where a file has right, an expression or a statement, wrong
// stands in its place. The machine and the reference must find each.
var faults = []struct{ file, right, wrong string }{
	// what becomes of a trigger
	{"state/fire.go", "n.after.from, n.after.since = 0, time.Time{}", "n.after.since = time.Time{}"},
	{"state/fire.go", "n.after = n.after.inRow(n.after.row(now-1), now)", "n.after.from = 0"},
	{"state/fire.go", "n.turn, n.prior = now, n.after", "n.turn = now"},
	{"state/fire.go", `r.Rearm != "" || !r.For.IsZero() || st.in.Between(i) != fact.False`,
		`!r.For.IsZero() || st.in.Between(i) != fact.False`},
	{"state/fire.go", `r.Rearm != "" || !r.For.IsZero() || st.in.Between(i) != fact.False`,
		`r.Rearm != "" || st.in.Between(i) != fact.False`},
	{"state/fire.go", "rearm == fact.True || st.in.Compacted == fact.True || st.in.CompactedBefore",
		"rearm == fact.True"},
	{"state/fire.go", "max(r.For.Turns-e.after.row(s.turn), 0)", "max(r.For.Turns-e.after.row(s.turn)-1, 0)"},
	{"state/fire.go", "r.MaxFires > 0 && e.fires >= r.MaxFires", "r.MaxFires > 0 && e.fires > r.MaxFires"},
	{"state/fire.go", "r.MaxIgnored > 0 && e.ignored >= r.MaxIgnored", "false"},
	{"state/fire.go", "!c.hand && c.rule.Tier != reminder.Safety", "!c.hand"},
	{"state/fire.go", "st.next.spent+sum <= int64(limit.Run)", "sum <= int64(limit.Run)"},
	{"state/fire.go", "once && slices.Contains(st.next.seen, hash)", "false"},
	{"state/run.go", "max(span.Turns-(r.s.turn-since.Turn), 0)", "max(span.Turns-(r.s.turn-since.Turn)-1, 0)"},
	{"state/run.go", "in.UserMessage == fact.True && !s.spoke", "in.UserMessage == fact.True"},
	{"state/run.go", "s.failures = s.failuresBefore + 1", "s.failures++"},
	{"state/run.go", "r.s.turn - m.turn + 1", "r.s.turn - m.turn"},
	{"state/run.go", "y.calls == 0 || x.seq > y.seq", "x.seq > y.seq"},
	{"state/run.go", "p.Turn, p.Seq = s.turn, s.toolCalls+k+1", "p.Turn, p.Seq = s.turn, s.toolCalls"},
	{"state/texts.go", "st.in.Compacted == fact.True", "false"},
	{"state/texts.go", "st.next.userTurns-t.userTurn >= t.Keep.N", "st.next.userTurns-t.userTurn > t.Keep.N"},
	{"state/texts.go", "st.rearmed = append(st.rearmed, t.ID)", "_ = t.ID"},
	{"state/texts.go", "t.missed = false", "_ = t"},
	{"state/effect.go", "after >= r.Within", "after > r.Within"},
	{"state/effect.go", "heeded && (r.MaxIgnored == 0 || e.ignored < r.MaxIgnored)", "false"},
	{"state/rules.go", "l.last.UserTurn, l.last.UserTurnOK = s.userTurns, true", "_ = l"},

	// what a trigger is on a turn, in its parts, and at a moment
	{"internal/condition/truth.go", "return fact.Of(slices.Contains(l.Numbers, v) != not)",
		"return fact.Of(slices.Contains(l.Numbers, v))"},
	{"internal/condition/called.go", "sure = sure && match == fact.True", "_ = match"},
	{"internal/condition/cadence.go", "s.N >= l.N", "s.N > l.N"},
	{"internal/condition/remembered.go", "return a + b", "return b"},
	{"compile/told.go", "!r.Told(f)", "false"},
	{"compile/told.go", "earlier != nil && r.Told(earlier)", "false"},
	{"compile/told.go", "at == fact.BeforeTool", "false"},
	{"compile/told.go", "r.WithCalls && !r.Told(last)", "false"},
	{"compile/told.go", "r.Fold.Turns(last.Before().Value(r.Key), turn)", "turn"},
	{"eval/turn.go", "last.Before()", "fact.Memory(nil)"},
	{"eval/turn.go", "prev.Turn() == 0 || prev.BeganUserTurn()", "prev.Turn() == 0"},
	{"compile/fact/call.go", "c.Failed, c.Output, c.OutputTold = Unknown, \"\", false", "_ = c"},
}

// TestPlantedFaults: the reference and the naive machine find every fault that is planted in the engine. All
// stand in one build, and the environment switches one on.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	if !testkit.Thorough() {
		if _, ok := os.LookupEnv(planted.Fault); !ok {
			plant(t) // that each still has its place
		}
		return
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	b, err := json.Marshal(map[string]any{"Replace": plant(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, b, 0o600); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "fuzz.test")
	if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	find := func(n int) error {
		cmd := exec.Command(bin, "-test.run", "^(TestMachine|TestL6CompiledIsRead|FuzzS3History)$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", planted.Fault, n))
		return cmd.Run()
	}
	if err := find(0); err != nil {
		t.Fatal("without a fault: ", err)
	}
	var wg sync.WaitGroup
	room := make(chan struct{}, 2)
	for i, f := range faults {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			if find(i+1) == nil {
				t.Errorf("fault %d lives: %s: %s in place of %s", i+1, f.file, f.wrong, f.right)
			}
		})
	}
	wg.Wait()
}

// plant writes copies of the files in which each fault can be switched on, and returns them by the files that
// they stand for.
func plant(t *testing.T) map[string]string {
	t.Helper()
	dir, texts, replace := t.TempDir(), map[string]string{}, map[string]string{}
	for i, f := range faults {
		path, err := filepath.Abs(filepath.Join("..", f.file))
		if err != nil {
			t.Fatal(err)
		}
		if texts[path] == "" {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[path] = packageClause.ReplaceAllString(string(b),
				"$0\nimport \"github.com/aside-go/aside/internal/test/planted\"\n")
			replace[path] = filepath.Join(dir, fmt.Sprint(i)+".go")
		}
		at := strings.Index(texts[path], f.right)
		if at < 0 {
			t.Fatalf("fault %d: %s has no %s", i+1, f.file, f.right)
		}
		both := fmt.Sprintf("planted.Or(%d, %s, %s)", i+1, f.right, f.wrong)
		if _, err := parser.ParseExpr(f.right); err != nil {
			both = fmt.Sprintf("if planted.On(%d) {\n%s\n} else {\n%s\n}", i+1, f.wrong, f.right)
		}
		texts[path] = texts[path][:at] + both + texts[path][at+len(f.right):]
	}
	for path, text := range texts {
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return replace
}

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)
