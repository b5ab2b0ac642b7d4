package confidence_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/aside-go/aside/cmd/internal/effect/confidence"
)

var long = flag.Bool("long", false, "simulate 10,000 experiments in each world")

// world is one in which the truth is known: what the runs of an experiment are like, with the text and
// without.
type world struct {
	name string
	// the rate of run n of an experiment that has f firings, without the text, and with it
	held, sent func(n, f int) float64
	alike      float64 // the correlation of two firings of a run
	firings    func(r *rand.Rand) int
	holdout    float64
	runs       int     // of an experiment
	effect     float64 // the true difference in the mean of the runs
	times      float64 // and the ratio; 0 where nobody asks
}

// Lengths of runs.
func one(*rand.Rand) int { return 1 }

func few(r *rand.Rand) (n int) { // one and a geometric number, at most 12, about 3
	for n = 1; n < 12 && r.Float64() > 1.0/3; n++ {
	}
	return n
}

func either(share float64, n int) func(*rand.Rand) int { // a share has n, the others one
	return func(r *rand.Rand) int {
		if r.Float64() < share {
			return n
		}
		return 1
	}
}

func pareto(shape float64) func(*rand.Rand) int {
	return func(r *rand.Rand) int { return int(min(math.Pow(1-r.Float64(), -1/shape), 300)) }
}

func lognormal(r *rand.Rand) int { return int(min(math.Ceil(math.Exp(1.5*r.NormFloat64())), 300)) }

// Rates.
func rate(p float64) func(int, int) float64 { return func(int, int) float64 { return p } }

func byLength(short, long float64) func(int, int) float64 {
	return func(_, f int) float64 {
		if f > 1 {
			return long
		}
		return short
	}
}

// drift is a rate that goes from one to another in the course of an experiment.
func drift(from, to float64) func(int, int) float64 {
	return func(n, _ int) float64 { return from + (to-from)*float64(n)/600 }
}

// worlds are as wild as sessions are. In the first five, few long runs hold most of the firings.
func worlds() (all []world) {
	for _, holdout := range []float64{0.1, 0.5, 0.9} {
		name := func(s string) string { return fmt.Sprintf("%s, %.0f %% held out", s, 100*holdout) }
		all = append(all,
			world{name("1 or 200 firings"), rate(0.5), rate(0.5), 0.5, either(0.05, 200), holdout, 600, 0, 0},
			world{name("1 or 200, the long heed less"), byLength(0.6, 0.05), byLength(0.6, 0.05), 0.5,
				either(0.05, 200), holdout, 600, 0, 0},
			world{name("1 or 200, rarely, alike"), rate(0.5), rate(0.5), 0.9, either(0.01, 200), holdout, 600, 0, 0},
			world{name("1 or 30"), rate(0.3), rate(0.3), 0.3, either(0.1, 30), holdout, 600, 0, 0},
			world{name("1 or 50, helps"), rate(0.4), rate(0.55), 0.6, either(0.1, 50), holdout, 600, 0.15, 0},
			world{name("Pareto 1"), rate(0.5), rate(0.5), 0.3, pareto(1), holdout, 600, 0, 0})
	}
	return append(all,
		world{"Pareto 1.5", rate(0.2), rate(0.2), 0.3, pareto(1.5), 0.2, 600, 0, 0},
		world{"lognormal", rate(0.7), rate(0.7), 0.5, lognormal, 0.2, 600, 0, 0},
		world{"helps in short runs alone", byLength(0.4, 0.4), byLength(0.6, 0.4), 0.3, either(0.25, 40), 0.2, 600,
			0.15, 0},
		world{"one firing", rate(0.5), rate(0.5), 0, one, 0.2, 600, 0, 0},
		world{"alike", rate(0.6), rate(0.6), 1, few, 0.5, 600, 0, 0},
		world{"harms", rate(0.5), rate(0.3), 0.2, few, 0.2, 600, -0.2, 0},
		world{"drift", drift(0.1, 0.9), drift(0.1, 0.9), 0.1, few, 0.2, 600, 0, 0},
		world{"drift back", drift(0.9, 0.2), drift(0.8, 0.1), 0.1, few, 0.5, 600, -0.1, 0},
		world{"rare", rate(0.02), rate(0.02), 0, few, 0.2, 600, 0, 1},
		world{"rare, half", rate(0.04), rate(0.02), 0.3, few, 0.2, 2000, -0.02, 0.5},
		world{"rare, ten times", rate(0.005), rate(0.05), 0, few, 0.5, 600, 0.045, 10},
		world{"very rare", rate(0.001), rate(0.001), 0, one, 0.5, 2000, 0, 1},
		world{"nearly always", rate(0.97), rate(0.97), 0.1, few, 0.2, 600, 0, 0},
		world{"few runs", rate(0.5), rate(0.5), 0.3, few, 0.3, 60, 0, 0})
}

