package replay

import (
	"fmt"
	"io"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent/session"
)

// overview is the View of many runs for people: the summary, then a line for each run, which is named by its
// first prompt. A subagent's run stands below the one before it, and only if something fired in it.
type overview struct {
	Ignored
	t         *timeline
	onlyFired bool
	runs      []*runLine // in the order of their numbers
}

// runLine is the line of a run.
type runLine struct {
	id, date, title string
	subagent        bool
	turns, fired    int
}

const leastID = 8 // characters of a run's id that are shown at least

func newOverview(w io.Writer, o Options) *overview {
	return &overview{t: newTimeline(w, o), onlyFired: o.OnlyFired}
}

// Turn implements View.
func (v *overview) Turn(s *Step) {
	if s.First {
		r := &runLine{id: s.Run.ID, title: s.Run.Thread, subagent: s.Run.Thread != "root"}
		if !s.At.IsZero() {
			r.date = s.At.UTC().Format("2006-01-02")
		}
		v.runs = append(v.runs, r)
	}
	r := v.runs[s.RunN-1]
	r.fired += len(s.Decision.Fired)
	if s.Moment != fact.Turn {
		return
	}
	r.turns++
	if r.title == "root" && len(s.Prompts) > 0 {
		r.title = terminal.Cut(clean(s.Prompts[0]), v.t.width)
	}
}

// End implements View.
func (v *overview) End(r *Report) {
	if r.Turns == 0 {
		return
	}
	v.t.End(r)
	v.t.line()
	ids := v.shortIDs()
	v.t.line(text{dim, fmt.Sprintf("  %4s  %s  %s  %5s  %5s  %s", "run", terminal.Fill("id", len(ids[0])),
		terminal.Fill("date", len("2006-01-02")), "turns", "fires", "first prompt")})
	quiet, below := 0, 0
	for i, line := range v.runs {
		switch {
		case line.fired == 0 && line.subagent:
			below++
		case line.fired == 0 && v.onlyFired:
			quiet++
		default:
			v.show(i+1, ids[i], line)
		}
	}
	if quiet > 0 {
		v.t.line(text{dim, "  and " + terminal.Count(quiet, "run") + " in which nothing fires"})
	}
	if below > 0 {
		v.t.line(text{dim, "  and " + terminal.Count(below, "subagent") + " in which nothing fires"})
	}
	v.t.line(text{dim, "  --run ID shows the turns of one, -v those of all"})
}

func (v *overview) show(n int, id string, r *runLine) {
	fires, head, st := "", "", plain
	if r.fired > 0 {
		fires, st = fmt.Sprint(r.fired), bold
	}
	if r.subagent {
		head = "  subagent "
	}
	v.t.line(text{dim, fmt.Sprintf("  %4d  ", n)}, text{plain, id},
		text{dim, "  " + terminal.Fill(r.date, len("2006-01-02"))},
		text{plain, fmt.Sprintf("  %5d", r.turns)}, text{magenta, fmt.Sprintf("  %5s  ", fires)},
		text{dim, head}, text{st, r.title})
}

// shortIDs returns the beginnings of the ids of runs, all of one length, that are enough for --run. The id of
// a subagent is that of its session.
func (v *overview) shortIDs() []string {
	n := leastID
	for seen := map[string]bool{}; ; n++ {
		clear(seen)
		clash := false
		for _, r := range v.runs {
			if !r.subagent {
				clash = clash || seen[beginning(r.id, n)]
				seen[beginning(r.id, n)] = len(r.id) > n
			}
		}
		if !clash {
			break
		}
	}
	ids := make([]string, len(v.runs))
	for i, r := range v.runs {
		ids[i] = terminal.Fill(clean(beginning(session.RootOf(r.id), n)), n)
	}
	return ids
}

func beginning(id string, n int) string { return id[:min(n, len(id))] }

// firedOnly is a View that is shown the turns on which something fires, and the runs that have such turns.
type firedOnly struct {
	View
	begun map[int]bool // by number of the run
}

// Turn implements View.
func (v firedOnly) Turn(s *Step) {
	if len(s.Decision.Fired) == 0 {
		return
	}
	if first := !v.begun[s.RunN]; first != s.First {
		shown := *s
		shown.First = first
		s = &shown
	}
	v.begun[s.RunN] = true
	v.View.Turn(s)
}

// RunOver implements View.
func (v firedOnly) RunOver(r *Rest) {
	if v.begun[r.RunN] {
		v.View.RunOver(r)
	}
}
