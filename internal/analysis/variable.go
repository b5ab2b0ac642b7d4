package analysis

import (
	"math"
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// A variable is something that differs from turn to turn: a fact, the answer of a function, whether a tool is among those used.
type variable struct {
	kind varKind
	id   fact.ID // of varSlot, varText, varMember
	name string  // of the others: what it is

	names   []string // of varText
	lo, hi  float64  // its values, the bounds included
	whole   bool     // whole numbers alone
	unit    float64  // the step at which a sample stands from a constant, unless the values are whole
	unknown bool     // may be unknown
	never   bool     // may not be there, which is +Inf
	apart   bool     // being unknown counts among the usual cells

	constants []float64
	samples   int       // between two constants
	cells     []float64 // samples, the usual ones first; then ratios above 1; then NaN, which is unknown
	known     int       // the usual ones
	buffer    [4]float64
}

type varKind uint8

const (
	varSlot   varKind = iota // a number, ratio, duration or bool
	varText                  // a string: the index of one of names, -1 for any other
	varMember                // whether a set has a member of a region: 0, 1, or 2 where such a tool failed
	varTold                  // whether the host tells which tools failed
	varTerm                  // the answer of a function
	varSelf                  // how far back the reminder's own last firing is
	varFree                  // what cannot be looked into
)

// constant notes that v is compared with c.
func (v *variable) constant(c float64) {
	if c >= v.lo && c <= v.hi && !slices.Contains(v.constants, c) {
		v.constants = append(v.constants, c)
	}
}

// cut finds the cells: each constant, and samples between two neighbours and beyond the outermost.
func (v *variable) cut() {
	switch v.kind {
	case varText:
		v.hi = float64(len(v.names) - 1)
	case varTold:
		v.cells, v.known = []float64{1, 0}, 1
		if v.apart {
			v.known = 2
		}
		return
	}
	slices.Sort(v.constants)
	v.cells = make([]float64, 0, len(v.constants)*(1+v.samples)+v.samples+2)
	last, open := v.lo, false // the gap begins behind last; open: last itself is not in it
	for _, c := range v.constants {
		v.gap(last, c, open, true)
		if !v.whole || c == math.Trunc(c) {
			v.cells = append(v.cells, c)
		}
		last, open = c, true
	}
	v.gap(last, v.hi, open, false)
	if v.never {
		v.cells = append(v.cells, math.Inf(1))
	}
	v.known = len(v.cells)
	if v.unit == ratioStep { // a host may count more tokens than it believes the window to hold, but nobody means that
		for i := range v.samples {
			v.cells = append(v.cells, 1.5+float64(i))
		}
	}
	if v.unknown {
		v.cells = append(v.cells, math.NaN())
		if v.apart {
			v.known = len(v.cells)
		}
	}
}

// gap adds samples between two bounds; openLo and openHi say whether the bounds themselves are left out. There are as many
// as asked for, or all there are.
func (v *variable) gap(lo, hi float64, openLo, openHi bool) {
	step := v.unit
	if v.whole {
		step = 1
		lo, hi = inward(lo, openLo, 1), -inward(-hi, openHi, 1)
	}
	var xs []float64
	switch n := float64(v.samples); {
	case !(lo < hi) && !(lo == hi && (v.whole || !openLo && !openHi)):
		return
	case lo == hi:
		xs = append(v.buffer[:0], lo)
	case v.whole && hi-lo < n:
		for i := range int(hi-lo) + 1 { // not up to hi, beyond which there may be no whole number
			xs = append(xs, lo+float64(i))
		}
	case openLo: // near the constant below
		from := lo + step
		if v.whole {
			from = lo
		}
		xs = v.from(from, step)
	case openHi: // near the constant above
		to := hi - step*n
		if v.whole {
			to = hi - n + 1
		}
		xs = v.from(to, step)
	default:
		xs = v.from(max(lo, min(0, hi-n)), step)
	}
	last := lo
	for i, x := range xs {
		if v.whole || (i == 0 && x == lo && !openLo) || x > last && x < hi || x == hi && !openHi {
			last = x
			continue
		}
		xs = v.spread(lo, hi)
		break
	}
	if len(xs) == 0 && !openHi {
		xs = append(xs, hi)
	}
	if len(xs) == 0 && !openLo {
		xs = append(xs, lo)
	}
	v.cells = append(v.cells, xs...)
}

// inward is the least whole number at or above x, above it if open.
func inward(x float64, open bool, step float64) float64 {
	c := math.Ceil(x)
	if open && c == x {
		c += step
	}
	return c
}

// from returns samples a step apart.
func (v *variable) from(x, step float64) []float64 {
	xs := v.buffer[:0]
	for i := range v.samples {
		y := x + step*float64(i)
		if v.unit == ratioStep {
			y = math.Round(y*1e9) / 1e9 // 0.75 + 0.01 is 0.76
		}
		xs = append(xs, y)
	}
	return xs
}

// spread returns samples at even distances, where there is no room for round ones.
func (v *variable) spread(lo, hi float64) []float64 {
	xs := v.buffer[:0]
	last := lo
	for i := range v.samples {
		if x := lo + (hi-lo)*float64(i+1)/float64(v.samples+1); x > last && x < hi {
			xs = append(xs, x)
			last = x
		}
	}
	return xs
}

// ratioStep is how far a sample of a ratio stands from a constant.
const ratioStep = 0.01

// slot is the variable of a fact that is a number, a ratio, a duration or a bool.
func slot(ft fact.Fact) variable {
	v := variable{kind: varSlot, id: ft.ID, unknown: true, whole: true, lo: 0, hi: fact.MaxInt}
	declared := ft.ID > fact.Resumed
	switch ft.Type {
	case fact.Bool:
		v.hi = 1
	case fact.Int:
		if declared {
			v.lo = -fact.MaxInt
		}
	case fact.Ratio:
		v.whole, v.hi, v.unit = false, 1, ratioStep
	case fact.Duration:
		v.whole, v.hi, v.unit = false, math.MaxInt64, float64(time.Second)
		if declared {
			v.lo = -math.MaxInt64
		}
	}
	return v
}
