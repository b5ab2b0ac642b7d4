package transport

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/evidence"
)

// TestIndex: an index says of each digest who holds it: of many runs the latest, and of each run two turns.
// It holds no more than its entries, however many came.
func TestIndex(t *testing.T) {
	t.Parallel()
	x, r := newIndex(), rand.New(rand.NewPCG(1, 2))
	held := map[uint64][]holder{}
	for i := range 2 * maxIndexed {
		k, h := r.Uint64N(maxIndexed), holder{Run: fmt.Sprint("run ", r.IntN(20)), Turn: i}
		x.add(k, h)
		held[k] = append(held[k], h)
	}
	known := 0
	for k, all := range held {
		got, _ := x.held.Get(k)
		if len(got) == 0 { // forgotten
			continue
		}
		known++
		var want []holder // of those since the digest was forgotten
		turns := map[string]int{}
		for _, h := range slices.Backward(all) {
			if turns[h.Run] < 2 && (turns[h.Run] > 0 || len(turns) <= evidence.Common) {
				turns[h.Run]++
				want = append(want, h)
			}
		}
		slices.Reverse(want)
		if want = want[max(0, len(want)-len(got)):]; !cmp.Equal(want, got) {
			t.Fatalf("%v (-want +got):\n%s", k, cmp.Diff(want, got))
		}
	}
	if known > maxIndexed || known < maxIndexed/2 {
		t.Errorf("%d digests are known", known)
	}
	var list []holder
	for turn := range 100 {
		list = withHolder(withHolder(list, holder{Run: "r", Turn: turn}), holder{Run: fmt.Sprint(turn), Turn: 1})
	}
	if runs := slices.IndexFunc(list, func(h holder) bool { return h.Run == "r" }); runs < 0 ||
		len(list) != evidence.Common+2 {
		t.Errorf("of a run that says the same each turn, and others: %v", list)
	}
	h := holder{Run: "r", Turn: 1}
	if list := withHolder(withHolder(nil, h), h); !cmp.Equal(list, []holder{h}) {
		t.Errorf("twice the same: %v", list)
	}
}

// TestAnswers: the completions of a run come back from its notes as they were, and damaged ones are an error.
func TestAnswers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var list completions
		for turn := range r.IntN(5) {
			before := evidence.Message{Words: r.Uint64(), Len: r.IntN(99)}
			a := completion{Answer: evidence.Answer{Turn: turn - 2,
				Said: evidence.Said{Words: r.Uint64(), Len: r.IntN(9999), Asked: r.Uint64(), Before: before}}}
			for range r.IntN(3) {
				a.IDs = append(a.IDs, r.Uint64())
			}
			if r.IntN(2) == 0 {
				a.Usage = usage{Context: count{r.Int64(), true}, Cost: dollars{r.Float64(), true}}
			}
			list = append(list, a)
		}
		text, err := list.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back completions
		if err := back.UnmarshalText(text); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list, back); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		for _, cut := range []int{1, 5, 20} {
			if len(text) > cut {
				_ = back.UnmarshalText(text[:len(text)-cut]) // no panic
			}
		}
	}
	if err := new(completions).UnmarshalText([]byte("AgIC")); err == nil {
		t.Error("damaged completions are read")
	}
}
