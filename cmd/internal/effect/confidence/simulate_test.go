package confidence_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/aside-go/aside/cmd/internal/effect/confidence"
)

var long = flag.Bool("long", false, "simulate 10,000 experiments")

// experiment is a reminder with a holdout in a simulated world, whose truth is known.
type experiment struct {
	base, effect float64 // the rate without the text, and what the text adds to it
	holdout      float64
	alike        float64 // the correlation of two firings of a run
	firings      float64 // about how many there are in a run: one and a geometric number, at most 12
	runs, days   int     // runs a day
}

// anyOf draws an experiment.
func anyOf(r *rand.Rand) experiment {
	x := experiment{base: 0.05 + 0.85*r.Float64(), effect: -0.3 + 0.6*r.Float64(),
		holdout: []float64{0.1, 0.2, 0.3, 0.5}[r.IntN(4)], alike: 0.3 * r.Float64(),
		firings: 1 + 3*r.Float64(), runs: 3 + r.IntN(40), days: 60}
	x.effect = min(max(x.effect, 0.01-x.base), 0.99-x.base)
	return x
}

// run draws the firings of a run, and how many of them are heeded. Where they are alike, each heeded firing
// makes the next ones likelier, as in Pólya's urn: the number is beta-binomial, as if the run had drawn its
// rate from a beta distribution.
func (x experiment) run(r *rand.Rand, held bool) (firings, heeded int) {
	rate := x.base
	if !held {
		rate += x.effect
	}
	for firings = 1; firings < 12 && r.Float64() > 1/x.firings; firings++ {
	}
	for i := range firings {
		urn := rate
		if x.alike > 0 {
			k := 1/x.alike - 1
			urn = (rate*k + float64(heeded)) / (k + float64(i))
		}
		if r.Float64() < urn {
			heeded++
		}
	}
	return firings, heeded
}

// seen is what a person has seen who looked at an experiment after each of its days.
type seen struct {
	missed bool                       // an interval was wrong
	first  map[confidence.Verdict]int // the firings at the first of each verdict
}

// look plays an experiment, at most until a verdict.
func (x experiment) look(r *rand.Rand, until confidence.Verdict) seen {
	s := seen{first: map[confidence.Verdict]int{}}
	var sent, held confidence.Runs
	for range x.days {
		for range x.runs {
			group, out := &sent, r.Float64() < x.holdout
			if out {
				group = &held
			}
			group.Add(x.run(r, out))
		}
		d := confidence.Compare(&sent, &held)
		s.missed = s.missed || x.effect < d.Low || x.effect > d.High
		v := d.Verdict()
		if s.first[v] == 0 {
			s.first[v] = sent.Firings + held.Firings
		}
		if until != confidence.Early && v == until {
			break
		}
	}
	return s
}

// TestPeeking: an interval that is looked at each day is never wrong in 94 % of all experiments, and a text
// that does nothing is said to work in at most 5 %.
func TestPeeking(t *testing.T) {
	n := 1000
	if *long {
		n = 10_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	wrong, works, harms := 0, 0, 0
	for range n {
		x := anyOf(r)
		if x.look(r, confidence.Early).missed {
			wrong++
		}
		x.effect = 0
		first := x.look(r, confidence.Early).first
		if first[confidence.Works] > 0 {
			works++
		}
		if first[confidence.Harms] > 0 {
			harms++
		}
	}
	share := func(k int) float64 { return float64(k) / float64(n) }
	t.Logf("%d experiments: intervals wrong in %.2f %%; of texts that do nothing %.2f %% are said to work and "+
		"%.2f %% to harm", n, 100*share(wrong), 100*share(works), 100*share(harms))
	if share(wrong) > 0.06 || share(works) > 0.05 || share(harms) > 0.05 {
		t.Error("that is too much")
	}
}

// TestPower: an effect of 10 points is found after 1.5 × the firings of a test of a fixed size, in the mean
// and in the median, and after 1.65 × in 80 % of all experiments: one that errs in 5 % and finds it in 80 %
// of all experiments, with the variance that firings of one run have together.
func TestPower(t *testing.T) {
	n := 120
	if *long {
		n = 2000
	}
	limit := 1.65 + 2/math.Sqrt(float64(n)) // the quantile of so few experiments is uncertain
	for _, holdout := range []float64{0.2, 0.5} {
		for _, alike := range []float64{0, 0.2} {
			r := rand.New(rand.NewPCG(3, 4))
			x := experiment{base: 0.5, effect: 0.1, holdout: holdout, alike: alike, firings: 3, runs: 10, days: 5000}
			var at, one, square []float64
			for range n {
				at = append(at, float64(x.look(r, confidence.Works).first[confidence.Works]))
			}
			for range 20_000 {
				k, _ := x.run(r, false)
				one, square = append(one, float64(k)), append(square, float64(k*k))
			}
			slices.Sort(at)
			design := 1 + (mean(square)/mean(one)-1)*alike
			z := normal(0.975) + normal(0.8)
			fixed := math.Pow(z/x.effect, 2) * (0.25/holdout + 0.24/(1-holdout)) * design
			middle, median, most := mean(at)/fixed, at[n/2-1]/fixed, at[n*4/5-1]/fixed
			late := slices.IndexFunc(append(at, math.Inf(1)), func(x float64) bool { return x > 1.5*fixed })
			t.Logf("holdout %.0f %%, firings of a run alike by %.1f: %.0f firings at a fixed size; × %.2f "+
				"in the mean, %.2f in the median, %.2f in 80 %%; more than 1.5 in %.0f %%", 100*holdout, alike, fixed,
				middle, median, most, 100-100*float64(late)/float64(n))
			if at[0] == 0 || middle > 1.5 || median > 1.5 || most > limit {
				t.Error("that is too much")
			}
		}
	}
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// normal returns a quantile of the standard normal distribution.
func normal(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
