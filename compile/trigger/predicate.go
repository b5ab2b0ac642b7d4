package trigger

import (
	"errors"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// Predicate is a compiled trigger. It is immutable and may be used concurrently. A Frame that it reads must
// not be modified meanwhile.
type Predicate struct {
	root   *node // nil for the zero Predicate
	schema *fact.Schema
	text   string
	facts  []fact.ID
	moment fact.Moment
	events bool
	texts  fact.Texts
}

// Compile compiles a trigger that reads the facts of a schema; nil stands for the built-in facts. It returns
// everything that is wrong with the trigger, with ranges in src. The predicate is nil if and only if there is
// an error among that. An empty or blank src is an error. tools are the names of the tools that exist, and
// any other one is a warning; without tools any may exist.
func Compile(src string, schema *fact.Schema, tools ...string) (*Predicate, grammar.Diagnostics) {
	if schema == nil {
		schema = fact.Builtin()
	}
	c := checker{schema: schema, tools: tools, src: src}
	tree, root, moment := c.trigger()
	if root == nil {
		return nil, intended(c.diags, src, schema)
	}
	p := &Predicate{root: root, schema: schema, text: grammar.Format(tree), moment: moment}
	root.Leaves(func(l leaf) {
		p.facts = append(p.facts, l.Reads...)
		p.events = p.events || l.Kind == condition.Cadence
	})
	slices.Sort(p.facts)
	p.facts = slices.Compact(p.facts)
	p.texts = condition.TextsOf(p.facts)
	p.events = p.events || p.texts != 0 || moment != fact.Turn ||
		slices.ContainsFunc(p.facts, func(id fact.ID) bool { return schema.Fact(id).Kind == fact.Event })
	return p, c.diags
}

// Eval returns the truth of the trigger for the facts of f. It is Unknown if f has another schema than p was
// compiled with: Err says so. It is pure, and allocates nothing unless a part of the trigger computes.
func (p *Predicate) Eval(f *fact.Frame) fact.Truth {
	if p.root != nil && (f.Schema() == p.schema || p.fits(f)) {
		return p.root.Eval(f)
	}
	return fact.Unknown
}

// fits reports whether the facts of f are those that p was compiled with.
func (p *Predicate) fits(f *fact.Frame) bool { return p.schema == nil || p.schema.Same(f.Schema()) }

// errSchema is the mistake of a host that evaluates a trigger over the facts of another schema.
var errSchema = errors.New("the frame has another schema than the trigger was compiled with")

// Root returns the tree of the trigger.
func (p *Predicate) Root() *condition.Node {
	if p.root == nil {
		return nothing
	}
	return p.root
}

// nothing is the tree of the zero Predicate.
var nothing = condition.New(&grammar.Constant{}, &condition.Leaf{Truth: fact.Unknown}, nil)

// Schema returns the schema that the trigger was compiled with.
func (p *Predicate) Schema() *fact.Schema { return p.schema }

// String returns the trigger in canonical form.
func (p *Predicate) String() string { return p.text }

// Facts returns the ids of the facts that the trigger reads, in order. The slice is the caller's.
func (p *Predicate) Facts() []fact.ID { return slices.Clone(p.facts) }

// Moment returns the moment at which the trigger is evaluated: a turn, unless it names another one.
func (p *Predicate) Moment() fact.Moment { return p.moment }

// Events reports whether the trigger can have another truth between two turns: it reads an event, a text that
// arrives, a cadence or a moment.
func (p *Predicate) Events() bool { return p.events }

// Gaps returns in which states between the turn of f and the next one the trigger is false (LANGUAGE.md §4,
// step 4). It brings f to the first of these states.
func (p *Predicate) Gaps(f *fact.Frame) fact.Gaps {
	if !p.events {
		return 0 // nothing changes between the turns
	}
	if !f.Between() {
		f.EndEvents()
	}
	defer f.Lack(0)
	return fact.GapsOf(p.texts, func(absent fact.Texts) fact.Truth {
		f.Lack(absent)
		return p.Eval(f)
	})
}

// Err returns an error if a part of the trigger counts as Unknown because it cannot be computed with the
// facts of f, as with a division by zero. That a fact is unknown is not an error.
func (p *Predicate) Err(f *fact.Frame) error {
	if !p.fits(f) {
		return errSchema
	}
	return p.Root().Err(f)
}
