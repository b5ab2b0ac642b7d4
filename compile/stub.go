package compile

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

type origin struct{}

func (o *origin) place(field string, r grammar.Range) grammar.Range { return r }

type Predicate struct{}

func Compile(src string, schema *fact.Schema) (*Predicate, grammar.Diagnostics) { panic("stub") }
func Func(name string, fn func(*fact.Frame) fact.Truth) *Predicate              { panic("stub") }
func (p *Predicate) Eval(f *fact.Frame) fact.Truth                              { panic("stub") }
func (p *Predicate) String() string                                             { panic("stub") }
func (p *Predicate) Explain(f *fact.Frame) Part                                 { panic("stub") }
func (p *Predicate) Facts() []fact.ID                                           { panic("stub") }

type Part struct {
	Text  string
	Truth fact.Truth
	Value string
	Parts []Part
}

func (p Part) Why() string { panic("stub") }

type Options struct {
	Schema *fact.Schema
	Tools  []string
}
type Set struct{}

func New(rs []Reminder, opts Options) (*Set, grammar.Diagnostics)        { panic("stub") }
func (s *Set) Len() int                                                  { panic("stub") }
func (s *Set) Reminder(i int) *Reminder                                  { panic("stub") }
func (s *Set) Index(id string) (int, bool)                               { panic("stub") }
func (s *Set) IDs() []string                                             { panic("stub") }
func (s *Set) Schema() *fact.Schema                                      { panic("stub") }
func (s *Set) Trigger(i int) *Predicate                                  { panic("stub") }
func (s *Set) Rearm(i int) *Predicate                                    { panic("stub") }
func (s *Set) NewTruths() *Truths                                        { panic("stub") }
func (s *Set) Eval(f *fact.Frame, t *Truths)                             { panic("stub") }
func (s *Set) Render(i int, f *fact.Frame, at time.Time) (string, error) { panic("stub") }

type Truths struct{ Trigger, Rearm []fact.Truth }

func Document(file string, src []byte) ([]Reminder, grammar.Diagnostics) { panic("stub") }
func Format(file string, src []byte) ([]byte, grammar.Diagnostics)       { panic("stub") }
