package compile

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Predicate is a compiled trigger. It is immutable and may be evaluated concurrently, each evaluation with a Frame that
// nobody writes to.
type Predicate struct {
	eval   func(*fact.Frame) fact.Truth
	root   *node // nil for a Func
	schema *fact.Schema
	text   string
	facts  []fact.ID
	own    bool // asks about the reminder it belongs to, so equal ones differ
}

// Compile compiles a trigger against a schema; nil stands for the built-in facts. The predicate is nil exactly if the
// diagnostics hold an error; all that is wrong is told at once, in places of src. A blank src is an error.
func Compile(src string, schema *fact.Schema) (*Predicate, grammar.Diagnostics) {
	tree, diags := grammar.Parse(src)
	c := compileTree(tree, diags, Options{Schema: schema})
	return c.p, c.diags
}

// compiled is a trigger, the reminders that it asks about, and all that was said of it.
type compiled struct {
	p     *Predicate // nil if the diagnostics hold an error
	ids   []ref
	diags grammar.Diagnostics
}

// compileTree compiles what was parsed, with the diagnostics of the parser.
func compileTree(tree *grammar.Trigger, diags grammar.Diagnostics, opts Options) *compiled {
	c := checker{schema: opts.Schema, tools: opts.Tools, src: tree.Source, diags: diags}
	if c.schema == nil {
		c.schema = builtin()
	}
	root := c.lower(tree.Root)
	c.diags.Sort()
	if root == nil || c.diags.HasErrors() {
		return &compiled{diags: c.diags}
	}
	p := &Predicate{eval: root.eval, root: root, schema: c.schema, text: grammar.Format(tree)}
	root.walk(func(n *node) {
		if n.leaf != nil {
			p.facts = append(p.facts, n.leaf.reads()...)
		}
		if _, ok := n.leaf.(cadence); ok {
			p.own = true
		}
	})
	slices.Sort(p.facts)
	p.facts = slices.Compact(p.facts)
	return &compiled{p: p, ids: c.ids, diags: c.diags}
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, k := range n.kids {
		k.walk(visit)
	}
}

// Func makes a predicate of a Go function, which must be pure and may be called concurrently. Name is its text.
// A result that is none of the three truths counts as Unknown.
func Func(name string, fn func(*fact.Frame) fact.Truth) *Predicate {
	return &Predicate{text: name, own: true, eval: func(f *fact.Frame) fact.Truth {
		if t := fn(f); t <= fact.True {
			return t
		}
		return fact.Unknown
	}}
}

// Eval returns the truth of the trigger on the turn that f holds, whose schema must be the one p was compiled against.
// It is pure, and allocates nothing unless the trigger has a part that only expr-lang can read.
func (p *Predicate) Eval(f *fact.Frame) fact.Truth { return p.eval(f) }

// String returns the trigger in canonical form.
func (p *Predicate) String() string { return p.text }

// Facts returns the facts that the trigger reads, sorted. What a Func reads is not known. The caller may keep it.
func (p *Predicate) Facts() []fact.ID { return slices.Clone(p.facts) }

// Err returns why a part of the trigger could not be computed with the facts of f and counts as Unknown, such as a
// division by zero; nil if nothing failed. A fact that is unknown is no failure.
func (p *Predicate) Err(f *fact.Frame) error {
	var err error
	if p.root != nil {
		p.root.walk(func(n *node) {
			if g, ok := n.leaf.(*general); ok && err == nil {
				_, err = g.run(f)
			}
		})
	}
	return err
}
