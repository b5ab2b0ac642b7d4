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
// for.
//
// What is compared are the means over runs: each run counts once, by the share of its firings that were
// heeded. Firings of one run resemble each other, and where a few long runs held most of them, a share of all
// firings would be that of these runs, and its variance could not be known.
package confidence

import (
	"math"
	"sort"
)

// Runs are the runs of one group, added up. The zero value has none.
type Runs struct {
	N int // runs with a firing whose outcome is known

	sum, squares float64 // of the shares that were heeded
}

// Add adds a run with its firings whose outcome is known, and how many of them were heeded.
func (g *Runs) Add(firings, heeded int) {
	if firings == 0 {
		return
	}
	share := float64(heeded) / float64(firings)
	g.N, g.sum, g.squares = g.N+1, g.sum+share, g.squares+share*share
}

// Rate returns the share of heeded firings in the mean of the runs, NaN where there are none.
func (g *Runs) Rate() float64 { return g.sum / float64(g.N) }

// variance returns the variance of the rate. Two runs more are imagined, one that heeds each time and one
// that never does: without them, few runs that all agree would seem to leave no doubt.
func (g *Runs) variance() float64 {
	n, mean := float64(g.N), g.shrunk()
	return (g.squares + 1 - (n+2)*mean*mean) / (n * n) * (n + 2) / (n + 1)
}

// shrunk returns the rate with those two runs.
func (g *Runs) shrunk() float64 { return (g.sum + 1) / float64(g.N+2) }

const (
	// likely is the effect, as a difference of rates, that is found soonest, and spread how far others lie
	// from it in the mixture. TestPower has chosen them: with a smaller spread an effect of half the size
	// takes too long.
	likely, spread = Small, 0.03
	// likelyTimes and spreadTimes are the same for the logarithm of the ratio of two rates: the double or the
	// half is found soonest.
	likelyTimes, spreadTimes = math.Ln2, 0.3
	// Rare is the rate below which a difference in points says little, and a ratio more.
	Rare = 0.1
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
func halfWidth(variance, likely, spread float64) float64 {
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
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Known    bool    `json:"-"`
}

// Compare returns the rate of the group a less that of b.
func Compare(a, b *Runs) Difference {
	if a.N == 0 || b.N == 0 {
		return Difference{Estimate: math.NaN(), Low: -1, High: 1}
	}
	d := Difference{Estimate: a.Rate() - b.Rate(), Low: -1, High: 1}
	if d.Known = min(a.N, b.N) >= Enough; d.Known {
		half := halfWidth(a.variance()+b.variance(), likely, spread)
		d.Low, d.High = max(d.Estimate-half, -1), min(d.Estimate+half, 1)
	}
	return d
}

// Times returns the rate of the group a divided by that of b, where both are below Rare and large enough to
// say something; else Known is false. Its interval holds as that of Compare does. The rates are a little
// nearer to one half than Rate says, by the same two runs as their variance: none of them is 0.
func Times(a, b *Runs) Difference {
	if min(a.N, b.N) < Enough || max(a.Rate(), b.Rate()) >= Rare {
		return Difference{Estimate: math.NaN(), High: math.Inf(1)}
	}
	x, y := a.shrunk(), b.shrunk()
	half := math.Exp(halfWidth(a.variance()/(x*x)+b.variance()/(y*y), likelyTimes, spreadTimes))
	return Difference{Estimate: x / y, Low: x / y / half, High: x / y * half, Known: true}
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

// Most is the greatest number of runs that More returns.
const Most = 1_000_000

// More estimates how many runs more, of both groups together, it takes until something can be said of the
// difference of a and b: until the interval leaves 0 aside, if the estimate is right, or is as small as
// Small. It takes the groups to grow as they have; share is the share of runs in b where one of them has none
// yet, and rate the rate of both.
func More(a, b *Runs, rate, share float64) int {
	have := a.N + b.N
	effect := Small / 2
	one := rate * (1 - rate) * (1/share + 1/(1-share)) // the variance of the difference after one run
	if a.N > 0 && b.N > 0 {
		effect = math.Abs(a.Rate() - b.Rate())
		one = (a.variance() + b.variance()) * float64(have)
	}
	enough := sort.Search(Most, func(n int) bool {
		half := halfWidth(one/float64(max(n, 1)), likely, spread)
		return half < effect || half+effect <= Small
	})
	least := math.Inf(1) // the runs that Enough of the smaller group take
	if few := min(a.N, b.N); few > 0 {
		least = float64(have) * Enough / float64(few)
	} else if share > 0 {
		least = Enough / min(share, 1-share)
	}
	return min(max(enough-have, int(min(least, Most))-have, 1), Most)
}

// Low returns a rate above which that of a group lies with a probability of 95 %, for one look at it.
func (g *Runs) Low() float64 {
	return g.Rate() + belowLevel*math.Sqrt(g.variance())
}

// Needed estimates how many runs, of both groups together, a test takes that finds an effect of Small in at
// least four of five cases. base are runs that were not sent the text, share is the share of the runs that
// are held out.
func Needed(base *Runs, share float64) int {
	one := base.variance() * float64(base.N) * (1/share + 1/(1-share))
	return sort.Search(Most, func(n int) bool {
		variance := one / float64(max(n, 1))
		return halfWidth(variance, likely, spread)+belowPower*math.Sqrt(variance) <= Small
	})
}
