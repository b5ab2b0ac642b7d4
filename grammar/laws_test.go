package grammar_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/grammar"
	_ "github.com/aside-go/aside/internal/test/testkit" // the same draws each time under CI=true
)

// sameTree compares trees: places do not count.
var sameTree = cmp.Options{
	cmpopts.IgnoreTypes(grammar.Range{}),
	cmpopts.IgnoreFields(grammar.Trigger{}, "Source"),
}

func format(x grammar.Expr) string { return grammar.Format(&grammar.Trigger{Root: x}) }

// checkL1L2 asserts L1 and L2 of a source without errors.
func checkL1L2(t rapid.TB, src string) {
	t.Helper()
	tree, ds := grammar.Parse(src)
	if ds.HasErrors() {
		t.Fatalf("%q: %v", src, ds)
	}
	text := grammar.Format(tree)
	again, ds := grammar.Parse(text)
	if len(ds) > 0 {
		t.Fatalf("L1: %q is formatted as %q, which has errors: %v", src, text, ds)
	}
	if d := cmp.Diff(tree, again, sameTree); d != "" {
		t.Fatalf("L1: %q is formatted as %q, which is another tree:\n%s", src, text, d)
	}
	if twice := grammar.Format(again); twice != text {
		t.Fatalf("L2: %q is formatted as %q, and that as %q", src, text, twice)
	}
}

// Every tree that Parse could return is read back from its canonical text.
func TestL1Trees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := exprs(4).Draw(t, "tree")
		text := format(x)
		if len(text) > grammar.MaxTrigger {
			t.Skip("too long")
		}
		got, ds := grammar.Parse(text)
		if len(ds) > 0 {
			t.Fatalf("%q: %v", text, ds)
		}
		if d := cmp.Diff(x, got.Root, sameTree); d != "" {
			t.Fatalf("%q (-drawn +read):\n%s", text, d)
		}
		if twice := grammar.Format(got); twice != text {
			t.Fatalf("L2: %q is formatted as %q", text, twice)
		}
	})
}

// The same canonical text comes out however a trigger is spaced, spelt with signs or words, and put in
// parentheses.
func TestL2Spellings(t *testing.T) {
	t.Parallel()
	triggers := canonical(t)
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SampledFrom(triggers).Draw(t, "trigger")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		text := respell(src, random)
		tree, ds := grammar.Parse(text)
		if len(ds) > 0 {
			t.Fatalf("%q: %v", text, ds)
		}
		if got := grammar.Format(tree); got != src {
			t.Fatalf("%q is formatted as %q, want %q", text, got, src)
		}
	})
}

// respell changes what does not matter, outside quotes.
func respell(src string, random *rand.Rand) string {
	var b strings.Builder
	var quote byte
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				b.WriteByte(c)
				i++
				c = src[i]
			} else if c == quote {
				quote = 0
			}
			b.WriteByte(c)
		case c == '"' || c == '\'' || c == '`':
			quote = c
			b.WriteByte(c)
		case c == ' ':
			b.WriteString([]string{" ", "  ", "\t", "\n ", " \r\n"}[random.IntN(5)])
		default:
			b.WriteByte(c)
		}
	}
	text := b.String()
	if !strings.ContainsAny(text, "\"'`(:") {
		if random.IntN(2) == 0 {
			text = strings.NewReplacer(" and ", "&&", " or ", "||").Replace(text)
		}
	}
	for range random.IntN(3) {
		text = "( " + text + " )"
	}
	return text
}

// Whatever is read without errors is read back; whatever has errors has them at the right places, and fixes
// that fix.
func TestL1L2L3L4Texts(t *testing.T) {
	t.Parallel()
	words := append(strings.Fields(
		`a turn_count context_usage tool_used and or not && || ! ( ) [ ] { } , = == != < <= > >= in matches contains
		5 75% 4k 1h30m 0 .5 1e3 1_0 10.0 "x" 'y' "a b" after_tool: turn_gt:5 thread:plan,learn every turns user always manual true false
		- + * / % # . : ? f( len( "open 'open & | => <> AND Every “q” ≥ é mcp__x-y a:b a.b ; // `+"`r`"), " ", "\n", "\u00a0", "\xff", "\x00")
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(words), 0, 14).Draw(t, "words")
		checkText(t, strings.Join(parts, rapid.SampledFrom([]string{" ", ""}).Draw(t, "between")))
	})
}

// FuzzL1ParseFormat is TestL1L2L3L4Texts on any text.
func FuzzL1ParseFormat(f *testing.F) {
	for _, src := range append(canonical(f), "", " ", "(", "not ", `"`, "a and ", "turn_count = 10",
		"tool_used bash", "a AND b", "“x”", "a\u00a0> 5", "a\x00b", "\xff", "x == a- b", "x ? a:\"q",
		"every 0 turns", "f(a,[b)", "1 < x < 5", "x == a//b", "x not in [a]", "a > = b", "x in a, b",
		"x == 4o-mini", "not:x", "{a: 1}", "!====", "(A0(0 00", "(A\"\"0\"00", "+A000*0s", "0 .0",
		"]]0", "A: Ʊ0", "A:\"\",,", "0%%", "0>A*0", "0>()0", "&(0%%+00", "0 in 0 in", "``", "after_tool:\":\"") {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) { checkText(t, src) })
}

