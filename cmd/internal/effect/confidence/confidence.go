// Package confidence compares how often reminders are heeded in two groups of runs. Its intervals stay valid
// however often one looks at them, and whenever one stops: they are confidence sequences. Its functions may
// be called concurrently.
//
// The method is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
// ("Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics 52, 2024)
// over a mixture of effects, as Robbins has it for sums of normal variables ("Statistical methods related
// to the law of the iterated logarithm", Annals of Mathematical Statistics 41, 1970): a likelihood ratio
// that is averaged over any distribution of effects exceeds 1/Level with a probability of at most Level, at
// any time. Half of the mixture is normal around Small, half around -Small, both with the same standard
// deviation: one normal distribution around 0 would spend half of its weight on effects that nobody looks
// for. Firings of one run are not independent, so the variance of a rate is that of a ratio of sums over
// runs (Cochran, Sampling Techniques, chapter 6; a cluster-robust variance of order 1).
package confidence

import (
	"math"
	"sort"
)

// Runs are the runs of one group, added up. The zero value has none.
type Runs struct {
	N       int // runs with a firing whose outcome is known
	Firings int // with a known outcome
	Heeded  int

	ff, fh, hh float64 // sums over runs of firings², firings × heeded, heeded²
}

// Add adds a run with its firings whose outcome is known, and how many of them were heeded.
func (g *Runs) Add(firings, heeded int) {
	if firings == 0 {
		return
	}
	f, h := float64(firings), float64(heeded)
	g.N, g.Firings, g.Heeded = g.N+1, g.Firings+firings, g.Heeded+heeded
	g.ff, g.fh, g.hh = g.ff+f*f, g.fh+f*h, g.hh+h*h
}

// Rate returns the share of heeded firings, NaN where there are none.
func (g *Runs) Rate() float64 { return float64(g.Heeded) / float64(g.Firings) }

// variance returns the variance of the rate. Two runs more are imagined, one that heeds each time and one
// that never does: without them, few runs that all agree would seem to leave no doubt.
func (g *Runs) variance() float64 {
	n, firings := float64(g.N), float64(g.Firings)
	mean := firings / n
	r := (float64(g.Heeded) + mean) / (firings + 2*mean)
	sum := g.hh - 2*r*g.fh + r*r*g.ff + mean*mean*(r*r+(1-r)*(1-r))
	return sum / (firings * firings) * (n + 2) / (n + 1)
}

const (
	// likely is the effect, as a difference of rates, that is found soonest, and spread how far others lie
	// from it in the mixture. TestPower has chosen them: with a smaller spread an effect of half the size
	// takes too long.
	likely, spread = Small, 0.03
	// Level is the probability with which an interval may ever be wrong.
	Level = 0.05
	// Enough is the number of runs that each group must have before anything is said.
	Enough = 8
	// Small is an effect that is not worth looking for.
	Small = 0.1

	// belowLevel and belowPower are the quantiles of the standard normal distribution of the probabilities
	// Level and 0.8: √2·erfinv(2p-1), qnorm(p) in R. Its table in the NIST/SEMATECH e-Handbook of Statistical
	// Methods, 1.3.6.7.1, brackets both.
	belowLevel, belowPower = -1.6448536269514722, 0.8416212335729143
)

// halfWidth returns half of the width of the interval of an estimate with that variance: the estimate at
// which the likelihood ratio of the mixture and of no effect is 1/Level.
func halfWidth(variance float64) float64 {
	total := variance + spread*spread
	// The logarithm of the ratio is convex and grows with the estimate, so Newton's method comes down to its
	// root from any estimate above it.
	level := func(estimate float64) (ratio, slope float64) {
		k, precision := likely/total, 1/variance-1/total
		ratio = (math.Log(variance/total) + estimate*estimate*precision - likely*k) / 2
		ratio += k*estimate + math.Log1p(math.Exp(-2*k*estimate)) - math.Ln2 // log cosh of k·estimate
		return ratio + math.Log(Level), estimate*precision + k*math.Tanh(k*estimate)
	}
	half := 2 * math.Sqrt(variance*total/(spread*spread)*
		(math.Log(total/variance)+likely*likely/total-2*math.Log(Level))) // above it, since no cosh is below 1
	for range 100 {
		ratio, slope := level(half)
		if ratio <= 1e-9 {
			break
		}
		half -= ratio / slope
	}
	return half
}

// Difference is the difference of the rates of two groups. Its interval, Low to High, covers the truth at all
// times with a probability of 95 %. Known is false where the groups are too small to say anything.
type Difference struct {
	Estimate, Low, High float64
	Known               bool
}

// Compare returns the rate of the group a less that of b.
func Compare(a, b *Runs) Difference {
	if a.N == 0 || b.N == 0 {
		return Difference{Estimate: math.NaN(), Low: -1, High: 1}
	}
	d := Difference{Estimate: a.Rate() - b.Rate(), Low: -1, High: 1}
	if d.Known = min(a.N, b.N) >= Enough; d.Known {
		half := halfWidth(a.variance() + b.variance())
		d.Low, d.High = max(d.Estimate-half, -1), min(d.Estimate+half, 1)
	}
	return d
}

// Verdict is what a comparison with runs that were held out says of a reminder.
type Verdict uint8

const (
	Early Verdict = iota // nothing can be said yet
	Works                // the text makes the model heed more often
	Harms                // less often
	None                 // if it has an effect, it is a small one
)

// Verdict returns what the difference of a reminder's runs and those that were held out says.
func (d Difference) Verdict() Verdict {
	switch {
	case !d.Known:
		return Early
	case d.Low > 0:
		return Works
	case d.High < 0:
		return Harms
	case max(-d.Low, d.High) <= Small:
		return None
	}
	return Early
}

// Most is the greatest number that More returns.
const Most = 1_000_000

// More estimates how many firings more, of both groups together, it takes until something can be said of the
// difference of a and b: until the interval leaves 0 aside, if the estimate is right, or is as small as
// Small. It takes the groups to grow as they have; share is the share of runs in b where one of them has none
// yet, and rate the rate of both.
func More(a, b *Runs, rate, share float64) int {
	have := a.Firings + b.Firings
	effect := Small / 2
	one := rate * (1 - rate) * (1/share + 1/(1-share)) // the variance of the difference after one firing
	if a.N > 0 && b.N > 0 {
		effect = math.Abs(a.Rate() - b.Rate())
		one = (a.variance() + b.variance()) * float64(have)
	}
	enough := sort.Search(Most, func(n int) bool {
		half := halfWidth(one / float64(max(n, 1)))
		return half < effect || half+effect <= Small
	})
	runs := math.Inf(1) // the firings that Enough runs of the smaller group take
	if few := min(a.N, b.N); few > 0 {
		runs = float64(have) * Enough / float64(few)
	} else if share > 0 {
		runs = Enough / min(share, 1-share)
	}
	return min(max(enough-have, int(min(runs, Most))-have, 1), Most)
}

// Low returns a rate above which that of a group lies with a probability of 95 %, for one look at it.
func (g *Runs) Low() float64 {
	return g.Rate() + belowLevel*math.Sqrt(g.variance())
}

// Firings estimates how many firings, of both groups together, a test takes that finds an effect of Small in
// at least four of five cases. base are runs that were not sent the text, share is the share of the runs that
// are held out.
func Firings(base *Runs, share float64) int {
	one := base.variance() * float64(base.Firings) * (1/share + 1/(1-share))
	return sort.Search(Most, func(n int) bool {
		variance := one / float64(max(n, 1))
		return halfWidth(variance)+belowPower*math.Sqrt(variance) <= Small
	})
}
