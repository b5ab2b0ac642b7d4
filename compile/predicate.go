package compile

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Predicate is a compiled trigger. It is immutable and may be used concurrently. A Frame that it reads must not be modified
// meanwhile.
type Predicate struct {
	eval   func(*fact.Frame) fact.Truth
	root   *node // nil for a Func
	schema *fact.Schema
	text   string
	facts  []fact.ID
	own    bool // its truth depends on the reminder it belongs to, as that of a cadence does
}

// Compile compiles a trigger that reads the facts of a schema; nil stands for the built-in facts. It returns everything that
// is wrong with the trigger, with ranges in src. The predicate is nil if and only if there is an error among that. An empty or
// blank src is an error.
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

// Func makes a predicate of a Go function, which must be pure and safe for concurrent use. name is the text by which String
// and Explain show it. A result that is none of the three truths counts as Unknown.
func Func(name string, fn func(*fact.Frame) fact.Truth) *Predicate {
	return &Predicate{text: name, own: true, eval: func(f *fact.Frame) fact.Truth {
		if t := fn(f); t <= fact.True {
			return t
		}
		return fact.Unknown
	}}
}

// Eval returns the truth of the trigger for the facts of f, which must have the schema that p was compiled with. It is pure,
// and allocates nothing unless a part of the trigger is left to expr-lang.
func (p *Predicate) Eval(f *fact.Frame) fact.Truth { return p.eval(f) }

// String returns the trigger in canonical form.
func (p *Predicate) String() string { return p.text }

// Facts returns the ids of the facts that the trigger reads, in order; none for a Func, of which that is not known. The slice
// is the caller's.
func (p *Predicate) Facts() []fact.ID { return slices.Clone(p.facts) }

// Err returns an error if a part of the trigger counts as Unknown because it cannot be computed with the facts of f, as with a
// division by zero. That a fact is unknown is no error.
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