// checkText asserts L1 and L2 of a text without errors, and L4 of any.
func checkText(t rapid.TB, src string) {
	t.Helper()
	_, ds := grammar.Parse(src)
	if !ds.HasErrors() {
		checkL1L2(t, src)
	}
	checkPlaces(t, src, ds)
}

func TestL4Bad(t *testing.T) {
	t.Parallel()
	for _, c := range bad {
		_, ds := grammar.Parse(c.src)
		checkPlaces(t, c.src, ds)
	}
}

// checkPlaces asserts L4, and that participle refuses nothing.
func checkPlaces(t rapid.TB, src string, ds grammar.Diagnostics) {
	t.Helper()
	if !slices.IsSortedFunc(ds,
		func(a, b grammar.Diagnostic) int { return a.Range.Start.Offset - b.Range.Start.Offset }) {
		t.Fatalf("%q: the diagnostics are not sorted: %v", src, ds)
	}
	for _, d := range ds {
		if d.Code == "R0199" {
			t.Fatalf("%q: participle refused what was repaired: %v", src, d)
		}
		if d.Message == "" || d.Hint == "" || strings.ContainsAny(d.Message+d.Hint, "\n\x00") {
			t.Fatalf("%q: %v says nothing, or too much", src, d)
		}
		if d.Render([]byte(src)) == "" {
			t.Fatalf("%q: %v renders as nothing", src, d)
		}
		checkRange(t, src, d.Range)
		if d.Fix == nil {
			continue
		}
		checkRange(t, src, d.Fix.Range)
		fixed := apply(src, *d.Fix)
		_, after := grammar.Parse(fixed)
		if count(after, string(d.Code)) >= count(ds, string(d.Code)) && slices.ContainsFunc(after,
			func(o grammar.Diagnostic) bool {
				return o.Code == d.Code && o.Range.Start.Offset == moved(d.Range.Start.Offset, *d.Fix) &&
					o.Message == d.Message
			}) {
			t.Fatalf("L4: %q: the fix of %v gives %q, in which it is still there", src, d, fixed)
		}
	}
}

func count(ds grammar.Diagnostics, code string) (n int) {
	for _, d := range ds {
		if string(d.Code) == code {
			n++
		}
	}
	return n
}

func checkRange(t rapid.TB, src string, r grammar.Range) {
	t.Helper()
	if r.Start.Offset < 0 || r.Start.Offset > r.End.Offset || r.End.Offset > len(src) {
		t.Fatalf("L4: %+v does not lie in the %d bytes of %.80q", r, len(src), src)
	}
	for _, p := range []grammar.Position{r.Start, r.End} {
		before := src[:p.Offset]
		line := strings.LastIndexByte(before, '\n') + 1
		if p.Line != 1+strings.Count(before, "\n") || p.Column != 1+utf8.RuneCountInString(before[line:]) {
			t.Fatalf("L4: %+v of %.80q has the wrong line or column", p, src)
		}
		if p.Offset < len(src) && !utf8.RuneStart(src[p.Offset]) && utf8.ValidString(src) {
			t.Fatalf("L4: %+v of %.80q stands inside a character", p, src)
		}
	}
}

// exprs draws trees as Parse makes them: no Or in an Or, no And in an And.
func exprs(depth int) *rapid.Generator[grammar.Expr] {
	if depth == 0 {
		return leaves()
	}
	return rapid.Custom(func(t *rapid.T) grammar.Expr {
		inner := exprs(depth - 1)
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return &grammar.Or{Terms: rapid.SliceOfN(inner.Filter(not[*grammar.Or]), 2, 3).Draw(t, "or")}
		case 1, 2:
			return &grammar.And{Terms: rapid.SliceOfN(inner.Filter(not[*grammar.And]), 2, 3).Draw(t, "and")}
		case 3:
			return &grammar.Not{X: inner.Draw(t, "not")}
		default:
			return leaves().Draw(t, "leaf")
		}
	})
}

func not[T grammar.Expr](x grammar.Expr) bool {
	_, is := x.(T)
	return !is
}

