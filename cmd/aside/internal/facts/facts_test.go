package facts_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/aside/internal/facts"
	"github.com/aside-go/aside/compile/fact"
)

// given is a fact as it is written.
type given struct {
	name  string
	value any
}

// read reads facts, with one declared fact of each kind of number.
func read(t *testing.T, in []given) (map[string]any, []string) {
	t.Helper()
	schema, err := fact.NewSchema(fact.Fact{Name: "vars.n", Type: fact.Int}, fact.Fact{Name: "vars.part",
		Type: fact.Ratio})
	if err != nil {
		t.Fatal(err)
	}
	r := facts.New(schema)
	for _, g := range in {
		r.Put(g.name, g.value)
	}
	values, problems := r.Done()
	var said []string
	for _, p := range problems {
		if p.Name == "" || !p.Unknown && !slices.ContainsFunc(in, func(g given) bool { return g.name == p.Name }) {
			t.Errorf("a problem of %q, which is not among the facts", p.Name)
		}
		said = append(said, p.String())
	}
	return values, said
}

func TestGood(t *testing.T) {
	t.Parallel()
	none := []string{}
	for name, c := range map[string]struct {
		in   []given
		want map[string]any
	}{
		"nothing": {nil, map[string]any{}},
		"each type": {
			[]given{{"resumed", true}, {"turn_count", int64(3)}, {"context_usage", 0.5}, {"idle", "90s"},
				{"model", "m"},
				{"tool_used", []any{"A"}}},
			map[string]any{"resumed": true, "turn_count": int64(3), "context_usage": 0.5, "idle": 90 * time.Second,
				"model": "m", "tool_used": []string{"A"}},
		},
		"unknown": {[]given{{"resumed", nil}, {"model", nil}, {"tools", nil}, {"failed", nil}}, map[string]any{}},
		"declared": {[]given{{"vars.n", int64(-3)}, {"vars.part", 1.0}},
			map[string]any{"vars.n": int64(-3), "vars.part": 1.0}},
		"a little too full": {[]given{{"context_usage", 1.2}}, map[string]any{"context_usage": 1.2}},
		"full by its sign":  {[]given{{"context_usage", facts.Percent(3)}}, map[string]any{"context_usage": 3.0}},
		"tools, none failed": {[]given{{"tools", []string{"A"}}},
			map[string]any{"tool_used": []string{"A"}, "last_tool_call_failed": false, "tool_failed": none}},
		"tools, one failed": {[]given{{"failed", []string{"A"}}, {"tools", []string{"A", "B"}}},
			map[string]any{"tool_used": []string{"A", "B"}, "last_tool_call_failed": true,
				"tool_failed": []string{"A"}}},
		"tools, unknown whether one failed": {[]given{{"tools", []string{"A"}}, {"failed", nil}},
			map[string]any{"tool_used": []string{"A"}}},
		"the same, said by the fact": {[]given{{"tools", []string{"A"}}, {"last_tool_call_failed", nil}},
			map[string]any{"tool_used": []string{"A"}}},
		"tools, one failed, unknown which": {[]given{{"tools", []string{"A", "B"}},
			{"last_tool_call_failed", true}},
			map[string]any{"tool_used": []string{"A", "B"}, "last_tool_call_failed": true}},
		"failed, of tool_used": {[]given{{"tool_used", []string{"A"}}, {"failed", []string{"A"}}},
			map[string]any{"tool_used": []string{"A"}, "last_tool_call_failed": true, "tool_failed": []string{"A"}}},
		"said twice, and the same": {
			[]given{{"tools", []string{"A"}}, {"failed", []string{"A"}}, {"last_tool_call_failed", true}},
			map[string]any{"tool_used": []string{"A"}, "last_tool_call_failed": true, "tool_failed": []string{"A"}}},
		"no tools": {[]given{{"tools", none}},
			map[string]any{"tool_used": none, "last_tool_call_failed": false, "tool_failed": none}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, said := read(t, c.in)
			if len(said) > 0 {
				t.Error(said)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBad(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   []given
		want string
	}{
		"unknown fact": {[]given{{"contxt_usage", 0.5}},
			`there is no fact "contxt_usage"; did you mean context_usage?`},
		"unknown, and not known either": {[]given{{"contxt_usage", nil}},
			`there is no fact "contxt_usage"; did you mean context_usage?`},
		"unknown declared fact": {[]given{{"vars.m", 1}}, `there is no fact "vars.m"; did you mean vars.n?`},
		"nothing near":          {[]given{{"zzzzzz", 1}}, `there is no fact "zzzzzz"`},
		"tools":                 {[]given{{"tolls", nil}}, `there is no fact "tolls"; did you mean tools?`},
		"bool": {[]given{{"resumed", "yes"}},
			`fact "resumed" is a bool, yes is none; true, false or unknown`},
		"number": {[]given{{"context_usage", "high"}},
			`fact "context_usage" is a ratio, high is none`},
		"a list": {[]given{{"model", facts.Other("a list")}},
			`fact "model" is a string, a list is none; write unknown for a fact that is not known`},
		"fraction": {[]given{{"turn_count", 1.5}},
			`fact "turn_count": 1.5 is not a whole number up to 9007199254740992`},
		"NaN":      {[]given{{"context_usage", math.NaN()}}, `fact "context_usage": NaN is not a ratio`},
		"infinite": {[]given{{"context_usage", math.Inf(1)}}, `fact "context_usage": +Inf is not a ratio`},
		"endless": {[]given{{"turn_count", math.Inf(1)}},
			`fact "turn_count": +Inf is not a whole number up to 9007199254740992`},
		"too large": {[]given{{"turn_count", 1e17}},
			`fact "turn_count": 1e+17 is not a whole number up to 9007199254740992`},
		"below 0": {[]given{{"context_usage", -0.5}}, `fact "context_usage": -0.5 is not a ratio`},
		"a percentage": {[]given{{"context_usage", int64(75)}},
			`context_usage is a ratio, from 0 to 1; did you mean 0.75, which is 75%?`},
		"a declared one": {[]given{{"vars.part", 2.0}},
			`vars.part is a ratio, from 0 to 1; did you mean 0.02, which is 2%?`},
		"no percentage": {[]given{{"context_usage", int64(8000)}},
			`context_usage is a ratio, from 0 to 1; 0.8 and 80% are the same`},
		"a negative count": {[]given{{"context_tokens", int64(-5)}},
			`context_tokens counts tokens and cannot be -5; leave out a fact that is not known`},
		"twice": {[]given{{"resumed", true}, {"resumed", true}}, `resumed is given twice`},
		"tools twice": {[]given{{"tools", []string{"A"}}, {"tool_used", []string{"A"}}},
			`tools beside tool_used; leave one of them out`},
		"failed but not used": {[]given{{"tools", []string{"Edit"}}, {"failed", []string{"Edot"}}},
			`"Edot" failed but is not among the tools; did you mean Edit?`},
		"failed without tools": {[]given{{"failed", []string{"Bash"}}}, `"Bash" failed but is not among the tools`},
		"failed, and not": {
			[]given{{"tools", []string{"A"}}, {"failed", []string{"A"}}, {"last_tool_call_failed", false}},
			`failed beside last_tool_call_failed, which says something else; leave one of them out`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, said := read(t, c.in); len(said) != 1 || said[0] != c.want {
				t.Errorf("%q\nwant %q", said, c.want)
			}
		})
	}
}

// TestCounts: each built-in number that counts has a unit, which the message about a negative one names.
func TestCounts(t *testing.T) {
	t.Parallel()
	s := fact.Builtin()
	for i := range s.Len() {
		if ft := s.Fact(fact.ID(i)); ft.Type == fact.Int && ft.Unit == "" {
			t.Errorf("%s counts nothing", ft.Name)
		}
	}
}
