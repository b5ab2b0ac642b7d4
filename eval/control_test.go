package eval_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/eval"
)

// TestControl: a reminder that is off is not there, one in shadow is decided and held back, in each set that
// comes meanwhile; what was not switched sees nothing of it, and what comes back goes on where it was.
func TestControl(t *testing.T) {
	t.Parallel()
	ev := eval.New(rolled(t, "old", "a", "b", "c"), eval.Options{})
	for _, c := range []struct {
		control eval.Control
		rules   string
		want    string
	}{
		{eval.Control{}, "old", "a b c"},
		{eval.Control{Off: []string{"a"}, Shadow: []string{"b"}}, "old-a", "(b) c"},
		{eval.Control{Off: []string{"nobody"}}, "old", "a b c"},
		{eval.Control{Shadow: []string{"a"}}, "old", "(a)"}, // all have fired three times but a
		{eval.Control{}, "old", ""},
	} {
		ev.Control(c.control)
		ev.Reload(rolled(t, "old", "a", "b", "c"))
		d, err := ev.Decide(t.Context(), "r", eval.Turn{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range d.Fired {
			if f.HeldOut {
				f.ID = "(" + f.ID + ")"
			}
			got = append(got, f.ID)
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%+v: %q, want %q", c.control, all, c.want)
		}
		if d.Rules != c.rules {
			t.Errorf("%+v: decided by %q, want %q", c.control, d.Rules, c.rules)
		}
	}
}
