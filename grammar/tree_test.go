package grammar_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/grammar"
)

func TestTree(t *testing.T) {
	t.Parallel()
	word := func(s string) grammar.Expr { return &grammar.Name{Name: s} }
	whole := func(s string, n float64) grammar.Expr {
		return &grammar.Literal{Kind: grammar.Int, Text: s, Number: n}
	}
	text := func(s string) grammar.Expr { return &grammar.Literal{Kind: grammar.String, Text: s} }
	of := func(left grammar.Expr, op grammar.Op, right grammar.Expr) grammar.Expr {
		return &grammar.Binary{Left: left, Op: op, Right: right}
	}
	minus := func(x grammar.Expr) grammar.Expr { return &grammar.Unary{Op: "-", X: x} }
	for _, c := range []struct {
		src  string
		want grammar.Expr
	}{
		{"manual", &grammar.Constant{Name: "manual"}},
		{"Manual", word("Manual")},
		{"LAST_TOOL_CALL_FAILED", word("LAST_TOOL_CALL_FAILED")},
		{"vars.x.y", word("vars.x.y")},
		{"true", &grammar.Literal{Kind: grammar.Bool, Text: "true"}},
		{"a or b or c", &grammar.Or{Terms: []grammar.Expr{word("a"), word("b"),
			word("c")}}},
		{"a or (b or c)", &grammar.Or{Terms: []grammar.Expr{word("a"), word("b"),
			word("c")}}},
		{"not a and b", &grammar.And{Terms: []grammar.Expr{&grammar.Not{X: word("a")},
			word("b")}}},
		{"! a == b", &grammar.Not{X: &grammar.Binary{Left: word("a"), Op: "==", Right: word("b")}}},
		{"turn_count > 4k", &grammar.Binary{Left: word("turn_count"), Op: grammar.Greater,
			Right: whole("4k", 4000)}},
		{"1.1M >= output_tokens", &grammar.Binary{Left: word("output_tokens"), Op: grammar.LessEqual,
			Right: whole("1.1M", 1.1e6)}},
		{"turn_count > 10.0", &grammar.Binary{Left: word("turn_count"), Op: grammar.Greater,
			Right: &grammar.Literal{Kind: grammar.Decimal, Text: "10.0", Number: 10}}},
		{"x < 75%", &grammar.Binary{Left: word("x"), Op: grammar.Less,
			Right: &grammar.Literal{Kind: grammar.Percent, Text: "75%", Number: 0.75}}},
		{"idle > 1h30m", &grammar.Binary{Left: word("idle"), Op: grammar.Greater,
			Right: &grammar.Literal{Kind: grammar.Duration, Text: "1h30m", Duration: 90 * time.Minute}}},
		{"x != false", &grammar.Binary{Left: word("x"), Op: grammar.NotEqual,
			Right: &grammar.Literal{Kind: grammar.Bool, Text: "false"}}},
		{`prompt == 'a\n"b"'`, &grammar.Binary{Left: word("prompt"), Op: "==",
			Right: &grammar.Literal{Kind: grammar.String, Text: "a\n\"b\""}}},
		{`"x" in tool_used`, &grammar.Binary{Left: &grammar.Literal{Kind: grammar.String, Text: "x"},
			Op: grammar.In, Right: word("tool_used")}},
		{"mcp__a-b/c == tool_used", &grammar.Binary{Left: word("mcp__a-b/c"), Op: "==", Right: word("tool_used")}},
		{"mcp:x == tool_used", &grammar.Binary{Left: word("mcp:x"), Op: "==", Right: word("tool_used")}},
		{"tool_used == mcp__a-b*", &grammar.Binary{Left: word("tool_used"), Op: "==", Right: word("mcp__a-b*")}},
		{"tool_used == manual", &grammar.Binary{Left: word("tool_used"), Op: "==", Right: word("manual")}},
		{"tool_used in [a, \"b c\", 5]", &grammar.Binary{Left: word("tool_used"), Op: grammar.In,
			Right: &grammar.Array{Items: []grammar.Expr{word("a"), text("b c"), whole("5", 5)}}}},
		{"after_tool: A,'b c' , *", &grammar.Shorthand{Name: "after_tool", Args: []grammar.Arg{{Text: "A"},
			{Text: "b c"}, {Text: "*"}}}},
		{"turn_gt:-5", &grammar.Shorthand{Name: "turn_gt", Args: []grammar.Arg{{Text: "-5"}}}},
		{"chain:Read>Edit|3", &grammar.Shorthand{Name: "chain", Args: []grammar.Arg{{Text: "Read>Edit|3"}}}},
		{"after-tool:größe", &grammar.Shorthand{Name: "after-tool", Args: []grammar.Arg{{Text: "größe"}}}},
		{"every 3 turns", &grammar.Cadence{N: 3}},
		{"every 1 user turn", &grammar.Cadence{Unit: grammar.UserTurns, N: 1}},
		{"every 90s", &grammar.Cadence{Unit: grammar.Elapsed, Duration: 90 * time.Second}},
		{"turn_count-3 > 5", of(of(word("turn_count"), "-", whole("3", 3)), ">", whole("5", 5))},
		{"vars.x > -5", &grammar.Binary{Left: word("vars.x"), Op: grammar.Greater, Right: whole("-5", -5)}},
		{"- 4k <= vars.x", &grammar.Binary{Left: word("vars.x"), Op: grammar.GreaterEqual,
			Right: whole("-4k", -4000)}},
		{"not (-5 != vars.x)", &grammar.Not{X: &grammar.Binary{Left: word("vars.x"), Op: grammar.NotEqual,
			Right: whole("-5", -5)}}},
		{"vars.x < -1h30m", &grammar.Binary{Left: word("vars.x"), Op: grammar.Less,
			Right: &grammar.Literal{Kind: grammar.Duration, Text: "-1h30m", Duration: -90 * time.Minute}}},
		{"vars.x in [-2, 0.5, -75%]", &grammar.Binary{Left: word("vars.x"), Op: grammar.In,
			Right: &grammar.Array{Items: []grammar.Expr{whole("-2", -2),
				&grammar.Literal{Kind: grammar.Decimal, Text: "0.5", Number: 0.5},
				&grammar.Literal{Kind: grammar.Percent, Text: "-75%", Number: -0.75}}}}},
		{"vars.x - 5 < -2", of(of(word("vars.x"), "-", whole("5", 5)), "<", whole("-2", -2))},
		{"5 - -3 < vars.x", of(of(whole("5", 5), "-", minus(whole("3", 3))), "<", word("vars.x"))},
		{"-2 * 2 < vars.x", of(of(whole("-2", -2), "*", whole("2", 2)), "<", word("vars.x"))},
		{"any(tool_used, # == 'a' or # == 'b') and c", &grammar.And{Terms: []grammar.Expr{
			&grammar.Call{Name: "any", Args: []grammar.Expr{word("tool_used"),
				of(of(&grammar.Field{Text: "#"}, "==", text("a")), "or", of(&grammar.Field{Text: "#"}, "==",
					text("b")))}}, word("c")}}},
		{"(a + 1) * 2 > 3 or (b)", &grammar.Or{Terms: []grammar.Expr{of(of(of(word("a"), "+", whole("1", 1)),
			"*", whole("2", 2)), ">", whole("3", 3)),
			word("b")}}},
		{"(a == b) == c", of(of(word("a"), "==", word("b")), "==", word("c"))},
		{"elapsed - idle > 5m", of(of(word("elapsed"), "-", word("idle")), ">",
			&grammar.Literal{Kind: grammar.Duration, Text: "5m", Duration: 5 * time.Minute})},
		// With errors: what could be read is there.
		{"", &grammar.Bad{}},
		{"turn_count = 10", &grammar.Binary{Left: word("turn_count"), Op: "==", Right: whole("10", 10)}},
		{"a = b and and c", &grammar.And{Terms: []grammar.Expr{&grammar.Binary{Left: word("a"), Op: "==",
			Right: word("b")}, &grammar.Bad{}, word("c")}}},
		{"a > 5 b", &grammar.And{Terms: []grammar.Expr{&grammar.Binary{Left: word("a"), Op: grammar.Greater,
			Right: whole("5", 5)}, word("b")}}},
	} {
		tree, _ := grammar.Parse(c.src)
		if d := cmp.Diff(c.want, tree.Root, sameTree); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.src, d)
		}
		if tree.Source != c.src {
			t.Errorf("%q has the source %q", c.src, tree.Source)
		}
	}
}

