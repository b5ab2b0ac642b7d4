package compile

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// Predicate is a compiled trigger. It is immutable and may be used concurrently. A Frame that it reads must
// not be modified meanwhile.
type Predicate struct {
	eval   func(*fact.Frame) fact.Truth
	root   *node // nil for a Func
	schema *fact.Schema
	text   string
	facts  []fact.ID
	own    bool // its truth depends on the reminder it belongs to, as that of a cadence does
	moment fact.Moment
	events bool
	calls  []fact.Pattern // with a subject, of which functions ask the history
	told   []told         // its conditions on texts that are never kept
}

// Compile compiles a trigger that reads the facts of a schema; nil stands for the built-in facts. It returns
// everything that is wrong with the trigger, with ranges in src. The predicate is nil if and only if there is
// an error among that. An empty or blank src is an error.
func Compile(src string, schema *fact.Schema) (*Predicate, grammar.Diagnostics) {
	tree, diags := grammar.Parse(src)
	c := compileTree(tree, diags, Options{Schema: schema})
	return c.p, c.diags
}

// compiled is the outcome of compiling a trigger.
type compiled struct {
	p     *Predicate // nil if there is an error among the diagnostics
	ids   []ref      // where it names other reminders, as in turns_since("ID")
	diags grammar.Diagnostics
}

// compileTree compiles a parsed trigger. It adds to the diagnostics of the parser.
func compileTree(tree *grammar.Trigger, diags grammar.Diagnostics, opts Options) *compiled {
	c := checker{schema: opts.Schema, tools: opts.Tools, src: tree.Source, diags: diags}
	if c.schema == nil {
		c.schema = builtin()
	}
	root := c.lower(tree.Root)
	var moment fact.Moment
	if root != nil {
		moment = c.moments(root)
	}
	c.diags.Sort()
	if root == nil || c.diags.HasErrors() {
		return &compiled{diags: intended(c.diags, c.src, c.schema)}
	}
	p := &Predicate{eval: root.Eval, root: root, schema: c.schema, text: grammar.Format(tree), moment: moment,
		told: c.told}
	p.events = moment != fact.Turn
	root.Leaves(func(l leaf) {
		p.facts = append(p.facts, l.Reads...)
		if l.Kind == condition.Cadence {
			p.own, p.events = true, true
		}
		for _, t := range l.Terms {
			for _, c := range t.Patterns {
				if c.Subject() {
					p.calls = append(p.calls, c.Pattern)
				}
			}
		}
	})
	slices.Sort(p.facts)
	p.facts = slices.Compact(p.facts)
	p.events = p.events || slices.ContainsFunc(p.facts, func(id fact.ID) bool {
		return c.schema.Fact(id).Kind == fact.Event
	})
	return &compiled{p: p, ids: c.ids, diags: c.diags}
}

// hosted makes a predicate of a Go function, which must be pure and safe for concurrent use. name is the text
// by which String and Explain show it. A result that is none of the three truths counts as Unknown.
func hosted(name string, fn func(*fact.Frame) fact.Truth) *Predicate {
	return &Predicate{text: name, own: true, events: true, eval: func(f *fact.Frame) fact.Truth {
		if t := fn(f); t <= fact.True {
			return t
		}
		return fact.Unknown
	}}
}

// Eval returns the truth of the trigger for the facts of f. It is Unknown if f has another schema than p was
// compiled with: Err says so. It is pure, and allocates nothing unless a part of the trigger computes.
func (p *Predicate) Eval(f *fact.Frame) fact.Truth {
	if f.Schema() != p.schema && !p.fits(f) {
		return fact.Unknown
	}
	return p.eval(f)
}

// fits reports whether the facts of f are those that p was compiled with; all are for a Go function.
func (p *Predicate) fits(f *fact.Frame) bool { return p.schema == nil || p.schema.Same(f.Schema()) }

// errSchema is the mistake of a host that evaluates a trigger over the facts of another schema.
var errSchema = errors.New("the frame has another schema than the trigger was compiled with")

// Root returns the tree of the trigger; nil for a Func.
func (p *Predicate) Root() *condition.Node { return p.root }