var (
	names = rapid.StringMatching(`[a-z_][A-Za-z0-9_]{0,8}(\.[a-z]{1,4})?`).Filter(
		func(s string) bool { return !slices.Contains(reserved, strings.ToLower(s)) })
	words = rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_.:/*-]{0,12}`).Filter(
		func(s string) bool { return !slices.Contains(reserved, s) })
	texts    = rapid.String()
	patterns = rapid.StringMatching(`@?[A-Za-z*]{1,5}\([ a-z()*"',/&|:]{0,9}\)`)
	nonOps   = []grammar.Op{grammar.Equal, grammar.NotEqual, grammar.Less, grammar.LessEqual, grammar.Greater,
		grammar.GreaterEqual, grammar.In, grammar.NotIn}
)

var reserved = []string{"and", "or", "not", "in", "true", "false", "always", "never", "manual", "every",
	"contains", "startsWith", "endsWith", "matches"}

func leaves() *rapid.Generator[grammar.Expr] {
	return rapid.Custom(func(t *rapid.T) grammar.Expr {
		switch rapid.IntRange(0, 6).Draw(t, "leaf") {
		case 0:
			return &grammar.Constant{Name: rapid.SampledFrom([]string{"always", "never",
				"manual"}).Draw(t, "constant")}
		case 1:
			return &grammar.Name{Name: names.Draw(t, "name")}
		case 2:
			var args []grammar.Arg
			for _, s := range rapid.SliceOfN(rapid.OneOf(words, texts, patterns), 1, 3).Draw(t, "args") {
				args = append(args, grammar.Arg{Text: s})
			}
			return &grammar.Shorthand{Name: rapid.SampledFrom([]string{"after_tool", "turn_gt", "thread"}).Draw(t,
				"shorthand"), Args: args}
		case 3:
			return cadences(t)
		case 4:
			tree, _ := grammar.Parse(rapid.SampledFrom([]string{
				`len(x) > 3`, `any(tool_used, # == "a" or # == "b")`, `x matches "y"`, `a + 1 > b`, `(a + 1) * 2 > b`,
				`-x < y`, `(x not in ["a"]) == y`, `f() > -5m`, `x not matches "\d\\"`, `a == (not b == c)`,
				`(a or b and c) == (a and (b and c))`, `-(5) - (-x) < (a - (b - c)) * -(-d)`, "x matches `\"a\\b`",
			}).Draw(t, "general"))
			return tree.Root
		default:
			return &grammar.Binary{
				Left:  &grammar.Name{Name: names.Draw(t, "fact")},
				Op:    rapid.SampledFrom(nonOps).Draw(t, "op"),
				Right: operands(true).Draw(t, "literal"),
			}
		}
	})
}

func cadences(t *rapid.T) grammar.Expr {
	if rapid.Bool().Draw(t, "time") {
		return &grammar.Cadence{Unit: grammar.Elapsed, Duration: time.Duration(rapid.Int64Range(1, 1<<62).Draw(t,
			"duration"))}
	}
	unit := rapid.SampledFrom([]grammar.CadenceUnit{grammar.Turns, grammar.UserTurns}).Draw(t, "unit")
	return &grammar.Cadence{Unit: unit, N: int(rapid.Int64Range(1, min(1<<40, math.MaxInt)).Draw(t, "n"))}
}

func operands(lists bool) *rapid.Generator[grammar.Expr] {
	return rapid.Custom(func(t *rapid.T) grammar.Expr {
		last := 5
		if lists {
			last = 6
		}
		switch rapid.IntRange(0, last).Draw(t, "operand") {
		case 0:
			return &grammar.Name{Name: words.Draw(t, "word")}
		case 1:
			return &grammar.Literal{Kind: grammar.String, Text: texts.Draw(t, "text")}
		case 2:
			return rapid.SampledFrom([]grammar.Expr{
				&grammar.Literal{Kind: grammar.Int, Text: "10", Number: 10},
				&grammar.Literal{Kind: grammar.Int, Text: "4k",
					Number: 4000}, &grammar.Literal{Kind: grammar.Int, Text: "1.5M", Number: 1.5e6},
				&grammar.Literal{Kind: grammar.Int, Text: "0"},
			}).Draw(t, "int")
		case 3:
			return rapid.SampledFrom([]grammar.Expr{
				&grammar.Literal{Kind: grammar.Decimal, Text: "10.0", Number: 10},
				&grammar.Literal{Kind: grammar.Percent, Text: "75%",
					Number: 0.75}, &grammar.Literal{Kind: grammar.Percent, Text: "0.1%", Number: 0.001},
				&grammar.Literal{Kind: grammar.Dollars, Text: "$0.50", Number: 0.5}, &grammar.Name{Name: "@edit"},
			}).Draw(t, "decimal")
		case 4:
			return &grammar.Literal{Kind: grammar.Duration, Text: "1d12h", Duration: 36 * time.Hour}
		case 5:
			return &grammar.Literal{Kind: grammar.Bool, Text: rapid.SampledFrom([]string{"true",
				"false"}).Draw(t, "bool")}
		default:
			return &grammar.Array{Items: rapid.SliceOfN(operands(false), 1, 3).Draw(t, "list")}
		}
	})
}
