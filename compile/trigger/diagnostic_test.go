package trigger_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/test/cases"
)

func TestL4BadTriggers(t *testing.T) {
	t.Parallel()
	s := cases.Schema()
	cases.Check(t, badTriggers, func(src string) grammar.Diagnostics {
		p, diags := trigger.Compile(src, s)
		if (p == nil) != diags.HasErrors() {
			t.Errorf("%s: a predicate beside errors, or none without: %v", src, diags)
		}
		return diags
	})
}

// TestHostileTriggers holds that what would cost time or memory is answered at once. It takes milliseconds;
// the bound leaves room for busy machines.
func TestHostileTriggers(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"parentheses":      strings.Repeat("(", 1024),
		"megabyte":         strings.Repeat("(", 1<<20),
		"nots":             strings.Repeat("not ", 1<<18),
		"quotes":           strings.Repeat(`"`, 1<<20),
		"reduce":           "reduce(1..40, #acc + (#acc ?? 1)) > 3",
		"reduce of reduce": "reduce(1..1000000, reduce(1..1000000, 1)) > 3",
		"range":            "1..1000000000 == turn_count",
		"len of range":     "len(1..1000000000) > 3",
		"repeat":           `len(repeat("x", 1000000000)) > 3`,
		"map":              "len(map(1..1000000, map(1..1000000, #))) > 1",
		"nested calls": "any(calls, " + strings.Repeat("any(calls, ", 60) + ".failed" +
			strings.Repeat(")", 61),
		"patterns":           "after_tool:" + strings.Repeat("a(b)c(", 600),
		"open patterns":      "after_tool:" + strings.Repeat("a(", 2000),
		"choices":            "after_tool:@edit(" + strings.Repeat("{a,b}", 190) + ")",
		"long call pattern":  `used("Bash(` + strings.Repeat("a", 2000) + `)")`,
		"backslashes":        `prompt matches "` + strings.Repeat(`\\`, 300),
		"fields":             "any(calls, " + strings.Repeat(".path == .path and ", 60) + ")",
		"nested any":         strings.Repeat("any(tool_used, ", 60) + "true" + strings.Repeat(")", 60),
		"any and all":        "any(tool_used, all(tool_used, none(tool_used, # == # )))",
		"nested len":         strings.Repeat("len(", 200) + "tool_used" + strings.Repeat(")", 200) + " > 3",
		"brackets":           strings.Repeat("[", 400) + strings.Repeat("]", 400) + " == 3",
		"long":               "len(tool_used) > " + strings.Repeat("1 + ", 400) + "1",
		"long pattern":       `prompt matches "` + strings.Repeat("a", grammar.MaxGeneral) + `"`,
		"repeated pattern":   `prompt matches "((a{1000}){1000}){1000}"`,
		"chained":            strings.Repeat("1 < ", 200) + "turn_count",
		"chained in general": "(" + strings.Repeat("1 < ", 200) + "turn_count) == true",
		"maps":               strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60) + " == 1",
		"conditionals":       "(" + strings.Repeat("turn_count > 3 ? 1 : ", 40) + "1) > 2",
		"pipes":              "tool_used | " + strings.Repeat("filter(true) | ", 50) + "len() > 1",
		"let":                "(let x = 1; let y = 2; x + y) > 2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			p, diags := trigger.Compile(src, nil)
			if took := time.Since(start); took > 20*time.Second { // which is generous to a busy machine
				t.Errorf("took %v", took)
			}
			if p != nil || !diags.HasErrors() {
				t.Errorf("compiles: %v", diags)
			}
		})
	}
}

func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	_, diags := trigger.Compile("contxt_usage > 3 or context_usage > 75 or (tool_used < x and not "+
		"turn_count) or "+
		"prompt.trim() > foo", nil)
	var codes []string
	for _, d := range diags {
		codes = append(codes, string(d.Code))
	}
	if want := []string{"R0201", "R0204", "R0202", "R0208", "R0302", "R0303"}; !slices.Equal(codes, want) {
		t.Errorf("got %v, want %v: %v", codes, want, diags)
	}
}

// TestShorthandsWithoutColon: package grammar knows every shorthand by its name, so as to say that a colon is
// missing behind it.
func TestShorthandsWithoutColon(t *testing.T) {
	t.Parallel()
	_, diags := trigger.Compile("zorro:x", nil)
	names, ok := strings.CutPrefix(diags[0].Hint, "there are ")
	if !ok {
		t.Fatalf("the hint names no shorthands: %v", diags)
	}
	for name := range strings.SplitSeq(names, ", ") {
		_, diags := trigger.Compile(name+" 5", nil)
		if len(diags) != 1 || !strings.HasPrefix(diags[0].Hint, "write ") ||
			!strings.Contains(diags[0].Hint, name+":") {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
