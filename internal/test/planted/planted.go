// Package planted puts faults into copies of the engine, to see that its tests find them. Plant writes the
// copies, all faults in one, and the environment switches one on, so that a single build serves all. No file
// of the tree imports the package: the copies do.
package planted

import (
	"fmt"
	"go/parser"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Variable is the variable of the environment that holds the number of the fault; without it there is none.
const Variable = "ASIDE_PLANTED_FAULT"

var on, _ = strconv.Atoi(os.Getenv(Variable))

// On reports whether fault n is switched on.
func On(n int) bool { return n == on }

// Or returns right, or wrong if fault n is switched on.
func Or[T any](n int, right, wrong T) T {
	if On(n) {
		return wrong
	}
	return right
}

// A Fault stands in a file, below the top of the tree, in place of its first expression or statement right.
type Fault struct{ File, Right, Wrong string }

// Faults are those of the engine. They count from 1.
var Faults = []Fault{
	// what becomes of a trigger
	{"internal/firing/fire.go", "n.after.from, n.after.since = 0, time.Time{}",
		"n.after.since = time.Time{}"},
	{"internal/firing/fire.go", "n.after = n.after.inRow(n.after.row(now-1), now)", "n.after.from = 0"},
	{"internal/firing/fire.go", "n.turn, n.prior = now, n.after", "n.turn = now"},
	{"internal/firing/fire.go", `after.disarmed && r.Rearm == "" && r.For.IsZero()`, "after.disarmed && r.For.IsZero()"},
	{"internal/firing/fire.go", `after.disarmed && r.Rearm == "" && r.For.IsZero()`, `after.disarmed && r.Rearm == ""`},
	{"internal/firing/fire.go", "n.prior.gaps.False(st.arrived)",
		"n.prior.gaps.False(st.arrived&fact.PromptText) || n.prior.gaps.False(st.arrived&fact.ResponseText)"},
	{"internal/firing/run.go", "!s.prompted && s.told&fact.PromptText != 0", "s.told&fact.PromptText != 0"},
	{"internal/firing/run.go", "s.told |= in.Texts", "s.told = in.Texts"},
	{"internal/firing/fire.go", "rearm == fact.True || st.in.Compacted == fact.True || st.in.CompactedBefore",
		"rearm == fact.True"},
	{"internal/firing/fire.go", "max(r.For.Turns-e.after.row(s.turn), 0)",
		"max(r.For.Turns-e.after.row(s.turn)-1, 0)"},
	{"internal/firing/fire.go", "r.MaxFires > 0 && e.fires >= r.MaxFires",
		"r.MaxFires > 0 && e.fires > r.MaxFires"},
	{"internal/firing/fire.go", "r.MaxIgnored > 0 && e.ignored >= r.MaxIgnored", "false"},
	{"internal/firing/fire.go", "!c.hand && c.rule.Tier != reminder.Safety", "!c.hand"},
	{"internal/firing/fire.go", "st.next.spent+sum <= int64(limit.Run)", "sum <= int64(limit.Run)"},
	{"internal/firing/fire.go", "once && slices.Contains(st.next.seen, hash)", "false"},
	{"internal/firing/run.go", "max(span.Turns-(r.at().turn-since.Turn), 0)",
		"max(span.Turns-(r.at().turn-since.Turn)-1, 0)"},
	{"internal/firing/run.go", "in.UserMessage == fact.True && !s.spoke", "in.UserMessage == fact.True"},
	{"internal/firing/run.go", "s.failures = s.failuresBefore + 1", "s.failures++"},
	{"internal/firing/run.go", "r.at().turn - m.turn + 1", "r.at().turn - m.turn"},
	{"internal/firing/run.go", "y.calls == 0 || x.seq > y.seq", "x.seq > y.seq"},
	{"internal/firing/texts.go", "st.in.Compacted == fact.True", "false"},
	{"internal/firing/texts.go", "st.next.userTurns-t.userTurn >= t.Keep.N",
		"st.next.userTurns-t.userTurn > t.Keep.N"},
	{"internal/firing/texts.go", "st.rearmed = append(st.rearmed, t.ID)", "_ = t.ID"},
	{"internal/firing/texts.go", "t.missed = false", "_ = t"},
	{"internal/firing/effect.go", "after >= r.Within", "after > r.Within"},
	{"internal/firing/effect.go", "heeded && (r.MaxIgnored == 0 || e.ignored < r.MaxIgnored)", "false"},
	{"internal/firing/rules.go", "l.last.UserTurn, l.last.UserTurnOK = s.userTurns, true", "_ = l"},

	// which calls are held back
	{"internal/firing/pause.go", "held >= maxPauses", "held > maxPauses"},
	{"internal/firing/pause.go", "s.pauses[k].Turn == made.Turn", "true"},
	{"internal/firing/pause.go", "near(s.pauses[k].At, made.At)", "true"},
	{"internal/firing/pause.go", "p.User < s.userTurns-1", "p.User < s.userTurns"},
	{"internal/firing/pause.go", "made.Turn--", "_ = s"},
	{"eval/pause.go", "defer f.SetMoment(fact.BeforeTool, call)", "_ = call"},

	// what a trigger is on a turn, in its parts, and at a moment
	{"internal/condition/truth.go", "return fact.Of(slices.Contains(l.Numbers, v) != not)",
		"return fact.Of(slices.Contains(l.Numbers, v))"},
	{"internal/condition/called.go", "sure = sure && match == fact.True", "_ = match"},
	{"internal/condition/truth.go", "f.Absent()&id.Arrives() != 0", "false"},
	{"internal/condition/remembered.go", "v == v && f.Absent()&texts == 0", "v == v"},
	{"compile/trigger/program.go", `strconv.FormatBool(v.Op == "!=")`, `"false"`},
	{"eval/turn.go", "stand|prev.Told()|fact.ResponseText", "fact.AllTexts"},
	{"internal/condition/cadence.go", "s.N >= l.N", "s.N > l.N"},
	{"internal/condition/remembered.go", "return a + b", "return b"},
	{"compile/told.go", "!r.Told(f)", "false"},
	{"compile/told.go", "earlier != nil && r.Told(earlier)", "false"},
	{"compile/told.go", "at == fact.BeforeTool", "false"},
	{"compile/told.go", "r.WithCalls && !r.Told(last)", "false"},
	{"compile/told.go", "r.Fold.Turns(last.Before().Value(r.Key), turn)", "turn"},
	{"eval/turn.go", "last.Before()", "fact.Memory(nil)"},
	{"eval/turn.go", "prev.BeganUserTurn()", "false"},
	{"compile/fact/call.go", `c.Failed, c.Output, c.OutputTold, c.DurationTold = Unknown, "", false, false`,
		"_ = c"},
	{"compile/fact/value.go", "True - t", "max(t, True-t)"}, // of what is unknown, too
	{"internal/condition/cadence.go", "f.Between() || at != fact.Turn", "f.Between()"},
	{"internal/condition/truth.go", "hasFold(names, s)", "slices.Contains(names, s)"},
	{"internal/condition/remembered.go", "fold == UpToTwo && b >= 2", "false"},
	{"internal/condition/remembered.go", "v == 1 != l.Not", "v == 1"},

	// calls, what they change, and those that come again
	{"compile/fact/call.go", "paths.missing = paths.missing || c.Unsaid", "_ = c"},
	{"compile/fact/call.go", "c.Class == Edit || c.Edits", "c.Class == Edit"},
	{"compile/fact/call.go", "texts.missing = texts.missing || !c.WrittenTold", "_ = c"},
	{"compile/fact/call.go", `c.Input != ""`, "true"},
	{"compile/trigger/members.go", "c.WrittenTold || c.Class != fact.Edit && !c.Edits", "true"},
	{"compile/trigger/members.go", "!c.Unsaid && (c.Told || c.Class != fact.Edit && c.Class != fact.Read)",
		"c.Told || c.Class != fact.Edit && c.Class != fact.Read"},
	{"compile/trigger/members.go", "c.DurationTold", "true"},
	{"compile/trigger/program.go", "w.lowered(v.Parts[1])", "w.source(v.Parts[1])"},
	{"internal/callpattern/pattern.go", "c.Edits && p.class == fact.Edit", "false"},
	{"internal/callpattern/pattern.go", "!p.bound || p.matchFiles(c.Paths, at)", "p.matchFiles(c.Paths, at)"},
	{"internal/callpattern/command.go", "slices.ContainsFunc(r.Word.Parts, isQuoted)", "true"},
	{"eval/facts.go", "ok && known", "ok"},
	{"internal/firing/identical.go", "jsonscan.Compact([]byte(c.Input))", "c.Input"},
	{"internal/firing/identical.go", "c.Told", "true"},
	{"internal/firing/identical.go", "c == nil || c.unsure || !c.told && !s.spoke && s.turn > 1",
		"c == nil || c.unsure"},
	{"internal/firing/identical.go", "c.n = c.now", "_ = c"},
	{"internal/firing/identical.go", "min(next.now, most)", "next.now"},
	{"internal/firing/identical.go", "!ok || !in.CallsTold", "!ok && in.CallsTold"},
	{"internal/firing/identical.go", "max(next.now, c.n)", "c.n"},
	{"internal/firing/identical.go", "list[i].n++", "_ = i"},
}

// Plant writes copies of files below top into dir, in which each fault can be switched on, and returns the
// paths of the copies by those of the files.
func Plant(top, dir string) (map[string]string, error) {
	texts, replace := map[string]string{}, map[string]string{}
	for i, f := range Faults {
		path, err := filepath.Abs(filepath.Join(top, f.File))
		if err != nil {
			return nil, err
		}
		if texts[path] == "" {
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			texts[path] = packageClause.ReplaceAllString(string(b),
				"$0\nimport \"github.com/aside-go/aside/internal/test/planted\"\n")
			replace[path] = filepath.Join(dir, strconv.Itoa(i)+".go")
		}
		before, after, ok := strings.Cut(texts[path], f.Right)
		if !ok {
			return nil, fmt.Errorf("fault %d: %s has no %s", i+1, f.File, f.Right)
		}
		both := fmt.Sprintf("planted.Or(%d, %s, %s)", i+1, f.Right, f.Wrong)
		if _, err := parser.ParseExpr(f.Right); err != nil {
			both = fmt.Sprintf("if planted.On(%d) {\n%s\n} else {\n%s\n}", i+1, f.Wrong, f.Right)
		}
		texts[path] = before + both + after
	}
	for path, text := range texts {
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return replace, nil
}

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)
