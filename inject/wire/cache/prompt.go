package cache

import "github.com/cespare/xxhash/v2"

// Unit is a stretch of a prompt that a cache takes whole: a block.
type Unit struct {
	Role   string // whose it is
	Raw    string // what tells it from others
	Text   string // what the model reads of it, where that is just Bytes long: then a step may end in its middle
	Bytes  int    // how many the model reads
	Joined bool   // it takes no position of its own: it goes on from the unit before
}

// Mark is a cache breakpoint of the client's, behind a unit.
type Mark struct {
	Unit int  // from 0
	Hour bool // it lives an hour, not five minutes
}

// Prompt is a prompt as a cache sees it. Create one with New. Its exported fields name units by their index, from 0, and must
// be those of the prompt as it stands when it is served.
type Prompt struct {
	Marks    []Mark // the client's breakpoints, in order
	Endings  []int  // units that are the last of an eligible message, in order; of kind Endings
	Initial  []int  // units that are the last of the messages of the host with which the prompt begins; of kind Endings
	Explicit bool   // nothing is cached but where marks are; of kind Endings

	rules Rules
	empty unit   // what comes before the first unit
	sum   uint64 // digest of all that the next unit stands behind
	units []unit
	steps []uint64 // a digest for each whole step; of kind Stepped
}

// unit is the prompt up to and with a Unit.
type unit struct {
	sum      uint64 // digest
	bytes    int
	position int
	stride   stride
}

// stride is how far the steps have come.
type stride struct {
	sum  uint64 // digest of all that a step could end in
	have int    // bytes behind the last whole step
	n    int    // whole steps
}

// New returns an empty prompt for a model that is cached by these rules. Prompts for models of another id share nothing.
func New(model string, r Rules) *Prompt {
	sum := mix(0, model)
	return &Prompt{rules: r, sum: sum, empty: unit{sum: sum, stride: stride{sum: sum}}}
}

// Len returns how many units there are.
func (p *Prompt) Len() int { return len(p.units) }

// Rules returns how the prompt is cached.
func (p *Prompt) Rules() Rules { return p.rules }

// Tokens returns how long the prompt is.
func (p *Prompt) Tokens() int { return Tokens(p.last().bytes) }

// TokensTo returns how long the first n units are.
func (p *Prompt) TokensTo(n int) int { return Tokens(p.upTo(n).bytes) }

func (p *Prompt) last() unit { return p.upTo(len(p.units)) }

func (p *Prompt) upTo(n int) unit {
	if n == 0 {
		return p.empty
	}
	return p.units[n-1]
}

// Salt makes all that is added from now on another than it would be. It is for what no model reads and caches see all the
// same, such as a parameter of the request.
func (p *Prompt) Salt(parts ...string) { p.sum = mix(p.sum, parts...) }

// Add puts a unit at the end.
func (p *Prompt) Add(u Unit) {
	at := p.last()
	if !u.Joined {
		at.position++
	}
	at.bytes += u.Bytes
	at.sum = mix(p.sum, u.Role, u.Raw)
	p.sum = at.sum
	if p.rules.Kind == Stepped {
		p.stride(&at.stride, u)
	}
	p.units = append(p.units, at)
}

// stride adds the steps of a unit. A step ends in the middle of a unit, where only the bytes of its text that are in the prefix
// count.
func (p *Prompt) stride(s *stride, u Unit) {
	size := max(1, p.rules.Step) * 4
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

// Cut leaves the first n units, and no salt behind them. What the exported fields name there is the caller's to take away.
func (p *Prompt) Cut(n int) {
	p.units = p.units[:n]
	p.sum = p.last().sum
	p.steps = p.steps[:p.last().stride.n]
}

func mix(sum uint64, parts ...string) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(sum)
	for _, s := range parts {
		d.WriteString(s) // it never fails
		d.WriteString("\x00")
	}
	return d.Sum64()
}
