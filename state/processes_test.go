package state_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/state"
)

// process handles the turns of one run as a hook does: load, step, save, send. It stops between any two of these, and
// another process, or a crash, comes in between.
type process struct {
	who      int // what it renders says so
	pc       int // 0 load, 1 step, 2 save, 3 send
	turn     int // of the host, from 0
	snap     *state.Snapshot
	rev      state.Revision
	next     *state.Snapshot
	decision *state.Decision
}

// sent is what the processes put before the model, by host turn.
type sent map[int]string

// move takes p one step on. With lost the acknowledgement of a save never arrives. It returns an error only if the
// protocol or the machine broke a promise.
func (p *process) move(ctx context.Context, store state.Store, rules *state.Rules, turns []state.Input, lost bool, out sent) error {
	switch p.pc {
	case 0:
		var err error
		if p.snap, p.rev, err = store.Load(ctx, "run"); err != nil {
			return err
		}
		p.pc = 1
	case 1:
		in := turns[p.turn]
		render := in.Render
		in.Render = func(i int) (string, error) {
			text, err := render(i)
			return fmt.Sprint(text, " by ", p.who), err
		}
		next, d, err := state.Step(p.snap, rules, in)
		switch {
		case errors.Is(err, state.ErrOldKey): // others went past this turn
			p.turn++
			p.pc = 0
			return nil
		case err != nil:
			return err
		}
		p.next, p.decision, p.pc = next, d, 2
		if next == p.snap {
			p.pc = 3 // committed before
		}
	case 2:
		_, err := store.Save(ctx, "run", p.rev, p.next)
		switch {
		case errors.Is(err, state.ErrConflict), err == nil && lost:
			p.pc = 0
		case err != nil:
			return err
		default:
			p.pc = 3
		}
	case 3:
		says := decisionJSON(p.decision)
		if before, ok := out[p.turn]; ok && before != says {
			return fmt.Errorf("turn %d was sent as\n%s\nand as\n%s", p.turn, before, says)
		}
		out[p.turn] = says
		*p = process{who: p.who, turn: p.turn + 1}
	}
	return nil
}

// crash is the end of p; the process that takes over begins with the turn that p had under way.
func (p *process) crash() { *p = process{who: p.who, turn: p.turn} }

// keyed returns the inputs of host turns, each with its key, its truths, and texts that tell who rendered them.
func keyed(rules []state.Rule, turns []turn) []state.Input {
	in := make([]state.Input, len(turns))
	for i, tu := range turns {
		tu.key = fmt.Sprint("turn ", i)
		in[i] = tu.input(rules, terms.ByPriority, terms.Budget{})
	}
	return in
}

// TestS1Interleavings lets processes race through the same turns, crash between any two steps and lose
// acknowledgements. Whatever they do, what is sent on each turn is what one undisturbed process decides on the turns that
// were committed.
func TestS1Interleavings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules := drawRules(t)
		turns := keyed(rules, history(t))
		set, store, out := state.NewRules(rules), state.NewMemory(), sent{}
		ps := make([]process, rapid.IntRange(1, 4).Draw(t, "processes"))
		for i := range ps {
			ps[i].who = i
		}
		for range rapid.IntRange(0, 60*len(ps)).Draw(t, "steps") {
			p := &ps[rapid.IntRange(0, len(ps)-1).Draw(t, "who")]
			if p.turn == len(turns) {
				continue
			}
			if seldom(t, 8, "crash") {
				p.crash()
				continue
			}
			if err := p.move(t.Context(), store, set, turns, seldom(t, 4, "lost"), out); err != nil {
				t.Fatal(err)
			}
		}
		alone := map[int]string{}
		var snap *state.Snapshot
		for i := range turns {
			if _, ok := out[i]; !ok && !committed(t, store, i) {
				continue
			}
			p := process{pc: 1, turn: i, snap: snap}
			if err := p.move(t.Context(), store, set, turns, false, out); err != nil {
				t.Fatal(err)
			}
			if p.pc == 2 {
				snap, alone[i] = p.next, decisionJSON(p.decision)
			}
		}
		for i, says := range out {
			if by.ReplaceAllString(says, "") != by.ReplaceAllString(alone[i], "") {
				t.Fatalf("turn %d was sent as\n%s\none process alone decides\n%s", i, says, alone[i])
			}
		}
	})
}

// by is where a text says who rendered it.
var by = regexp.MustCompile(` by [0-9]"`)

// committed reports whether turn i was: every turn is tried before the next, so those up to the last one were.
func committed(t *rapid.T, store state.Store, i int) bool {
	s, _, err := store.Load(t.Context(), "run")
	if err != nil {
		t.Fatal(err)
	}
	return i < s.Turn()
}

// protocol is how processes handle a turn; the zero one is right.
type protocol struct {
	noKeys    bool // turns have no key
	blind     bool // saves do not compare revisions
	sendFirst bool // what was decided is sent before it is saved
}

// world is where two processes, which both handle every turn, and their store are.
type world struct {
	ps          [2]process
	crash, lost int // still to come
	store       fixed
	sent        string // what was sent on each turn: F fired, - did not, ? nothing yet
}

