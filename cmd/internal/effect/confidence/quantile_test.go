package confidence

import (
	"math"
	"testing"
)

// TestQuantiles: so much of the bell curve, added up in small steps, lies below a quantile.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ quantile, want float64 }{{belowLevel, Level}, {belowPower, 0.8}} {
		below, step := 0.0, 1e-4
		for x := c.quantile - step/2; x > -10; x -= step {
			below += math.Exp(-x*x/2) * step
		}
		if below /= math.Sqrt(2 * math.Pi); math.Abs(below-c.want) > 1e-9 {
			t.Errorf("%v lies below %v, want %v", below, c.quantile, c.want)
		}
	}
}
