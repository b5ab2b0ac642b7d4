package grammar_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/test/testkit"
)

const far = 1 << 20

func TestLimits(t *testing.T) {
	t.Parallel()
	nested := func(open, middle, shut string) func(int) string {
		return func(n int) string { return strings.Repeat(open, n) + middle + strings.Repeat(shut, n) }
	}
	for _, c := range []struct {
		name  string
		code  string
		limit int
		make  func(n int) string
		far   int
	}{
		{"bytes", "R0102", grammar.MaxTrigger, func(n int) string {
			return "prompt == \"" + strings.Repeat("x",
				n-12) + "\""
		}, far},
		{"bytes, blank", "R0102", grammar.MaxTrigger, func(n int) string {
			return "turn_count > 5" +
				strings.Repeat(" ", n-14)
		}, far},
		{"characters of several bytes", "R0102", grammar.MaxTrigger, func(n int) string {
			return "prompt == '" + strings.Repeat("ä", (n-12)/2) + strings.Repeat(" ", n%2) + "'"
		}, far},
		{"parentheses", "R0103", grammar.MaxNesting, nested("(", "a", ")"), 2000},
		{"not", "R0103", grammar.MaxNesting, nested("not ", "a", ""), 1000},
		{"!", "R0103", grammar.MaxNesting, nested("!", "a", ""), 4000},
		{"calls", "R0103", grammar.MaxNesting, nested("f(", "a", ")"), 1300},
		{"lists", "R0103", grammar.MaxNesting, nested("[", "a", "]"), 1300},
		{"not and parentheses", "R0103", grammar.MaxNesting, func(n int) string {
			return strings.Repeat("not (", n/2) + strings.Repeat("not ", n%2) + "a" + strings.Repeat(")", n/2)
		}, 1300},
		{"general leaf", "R0125", grammar.MaxGeneral, func(n int) string {
			return "f(" + strings.Repeat("x", n-3) +
				")"
		}, 4000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, ds := grammar.Parse(c.make(c.limit)); len(ds) > 0 {
				t.Errorf("at the limit: %v", ds)
			}
			for _, n := range []int{c.limit + 1, c.far} {
				src := c.make(n)
				tree, ds := grammar.Parse(src)
				if len(ds) != 1 || string(ds[0].Code) != c.code {
					t.Errorf("at %d: %v, want %s", n, ds, c.code)
				}
				if _, ok := tree.Root.(*grammar.Bad); !ok {
					t.Errorf("at %d: a %T", n, tree.Root)
				}
				if got := grammar.Format(tree); got != src {
					t.Errorf("at %d: formatted as %.40q", n, got)
				}
				checkPlaces(t, src, ds)
			}
		})
	}
}

// Siblings do not nest.
func TestNestingIsDepth(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		strings.Repeat("not a and ", 200) + "a",
		strings.Repeat("(a) or ", 200) + "a",
		strings.Repeat("f(1) + ", 100) + "1 > 2",
	} {
		if _, ds := grammar.Parse(src); len(ds) > 0 {
			t.Errorf("%.20q…: %v", src, ds)
		}
	}
}

// A megabyte of anything is answered in a time that grows with its length alone, and takes little memory.
func TestL3Flood(t *testing.T) {
	for _, part := range []string{"(", "not ", `"`, "a and ", ")", "[", "{", "a ", "a:", "=", "&", ",", "1.",
		"-", "\xff", "\x00", "“", "ä", "\u200b", "\n", "every ", "a(", "x == a-", "`"} {
		src := strings.Repeat(part, far/len(part))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		tree, ds := grammar.Parse(src)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if !ds.HasErrors() || len(ds) != 1 {
			t.Errorf("%q: %d diagnostics", part, len(ds))
		}
		if took > 10*time.Second { // some 50 ms on an idle machine; minutes if each byte looked at all others
			t.Errorf("%q took %v", part, took)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 50*far {
			t.Errorf("%q took %d bytes", part, used)
		}
		if text := ds[0].Render([]byte(src)); len(text) > 4096 {
			t.Errorf("%q is rendered as %d bytes", part, len(text))
		}
		grammar.Format(tree)
	}
}

// Twice the source makes at most two and a half times the work. What is counted is allocations: each token
// and each step of participle makes some, and their number is the same on every machine.
func TestL3Linear(t *testing.T) {
	for _, part := range []string{
		"a and ", "not a or ", "(a) and ", "after_tool:A,B and ", "every 5 turns or ",
		"turn_count > 10 and ", "tool_used in [a, b, c] or ",
		"len(a) > 5 and ", "f(a, ", "a = b and ", "a b ", "a > 5 ", "a > 5 b ", "x == a-", "5 (b) ",
		"(b) ", "((((", "a not b ", "[a, ", "= ", ", ", ") ", "a. ", "1.5 ", "a:b ", "\xff ", "“x” ",
		"ä ", "every 5 ", "! = ",
	} {
		work := func(n int) float64 {
			src := strings.Repeat(part, n)
			return testing.AllocsPerRun(1, func() { grammar.Parse(src) })
		}
		longest := testkit.Repeat(grammar.MaxTrigger/4, grammar.MaxTrigger)
		n := longest / len(part) / 4
		for once := work(n); n*2*len(part) <= longest; n *= 2 {
			twice := work(2 * n)
			if twice > 2.5*once+100 {
				t.Errorf("%d × %q takes %.0f allocations, twice as many %.0f", n, part, once, twice)
			}
			once = twice
		}
	}
}