// Schema returns the schema that the trigger was compiled with; nil for a Func.
func (p *Predicate) Schema() *fact.Schema { return p.schema }

// String returns the trigger in canonical form.
func (p *Predicate) String() string { return p.text }

// Facts returns the ids of the facts that the trigger reads, in order; none for a Func, of which that is not
// known. The slice is the caller's.
func (p *Predicate) Facts() []fact.ID { return slices.Clone(p.facts) }

// Moment returns the moment at which the trigger is evaluated: a turn, unless it names another one.
func (p *Predicate) Moment() fact.Moment { return p.moment }

// Events reports whether fact.Frame.EndEvents can change the truth of the trigger: it reads an event, a
// cadence or a moment. Of a Go function that is not known, so it does.
func (p *Predicate) Events() bool { return p.events }

// Err returns an error if a part of the trigger counts as Unknown because it cannot be computed with the
// facts of f, as with a division by zero. That a fact is unknown is no error.
func (p *Predicate) Err(f *fact.Frame) error {
	if !p.fits(f) {
		return errSchema
	}
	var err error
	if p.root != nil {
		p.root.Leaves(func(l leaf) { err = cmp.Or(err, leafError(l, f)) })
	}
	return err
}

// leafError says why an operand, or a part of it, cannot be computed; nil if it can, or if a fact is unknown.
func leafError(l leaf, f *fact.Frame) error {
	if l.Run != nil {
		if _, err := l.Run(f); err != nil {
			return err
		}
	}
	for _, t := range l.Terms {
		if err := termError(t, f); err != nil {
			return err
		}
	}
	return nil
}

func termError(t *term, f *fact.Frame) error {
	switch {
	case t.Err != nil:
		return t.Err(f)
	case t.Leaf != nil:
		return leafError(t.Leaf, f)
	}
	return nil
}

// lower checks x and joins its leaves. It returns nil if anything in x is wrong, after having looked at all
// of it.
func (c *checker) lower(x grammar.Expr) *node {
	n := &node{Expr: x}
	var terms []grammar.Expr
	switch x := x.(type) {
	case *grammar.And:
		terms = x.Terms
	case *grammar.Or:
		terms = x.Terms
	case *grammar.Not:
		terms = []grammar.Expr{x.X}
	default:
		n.Leaf = c.leaf(x)
		if n.Leaf == nil {
			return nil
		}
		n.Eval, n.Member = native(n.Leaf), member
		if t, ok := toldLeaf(n); ok {
			c.told, n.Eval = append(c.told, t), t.truth
		}
		return n
	}
	before := ""
	for _, t := range terms {
		c.before = before
		before = c.goesOn(x, t)
		if kid := c.lower(t); kid != nil {
			n.Kids = append(n.Kids, kid)
		}
	}
	if len(n.Kids) < len(terms) {
		return nil
	}
	switch x.(type) {
	case *grammar.And:
		n.Eval = conjunction(n.Kids)
	case *grammar.Or:
		n.Eval = disjunction(n.Kids)
	default:
		n.Eval = negation(n.Kids[0].Eval)
	}
	return n
}

// goesOn returns the beginning that a bare word after term probably lacks: in FACT == A or B it is "FACT ==
// ". It returns "" where the meaning is not clear: FACT != A or B is true of nearly everything.
func (c *checker) goesOn(in, term grammar.Expr) string {
	switch term := term.(type) {
	case *grammar.Bare:
		if _, ok := c.schema.Lookup(term.Name); !ok {
			return c.before
		}
	case *grammar.Shorthand:
		if _, or := in.(*grammar.Or); or && (term.Name == "after_tool" || term.Name == "tool_failed" ||
			term.Name == "thread") {
			return term.Name + ":"
		}
	case *grammar.Comparison:
		if _, and := in.(*grammar.And); and && term.Op != grammar.NotEqual || !and && term.Op != grammar.Equal {
			return ""
		}
		for _, side := range []grammar.Operand{term.Left, term.Right} {
			if ft, ok := c.schema.Lookup(side.Text); ok && (ft.Type == fact.String || ft.Type == fact.Set) {
				return ft.Name + " " + term.Op.String() + " "
			}
		}
	}
	return ""
}