// Every node knows the text it was read from, to the character.
func TestSpans(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"a and not (b or «c == d») and every 5 turns",
		"a and «not (b or c)» or d",
		"a and (« b or c ») or d",
		"a or «b and (c or d)» or e",
		"(«(a) and (b)»)",
		"x or «75%  <  context_usage»",
		"ä:x or «after_tool:A , \"b c\"» or y",
		"a\nor\n\t«every 1 user turn»",
		"prompt == \"äöü\" or «len( x ) > 3» or y",
		"a and «tool_used bash» and b",
	} {
		start, end, plain := marked(src)
		tree, _ := grammar.Parse(plain)
		found := false
		walk(tree.Root, func(x grammar.Expr) {
			r := x.Span()
			found = found || plain[r.Start.Offset:r.End.Offset] == trimmed(plain[start:end]) && r.Start.Offset >= start
			checkRange(t, plain, r)
		})
		if !found {
			t.Errorf("no node spans %s", src)
		}
	}
}

func TestComparisonSpans(t *testing.T) {
	t.Parallel()
	src := "a or 75%  <= context_usage"
	tree, _ := grammar.Parse(src)
	c := tree.Root.(*grammar.Or).Terms[1].(*grammar.Binary)
	at := func(r grammar.Range) string { return src[r.Start.Offset:r.End.Offset] }
	if at(c.Left.Span()) != "context_usage" || at(c.Right.Span()) != "75%" || at(c.OpRange) != "<=" ||
		c.Op != grammar.GreaterEqual {
		t.Errorf("%+v", c)
	}
	src = "after_tool: A,'b'"
	tree, _ = grammar.Parse(src)
	s := tree.Root.(*grammar.Shorthand)
	if at(s.NameRange) != "after_tool" || at(s.Args[0].Range) != "A" || at(s.Args[1].Range) != "'b'" {
		t.Errorf("%+v", s)
	}
}
