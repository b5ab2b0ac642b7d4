package ledger_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/body"
)

func due(ids ...string) (out []reminder.Due) {
	for _, id := range ids {
		out = append(out, reminder.Due{ID: id, Text: "text of " + id})
	}
	return out
}

// put is a Put with a text for each id, behind the message whose key is anchor.
func put(anchor string, ids ...string) body.Insertion {
	p := body.Insertion{API: wire.Anthropic, Anchor: anchor, Shape: body.ShapeBlock, IDs: ids}
	for _, id := range ids {
		p.Texts = append(p.Texts, "text of "+id)
	}
	return p
}

// refused returns the ledger on a turn of a model that does not take a Put, though the message is there.
func refused(l ledger.Ledger, put int) ledger.Ledger {
	l, _ = l.Settle([]body.Gone{{Index: put, Why: "the model"}})
	return l
}

func gone(puts ...int) (out []body.Gone) {
	for _, p := range puts {
		out = append(out, body.Gone{Index: p, Why: "its message is not there", Away: true})
	}
	return out
}

// short writes a ledger as "anchor:id,id anchor:id", with "!" behind what an answered request held, "-"
// behind texts whose keep has ended, and "?" with the number of turns for which a place was not there.
func short(l ledger.Ledger) string {
	var out []string
	for _, e := range l.Entries {
		var ids []string
		for _, id := range e.IDs {
			for _, ended := range e.Ended {
				if ended == id {
					id += "-"
				}
			}
			ids = append(ids, id)
		}
		s := e.Anchor + ":" + strings.Join(ids, ",")
		if e.Accepted {
			s += "!"
		}
		if e.Missing > 0 {
			s += fmt.Sprint("?", e.Missing)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestLedger(t *testing.T) {
	t.Parallel()
	three := ledger.Ledger{}.Add(1, false, put("m1", "a")).Add(2, false, put("m2", "b", "c")).Add(3, false,
		put("m3", "d"))
	tests := map[string]struct {
		have  ledger.Ledger
		want  string
		offer string
		puts  int
	}{
		"everything stays": {have: settle(three), want: "m1:a m2:b,c m3:d", puts: 3},
		"answered up to 2": {have: three.Accept(2), want: "m1:a! m2:b,c! m3:d", puts: 3},
		"answered on a turn that put nothing": {
			have: ledger.Ledger{}.Add(1, false, put("m1", "a")).Add(4, false, put("m4", "b")).Accept(3),
			want: "m1:a! m4:b", puts: 2,
		},
		"a turn is taken back": {have: three.Accept(3).Without(2), want: "m1:a! m3:d!", puts: 2},
		"ended, and stays":     {have: settle(three).End(due("a", "c"), nil), want: "m1:a m2:b-,c m3:d-", puts: 3},
		"fired again": {have: settle(three).End(due("a", "b", "c", "d"), due("c")),
			want: "m1:a m2:b,c- m3:d", puts: 3},
		"rewound: what ended before the gap stays": {
			have: settle(three.Accept(3).End(due("d"), nil), 2).End(due("d"),
				nil), want: "m1:a-! m2:b-,c-! m3:d!?1", puts: 3,
		},
		"compacted: what ended stays where its message is": {
			have: settle(three.Accept(3), 0).End(due("c"), nil), want: "m1:a-!?1 m2:b-,c! m3:d-!", puts: 3,
		},
		"compacted, and nothing ended": {
			have: settle(three.Accept(3), 0).End(due("b", "c", "d"), nil), want: "m1:a-!?1 m2:b,c! m3:d!", puts: 3,
		},
		"another model, and what ended behind the text that it does not take stays": {
			have: refused(three.Accept(3), 0).End(due("c"), nil), want: "m1:a-!?1 m2:b-,c! m3:d-!", puts: 3,
		},
		"all gone": {have: settle(three.Accept(3), 0, 1, 2).End(nil, nil),
			want: "m1:a-!?1 m2:b-,c-!?1 m3:d-!?1", puts: 3},
		"a branch that is not there for long": {
			have: settle(settle(three.Accept(3), 1), 1).End(nil, nil), want: "m1:a-! m2:b-,c-!?2 m3:d-!", puts: 3,
		},
		"a run begun anew": {have: three.Anew().Add(1, false, put("m1", "e")), want: "m1:a! m2:b,c! m3:d! m1:e",
			puts: 4},
		"the other branch, with what ended there": {
			have: settle(settle(three.Accept(3).End(nil, nil), 2), 1).End(nil,
				nil), want: "m1:a-! m2:b-,c-!?1 m3:d-!", puts: 3,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := short(tt.have); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if got := len(tt.have.Puts()); got != tt.puts {
				t.Errorf("%d puts, want %d", got, tt.puts)
			}
		})
	}
	if got := short(three); got != "m1:a m2:b,c m3:d" {
		t.Errorf("a method wrote to its ledger: %q", got)
	}
}

func settle(l ledger.Ledger, puts ...int) ledger.Ledger {
	next, _ := l.Settle(gone(puts...))
	return next
}

// TestOffer: what no answered request has held is offered again once it cannot be repeated, and only what is
// still wanted.
func TestOffer(t *testing.T) {
	t.Parallel()
	l := ledger.Ledger{}.Add(1, false, put("m1", "a")).Accept(1).Add(2, false, put("m2", "b", "c")).Add(2, true,
		put("", "t"))
	tests := map[string]struct {
		have  ledger.Ledger
		gone  []body.Gone
		offer []string
		want  string
	}{
		"only what went out once":  {l, nil, []string{"t"}, "m1:a! m2:b,c"},
		"that, and what is gone":   {l, gone(1), []string{"b", "c", "t"}, "m1:a!"},
		"what was answered is not": {l, gone(0), []string{"t"}, "m1:a!?1 m2:b,c"},
		"nor is any of it":         {l.Accept(2), gone(0, 1), nil, "m1:a!?1 m2:b,c!?1"},
		"nor what is not wanted":   {l.End(due("c"), nil), gone(1), []string{"c"}, "m1:a-!"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next, lost := tt.have.Settle(tt.gone)
			var offer []string
			for _, l := range lost {
				if l.Why == "" {
					t.Errorf("%q are lost, and nothing says why", l.IDs)
				}
				if l.Offer {
					offer = append(offer, l.IDs...)
				}
			}
			if diff := cmp.Diff(tt.offer, offer, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("offered (-want +got):\n%s", diff)
			}
			if got := short(next); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestJSON: a ledger comes back from the run's snapshot as it was, and an empty one takes no bytes.
func TestJSON(t *testing.T) {
	t.Parallel()
	l := ledger.Ledger{}.Add(1, false, put("m1", "a", "b")).Accept(1).Add(2, true,
		put("", "t")).End(due("a", "t"), nil)
	raw, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var back ledger.Ledger
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l, back, cmpopts.IgnoreUnexported(ledger.Entry{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if raw, _ := json.Marshal(ledger.Ledger{}); string(raw) != "{}" {
		t.Errorf("%s", raw)
	}
}

// TestHolds: a text stands in the requests of a run as long as its place is there and its reminder is due.
func TestHolds(t *testing.T) {
	t.Parallel()
	l := ledger.Ledger{}.Add(1, false, put("m1", "a", "b")).Add(2, true, put("m2", "once")).Accept(2)
	for name, tt := range map[string]struct {
		have ledger.Ledger
		want string
	}{
		"put":                    {l, "ab"},
		"ended":                  {l.End(due("b"), nil), "b"},
		"its place is not there": {settle(l, 0), ""},
		"put anew":               {l.End(due("b"), nil).Add(3, false, put("m3", "a")), "ab"},
	} {
		got := ""
		for _, id := range []string{"a", "b", "once", "never"} {
			if tt.have.Holds(id) {
				got += id
			}
		}
		if got != tt.want {
			t.Errorf("%s: holds %q, want %q", name, got, tt.want)
		}
	}
}

// TestImmutable: whatever is made of a ledger, it stays what it was: what did not change is shared.
func TestImmutable(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	ids := []string{"a", "b", "c", "d"}
	some := func() (out []string) {
		for _, id := range ids {
			if random.IntN(2) == 0 {
				out = append(out, id)
			}
		}
		return out
	}
	written := func(l ledger.Ledger) string {
		raw, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	all, were := []ledger.Ledger{{}}, []string{"{}"}
	for turn := range 3000 {
		l := all[max(0, len(all)-1-random.IntN(4))]
		switch random.IntN(6) {
		case 0, 1:
			if some := some(); len(some) > 0 {
				l = l.Add(turn, random.IntN(5) == 0, put("m", some...))
			}
		case 2:
			l = l.Accept(turn - random.IntN(5))
		case 3:
			l = l.Without(turn - random.IntN(5))
		case 4:
			l = l.End(due(some()...), due(some()...))
		case 5:
			var lost []body.Gone
			for n := range l.Puts() {
				if random.IntN(8) == 0 {
					lost = append(lost, gone(n)...)
				}
			}
			l, _ = l.Settle(lost)
		}
		all, were = append(all, l), append(were, written(l))
	}
	for i, l := range all {
		if now := written(l); now != were[i] {
			t.Fatalf("ledger %d was\n%s\nand is\n%s", i, were[i], now)
		}
	}
}

// TestPatience: an entry whose place does not come back is let go in the end.
func TestPatience(t *testing.T) {
	t.Parallel()
	l := ledger.Ledger{}.Add(1, false, put("m1", "a")).Accept(1)
	for n := range 16 {
		if l = settle(l, 0); len(l.Entries) != 1 {
			t.Fatalf("gone after %d turns", n+1)
		}
	}
	if back := settle(l); short(back) != "m1:a!" {
		t.Errorf("back: %q", short(back))
	}
	for range 40 { // its message is there, but the model takes no such text
		l = refused(l, 0)
	}
	if back := settle(l); short(back) != "m1:a!" {
		t.Errorf("back: %q", short(back))
	}
	if l = settle(l, 0); len(l.Entries) != 0 {
		t.Errorf("still there: %q", short(l))
	}
}