func nativeMember(id fact.ID, name string) func(*fact.Frame) fact.Truth {
	return func(f *fact.Frame) fact.Truth {
		set, ok := f.Set(id)
		for _, s := range set {
			if s == name {
				return fact.True
			}
		}
		if ok {
			return fact.False
		}
		return fact.Unknown
	}
}

// nativeNumber returns the function of a comparison with a constant.
func nativeNumber(l leaf) func(*fact.Frame) fact.Truth {
	if b, ok := boundOf(l); ok {
		return func(f *fact.Frame) fact.Truth {
			v := f.Num(b.id) * b.sign
			if v > b.c {
				return fact.True
			}
			if v <= b.c {
				return fact.False
			}
			return fact.Unknown
		}
	}
	id, c := l.Fact, l.Numbers[0]
	hit, miss := fact.True, fact.False
	if l.Op == grammar.NotEqual {
		hit, miss = miss, hit
	}
	return func(f *fact.Frame) fact.Truth {
		v := f.Num(id)
		if v == c {
			return hit
		}
		if v == v {
			return miss
		}
		return fact.Unknown
	}
}

// bound is a comparison of order: the fact times sign, which is 1 or -1, is above c. v >= c is v > the number
// just before c, and v < c is -v > -c. A NaN is neither above nor below c, so that an unknown fact gives
// Unknown.
type bound struct {
	id      fact.ID
	sign, c float64
}

func boundOf(l leaf) (bound, bool) {
	if l == nil || l.Kind != condition.Number {
		return bound{}, false
	}
	id, c := l.Fact, l.Numbers[0]
	switch l.Op {
	case grammar.Greater:
		return bound{id, 1, c}, true
	case grammar.GreaterEqual:
		return bound{id, 1, math.Nextafter(c, math.Inf(-1))}, true
	case grammar.Less:
		return bound{id, -1, -c}, true
	case grammar.LessEqual:
		return bound{id, -1, -math.Nextafter(c, math.Inf(1))}, true
	default:
		return bound{}, false
	}
}

// conjunction is Kleene's and. It stops at the first False, which no later operand can change.
func conjunction(kids []*node) func(*fact.Frame) fact.Truth {
	if a, b, ok := twoBounds(kids); ok {
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(a.id)*a.sign, f.Num(b.id)*b.sign
			if v > a.c && w > b.c {
				return fact.True
			}
			if v <= a.c || w <= b.c {
				return fact.False
			}
			return fact.Unknown
		}
	}
	fns := functionsOf(kids)
	return func(f *fact.Frame) fact.Truth {
		t := fact.True
		for _, fn := range fns {
			t = min(t, fn(f))
			if t == fact.False {
				break
			}
		}
		return t
	}
}

// disjunction is Kleene's or. It stops at the first True.
func disjunction(kids []*node) func(*fact.Frame) fact.Truth {
	if a, b, ok := twoBounds(kids); ok {
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(a.id)*a.sign, f.Num(b.id)*b.sign
			if v > a.c || w > b.c {
				return fact.True
			}
			if v <= a.c && w <= b.c {
				return fact.False
			}
			return fact.Unknown
		}
	}
	fns := functionsOf(kids)
	return func(f *fact.Frame) fact.Truth {
		t := fact.False
		for _, fn := range fns {
			t = max(t, fn(f))
			if t == fact.True {
				break
			}
		}
		return t
	}
}

// twoBounds returns the operands of the commonest trigger, two comparisons of order. One closure for both
// meets the budget of a native trigger (DESIGN.md §6), and two closures do not.
func twoBounds(kids []*node) (a, b bound, ok bool) {
	if len(kids) != 2 {
		return a, b, false
	}
	a, okA := boundOf(kids[0].Leaf)
	b, okB := boundOf(kids[1].Leaf)
	return a, b, okA && okB
}

func negation(fn func(*fact.Frame) fact.Truth) func(*fact.Frame) fact.Truth {
	return func(f *fact.Frame) fact.Truth { return fn(f).Not() }
}

func functionsOf(kids []*node) []func(*fact.Frame) fact.Truth {
	fns := make([]func(*fact.Frame) fact.Truth, len(kids))
	for i, k := range kids {
		fns[i] = k.Eval
	}
	return fns
}
