package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// Add adds a reminder to one run, beside those of the set, in place of one that was added before with the
// same id. It is kept in the state of the run, so that every process knows it, and the run need not have
// begun. As with Reload, a reminder that is replaced keeps its counts, and with the same mode and trigger all
// of its state. If run is "", it is the run of ctx.
//
// The diagnostics are those of the reminder. With an error among them nothing is added; an id of the set's is
// such an error. A set that is reloaded with the id later goes before.
//
// Runs with the same reminders of their own share what is compiled. Many runs with different ones, beside a
// set of more than a thousand, are compiled again and again: 1,000 reminders take some 3 ms.
func (ev *Evaluator) Add(ctx context.Context, run string, r reminder.Reminder) (grammar.Diagnostics, error) {
	base := ev.programs()
	var diags grammar.Diagnostics
	err := ev.change(ctx, run, func(s *state.Snapshot) (*state.Snapshot, error) {
		added, err := addedTo(s)
		if err != nil {
			return nil, err
		}
		added = slices.DeleteFunc(added, func(o reminder.Reminder) bool { return o.ID == r.ID })
		others := base.last(run, s).set
		if len(added) > 0 {
			others, _ = others.With(added)
		}
		if _, diags = others.With([]reminder.Reminder{r}); diags.HasErrors() {
			return nil, nil
		}
		return withAdded(s, append(added, r))
	})
	return diags, err
}

// Remove removes a reminder from one run that Add has added to it. Its counts stay, for the case that it is
// added again. An id that was not added is an *UnknownError. If run is "", it is the run of ctx.
func (ev *Evaluator) Remove(ctx context.Context, run, id string) error {
	return ev.change(ctx, run, func(s *state.Snapshot) (*state.Snapshot, error) {
		added, err := addedTo(s)
		if err != nil {
			return nil, err
		}
		left := slices.DeleteFunc(slices.Clone(added), func(r reminder.Reminder) bool { return r.ID == id })
		if len(left) == len(added) {
			ids := make([]string, len(added))
			for i := range added {
				ids[i] = added[i].ID
			}
			return nil, unknown(id, ids)
		}
		return withAdded(s, left)
	})
}

// Fire fires a reminder by hand, at once, and returns its text. The host puts the text before the model
// itself, for example as the result of a tool; see Remind for a text that goes out with the next turn. Like
// every firing by hand it has no trigger and no limit, and counts nothing. The text is rendered with the
// facts of the run's last turn that are kept, and with those of WithTurn. If run is "", it is the run of ctx.
//
// Fire returns an *UnknownError for a name that is not the id of a reminder, and an error for a text that
// cannot be rendered, such as one with a fact that is not known.
func (ev *Evaluator) Fire(ctx context.Context, run, id string) (due reminder.Due, err error) {
	run, s, _, err := ev.load(ctx, run)
	if err != nil {
		return due, err
	}
	p, err := ev.programs().last(run, s).of(s)
	if err != nil {
		return due, err
	}
	i, ok := p.set.Index(id)
	if !ok {
		return due, unknown(id, p.set.IDs())
	}
	w := p.work.Get().(*work)
	defer p.release(w)
	t := Turn{At: ev.Now(), Moment: fact.Stopping} // between two turns, where no event holds
	t.takeHost(ctx)
	w.at = t.At
	if err := errors.Join(w.setFacts(&t), p.compute(ctx, run, w.frame, nil)); err != nil {
		return due, err
	}
	if err := p.recallTurn(w, s, &t); err != nil {
		return due, err
	}
	addCounts(w.frame, s.Run())
	r := &p.set.Reminder(i).Reminder
	due = reminder.Due{ID: id, Priority: r.Priority, Tier: r.Tier, Attach: r.Attach, Keep: r.Keep.Or(r.Mode),
		Manual: true, HeldOut: p.shadow[id]}
	if due.Text, err = p.set.Render(i, w.frame, w.at); err != nil {
		return reminder.Due{}, err
	}
	if due.Tokens = reminder.Tokens(len(due.Text)); ev.opts.Tokens != nil {
		due.Tokens = ev.opts.Tokens(due.Text)
	}
	return due, nil
}

// addedTo returns the reminders that were added to a run.
func addedTo(s *state.Snapshot) (rs []reminder.Reminder, err error) {
	if s.Added() == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(s.Added()), &rs); err != nil {
		return nil, fmt.Errorf("reminders of the run: %w: %w", state.ErrCorrupt, err)
	}
	return rs, nil
}

// withAdded returns s with other reminders added to the run.
func withAdded(s *state.Snapshot, rs []reminder.Reminder) (*state.Snapshot, error) {
	if len(rs) == 0 {
		return firing.Add(s, nil)
	}
	slices.SortFunc(rs, func(a, b reminder.Reminder) int { return cmp.Compare(a.ID, b.ID) })
	raw, err := json.Marshal(rs)
	if err != nil {
		return nil, err
	}
	return firing.Add(s, raw)
}

// maxJoined is how many reminders there are at most in all programs that are kept for runs with reminders of
// their own; a reminder takes up to 4 KB. A program that is not kept is compiled again on the next turn, in
// about 2 µs for each reminder.
const maxJoined = 20_000

// of returns the program of a run: p itself, or one that holds the reminders, too, that were added to the
// run.
func (p *program) of(s *state.Snapshot) (*program, error) {
	definitions := s.Added()
	if definitions == "" {
		return p, nil
	}
	p.mu.Lock()
	joined := p.joined[definitions]
	p.mu.Unlock()
	if joined != nil {
		return joined, nil
	}
	added, err := addedTo(s)
	if err != nil {
		return p, err
	}
	set, _ := p.set.With(added)
	joined = newProgram(set, p.shadow)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.joined == nil || (len(p.joined)+1)*set.Len() > maxJoined {
		p.joined = map[string]*program{}
	}
	p.joined[definitions] = joined
	return joined, nil
}
