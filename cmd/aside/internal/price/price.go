package price

import (
	"math"
	"strings"

	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/promptcache"
)

// Rates are dollars for a million tokens.
type Rates struct {
	In    float64 // of the prompt: neither read from a cache nor written to it
	Out   float64 // of the answer, reasoning included
	Read  float64 // of the prompt: read from the cache
	Write float64 // of the prompt: written to the cache
	Hour  float64 // of the prompt: written to the cache for an hour
}

// Prompt returns what a prompt costs, in dollars. It is linear: the price of a difference is the difference of the prices.
func (r Rates) Prompt(u promptcache.Usage) float64 {
	return (r.In*float64(u.Plain()) + r.Read*float64(u.Read) + r.Write*float64(u.Write-u.Hour) + r.Hour*float64(u.Hour)) / 1e6
}

// Answer returns what a number of tokens of an answer cost, in dollars.
func (r Rates) Answer(tokens int) float64 { return r.Out * float64(tokens) / 1e6 }

// Row is the price of a model.
type Row struct {
	Prefix string // what the model's id, or a part of it after a '.' or '/', begins with; "": any model
	Rates
	Above int   // a request whose prompt has more tokens costs Long in full; 0: none does
	Long  Rates // with Above

	Checked string // the year and month in which the row was compared with its source; "": it is the user's
	Source  string // where the price is from
	Derived string // which rates follow from In by the cache rules of the model, and by which factors; "": none
	NoOut   bool   // the price of answers is not known
}

// At returns the rates of a request whose prompt has a number of tokens.
func (r Row) At(prompt int) Rates {
	if r.Above > 0 && prompt > r.Above {
		return r.Long
	}
	return r.Rates
}

// List is the table of package model, and the user's own rows, which go before those of the table.
type List struct {
	own []Row // rates that were not given are negative
}

// Of returns the row of a model. ok is false where its price is not known.
func (l List) Of(id string) (r Row, ok bool) {
	m := model.Of(id)
	if n := model.Longest(id, len(l.own), func(i int) string { return l.own[i].Prefix }); n >= 0 {
		return l.own[n].filled(m.Cache), true
	}
	p := m.Price
	if p.Unknown != "" {
		return Row{}, false
	}
	r = Row{Prefix: m.Name, Rates: unsaid, Above: p.Above, Long: unsaid, Checked: p.Checked, Source: p.Source}
	r.In, r.Out, r.Long.In, r.Long.Out = p.In, p.Out, p.LongIn, p.LongOut
	r = r.filled(m.Cache)
	if p.Above == 0 {
		r.Long = Rates{}
	}
	r.Derived = "" // the table's rates of the cache are the vendor's
	return r, true
}

// filled returns the row with the rates that were not given, which follow from In by the cache rules of the model. For a model
// whose cache rules are not known, each token of a prompt costs In.
func (r Row) filled(c model.Cache) Row {
	if c.Kind == model.Uncached {
		c.Read, c.Write = 1, 1
	}
	if c.Hour == 0 {
		c.Hour = c.Write
	}
	if r.Out < 0 {
		r.Out, r.NoOut = 0, true
	}
	if r.Long.Out < 0 {
		r.Long.Out = r.Out
	}
	var derived []string
	for _, x := range []struct {
		rate, long *float64
		factor     float64
		name       string
	}{
		{&r.Read, &r.Long.Read, c.Read, "read"},
		{&r.Write, &r.Long.Write, c.Write, "write"},
		{&r.Hour, &r.Long.Hour, c.Hour, "hour"},
	} {
		if *x.rate < 0 {
			*x.rate = times(x.factor, r.In)
			derived = append(derived, x.name+" "+number(x.factor)+" × in")
		}
		if r.Above > 0 && *x.long < 0 {
			*x.long = times(x.factor, r.Long.In)
		}
	}
	r.Derived = strings.Join(derived, ", ")
	return r
}

// times returns a product without the error of floating-point multiplication: prices are decimal numbers.
func times(a, b float64) float64 { return math.Round(a*b*1e9) / 1e9 }
