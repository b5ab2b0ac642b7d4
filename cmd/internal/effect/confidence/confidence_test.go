package confidence_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/aside-go/aside/cmd/internal/effect/confidence"
)

// group returns runs of three firings each, of which so many are heeded in all.
func group(runs, heeded int) (g confidence.Runs) {
	for i := range runs {
		g.Add(3, min(max(heeded-3*i, 0), 3))
	}
	return g
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		sent, held confidence.Runs
		want       confidence.Verdict
	}{
		{"nothing", confidence.Runs{}, confidence.Runs{}, confidence.Early},
		{"nobody held out", group(500, 1000), confidence.Runs{}, confidence.Early},
		{"seven held out", group(500, 1500), group(7, 0), confidence.Early},
		{"eight held out", group(500, 1500), group(8, 0), confidence.Works},
		{"the other way", group(500, 0), group(8, 24), confidence.Harms},
		{"few", group(40, 80), group(10, 15), confidence.Early},
		{"many", group(4000, 8000), group(1000, 1500), confidence.Works},
		{"the same", group(4000, 6000), group(1000, 1500), confidence.None},
	} {
		d := confidence.Compare(&c.sent, &c.held)
		if got := d.Verdict(); got != c.want {
			t.Errorf("%s: verdict %d, want %d: %+v", c.name, got, c.want, d)
		}
		if !(d.Low <= d.High && d.Low >= -1 && d.High <= 1) ||
			d.Known && !(d.Low <= d.Estimate && d.Estimate <= d.High) {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}

// TestAlike: where the firings of a run are alike, they say less than as many firings of different runs.
func TestAlike(t *testing.T) {
	t.Parallel()
	var alike, mixed confidence.Runs
	held := group(1000, 1500)
	for i := range 100 {
		alike.Add(4, 4*(i%2))
		mixed.Add(4, 2)
	}
	a, b := confidence.Compare(&alike, &held), confidence.Compare(&mixed, &held)
	if a.Estimate != b.Estimate || a.High-a.Low < 1.5*(b.High-b.Low) {
		t.Errorf("alike %+v, mixed %+v", a, b)
	}
}

// TestMore: after as many firings as More has told, there is a verdict in about half of all experiments.
func TestMore(t *testing.T) {
	t.Parallel()
	var none confidence.Runs
	if n := confidence.More(&none, &none, 0.5, 0.2); n < 500 || n > 20_000 {
		t.Errorf("with nothing known: %d", n)
	}
	if n := confidence.More(&none, &none, 0.99, 0.2); n < 8 || n > 2000 {
		t.Errorf("where nearly all are heeded: %d", n)
	}
	r := rand.New(rand.NewPCG(5, 6))
	w := world{held: rate(0.4), sent: rate(0.6), holdout: 0.3, alike: 0.1, firings: few}
	var sent, held confidence.Runs
	grow := func(runs int) {
		for range runs {
			if r.Float64() < w.holdout {
				held.Add(w.run(r, 0, true))
			} else {
				sent.Add(w.run(r, 0, false))
			}
		}
	}
	early, ratios := 0, 0.0
	for range 100 {
		sent, held = confidence.Runs{}, confidence.Runs{}
		for grow(60); confidence.Compare(&sent, &held).Verdict() == confidence.Early; grow(1) {
			if early == 0 {
				early = sent.N + held.N + confidence.More(&sent, &held, 0.5, 0.3)
			}
		}
		if early > 0 {
			ratios += math.Log(float64(sent.N+held.N) / float64(early))
		}
		early = 0
	}
	if ratio := math.Exp(ratios / 100); ratio < 0.5 || ratio > 1.5 {
		t.Errorf("it takes × %.2f of what was told", ratio)
	}
}

// TestNeeded: a test that is as long as Needed says finds an effect of Small in at least four of five
// experiments, looked at after each run, and takes not much more than that needs.
func TestNeeded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base float64
		w    world
	}{
		{0.5, world{holdout: 0.5, firings: one}},
		{0.2, world{holdout: 0.2, firings: one}},
		{0.8, world{holdout: 0.5, firings: few, alike: 0.3}},
	} {
		r := rand.New(rand.NewPCG(7, uint64(100*c.base)))
		w := c.w
		w.held, w.sent, w.effect = rate(c.base), rate(c.base+confidence.Small), confidence.Small
		var base confidence.Runs
		for range 2000 {
			base.Add(w.run(r, 0, true))
		}
		w.runs = confidence.Needed(&base, w.holdout)
		const experiments = 150
		found := 0
		for range experiments {
			if w.look(r, confidence.Works).first[confidence.Works] > 0 {
				found++
			}
		}
		if power := float64(found) / experiments; power < 0.75 || power > 0.98 {
			t.Errorf("%v: found in %v of the experiments within %d runs", c.base, power, w.runs)
		}
	}
}

// TestLow: the truth lies above it in about 95 % of the looks.
func TestLow(t *testing.T) {
	t.Parallel()
	w := world{held: rate(0.9), firings: few, alike: 0.1}
	r := rand.New(rand.NewPCG(7, 7))
	missed := 0
	for range 2000 {
		var g confidence.Runs
		for range 20 {
			g.Add(w.run(r, 0, true))
		}
		if g.Low() > 0.9 {
			missed++
		}
	}
	if missed > 120 {
		t.Errorf("missed in %d of 2000", missed)
	}
}
