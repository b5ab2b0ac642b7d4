package fuzz_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/test/reference"
)

// FuzzReference: a trigger means what its source says when it is read by itself, on any turn, at other
// moments and between turns, and a command line holds the commands that a naive shell finds. The bytes choose
// trigger, turns and line, so all triggers compile.
func FuzzReference(f *testing.F) {
	s := drawnFacts(f)
	fuzzDraws(f, 24, 200, func(t *testing.T, d *reference.Draw) { readTwice(t, d, s, 2) })
}

// TestL6CompiledIsRead is FuzzReference on triggers by chance.
func TestL6CompiledIsRead(t *testing.T) {
	t.Parallel()
	s := drawnFacts(t)
	n, seen := draws(500, 2000, 100_000), [3]int{}
	for seed := range uint64(n) {
		for _, truth := range readTwice(t, &reference.Draw{Bytes: choices(seed, 2000)}, s, 6) {
			seen[truth]++
		}
	}
	if min(seen[0], seen[1], seen[2]) < n/2 {
		t.Errorf("truths are unevenly met: %v", seen)
	}
}

// readTwice compares the truths of a trigger, and returns them.
func readTwice(t *testing.T, d *reference.Draw, s *fact.Schema, turns int) (seen []fact.Truth) {
	t.Helper()
	src := d.Trigger(3)
	if d.Below(8) == 7 {
		src = d.Momentary()
	}
	p, ds := trigger.Compile(src, s)
	if p == nil {
		t.Fatalf("%q does not compile: %v", src, ds)
	}
	r, err := reference.Read(src, s)
	if err != nil {
		t.Fatal(err)
	}
	line := d.Line(3)
	if diff := cmp.Diff(sorted(reference.Commands(line)), sorted(callpattern.Commands(line))); diff != "" {
		t.Fatalf("the commands of %q: -read by itself +got\n%s", line, diff)
	}
	for range turns {
		o := d.Occasion()
		frame := o.Frame(s)
		got, want := p.Eval(frame), r.Truth(o)
		if seen = append(seen, got); got != want {
			t.Fatalf("%s\nis %v, read by itself %v\n%v\n%+v", src, got, want, o, p.Explain(frame))
		}
		frame.EndEvents()
		for i, absent := range [][]string{{}, {"prompt"}, {"response"}, {"prompt", "response"}} {
			frame.Lack(fact.Texts(i))
			between := o.AfterEvents(s, absent...)
			if got, want := p.Eval(frame), r.Truth(between); got != want {
				t.Fatalf("%s\nis %v between turns, without %v, read by itself %v\n%v", src, got, absent, want, between)
			}
		}
	}
	return seen
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
