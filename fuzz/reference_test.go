package fuzz_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/reference"
)

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// FuzzReference: a trigger means what its source says when it is read by itself, on any turn, at other
// moments and between turns. The bytes choose the trigger and the turns, so all triggers compile.
func FuzzReference(f *testing.F) {
	for i := range 24 {
		b := make([]byte, 64)
		for k := range b {
			b[k] = byte(i*31 + k*k*7 + k*i)
		}
		f.Add(b)
	}
	s, err := fact.NewSchema(reference.Facts()...)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d := &reference.Draw{Bytes: b}
		src := d.Trigger(3)
		if d.Below(8) == 7 {
			src = d.Momentary()
		}
		p, ds := compile.Compile(src, s)
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
		for range 2 {
			o := d.Occasion()
			frame := o.Frame(s)
			if got, want := p.Eval(frame), r.Truth(o); got != want {
				t.Fatalf("%s\nis %v, read by itself %v\n%v", src, got, want, o)
			}
			frame.EndEvents()
			between := o.AfterEvents("vars.flag", "vars.tags")
			if got, want := p.Eval(frame), r.Truth(between); got != want {
				t.Fatalf("%s\nis %v between turns, read by itself %v\n%v", src, got, want, between)
			}
		}
	})
}
