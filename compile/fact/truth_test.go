package fact_test

import (
	"testing"

	"github.com/aside-go/aside/compile/fact"
)

// TestKleene holds the operators against the tables of Kleene's strong logic.
func TestKleene(t *testing.T) {
	t.Parallel()
	const f, u, tr = fact.False, fact.Unknown, fact.True
	for _, row := range []struct{ a, b, and, or fact.Truth }{
		{f, f, f, f}, {f, u, f, u}, {f, tr, f, tr},
		{u, f, f, u}, {u, u, u, u}, {u, tr, u, tr},
		{tr, f, f, tr}, {tr, u, u, tr}, {tr, tr, tr, tr},
	} {
		if got := row.a.And(row.b); got != row.and {
			t.Errorf("%v and %v is %v, want %v", row.a, row.b, got, row.and)
		}
		if got := row.a.Or(row.b); got != row.or {
			t.Errorf("%v or %v is %v, want %v", row.a, row.b, got, row.or)
		}
	}
	for a, want := range map[fact.Truth]fact.Truth{f: tr, u: u, tr: f} {
		if got := a.Not(); got != want {
			t.Errorf("not %v is %v, want %v", a, got, want)
		}
	}
	if fact.Of(true) != tr || fact.Of(false) != f {
		t.Error("Of mixes them up")
	}
	if (fact.Truth(0)) != f || f.String() != "false" || u.String() != "unknown" || tr.String() != "true" {
		t.Error("names")
	}
}
