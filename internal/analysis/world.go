package analysis

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/condition"
)

const (
	maxRegions = 64 // of a world, since a set of them is a word
	maxFailed  = 5  // regions, where a trigger asks which tools failed
)

// A world describes the possible members of a set: the names and patterns of the triggers divide all names
// into regions, in which every name is accepted by the same patterns. Each region is a variable: whether
// the set has a member of it.
type world struct {
	set      fact.ID
	patterns []string
	regions  []region
	of       []uint64 // of each pattern its regions
	failed   bool     // some operand asks which failed
}

// A region is the names that exactly its patterns accept.
type region struct {
	patterns uint64
	name     string // of the region of one name that name, else a word for it
	sample   string // a name in it; "" if none was found
	variable int    // -1 until somebody asks
}

// newWorlds finds the worlds of the sets that the operands of these trees read.
func (s *system) newWorlds(trees ...*condition.Node) bool {
	for _, t := range trees {
		t.Leaves(func(o *condition.Leaf) {
			switch o.Kind {
			case condition.Members:
				s.world(o.Fact).note(o.Names...)
			case condition.Failed:
				w := s.world(fact.ToolUsed)
				w.note(o.Names...)
				w.failed = true
			case condition.Called, condition.FailedCall:
				for _, name := range toolsOf(o.Names) {
					s.world(fact.ToolUsed).note(name)
				}
			}
		})
	}
	for _, t := range trees {
		t.Leaves(func(o *condition.Leaf) {
			if w := s.worldOf(fact.ToolUsed); w != nil && o.Kind == condition.Function && aboutTool(o.Function) {
				w.note(o.Argument)
			}
		})
	}
	for _, w := range s.worlds {
		if !w.cut() {
			return false
		}
	}
	return true
}

func aboutTool(function string) bool {
	return function == "tool_count" || function == "used" || function == "turns_since_tool"
}

// toolsOf are the names of tools in call patterns, without the subjects. Classes have none.
func toolsOf(patterns []string) []string {
	var names []string
	for _, p := range patterns {
		if name, _, _ := strings.Cut(p, "("); !strings.HasPrefix(name, "@") {
			names = append(names, name)
		}
	}
	return names
}

// since reports whether an operand asks how long ago a reminder fired.
func since(o *condition.Leaf) bool {
	return o.Kind == condition.Function && condition.OfFiring(o.Function)
}

// world returns the world of a set, a new one if there is none.
func (s *system) world(set fact.ID) *world {
	w := s.worldOf(set)
	if w == nil {
		w = &world{set: set}
		s.worlds = append(s.worlds, w)
	}
	return w
}

func (s *system) worldOf(set fact.ID) *world {
	for _, w := range s.worlds {
		if w.set == set {
			return w
		}
	}
	return nil
}

func (w *world) note(patterns ...string) {
	for _, p := range patterns {
		if !slices.Contains(w.patterns, p) {
			w.patterns = append(w.patterns, p)
		}
	}
}

// wild reports whether the i-th pattern stands for more than one name.
func (w *world) wild(i int) bool {
	return w.set == fact.ToolUsed && strings.Contains(w.patterns[i], "*")
}

// cut finds the regions.
func (w *world) cut() bool {
	n := len(w.patterns)
	if n >= maxRegions-4 {
		return false
	}
	var wild []int
	for i, p := range w.patterns {
		if w.wild(i) {
			wild = append(wild, i)
			continue
		}
		r := region{name: p, sample: p, variable: -1}
		for j := range w.patterns {
			if i == j || w.wild(j) && callpattern.Wild(w.patterns[j])(p) {
				r.patterns |= 1 << j
			}
		}
		w.regions = append(w.regions, r)
	}
	// The names that the wildcards accept beyond those: each combination of them that may accept the same name.
	sets := []uint64{0}
	for _, i := range wild {
		for _, set := range sets {
			if !slices.ContainsFunc(wild, func(j int) bool {
				return set&(1<<j) != 0 && !callpattern.Meets(w.patterns[i], w.patterns[j])
			}) {
				sets = append(sets, set|1<<i)
			}
		}
		if len(sets) > maxRegions {
			return false
		}
	}
	for _, set := range sets {
		if slices.ContainsFunc(wild, func(i int) bool {
			return set&(1<<i) == 0 && (strings.Trim(w.patterns[i], "*") == "" ||
				slices.ContainsFunc(wild, func(j int) bool {
					return set&(1<<j) != 0 && callpattern.Covers(w.patterns[i], w.patterns[j])
				}))
		}) {
			continue // i accepts every name that j accepts
		}
		var names []string
		for i := range members(set) {
			names = append(names, w.patterns[i])
		}
		w.regions = append(w.regions,
			region{patterns: set, name: "*" + strings.Join(names, "|"), sample: w.sample(set, wild), variable: -1})
	}
	if len(w.regions) > maxRegions {
		return false
	}
	w.of = make([]uint64, n)
	for r := range w.regions {
		for i := range members(w.regions[r].patterns) {
			w.of[i] |= 1 << r
		}
	}
	return true
}

