package effect

import (
	"fmt"
	"math"

	"github.com/aside-go/aside/cmd/internal/effect/confidence"
	"github.com/aside-go/aside/cmd/internal/terminal"
)

// Difference returns the rate of the runs that were sent the text less that of the runs held out.
func (v *Version) Difference() confidence.Difference {
	return confidence.Compare(&v.Sent.settled, &v.Held.settled)
}

// Times returns the rate of the runs that were sent the text divided by that of the runs held out, where both
// are rare.
func (v *Version) Times() confidence.Difference {
	return confidence.Times(&v.Sent.settled, &v.Held.settled)
}

// heldShare is the share of runs to hold out that a person is advised.
const heldShare = 0.2

// More returns about how many runs it takes until a verdict is reached.
func (v *Version) More() int {
	heeded, ignored := v.Sent.Heeded+v.Held.Heeded, v.Sent.Ignored+v.Held.Ignored
	rate := float64(heeded+1) / float64(heeded+ignored+2)
	return confidence.More(&v.Sent.settled, &v.Held.settled, rate, heldShare)
}

// Verdict says in words what the evidence comes to.
func (v *Version) Verdict() string {
	d := v.Difference()
	switch {
	case v.Trial():
		return "a trial: nothing is sent, and this is what happens anyway"
	case v.Held.Firings+v.Held.Waiting == 0:
		return "nothing to compare with: no run was held out (holdout: 20% holds out a fifth)"
	}
	switch d.Verdict() {
	case confidence.Works:
		return "works"
	case confidence.Harms:
		return "harms"
	case confidence.None:
		return "no effect larger than " + terminal.Count(int(math.Ceil(100*max(-d.Low, d.High))), "point")
	}
	more := v.More()
	if more >= confidence.Most {
		return "too early"
	}
	return fmt.Sprintf("too early: about %s", terminal.Many(round(more), "more run"))
}

// round rounds a number to two digits, upwards.
func round(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}

// percent returns a share in percent.
func percent(x float64) int { return int(math.Round(100 * x)) }

// Spent returns the tokens and dollars that the texts of a version have cost for each firing that was heeded
// and would not have been without them. ok is false unless the version works: before, nobody knows of such a
// firing.
func (v *Version) Spent() (tokens, dollars float64, ok bool) {
	if v.Difference().Verdict() != confidence.Works {
		return 0, 0, false
	}
	gained := (v.Sent.Rate() - v.Held.Rate()) * float64(v.Sent.Heeded+v.Sent.Ignored)
	return float64(v.Sent.Tokens) / gained, v.Sent.Dollars / gained, true
}

// Turns returns the median of the turns until a firing was heeded, of two the lower; ok is false where none
// was.
func (g *Group) Turns() (median float64, ok bool) {
	if len(g.turns) == 0 {
		return 0, false
	}
	return g.turns[(len(g.turns)-1)/2], true
}
