package price

import (
	"github.com/aside-go/aside/inject/wire/cache"
)

// Rates are dollars for a million tokens.
type Rates struct {
	In    float64 // of the prompt, neither read from a cache nor written to it
	Out   float64 // of the answer, reasoning included
	Read  float64 // from the cache
	Write float64 // to the cache
	Hour  float64 // to the cache, for an hour
}

// Prompt returns what a prompt costs, in dollars. It is linear: the price of a difference is the difference of the prices.
func (r Rates) Prompt(u cache.Usage) float64 {
	return (r.In*float64(u.Plain()) + r.Read*float64(u.Read) + r.Write*float64(u.Write-u.Hour) + r.Hour*float64(u.Hour)) / 1e6
}

// Answer returns what so many tokens of an answer cost, in dollars.
func (r Rates) Answer(tokens int) float64 { return r.Out * float64(tokens) / 1e6 }

// Row is what a model costs.
type Row struct {
	Prefix string // of its id, or of what follows a '.' or '/' in it; "": any model
	Rates
	Above int   // tokens of a prompt, past which all of the request costs Long; 0: never
	Long  Rates // meaningful with Above

	Checked string // when it was compared with the source: a year and a month; "" of what the user said
	Source  string // where it is from
	Derived string // which of the rates follow from In by the cache rules of the model, and by which factors; "": none
	NoOut   bool   // nobody said what answers cost
}

// At returns the rates of a request with a prompt of so many tokens.
func (r Row) At(prompt int) Rates {
	if r.Above > 0 && prompt > r.Above {
		return r.Long
	}
	return r.Rates
}

// List is the table, and rows of the user's own that go before it.
type List struct{ own []own }

// own is a row as the user gave it: rates that were not said are negative.
type own struct{ Row }

// Of returns the row of a model. ok is false where nobody said what it costs.
func (l List) Of(model string) (r Row, ok bool) {
	if n := cache.Longest(model, len(l.own), func(i int) string { return l.own[i].Prefix }); n >= 0 {
		return l.own[n].filled(model), true
	}
	for _, o := range l.own {
		if o.Prefix == "" {
			return o.filled(model), true
		}
	}
	return find(model)
}

// filled returns the row with the rates that were not said: they follow from In by the cache rules of the model. Of a model of
// which nobody knows how it is cached, each token costs what In says.
func (o own) filled(model string) Row {
	r := o.Row
	rules, ok := cache.Of(model)
	if !ok || rules.Kind == cache.Uncached {
		rules.Read, rules.Write = 1, 1
	}
	if rules.Hour == 0 {
		rules.Hour = rules.Write
	}
	if r.Out < 0 {
		r.Out, r.NoOut = 0, true
	}
	for _, x := range []struct {
		rate   *float64
		long   *float64
		factor float64
		name   string
	}{{&r.Read, &r.Long.Read, rules.Read, "read"}, {&r.Write, &r.Long.Write, rules.Write, "write"}, {&r.Hour, &r.Long.Hour, rules.Hour, "hour"}} {
		if *x.rate < 0 {
			*x.rate = x.factor * r.In
			if r.Derived != "" {
				r.Derived += ", "
			}
			r.Derived += x.name + " " + number(x.factor) + " × in"
		}
		if r.Above > 0 && *x.long < 0 {
			*x.long = x.factor * r.Long.In
		}
	}
	if r.Long.Out < 0 {
		r.Long.Out = r.Out
	}
	return r
}
