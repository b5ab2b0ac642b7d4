// Package baserate says what followed where reminders with an expectation would have fired in recorded
// sessions, in which nobody had read their texts: how often the model did what they expect anyway, and how
// many firings, and weeks, a test of the reminder would take.
//
// It is a View of a replay and owns these numbers and their forms for people and in JSON. The outcomes are
// those of the engine's own machine, which the replay runs.
package baserate

import (
	"context"
	"math"
	"os"
	"slices"
	"time"

	"github.com/aside-go/aside/cmd/internal/effect/confidence"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
)

const (
	// Few is how many settled outcomes a base rate needs at least before anything is said of it.
	Few = 10
	// Anyway is the base rate from which on there is no room for an effect worth looking for.
	Anyway = 1 - confidence.Small

	week = 7 * 24 * time.Hour
)

// Rate is what followed the firings of one reminder.
type Rate struct {
	ID                           string
	Fires, Heeded, Ignored, Open int
	Runs                         int   // in which it fired
	After                        []int // turns until heeded, ascending

	holdout float64
	settled confidence.Runs
}

// Settled returns how many outcomes are either heeded or ignored.
func (r *Rate) Settled() int { return r.Heeded + r.Ignored }

// Share returns the share of the settled outcomes that are heeded; 0 where there are none.
func (r *Rate) Share() float64 { return float64(r.Heeded) / float64(max(r.Settled(), 1)) }

// The values of JSON.Verdict.
const (
	Never   = "never"  // it did not fire
	TooFew  = "few"    // too few outcomes, or too few runs, to say more
	Drowned = "anyway" // not worth a test: nearly everybody does it anyway
	Worth   = "test"   // worth a test
)

// Verdict says whether a test is worth its time: one of the constants. Where the rate is high, the outcomes
// must leave little doubt that it is.
func (r *Rate) Verdict() string {
	switch {
	case r.Fires == 0:
		return Never
	case r.Settled() < Few, r.settled.N < confidence.Enough, r.Share() >= Anyway && r.settled.Low() < 0.8:
		return TooFew
	case r.Share() >= Anyway:
		return Drowned
	}
	return Worth
}

// Holdout returns the share of runs that a test would hold out: that of the reminder, or else half of them.
func (r *Rate) Holdout() float64 {
	if r.holdout > 0 && r.holdout < 1 {
		return r.holdout
	}
	return 0.5
}

// Needed returns about how many runs a test takes that finds 10 points more in at least four of five
// cases, with the intervals of "aside effect"; 0 where the Verdict is another than Worth. In some of them
// nothing settles.
func (r *Rate) Needed() int {
	if r.Verdict() != Worth {
		return 0
	}
	return int(math.Ceil(float64(confidence.Needed(&r.settled, r.Holdout())) * float64(r.Runs) /
		float64(r.settled.N)))
}

// Firings returns about how many firings these runs have.
func (r *Rate) Firings() int {
	return int(math.Ceil(float64(r.Needed()) * float64(r.Fires) / float64(max(r.Runs, 1))))
}

// View is a replay.View that counts. It is not for concurrent use.
type View struct {
	rates       []Rate
	index       map[string]int
	set         *compile.Set
	runs        map[int][]open // of the runs that go on, by number; by rate
	first, last time.Time      // of all turns
	report      *replay.Report
}

// open are the firings of a reminder in a run.
type open struct {
	turns                 []int // of those without an outcome
	fires, heeded, settle int
}

// New returns a View for the reminders of set that have an expectation and are wanted; nil wants all.
func New(set *compile.Set, wanted func(id string) bool) *View {
	v := &View{set: set, index: map[string]int{}, runs: map[int][]open{}}
	for i := range set.Len() {
		r := set.Reminder(i)
		if r.Expect != "" && (wanted == nil || wanted(r.ID)) {
			v.index[r.ID] = len(v.rates)
			v.rates = append(v.rates, Rate{ID: r.ID, holdout: r.Holdout})
		}
	}
	return v
}

// Rates returns the rates, in the order of the set. They are complete after End.
func (v *View) Rates() []Rate { return v.rates }

// Weeks returns how many weeks lie between the first and the last turn, at least one; 0 where no turn has a
// time.
func (v *View) Weeks() float64 {
	if v.first.IsZero() {
		return 0
	}
	return max(1, float64(v.last.Sub(v.first))/float64(week))
}

// Turn implements replay.View.
func (v *View) Turn(s *replay.Step) {
	if at := s.At; !at.IsZero() {
		if v.first.IsZero() || at.Before(v.first) {
			v.first = at
		}
		if at.After(v.last) {
			v.last = at
		}
	}
	if len(s.Decision.Fired)+len(s.Decision.Outcomes) == 0 || len(v.rates) == 0 {
		return
	}
	run := v.runs[s.RunN]
	if run == nil {
		run = make([]open, len(v.rates))
		v.runs[s.RunN] = run
	}
	for _, o := range s.Decision.Outcomes {
		if i, ok := v.index[o.ID]; ok {
			v.ended(&v.rates[i], &run[i], o, s.Decision.Turn)
		}
	}
	for _, d := range s.Decision.Fired {
		if i, ok := v.index[d.ID]; ok {
			run[i].turns = append(run[i].turns, s.Decision.Turn)
			run[i].fires++
		}
	}
}

// ended counts an outcome. That of a firing which was not shown, since it was too old, is left out.
func (v *View) ended(r *Rate, of *open, o reminder.Outcome, turn int) {
	i := slices.Index(of.turns, turn-o.After)
	if i < 0 {
		return
	}
	of.turns = slices.Delete(of.turns, i, i+1)
	switch o.Outcome {
	case reminder.Heeded:
		r.Heeded++
		of.heeded++
		of.settle++
		r.After = append(r.After, o.After)
	case reminder.Ignored:
		r.Ignored++
		of.settle++
	default:
		r.Open++
	}
}

// RunOver implements replay.View: what has no outcome by the end of a run is open.
func (v *View) RunOver(rest *replay.Rest) {
	for i, of := range v.runs[rest.RunN] {
		if of.fires == 0 {
			continue
		}
		r := &v.rates[i]
		r.Runs++
		r.Fires += of.fires
		r.Open += len(of.turns)
		r.settled.Add(of.settle, of.heeded)
	}
	delete(v.runs, rest.RunN)
}

// End implements replay.View.
func (v *View) End(report *replay.Report) {
	v.report = report
	for i := range v.rates {
		slices.Sort(v.rates[i].After)
	}
	v.json(report)
}

// The bounds of Recent, so that it takes a fraction of a second.
const (
	recentFiles = 20
	recentBytes = 16 << 20
)

// Recent returns the rates of a set in the newest sessions of the agents below a home directory. It reads
// few files, and leaves out those that are too long. It returns nil where no reminder has an expectation, and
// what it has counted where a file cannot be read.
func Recent(ctx context.Context, set *compile.Set, home string) []Rate {
	v := New(set, nil)
	if len(v.rates) == 0 {
		return nil
	}
	var paths []string
	files, left := 0, int64(recentBytes)
	for path := range transcript.Sessions(home) {
		if files++; files > recentFiles {
			break
		}
		if info, err := os.Stat(path); err == nil && info.Size() <= left {
			paths, left = append(paths, path), left-info.Size()
		}
	}
	_ = replay.Run(ctx, replay.Options{Paths: paths, Set: set, Views: []replay.View{v},
		Owner: replay.OwnerOf(home)})
	return v.rates
}