// sample looks for a name that exactly these patterns accept.
func (w *world) sample(set uint64, wild []int) string {
	candidates := []string{"Other", "x"}
	for i := range members(set) {
		for _, by := range []string{"x", "other", ""} {
			candidates = append(candidates, strings.ReplaceAll(w.patterns[i], "*", by))
		}
		for j := range members(set) { // the head of one and the tail of another
			head, _, _ := strings.Cut(w.patterns[i], "*")
			tail := w.patterns[j][strings.LastIndex(w.patterns[j], "*")+1:]
			candidates = append(candidates, head+tail, head+"x"+tail)
		}
	}
	for _, c := range candidates {
		if c != "" && !slices.Contains(w.patterns, c) && !slices.ContainsFunc(wild,
			func(i int) bool { return callpattern.Wild(w.patterns[i])(c) != (set&(1<<i) != 0) }) {
			return c
		}
	}
	return ""
}

// regionsOf returns the regions that a pattern accepts.
func (w *world) regionsOf(pattern string) uint64 { return w.of[slices.Index(w.patterns, pattern)] }

// member returns the variable of a region.
func (s *system) member(w *world, r int) int {
	if w.regions[r].variable < 0 {
		v := variable{key: key{kind: varMember, id: w.set, name: w.regions[r].name}, whole: true, hi: 1,
			unknown: true, constants: []float64{1}}
		if w.failed && w.set == fact.ToolUsed {
			v.hi, v.constants = unsure, []float64{1, 2, unsure}
		}
		w.regions[r].variable = s.variableOf(v)
	}
	return w.regions[r].variable
}

// all returns the variables of all regions of a world.
func (s *system) all(w *world) []int {
	out := make([]int, len(w.regions))
	for r := range w.regions {
		out[r] = s.member(w, r)
	}
	return out
}

// The values of a varTold, and the value of a varMember beyond 0, 1 and 2: some call of such a tool may have
// failed, and none surely did.
const (
	toldNothing = 0 // names of tools alone
	toldAll     = 1
	toldSome    = 2 // of some calls

	unsure = 3
)

// failedAtom returns the question whether a tool of these names failed; ok is false where there are too many
// names.
func (s *system) failedAtom(names []string) (i int, ok bool) {
	w := s.worldOf(fact.ToolUsed)
	if len(w.regions) > maxFailed {
		return 0, false
	}
	var set uint64
	for _, n := range names {
		set |= w.regionsOf(n)
	}
	told := s.variableOf(variable{key: key{kind: varTold}})
	s.slot(fact.LastToolCallFailed)
	s.all(w)
	return s.atom(atom{kind: atomFailed, failed: set, v: told}), true
}

// failedTruth returns the truth of an operand that asks for failed tools.
func (s *system) failedTruth(a *atom, vals []float64) fact.Truth {
	w := s.worldOf(fact.ToolUsed)
	hit, maybe, used, others, known := false, false, false, false, true
	for r := range w.regions {
		x := vals[w.regions[r].variable]
		switch in := a.failed&(1<<r) != 0; {
		case x != x:
			known = false
		case in:
			hit = hit || x == 2
			maybe = maybe || x == unsure
			used = used || x >= 1
		default:
			others = others || x >= 1
		}
	}
	if vals[a.v] == toldAll {
		return fact.Of(hit)
	}
	any := vals[s.find(key{kind: varSlot, id: fact.LastToolCallFailed})]
	switch {
	case any == 0:
		return fact.False
	case vals[a.v] == toldSome && !(any == 1 && used && !others):
		return max(fact.Of(hit), min(fact.Of(maybe), fact.Unknown))
	case !known:
		return fact.Unknown
	case !used:
		return fact.False
	case any == 1 && !others:
		return fact.True
	default:
		return fact.Unknown
	}
}

