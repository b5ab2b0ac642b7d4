package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/reference"
	"github.com/aside-go/aside/internal/testkit"
)

func schema(t interface{ Fatal(...any) }) *fact.Schema {
	s, err := fact.NewSchema(reference.Facts()...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drawer is a source of many choices.
func drawer(seed uint64) *reference.Draw {
	r := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, 2000)
	for i := range b {
		b[i] = byte(r.UintN(256))
	}
	return &reference.Draw{Bytes: b}
}

// TestL6CompiledIsRead: what package compile makes of a random trigger is what its source says by itself, on
// random turns, at other moments, and between turns.
func TestL6CompiledIsRead(t *testing.T) {
	t.Parallel()
	s := schema(t)
	n := testkit.Repeat(500, 2000)
	if testkit.Long() {
		n = 100_000
	}
	seen := [3]int{}
	for seed := range uint64(n) {
		d := drawer(seed)
		src := d.Trigger(3)
		if d.Below(8) == 0 {
			src = d.Momentary()
		}
		p, ds := compile.Compile(src, s)
		if p == nil {
			t.Fatalf("%s does not compile: %v", src, ds)
		}
		r, err := reference.Read(src, s)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		for range 6 {
			o := d.Occasion()
			f := o.Frame(s)
			got, want := p.Eval(f), r.Truth(o)
			seen[got]++
			if got != want {
				t.Fatalf("seed %d: %s\nis %v, read by itself %v\n%v\n%+v", seed, src, got, want, o, p.Explain(f))
			}
			f.EndEvents()
			between := o.AfterEvents("vars.flag", "vars.tags")
			if got, want := p.Eval(f), r.Truth(between); got != want {
				t.Fatalf("seed %d: %s\nis %v between turns, read by itself %v\n%v\n%+v", seed, src, got, want, between,
					p.Explain(f))
			}
		}
	}
	if min(seen[0], seen[1], seen[2]) < n/2 {
		t.Errorf("truths are unevenly met: %v", seen)
	}
}
