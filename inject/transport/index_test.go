package transport

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestIndex: an index says of each name the run that was added last, or nothing; never another run, however
// many came after. It holds no more than its entries.
func TestIndex(t *testing.T) {
	t.Parallel()
	x, r := newIndex(), rand.New(rand.NewPCG(1, 2))
	type name struct {
		tenant uint64
		kind   indexKind
		id     string
	}
	runs := map[name]string{}
	for i := range 2 * maxIndexed {
		n := name{r.Uint64N(2), indexKind(r.IntN(int(byNamedHead) + 1)), fmt.Sprint(r.IntN(3 * maxIndexed))}
		run := fmt.Sprintf("run %d", r.IntN(1+i/16))
		if was, known := runs[n]; x.add(n.tenant, n.kind, n.id, run) && (!known || was != run) {
			t.Fatalf("%+v was known as %q", n, run)
		}
		runs[n] = run
		if got := x.find(n.tenant, n.kind, n.id); got != run {
			t.Fatalf("after %d: %q, want %q", i, got, run)
		}
	}
	found := 0
	for n, want := range runs {
		switch got := x.find(n.tenant, n.kind, n.id); got {
		case want:
			found++
		case "":
		default:
			t.Fatalf("%+v: %q, want %q or nothing", n, got, want)
		}
		n.tenant += 2
		if got := x.find(n.tenant, n.kind, n.id); got != "" {
			t.Fatalf("%+v: %q, and nothing was added", n, got)
		}
	}
	if found != maxIndexed {
		t.Errorf("%d of %d are known, want %d", found, len(runs), maxIndexed)
	}
}