// slot returns the variable of a fact that is a number, a ratio, a duration or a bool.
func (s *system) slot(id fact.ID) int { return s.variableOf(slot(s.schema.Fact(id))) }

// function returns the variable that a function answers with.
func (s *system) function(o *condition.Leaf) int {
	v := variable{key: key{kind: varTerm, of: o.Function, name: o.Argument}, whole: true, hi: fact.MaxInt,
		unknown: true}
	if o.Kind == condition.CallFunction { // not related to what names of tools say
		v.kind, v.name = varCalls, strings.Join(o.Names, ", ")
		switch o.Function {
		case "used", "called_since":
			v.hi = 1
		case "turns_since_tool":
			v.lo, v.never = 1, true
		}
		return s.variableOf(v)
	}
	switch o.Function {
	case "used":
		v.of = "tool_count"
	case "len":
		v.id = o.Fact
	case "turns_since_tool", "turns_since":
		v.lo, v.never, v.unknown = 1, true, false
	case "output_tokens_since":
		v.never, v.unknown = true, false
	}
	if since(o) && s.silent != nil && s.silent(o.Argument) {
		v.lo, v.hi = 0, -1 // nothing but "never"
	}
	return s.variableOf(v)
}

// cadence returns the variable of how far back the last firing of self is, or else the run's beginning.
func (s *system) cadence(o *condition.Leaf, self string) (v int, c float64) {
	x := variable{key: key{kind: varSelf, id: fact.ID(o.Unit), name: self}, whole: true, hi: fact.MaxInt}
	switch o.Unit {
	case grammar.Turns:
		x.lo = 1
		if s.between { // where no cadence is true
			x.lo = 0
		}
	case grammar.UserTurns:
		x.unknown = true
	default:
		x.whole, x.lo, x.hi, x.unit = false, math.Inf(-1), math.MaxFloat64, 1e9
		return s.variableOf(x), float64(o.Every)
	}
	return s.variableOf(x), float64(o.N)
}

// A key tells variables apart.
type key struct {
	kind varKind
	id   fact.ID // of varSlot, varText, varMember, varLike, and of varTerm for len
	of   string  // the function of varTerm and varCalls, the question of varAsked, the word of varLike
	name string  // what it is about
}

// A variable is something that differs from turn to turn: a fact, the answer of a function, whether a tool is
// among those used.
type variable struct {
	key
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
}

type varKind uint8

const (
	varSlot   varKind = iota // a number, ratio, duration or bool
	varText                  // a string: the index of one of names, -1 for any other
	varMember                // whether a set has a member of a region: 0, 1, or 2 where such a tool failed
	varTold                  // whether the host tells which tools failed
	varTerm                  // the answer of a function
	varCalls                 // the same, over patterns that look at more than the names of tools
	varSelf                  // how far back the reminder's own last firing is
	varFree                  // an expression or a Go function: this and the next ones come out in any way
	varAsked                 // whether a call was made, failed, or is about to be; whether the agent stops
	varLike                  // whether a member of a set contains, startsWith, endsWith or matches a text
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
		if v.hi = float64(len(v.names) - 1); v.id == fact.Weekday {
			v.lo, v.hi = 0, float64(len(fact.Weekdays())-1)
		}
	case varTold:
		v.cells, v.known = []float64{toldAll, toldNothing, toldSome}, 1
		if v.apart {
			v.known = len(v.cells)
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
	// a host may count more tokens than it believes the window to hold, but nobody means that
	if v.unit == ratioStep {
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

// gap adds samples between two bounds; openLo and openHi say whether the bounds themselves are left out.
// There are as many as asked for, or all there are.
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
		xs = append(xs, lo)
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
	var xs []float64
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
	var xs []float64
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
	v := variable{key: key{kind: varSlot, id: ft.ID}, unknown: true, whole: true, lo: 0, hi: fact.MaxInt}
	switch declared := strings.HasPrefix(ft.Name, "vars."); ft.Type {
	case fact.Bool:
		v.hi = 1
	case fact.Int:
		switch {
		case declared:
			v.lo = -fact.MaxInt
		case ft.ID == fact.Hour:
			v.hi = 23
		}
	case fact.Number:
		v.whole, v.lo, v.hi, v.unit = false, -math.MaxFloat64, math.MaxFloat64, 1
	case fact.Dollars:
		v.whole, v.hi, v.unit = false, math.MaxFloat64, 0.25
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