// key tells worlds apart.
func (w *world) key() string {
	key := fmt.Sprintf("%d %d %d %s %s", w.store.rev, w.crash, w.lost, w.store.snap.Encode(), w.sent)
	for _, p := range w.ps {
		key += fmt.Sprintf(" %d %d %d %s", p.pc, p.turn, p.rev, p.next.Encode())
	}
	return key
}

// send notes what process i is about to send; an error if another sent something else.
func (w *world) send(i int) error {
	p := &w.ps[i]
	says := byte('-')
	if len(p.decision.Fired) > 0 {
		says = 'F'
	}
	if was := w.sent[p.turn]; was != '?' && was != says {
		return fmt.Errorf("turn %d was sent as %c and as %c", p.turn, was, says)
	}
	w.sent = w.sent[:p.turn] + string(says) + w.sent[p.turn+1:]
	return nil
}

// explore goes through every order of steps in which two processes handle three turns of a rule with two edges, with at
// most one crash and one lost acknowledgement anywhere. The error is what goes wrong in one of them: an edge that fires
// twice or never, a turn that is sent in two ways, or one that nobody sends although nobody crashed.
func explore(ctx context.Context, proto protocol) (states, ends int, err error) {
	rules := []state.Rule{{ID: "r", Version: "v"}}
	var turns []turn
	for i, tr := range []fact.Truth{fact.True, fact.False, fact.True} {
		turns = append(turns, turn{at: start, user: fact.False, trigger: map[string]fact.Truth{"r": tr}, text: map[string]string{"r": fmt.Sprint(i)}})
	}
	const want = "F-F"
	inputs, set := keyed(rules, turns), state.NewRules(rules)
	if proto.noKeys {
		for i := range inputs {
			inputs[i].Key = ""
		}
	}
	seen := map[string]bool{}
	todo := []world{{crash: 1, lost: 1, store: fixed{blind: proto.blind}, sent: "???"}}
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if key := w.key(); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		next, err := w.moves(ctx, set, inputs, proto)
		if err != nil {
			return len(seen), ends, err
		}
		todo = append(todo, next...)
		if len(next) > 0 {
			continue
		}
		ends++
		if fires := w.store.snap.Rule("r").Fires; fires != 2 {
			return len(seen), ends, fmt.Errorf("%d edges fired, want 2", fires)
		}
		for at := range want {
			if w.sent[at] != want[at] && (w.sent[at] != '?' || w.crash == 1) {
				return len(seen), ends, fmt.Errorf("sent %s, want %s", w.sent, want)
			}
		}
	}
	return len(seen), ends, nil
}

// moves returns the worlds that may come next.
func (w *world) moves(ctx context.Context, set *state.Rules, inputs []state.Input, proto protocol) ([]world, error) {
	var out []world
	for i := range w.ps {
		if w.ps[i].turn == len(inputs) {
			continue
		}
		if w.crash > 0 {
			n := *w
			n.crash--
			n.ps[i].crash()
			out = append(out, n)
		}
		for _, lost := range []bool{false, true} {
			n := *w
			p := &n.ps[i]
			if lost {
				if n.lost == 0 || p.pc != 2 {
					continue
				}
				n.lost--
			}
			sends := p.pc == 3
			if proto.sendFirst {
				sends = p.pc == 2
			}
			if sends {
				if err := n.send(i); err != nil {
					return nil, err
				}
			}
			if err := p.move(ctx, &n.store, set, inputs, lost, sent{}); err != nil {
				return nil, err
			}
			out = append(out, n)
		}
	}
	return out, nil
}

func TestS1ModelCheck(t *testing.T) {
	t.Parallel()
	states, ends, err := explore(t.Context(), protocol{})
	if err != nil {
		t.Error(err)
	}
	if states < 1000 || ends == 0 {
		t.Errorf("%d states, %d ends: this shows nothing", states, ends)
	}
	t.Logf("%d states, %d ends", states, ends)
}

// TestS1OtherProtocols holds the model check to finding what is wrong with protocols that are nearly right.
func TestS1OtherProtocols(t *testing.T) {
	t.Parallel()
	for name, proto := range map[string]protocol{
		"without turn keys": {noKeys: true},
		"blind write":       {blind: true},
		"send, then commit": {sendFirst: true, noKeys: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states, _, err := explore(t.Context(), proto)
			if err == nil {
				t.Errorf("%d states, and nothing is wrong", states)
			}
			t.Logf("after %d states: %v", states, err)
		})
	}
}

// fixed is a store of one run that can be copied.
type fixed struct {
	state.Store
	snap  *state.Snapshot
	rev   state.Revision
	blind bool
}

func (f *fixed) Load(context.Context, string) (*state.Snapshot, state.Revision, error) {
	return f.snap, f.rev, nil
}

func (f *fixed) Save(_ context.Context, _ string, prev state.Revision, next *state.Snapshot) (state.Revision, error) {
	if prev != f.rev && !f.blind {
		return 0, state.ErrConflict
	}
	f.snap, f.rev = next, f.rev+1
	return f.rev, nil
}
