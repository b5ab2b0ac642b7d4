package begin

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/replay"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/cmd/aside/internal/starter"
	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/agent"
)

// firings is a replay.View that notes where reminders fire.
type firings struct {
	turns  int
	places map[string][]int // turns, by the id of a reminder
	order  []string         // ids, in the order of their first firings
}

// Turn notes the firings of a turn.
func (f *firings) Turn(s *replay.Step) {
	if s.Decision == nil {
		return
	}
	for _, due := range s.Decision.Fired {
		if f.places[due.ID] == nil {
			f.order = append(f.order, due.ID)
		}
		f.places[due.ID] = append(f.places[due.ID], int(s.Decision.Turn))
	}
}

// RunOver does nothing.
func (*firings) RunOver(*replay.Rest) {}

// End notes the number of turns.
func (f *firings) End(r *replay.Report) { f.turns = r.Turns }

// tried shows what the rules that are loaded now would have done in the newest session.
func (b *beginning) tried(ctx context.Context) {
	r, err := rules.Load(b.Env, rules.Request{Here: true})
	if err != nil || r.Set.Len() == 0 {
		return
	}
	b.Note("")
	newest := transcript.Newest(b.Home)
	if newest == "" {
		b.say("", "There is no session yet to try the rules on: aside replay shows them on a sample.")
		return
	}
	seen := &firings{places: map[string][]int{}}
	err = replay.Run(ctx, replay.Options{
		Paths: []string{newest}, Set: r.Set, Home: b.Home, Zone: time.Local, Views: []replay.View{seen},
		Project:  func(dir string) string { return load.Project(dir, b.Home) },
		Progress: b.ErrTTY && os.Getenv("TERM") != "dumb", Err: b.Err,
	})
	if err != nil || seen.turns == 0 {
		b.say("", "The newest session, %s, cannot be replayed: aside replay says more.", b.Short(newest))
		return
	}
	in := fmt.Sprintf("In your newest session, %s with %s,", b.Short(newest), terminal.Many(seen.turns, "turn"))
	if len(seen.order) == 0 {
		b.say("", "%s none of the rules would have spoken.", in)
		return
	}
	b.say("", "%s they would have spoken:", in)
	var rows [][]string
	for _, id := range seen.order {
		places := seen.places[id]
		slices.Sort(places)
		var turns []string
		for _, n := range places[:min(len(places), 5)] {
			turns = append(turns, fmt.Sprint(n))
		}
		if len(places) > 5 {
			turns = append(turns, b.Glyph("…", "..."))
		}
		times := "once"
		if len(places) > 1 {
			times = fmt.Sprintf("%d times", len(places))
		}
		rows = append(rows, []string{"  " + id, times, "on turn " + strings.Join(turns, ", ")})
	}
	_ = terminal.Table(b.Err, rows, b.Width)
	b.Note("aside replay shows where and why.")
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
			b.say("- ", "%s tells too little for %s: aside check --agent %s says why.", a.Title,
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
		b.say("- ", "When you have an agent: aside install. Nothing reaches a model yet.")
	case rule == "":
	case len(takes) > 0:
		b.say("- ", "To see a reminder arrive at once, type in %s: /remind %s", strings.Join(takes, ", "), rule)
	default:
		b.say("- ", "To see a reminder arrive at once, while a session of %s is open, in another terminal: "+
			"aside remind %s", strings.Join(not, ", "), rule)
	}
	b.say("- ", "aside add NAME writes a rule of your own; aside help rules tells how they look.")
	b.say("- ", "aside doctor tells whether all is well; aside uninstall --all --purge takes all of it back.")
}

// neverIn returns those of some starter rules that can never fire in an agent.
func neverIn(a *agent.Agent, ids []string) (never []string) {
	unfit := starter.Unfit(a.Name)
	for _, id := range ids {
		if unfit[id] != "" {
			never = append(never, id)
		}
	}
	return never
}
