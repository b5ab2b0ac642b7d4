package trigger_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/test/cases"
	"github.com/aside-go/aside/internal/test/reference"
)

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func mustCompile(t fataler, src string, s *fact.Schema) *trigger.Predicate {
	t.Helper()
	p, diags := trigger.Compile(src, s)
	if p == nil {
		t.Fatalf("%s\ndoes not compile: %v", src, diags)
	}
	return p
}

func mustRefer(t fataler, src string, s *fact.Schema) *reference.Program {
	t.Helper()
	tree, diags := grammar.Parse(src)
	if diags.HasErrors() {
		t.Fatalf("%s\ndoes not parse: %v", src, diags)
	}
	r, err := reference.New(tree, s)
	if err != nil {
		t.Fatalf("%s\nhas no reference: %v", src, err)
	}
	return r
}

func TestL6CompiledIsReference(t *testing.T) {
	t.Parallel()
	s := cases.Schema()
	rapid.Check(t, func(t *rapid.T) {
		src := cases.Trigger(t, 3)
		p, r := mustCompile(t, src, s), mustRefer(t, src, s)
		for range 25 {
			f := cases.Frame(t, s)
			want, err := r.Eval(f)
			if err != nil {
				t.Fatalf("%s\nas %s: %v", src, r, err)
			}
			if got := p.Eval(f); got != want {
				t.Fatalf("%s\nis %v, the reference says %v:\n%s\n%+v", src, got, want, r, p.Explain(f))
			}
		}
	})
}

func TestL6ExplainRoot(t *testing.T) {
	t.Parallel()
	s := cases.Schema()
	rapid.Check(t, func(t *rapid.T) {
		src := cases.Trigger(t, 3)
		p := mustCompile(t, src, s)
		f := cases.Frame(t, s)
		part := p.Explain(f)
		if got := p.Eval(f); part.Truth != got {
			t.Fatalf("%s\nis %v, explained as %+v", src, got, part)
		}
		if part.Text != p.String() {
			t.Fatalf("explained as %q, is %q", part.Text, p)
		}
		if part.Truth == fact.True && part.Why() == "" {
			t.Fatalf("%s\nis true for no reason: %+v", src, part)
		}
		coherent(t, part)
	})
}

// coherent checks that a part follows from its parts, by the three-valued tables.
func coherent(t *rapid.T, p trigger.Part) {
	for _, q := range p.Parts {
		coherent(t, q)
	}
	if p.Value != "" && len(p.Parts) > 0 { // a list: some of it
		want := fact.False
		for _, q := range p.Parts {
			want = want.Or(q.Truth)
		}
		if want == fact.Unknown && strings.HasPrefix(p.Text, "tool_failed:") {
			return // that one of several failed may be known where it is not known which
		}
		if want != p.Truth {
			t.Fatalf("a list is not what its members are: %+v", p)
		}
	}
}

func TestL2FormatKeepsMeaning(t *testing.T) {
	t.Parallel()
	s := cases.Schema()
	rapid.Check(t, func(t *rapid.T) {
		src := cases.Trigger(t, 3)
		p := mustCompile(t, src, s)
		q := mustCompile(t, p.String(), s)
		f := cases.Frame(t, s)
		if p.Eval(f) != q.Eval(f) || p.String() != q.String() {
			t.Fatalf("%s\nis %v, formatted as %s it is %v", src, p.Eval(f), p, q.Eval(f))
		}
	})
}

func TestL7Pure(t *testing.T) {
	t.Parallel()
	s := cases.Schema()
	rapid.Check(t, func(t *rapid.T) {
		p := mustCompile(t, cases.Trigger(t, 3), s)
		f := cases.Frame(t, s)
		before := values(f)
		first := p.Eval(f)
		for range 3 {
			if again := p.Eval(f); again != first {
				t.Fatalf("%s\nis %v, then %v", p, first, again)
			}
		}
		if diff := values(f); diff != before {
			t.Fatalf("%s\nwrote to its facts", p)
		}
	})
}

func values(f *fact.Frame) string {
	var b strings.Builder
	for i := range f.Schema().Len() {
		fmt.Fprintf(&b, "%v;", f.Value(fact.ID(i)))
	}
	return b.String()
}

func TestL7NoAllocations(t *testing.T) {
	s := cases.Schema()
	f := cases.Known(s)
	for _, src := range []string{
		"always", "context_usage > 75% and turn_count > 20", "turn_count != 3 or not " +
			"user_message", "tool_used == Bash", "tool_used in [Edit, mcp__*]",
		"after_tool:Edit,Write", "tool_failed:Bash", "thread:plan,learn", "turn_gt:20", "elapsed > 5m and idle < " +
			"1h", `tool_count("Bash") > 3`,
		`used("Bash")`, `turns_since("r") > 2`, `output_tokens_since("r") > 10`, "repeated_tool_chain:Edit>Bash|2", "every 5 turns", "every 5m", "every 2 user turns",
		"context_tokens > context_window", "len(tool_used) > 3", "turn_count in [1, 2, " +
			"3]", "thread_type in tool_used", "model == x or provider != y or compacted",
	} {
		p := mustCompile(t, src, s)
		if n := testing.AllocsPerRun(100, func() { p.Eval(f) }); n != 0 {
			t.Errorf("%s allocates %v times", src, n)
		}
	}
}

func TestGeneratorsCompile(t *testing.T) {
	t.Parallel()
	s := cases.Schema()
	rapid.Check(t, func(t *rapid.T) {
		mustCompile(t, cases.Trigger(t, 3), s)
	})
}