// run draws the firings of run n, and how many of them are heeded. Where they are alike, each heeded firing
// makes the next ones likelier, as in Pólya's urn: the number is beta-binomial, as if the run had drawn its
// rate from a beta distribution.
func (w *world) run(r *rand.Rand, n int, held bool) (firings, heeded int) {
	firings = w.firings(r)
	rates := w.sent
	if held {
		rates = w.held
	}
	rate := rates(n, firings)
	for i := range firings {
		urn := rate
		if w.alike > 0 {
			k := 1/w.alike - 1
			urn = (rate*k + float64(heeded)) / (k + float64(i))
		}
		if r.Float64() < urn {
			heeded++
		}
	}
	return firings, heeded
}

// seen is what a person has seen who looked at an experiment after each of its runs.
type seen struct {
	missed bool                       // an interval was wrong
	times  bool                       // one of a ratio was
	first  map[confidence.Verdict]int // the runs at the first of each verdict
}

// look plays an experiment, at most until a verdict.
func (w *world) look(r *rand.Rand, until confidence.Verdict) seen {
	s := seen{first: map[confidence.Verdict]int{}}
	var sent, held confidence.Runs
	for n := range w.runs {
		if r.Float64() < w.holdout {
			held.Add(w.run(r, n, true))
		} else {
			sent.Add(w.run(r, n, false))
		}
		d := confidence.Compare(&sent, &held)
		s.missed = s.missed || w.effect < d.Low || w.effect > d.High
		if d := confidence.Times(&sent, &held); d.Known && w.times > 0 {
			s.times = s.times || w.times < d.Low || w.times > d.High
		}
		v := d.Verdict()
		if s.first[v] == 0 {
			s.first[v] = n + 1
		}
		if until != confidence.Early && v == until {
			break
		}
	}
	return s
}

// TestPeeking: in each world an interval that is looked at after each run is never wrong in 94 % of all
// experiments, and a text that does nothing is said to work in at most 5 %, and to harm in at most 5 %.
func TestPeeking(t *testing.T) {
	n := 50
	if *long {
		n = 10_000
	}
	margin := 2.6 * math.Sqrt(0.05*0.95/float64(n)) // of one world in a hundred, by chance
	if *long {
		margin = 0
	}
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			wrong, times, works, harms := 0, 0, 0, 0
			for range n {
				s := w.look(r, confidence.Early)
				if s.missed {
					wrong++
				}
				if s.times {
					times++
				}
				if s.first[confidence.Works] > 0 && w.effect <= 0 {
					works++
				}
				if s.first[confidence.Harms] > 0 && w.effect >= 0 {
					harms++
				}
			}
			share := func(k int) float64 { return float64(k) / float64(n) }
			t.Logf("intervals wrong in %.2f %%, those of ratios in %.2f %%; %.2f %% are falsely said to work and "+
				"%.2f %% to harm", 100*share(wrong), 100*share(times), 100*share(works), 100*share(harms))
			if share(max(wrong, times)) > 0.06+margin || share(max(works, harms)) > 0.05+margin {
				t.Error("that is too much")
			}
		})
	}
}

// TestPower: an effect of 10 points is found after 1.5 × the runs of a test of a fixed size, in the mean, in
// the median, and in 80 % of all experiments. That test errs in 5 %, and finds it in 80 % of all experiments,
// with the variance that the shares of runs have.
func TestPower(t *testing.T) {
	n := 120
	if *long {
		n = 2000
	}
	limit := 1.5 + 2/math.Sqrt(float64(n)) // the quantile of so few experiments is uncertain
	for _, holdout := range []float64{0.2, 0.5} {
		for _, alike := range []float64{0, 0.2} {
			r := rand.New(rand.NewPCG(3, 4))
			w := world{held: rate(0.5), sent: rate(0.6), effect: 0.1, holdout: holdout, alike: alike, firings: few,
				runs: 50_000}
			var at, a, b []float64
			for range n {
				at = append(at, float64(w.look(r, confidence.Works).first[confidence.Works]))
			}
			for range 20_000 {
				f, h := w.run(r, 0, true)
				a = append(a, float64(h)/float64(f))
				f, h = w.run(r, 0, false)
				b = append(b, float64(h)/float64(f))
			}
			slices.Sort(at)
			z := normal(0.975) + normal(0.8)
			fixed := math.Pow(z/w.effect, 2) * (variance(a)/holdout + variance(b)/(1-holdout))
			middle, median, most := mean(at)/fixed, at[n/2-1]/fixed, at[n*4/5-1]/fixed
			late := slices.IndexFunc(append(at, math.Inf(1)), func(x float64) bool { return x > 1.5*fixed })
			t.Logf("holdout %.0f %%, firings of a run alike by %.1f: %.0f runs at a fixed size; × %.2f "+
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

func variance(xs []float64) float64 {
	sum, m := 0.0, mean(xs)
	for _, x := range xs {
		sum += (x - m) * (x - m)
	}
	return sum / float64(len(xs)-1)
}

// normal returns a quantile of the standard normal distribution.
func normal(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
