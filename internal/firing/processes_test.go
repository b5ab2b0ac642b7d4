package firing_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// process handles the turns of one run as a hook does: load, step, save, send. It stops between any two of
// these, and another process, or a crash, comes in between.
type process struct {
	who      int // its texts name it
	pc       int // 0 load, 1 step, 2 save, 3 send
	turn     int // of the host, from 0
	snap     *state.Snapshot
	rev      state.Revision
	next     *state.Snapshot
	decision *reminder.Decision
}

// sent are the texts that the processes put before the model, by host turn.
type sent map[int]string

// move takes p one step on. With lost the acknowledgement of a save never arrives. It returns an error only
// if the protocol or the machine broke a promise.
func (p *process) move(ctx context.Context, store state.Store, rules *firing.Rules, turns []firing.Input,
	lost bool, out sent) error {
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
		next, d, err := firing.Step(p.snap, rules, in)
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

// keyed returns the inputs of host turns, each with its key, its truths, and texts that name the process that
// rendered them.
func keyed(rules []reminder.Reminder, turns []turn) []firing.Input {
	in := make([]firing.Input, len(turns))
	for i, tu := range turns {
		tu.key = fmt.Sprint("turn ", i)
		in[i] = tu.input(rules, reminder.ByPriority, reminder.Budget{})
	}
	return in
}

// TestS1Interleavings lets processes race through the same turns, crash between any two steps and lose
// acknowledgements. The texts that they send on each turn must be those that one undisturbed process decides
// on the committed turns.
func TestS1Interleavings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules := drawRules(t)
		turns := keyed(rules, history(t))
		set, store, out := firing.NewRules(rules), state.NewMemory(), sent{}
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

// by stands in a text before the name of the process that rendered it.
var by = regexp.MustCompile(` by [0-9]"`)

// committed reports whether turn i was: every turn is tried before the next, so those up to the last one
// were.
func committed(t *rapid.T, store state.Store, i int) bool {
	s, _, err := store.Load(t.Context(), "run")
	if err != nil {
		t.Fatal(err)
	}
	return i < s.Turn()
}
