package begin

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/agent"
)

// trial replays the newest session with the rules that are loaded now. It returns nil where there are none.
func (b *beginning) trial(ctx context.Context) (*replay.Trial, error) {
	r, err := rules.Load(b.Env, rules.Request{Here: true})
	if err != nil || r.Set.Len() == 0 {
		return nil, err
	}
	return replay.Try(ctx, replay.Options{Set: r.Set, Owner: replay.OwnerOf(b.Home),
		Progress: b.Redraws(), Err: b.Err})
}

// tried shows what the rules would have done.
func (b *beginning) tried(ctx context.Context) {
	seen, err := b.trial(ctx)
	if seen == nil {
		return
	}
	b.Note("")
	switch {
	case seen.Path == "":
		b.say("", "There is no session yet to try the rules on: aside replay shows them on a sample.")
		return
	case err != nil:
		b.say("", "The newest session, %s, cannot be replayed: aside replay says more.", b.Short(seen.Path))
		return
	}
	in := fmt.Sprintf("In your newest session, %s with %s,", b.Short(seen.Path),
		terminal.Many(seen.Turns, "turn"))
	fired := firedIn(seen)
	if len(fired) == 0 {
		b.say("", "%s none of the rules would have spoken.", in)
		return
	}
	b.say("", "%s they would have spoken:", in)
	var rows [][]string
	for _, x := range fired {
		times, on := "once", "on turn "
		if x.Fires > 1 {
			times, on = terminal.Thousands(x.Fires)+" times", "first on turn "
		}
		rows = append(rows, []string{"  " + x.ID, times, on + fmt.Sprint(x.First.Turn)})
	}
	_ = terminal.Table(b.Err, rows, b.Width)
	b.Note("aside replay shows where and why.")
}

// firedIn returns the reminders that fired, in the order of their first firings.
func firedIn(t *replay.Trial) []replay.ReminderReport {
	fired := slices.DeleteFunc(slices.Clone(t.Reminders),
		func(x replay.ReminderReport) bool { return x.Fires == 0 })
	slices.SortStableFunc(fired, func(a, b replay.ReminderReport) int {
		return cmp.Or(cmp.Compare(a.First.Run, b.First.Run), cmp.Compare(a.First.Turn, b.First.Turn))
	})
	return fired
}

// next says what to do now. after is what the agents leave to the person.
func (b *beginning) next(after map[string][]string) {
	b.Note("\n%s", b.Paint("1", "Next"))
	var takes, not []string // the agents with a /remind of their own, and those without
	for _, a := range b.chosen {
		for i, line := range after[a.Name] {
			switch text := strings.TrimLeft(line, " "); {
			case text != line: // a command, which must stay on its line
				b.Note("    %s", text)
			case i == 0:
				b.say("- ", "%s: %s", a.Title, text)
			default:
				b.say("  ", "%s", text)
			}
		}
		if never := neverIn(a, b.ids); len(never) > 0 {
			b.say("- ", "%s reports too little for %s: aside check --agent %s says why.", a.Title,
				strings.Join(never, ", "), a.Name)
		}
		if slices.ContainsFunc(a.Config.Files, func(f agent.File) bool {
			return strings.HasPrefix(path.Base(f.Path), "remind.")
		}) {
			takes = append(takes, a.Title)
		} else {
			not = append(not, a.Title)
		}
	}
	rule := ""
	if len(b.ids) > 0 {
		rule = b.ids[0]
		if slices.Contains(b.ids, "run-tests") {
			rule = "run-tests" // its text means something at any time
		}
	}
	switch {
	case len(b.chosen) == 0:
		b.say("- ", "When you have an agent: aside setup again. Nothing reaches a model yet.")
	case rule == "":
	case len(takes) > 0:
		b.say("- ", "To see a reminder arrive at once, type in %s: /remind %s", strings.Join(takes, ", "), rule)
	default:
		b.say("- ", "To see a reminder arrive at once, while a session of %s is open, in another terminal: "+
			"aside remind %s", strings.Join(not, ", "), rule)
	}
	b.say("- ", `aside add "after a commit, remind me to push" finds a rule for a sentence of yours.`)
	b.say("- ", "aside setup --check says whether all is well; aside uninstall --all --purge takes all of it "+
		"back.")
}

// neverIn returns those of some starter rules that can never fire in an agent.
func neverIn(a *agent.Agent, ids []string) []string {
	unfit := starter.Unfit(a.Name)
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return unfit[id] == "" })
}
