package cost

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/yamlfile"
	"github.com/aside-go/aside/internal/model"
)

// Price is the price of a model.
type Price struct {
	Prefix string // with which the model's id begins; "": any model
	model.Rates
	Above int         // a request whose prompt has more tokens costs Long in full; 0: none does
	Long  model.Rates // with Above

	Checked string // year and month of the last comparison with the source; "": the price is the user's
	Source  string
	Derived string // the rates that follow from In by the cache rules of the model, with their factors; "": none
	NoOut   bool   // the price of answers is not known
}

// At returns the rates of a request whose prompt has a number of tokens.
func (p Price) At(prompt int) model.Rates {
	if p.Above > 0 && prompt > p.Above {
		return p.Long
	}
	return p.Rates
}

// Prices are those of the table of package model, and the user's own, which go before the table. The zero
// Prices are the table alone. They may be used concurrently.
type Prices struct {
	own []Price // rates that were not given are negative
}

// Of returns the price of a model; ok is false where it is not known.
func (ps Prices) Of(id string) (p Price, ok bool) {
	m := model.Of(id)
	if n, _ := model.Longest(id, len(ps.own), func(i int) string { return ps.own[i].Prefix }); n >= 0 {
		return ps.own[n].filled(m.Cache), true
	}
	t := m.Price
	if t.Unknown != "" {
		return Price{}, false
	}
	p = Price{Prefix: m.Name, Rates: unsaid, Above: t.Above, Checked: t.Checked, Source: t.Source}
	p.In, p.Out = t.In, t.Out
	if p.Above > 0 {
		p.Long = unsaid
		p.Long.In, p.Long.Out = t.LongIn, t.LongOut
	}
	p = p.filled(m.Cache)
	p.Derived = "" // the table's factors are the vendor's own
	return p, true
}

// filled returns the price with the rates that were not given, which follow from In by the cache rules of the
// model. For a model whose cache rules are not known, each token of a prompt costs In.
func (p Price) filled(c model.Cache) Price {
	c = c.Factors()
	rates, long := c.Rates(p.In), c.Rates(p.Long.In)
	if p.Out < 0 {
		p.Out, p.NoOut = 0, true
	}
	if p.Long.Out < 0 {
		p.Long.Out = p.Out
	}
	var derived []string
	for _, x := range []struct {
		rate, long *float64
		of, longOf float64
		factor     float64
		name       string
	}{
		{&p.Read, &p.Long.Read, rates.Read, long.Read, c.Read, "read"},
		{&p.Write, &p.Long.Write, rates.Write, long.Write, c.Write, "write"},
		{&p.Hour, &p.Long.Hour, rates.Hour, long.Hour, c.Hour, "hour"},
	} {
		if *x.rate < 0 {
			*x.rate = x.of
			derived = append(derived, x.name+" "+strconv.FormatFloat(x.factor, 'f', -1, 64)+" × in")
		}
		if p.Above > 0 && *x.long < 0 {
			*x.long = x.longOf
		}
	}
	p.Derived = strings.Join(derived, ", ")
	return p
}

// inline matches the beginning of a price on the command line, as opposed to the name of a file.
var inline = regexp.MustCompile(`^\s*[a-z]+\s*=`)

// unsaid are rates none of which was given.
var unsaid = model.Rates{In: -1, Out: -1, Read: -1, Write: -1, Hour: -1}

// ParsePrices returns the prices for the value of --price: rates for every model, in dollars a million
// tokens, such as "in=3,out=15,read=0.3,write=3.75", or else the name of a file, which readFile reads. The
// file is YAML or JSON and has rates by the prefixes of models' ids. in must be given; rates of reads and
// writes that are not given follow from it by the cache rules of each model.
//
//	claude-opus-4-6: {in: 5, out: 25, read: 0.5, write: 6.25, hour: 10}
//	gpt-5.4: {in: 2.5, out: 15, read: 0.25, above: 272000, long: {in: 5, out: 22.5, read: 0.5}}
func ParsePrices(arg string, readFile func(name string) ([]byte, error)) (Prices, error) {
	if inline.MatchString(arg) {
		return parseLine(arg)
	}
	b, err := readFile(arg)
	if err != nil {
		return Prices{}, err
	}
	return parseFile(arg, b)
}

func parseLine(arg string) (Prices, error) {
	p := Price{Rates: unsaid, Source: "--price"}
	for part := range strings.SplitSeq(arg, ",") {
		name, value, _ := strings.Cut(part, "=")
		if err := set(&p.Rates, strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return Prices{}, fmt.Errorf("%q: %w", strings.TrimSpace(part), err)
		}
	}
	if p.In < 0 {
		return Prices{}, fmt.Errorf("%q: %w", arg, errIn)
	}
	return Prices{[]Price{p}}, nil
}

var errIn = errors.New("in is missing: what a million tokens of input cost, such as in=3")

// set sets the rate of a name, which must not have been set before.
func set(r *model.Rates, name, value string) error {
	at := map[string]*float64{"in": &r.In, "out": &r.Out, "read": &r.Read, "write": &r.Write,
		"hour": &r.Hour}[name]
	if at == nil {
		return fmt.Errorf("%q is none of in, out, read, write, hour", name)
	}
	if *at >= 0 {
		return fmt.Errorf("%s is said twice", name)
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n >= 0) || math.IsInf(n, 0) {
		return fmt.Errorf("%q is not a number of dollars", value)
	}
	*at = n
	return nil
}

// most is how many bytes a file of prices may have.
const most = 1 << 20

func parseFile(name string, b []byte) (ps Prices, err error) {
	r := &yamlfile.Reader{File: name, Src: b, Most: most}
	if root := r.Parse(); root != nil {
		for _, m := range r.Entries(root, "the prices by model", nil) {
			p := priceOf(r, m)
			p.Source = name
			ps.own = append(ps.own, p)
		}
	}
	if len(r.Diags) > 0 {
		d := r.Diags[0]
		if d.Hint != "" {
			d.Message += "; " + d.Hint
		}
		return Prices{}, fmt.Errorf("%s:%d: %s", name, d.Range.Start.Line, d.Message)
	}
	if len(ps.own) == 0 {
		return Prices{}, fmt.Errorf("%s: there is no price in it", name)
	}
	return ps, nil
}

func priceOf(r *yamlfile.Reader, m yamlfile.Entry) Price {
	p := Price{Prefix: m.Key.Value, Rates: unsaid, Long: unsaid}
	fail := func(n *yaml.Node, err error) {
		if err != nil {
			r.Fail(n, "", "", "%v", err)
		}
	}
	rates := []string{"in", "out", "read", "write", "hour"}
	all := append(rates, "above", "long")
	for _, e := range r.Entries(m.Value, "rates", all) {
		switch e.Key.Value {
		case "above":
			p.Above = r.Whole(e.Value, "above", 1)
		case "long":
			for _, l := range r.Entries(e.Value, "long", rates) {
				fail(l.Value, set(&p.Long, l.Key.Value, l.Value.Value))
			}
		default:
			fail(e.Value, set(&p.Rates, e.Key.Value, e.Value.Value))
		}
	}
	switch {
	case p.Prefix == "":
		fail(m.Key, errors.New("the name of the model is missing"))
	case p.In < 0:
		fail(m.Key, errIn)
	case (p.Above > 0) != (p.Long.In >= 0):
		fail(m.Key, errors.New("above and long go together, and long needs in"))
	}
	return p
}
