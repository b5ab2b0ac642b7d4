package grammar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// The tags by which AppendBinary tells the kinds of nodes apart.
const (
	binOr byte = iota
	binAnd
	binNot
	binConstant
	binShorthand
	binCadence
	binComparison
	binBare
	binGeneral
	binBad
)

// AppendBinary appends the trigger to b in a form that ReadBinary reads faster than Parse reads the source. It is meant for a
// cache: other versions of this package may not be able to read it. It implements encoding.BinaryAppender; the error is always
// nil.
func (t *Trigger) AppendBinary(b []byte) ([]byte, error) {
	w := binWriter{b}
	w.text(t.Source)
	w.expr(t.Root)
	return w.b, nil
}

// ReadBinary reads a trigger that AppendBinary wrote. Anything else is an error or some other trigger, but never a panic, and
// takes no more memory than in proportion to b.
func ReadBinary(b []byte) (*Trigger, error) {
	r := binReader{b: b}
	t := &Trigger{Source: r.text()}
	t.Root = r.expr(0)
	if r.err == nil && len(r.b) > 0 {
		r.fail("something behind its end")
	}
	if r.err != nil {
		return nil, fmt.Errorf("stored trigger: %w", r.err)
	}
	return t, nil
}

type binWriter struct{ b []byte }

func (w *binWriter) tag(t byte)   { w.b = append(w.b, t) }
func (w *binWriter) number(n int) { w.b = binary.AppendVarint(w.b, int64(n)) }

func (w *binWriter) text(s string) {
	w.number(len(s))
	w.b = append(w.b, s...)
}

func (w *binWriter) at(r Range) {
	for _, p := range [...]Position{r.Start, r.End} {
		w.number(p.Offset)
		w.number(p.Line)
		w.number(p.Column)
	}
}

func (w *binWriter) expr(x Expr) {
	switch x := x.(type) {
	case *Or:
		w.terms(binOr, x.Range, x.Terms)
	case *And:
		w.terms(binAnd, x.Range, x.Terms)
	case *Not:
		w.tag(binNot)
		w.at(x.Range)
		w.expr(x.X)
	case *Constant:
		w.named(binConstant, x.Range, x.Name)
	case *Bare:
		w.named(binBare, x.Range, x.Name)
	case *General:
		w.named(binGeneral, x.Range, x.Text)
	case *Shorthand:
		w.named(binShorthand, x.Range, x.Name)
		w.at(x.NameRange)
		w.number(len(x.Args))
		for _, a := range x.Args {
			w.at(a.Range)
			w.text(a.Text)
		}
	case *Cadence:
		w.tag(binCadence)
		w.at(x.Range)
		w.tag(byte(x.Unit))
		w.number(x.N)
		w.number(int(x.Duration))
	case *Comparison:
		w.tag(binComparison)
		w.at(x.Range)
		w.operand(&x.Left)
		w.operand(&x.Right)
		w.tag(byte(x.Op))
		w.at(x.OpRange)
	default:
		w.tag(binBad)
		w.at(x.Span())
	}
}

func (w *binWriter) terms(tag byte, at Range, terms []Expr) {
	w.tag(tag)
	w.at(at)
	w.number(len(terms))
	for _, t := range terms {
		w.expr(t)
	}
}

func (w *binWriter) named(tag byte, at Range, name string) {
	w.tag(tag)
	w.at(at)
	w.text(name)
}

func (w *binWriter) operand(o *Operand) {
	w.tag(byte(o.Kind))
	w.at(o.Range)
	w.text(o.Text)
	w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(o.Number))
	w.number(int(o.Duration))
	w.number(len(o.List))
	for i := range o.List {
		w.operand(&o.List[i])
	}
}

// binReader reads until the first thing that is wrong, and nothing but zeros from there on.
type binReader struct {
	b   []byte
	err error
}

func (r *binReader) fail(why string) {
	if r.err == nil {
		r.b, r.err = nil, errors.New(why)
	}
}

func (r *binReader) tag() byte {
	if len(r.b) == 0 {
		r.fail("it is cut off")
		return 0
	}
	t := r.b[0]
	r.b = r.b[1:]
	return t
}

func (r *binReader) number() int {
	n, size := binary.Varint(r.b)
	if size <= 0 || int64(int(n)) != n {
		r.fail("no number")
		return 0
	}
	r.b = r.b[size:]
	return int(n)
}

// count reads how many things follow, each of at least one byte.
func (r *binReader) count() int {
	n := r.number()
	if n < 0 || n > len(r.b) {
		r.fail("no length")
		return 0
	}
	return n
}

func (r *binReader) text() string {
	n := r.count()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *binReader) at() (at Range) {
	for _, p := range [...]*Position{&at.Start, &at.End} {
		p.Offset, p.Line, p.Column = r.number(), r.number(), r.number()
	}
	return at
}

func (r *binReader) expr(depth int) Expr {
	if depth > 2*MaxNesting+2 {
		r.fail("it is nested too deep")
	}
	tag, at := r.tag(), r.at()
	if r.err != nil {
		return nil
	}
	switch tag {
	case binOr:
		return &Or{Range: at, Terms: r.terms(depth)}
	case binAnd:
		return &And{Range: at, Terms: r.terms(depth)}
	case binNot:
		return &Not{Range: at, X: r.expr(depth + 1)}
	case binConstant:
		return &Constant{Range: at, Name: r.text()}
	case binBare:
		return &Bare{Range: at, Name: r.text()}
	case binGeneral:
		return &General{Range: at, Text: r.text()}
	case binShorthand:
		x := &Shorthand{Range: at, Name: r.text(), NameRange: r.at()}
		for range r.count() {
			x.Args = append(x.Args, Arg{Range: r.at(), Text: r.text()})
		}
		return x
	case binCadence:
		x := &Cadence{Range: at, Unit: CadenceUnit(r.below(int(Elapsed))), N: r.number()}
		x.Duration = time.Duration(r.number())
		return x
	case binComparison:
		x := &Comparison{Range: at, Left: r.operand(0), Right: r.operand(0)}
		x.Op, x.OpRange = Op(r.below(int(In))), r.at()
		return x
	case binBad:
		return &Bad{Range: at}
	}
	r.fail("an unknown node")
	return nil
}

// below reads a value of an enumeration whose last one is given.
func (r *binReader) below(last int) int {
	v := int(r.tag())
	if v > last {
		r.fail("an unknown value")
		return 0
	}
	return v
}

func (r *binReader) terms(depth int) (terms []Expr) {
	for range r.count() {
		terms = append(terms, r.expr(depth+1))
		if r.err != nil {
			return nil
		}
	}
	return terms
}

func (r *binReader) operand(depth int) (o Operand) {
	if depth > 2 {
		r.fail("lists are nested")
		return o
	}
	o.Kind, o.Range, o.Text = OperandKind(r.below(int(List))), r.at(), r.text()
	if len(r.b) < 8 {
		r.fail("it is cut off")
		return o
	}
	o.Number, r.b = math.Float64frombits(binary.LittleEndian.Uint64(r.b)), r.b[8:]
	o.Duration = time.Duration(r.number())
	for range r.count() {
		o.List = append(o.List, r.operand(depth+1))
		if r.err != nil {
			break
		}
	}
	return o
}
