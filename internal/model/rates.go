package model

import "math"

// Rates are dollars for a million tokens of a request and its answer.
type Rates struct {
	In    float64 // of the prompt: neither read from a cache nor written to it
	Out   float64 // of the answer, reasoning included
	Read  float64 // of the prompt: read from the cache
	Write float64 // of the prompt: written to the cache
	Hour  float64 // of the prompt: written to the cache for an hour
}

// Tokens are what a request and its answer are billed for.
type Tokens struct {
	Fresh       int64 // of the prompt: neither read from a cache nor written to it
	Read        int64 // of the prompt: read from the cache
	Written     int64 // of the prompt: written to the cache, WrittenHour included
	WrittenHour int64
	Output      int64 // reasoning included
}

// Rates returns the rates of a request whose prompt has a number of tokens; false where no price is known.
func (r Row) Rates(prompt int64) (Rates, bool) {
	if r.Price.Unknown != "" {
		return Rates{}, false
	}
	to := Rates{In: r.Price.In, Out: r.Price.Out}
	if r.Price.Above > 0 && prompt > int64(r.Price.Above) {
		to.In, to.Out = r.Price.LongIn, r.Price.LongOut
	}
	c := r.Cache
	if c.Kind == Uncached {
		c.Read, c.Write = 1, 1
	}
	if c.Hour == 0 {
		c.Hour = c.Write
	}
	times := func(a float64) float64 { return math.Round(a*to.In*1e9) / 1e9 } // prices are decimal numbers
	to.Read, to.Write, to.Hour = times(c.Read), times(c.Write), times(c.Hour)
	return to, true
}

// Dollars returns what a request and its answer cost; false where no price is known.
func (r Row) Dollars(t Tokens) (float64, bool) {
	p, ok := r.Rates(t.Fresh + t.Read + t.Written)
	sum := p.In*float64(t.Fresh) + p.Read*float64(t.Read) + p.Write*float64(t.Written-t.WrittenHour) +
		p.Hour*float64(t.WrittenHour) + p.Out*float64(t.Output)
	return sum / 1e6, ok
}
