package fuzz_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

// FuzzL5Document reads any bytes as a rule file. It never panics; every range lies in the file, on character
// boundaries, with the line and column that its offset has (L4); reading twice gives the same (L8); what
// loads is whole, and a list's reminders load without the others (L5); formatting is idempotent and keeps the
// meaning (L2), and leaves a file with errors alone.
func FuzzL5Document(f *testing.F) {
	for _, s := range []string{
		"---\nwhen: turn_count>3 # " +
			"x\n---\nhi\n", "---\nwhen: !x\n---\nx", "\ufeff---\r\nwhile: 'a''b'\r\n---\r\nx\r\n", "text\n",
		"---\n---\n",
		"when: |\n  compacted\n  or resumed\ncontent: >-\n  a\n\n  b\n", "reminders:\n- {id: a, schedule: {kind: " +
			"turn, turn_interval: 2}, content: A}\n- id: b\n  content: B\n",
		"content: \"\\u00e9\\\n  x\"\nwhen: \"turn_count > \\x33\"\n", "id: &a x\nwhen: *a\n<<: " +
			"{}\n", "content: {{now}}\ndescription: a: b\n", "schedule:\n  kind: timer\n  interval: 5\n",
		"{content: 日本, when: turn_count>3}", "for: 3 turns\ncooldown: -2m\nkeep: 0\npriority: 010\nenabled: " +
			"yes\ncontent: x\n", "content: 'x\n", "\tcontent: x\n", "content: x\n---\ncontent: y\n",
		"content: x\u0085when: 'a\u2028b'\n", "? content\n: x\n", "[", "%YAML 1.2\n---\ncontent: " +
			"x\n", "content: x\nwhen: >2+\n    a\n",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, src string, yaml bool) {
		file := "a.md"
		if yaml {
			file = "a.yaml"
		}
		rs, ds := document.Read(file, []byte(src))
		documentPlaces(t, src, ds)
		again, dsAgain := document.Read(file, []byte(src))
		if !sameReminders(rs, again) || len(ds) != len(dsAgain) {
			t.Fatal("read twice, and not the same")
		}
		for i := range rs {
			if rs[i].Faulty {
				continue
			}
			if rs[i].ID == "" || rs[i].Trigger == "" || strings.TrimSpace(rs[i].Text) == "" && !rs[i].Disabled ||
				rs[i].File != file {
				t.Fatalf("half a reminder: %+v", rs[i])
			}
		}
		set, more := compile.FromFiles(rs, compile.Options{})
		for i := range rs {
			if _, in := set.Index(rs[i].ID); in && rs[i].Faulty && !slices.ContainsFunc(rs,
				func(r compile.Source) bool { return r.ID == rs[i].ID && !r.Faulty }) {
				t.Fatalf("faulty, and in the set: %+v", rs[i])
			}
		}
		documentPlaces(t, src, more)

		out, ds := document.Format(file, []byte(src))
		if ds.HasErrors() {
			if string(out) != src {
				t.Fatalf("with errors, and changed to %q", out)
			}
			return
		}
		after, ds := document.Read(file, out)
		if ds.HasErrors() || !sameReminders(canonicalReminders(rs), canonicalReminders(after)) {
			t.Fatalf("formatted to %q: %v", out, ds)
		}
		if twice, _ := document.Format(file, out); string(twice) != string(out) {
			t.Fatalf("formatted to %q, then to %q", out, twice)
		}
	})
}

// documentPlaces checks where diagnostics and their fixes are.
func documentPlaces(t *testing.T, src string, ds grammar.Diagnostics) {
	t.Helper()
	for _, d := range ds {
		if d.Message == "" || strings.Contains(d.Message, "yaml:") {
			t.Fatalf("not in our words: %v", d)
		}
		ranges := []grammar.Range{d.Range}
		if d.Fix != nil {
			ranges = append(ranges, d.Fix.Range)
		}
		for _, r := range ranges {
			if r.Start.Offset > r.End.Offset {
				t.Fatalf("%v ends before it begins", d)
			}
			for _, p := range []grammar.Position{r.Start, r.End} {
				if p.Offset < 0 || p.Offset > len(src) {
					t.Fatalf("%v is outside", d)
				}
				before := src[:p.Offset]
				line := before[strings.LastIndexByte(before, '\n')+1:]
				if p.Line != strings.Count(before, "\n")+1 || p.Column != utf8.RuneCountInString(line)+1 {
					t.Fatalf("%v: offset %d is not at %d:%d", d, p.Offset, p.Line, p.Column)
				}
				if utf8.ValidString(src) && p.Offset < len(src) && !utf8.RuneStart(src[p.Offset]) {
					t.Fatalf("%v is inside a character", d)
				}
			}
		}
	}
}

func sameReminders(a, b []compile.Source) bool {
	if len(a) != len(b) {
		return false
	}
	for i, x := range a {
		y := b[i]
		if x.ID != y.ID || x.Description != y.Description || x.Mode != y.Mode || x.Trigger != y.Trigger ||
			x.Rearm != y.Rearm || x.For != y.For ||
			x.Cooldown != y.Cooldown || x.Keep != y.Keep || x.MaxFires != y.MaxFires || x.Priority != y.Priority ||
			x.Tier != y.Tier ||
			x.Attach != y.Attach || x.Disabled != y.Disabled || x.Text != y.Text {
			return false
		}
	}
	return true
}

// canonicalReminders is rs with each trigger in canonical form.
func canonicalReminders(rs []compile.Source) []compile.Source {
	form := func(s string) string {
		if s == "" {
			return ""
		}
		tree, _ := grammar.Parse(s)
		return grammar.Format(tree)
	}
	out := make([]compile.Source, len(rs))
	for i, r := range rs {
		r.Trigger, r.Rearm = form(r.Trigger), form(r.Rearm)
		out[i] = r
	}
	return out
}
