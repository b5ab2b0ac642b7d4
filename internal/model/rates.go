package model

import "math"

// Tokens are the tokens of a model call, by their prices.
type Tokens struct {
	Plain   int64 // of the prompt, neither read from the cache nor written to it
	Read    int64 // of the prompt, read from the cache
	Written int64 // of the prompt, written to the cache
	Hour    int64 // of these, for an hour
	Output  int64
}

// Rates are dollars for a million tokens, of the kinds of Tokens: Hour is that of a token that is written for
// an hour, Write that of any other that is written.
type Rates struct{ In, Out, Read, Write, Hour float64 }

// Cost returns a price in dollars. It is linear: the price of a difference is the difference of the prices.
func (r Rates) Cost(t Tokens) (dollars float64) {
	return (r.In*float64(t.Plain) + r.Read*float64(t.Read) + r.Write*float64(t.Written-t.Hour) +
		r.Hour*float64(t.Hour) + r.Out*float64(t.Output)) / 1e6
}

// Rates returns the rates of a prompt whose plain tokens cost in. Each token of a prompt that is not cached,
// or of which that is not known, costs in.
func (c Cache) Rates(in float64) Rates {
	c = c.Factors()
	return Rates{In: in, Read: times(c.Read, in), Write: times(c.Write, in), Hour: times(c.Hour, in)}
}

// Factors returns c with the rates that hold where the table has none.
func (c Cache) Factors() Cache {
	if c.Kind == Uncached {
		c.Read, c.Write, c.Hour = 1, 1, 1
	}
	if c.Hour == 0 {
		c.Hour = c.Write
	}
	return c
}

// times returns a product without the error of floating-point multiplication, since prices are decimal
// numbers.
func times(a, b float64) float64 { return math.Round(a*b*1e9) / 1e9 }

// Rates returns the rates of a request whose prompt has a number of tokens; ok is false where the model has
// no price.
func (r *Row) Rates(prompt int64) (rates Rates, ok bool) {
	p := r.Price
	if p.Unknown != "" {
		return Rates{}, false
	}
	in, out := p.In, p.Out
	if p.Above > 0 && prompt > int64(p.Above) {
		in, out = p.LongIn, p.LongOut
	}
	rates = r.Cache.Rates(in)
	rates.Out = out
	return rates, true
}

// Cost returns the price of a model call in dollars; ok is false where the model has no price.
func (r *Row) Cost(t Tokens) (dollars float64, ok bool) {
	rates, ok := r.Rates(t.Plain + t.Read + t.Written)
	return rates.Cost(t), ok
}
