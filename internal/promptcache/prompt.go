package promptcache

import (
	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/model"
)

// Unit is a piece of a prompt that a cache takes or leaves as a whole: a block.
type Unit struct {
	Raw    string // tells the unit from others: whose block it is, and what caches see and no model reads, too
	Text   string // the text that the model reads, if that has exactly Bytes: then a step may end in its middle
	Bytes  int    // how many bytes the model reads of it
	Joined bool   // it has no position of its own, but that of the unit before
}

// Mark is a cache breakpoint that the client has set, behind a unit.
type Mark struct {
	Unit int  // index, from 0
	Hour bool // its entry lives an hour, not five minutes
}

// Prompt is a prompt as a cache sees it. Create one with New. The exported fields name units by their index,
// from 0. When the prompt is served, they must fit the units that it then has.
type Prompt struct {
	Marks []Mark // the client's breakpoints, in order
	// of kind Endings, unless nothing is cached except at Marks: the last units of the eligible messages, in
	// order, and of the host's messages with which the prompt begins
	Endings, Initial []int

	cache model.Cache
	empty prefix // the prompt before the first unit
	units []prefix
	steps []uint64 // of kind Stepped: a digest of the prompt up to each whole step
}

// prefix is the prompt up to a Unit, that included.
type prefix struct {
	sum      uint64 // digest
	bytes    int
	position int
	stride   stride
}

// stride is how far the steps of a prompt go.
type stride struct {
	sum  uint64 // digest of everything that a step could end in
	have int    // bytes behind the last whole step
	n    int    // whole steps
}

// New returns an empty prompt for a model that is cached by these rules. Prompts for different models share
// nothing.
func New(name string, r model.Cache) *Prompt {
	sum := mix(0, name)
	return &Prompt{cache: r, empty: prefix{sum: sum, stride: stride{sum: sum}}}
}

// Len returns the number of units.
func (p *Prompt) Len() int { return len(p.units) }

// Rules returns how the prompt is cached.
func (p *Prompt) Rules() model.Cache { return p.cache }

// Tokens returns the length of the prompt in tokens.
func (p *Prompt) Tokens() int { return reminder.Tokens(p.last().bytes) }

// TokensTo returns the length of the first n units in tokens.
func (p *Prompt) TokensTo(n int) int { return reminder.Tokens(p.upTo(n).bytes) }

func (p *Prompt) last() prefix { return p.upTo(len(p.units)) }

func (p *Prompt) upTo(n int) prefix {
	if n == 0 {
		return p.empty
	}
	return p.units[n-1]
}

// Add puts a unit at the end.
func (p *Prompt) Add(u Unit) {
	at := p.last()
	if !u.Joined {
		at.position++
	}
	at.bytes += u.Bytes
	at.sum = mix(at.sum, u.Raw)
	if p.cache.Kind == model.Stepped {
		p.stride(&at.stride, u)
	}
	p.units = append(p.units, at)
}

// stride adds the steps of a unit. A step may end in the middle of a unit; then only the bytes of its text up
// to there count.
func (p *Prompt) stride(s *stride, u Unit) {
	size := max(1, p.cache.Step) * 4
	text, left := u.Raw, u.Bytes
	if len(u.Text) == left {
		text = u.Text
	}
	s.sum = mix(s.sum, "unit")
	for left > 0 {
		n := min(left, size-s.have)
		head := text[:min(n, len(text))]
		text = text[len(head):]
		s.sum = mix(s.sum, head)
		left -= n
		if s.have += n; s.have == size {
			p.steps = append(p.steps, s.sum)
			s.have = 0
			s.n++
		}
	}
	s.sum = mix(s.sum, text)
}

// Cut leaves the first n units. The exported fields are for the caller to adjust.
func (p *Prompt) Cut(n int) {
	p.units = p.units[:n]
	p.steps = p.steps[:p.last().stride.n]
}

func mix(sum uint64, s string) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(sum)
	d.WriteString(s) // it never fails
	d.WriteString("\x00")
	return d.Sum64()
}

// Usage is the tokens of a prompt.
type Usage struct {
	Prompt int // all of it: read, written and plain
	Read   int // read from the cache
	Write  int // written to the cache, Hour included
	Hour   int // written for an hour
}

// Plain returns the tokens that were neither read from the cache nor written to it.
func (u Usage) Plain() int { return u.Prompt - u.Read - u.Write }

// Tokens returns the tokens of the prompt by their prices.
func (u Usage) Tokens() model.Tokens {
	return model.Tokens{Plain: int64(u.Plain()), Read: int64(u.Read), Written: int64(u.Write),
		Hour: int64(u.Hour)}
}

// Plus returns the sum of u and v.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Read + v.Read, u.Write + v.Write, u.Hour + v.Hour}
}

// Minus returns the difference of u and v. Its fields may be negative.
func (u Usage) Minus(v Usage) Usage {
	return Usage{u.Prompt - v.Prompt, u.Read - v.Read, u.Write - v.Write, u.Hour - v.Hour}
}
