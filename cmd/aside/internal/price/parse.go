package price

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// form matches the beginning of a price on the command line, as opposed to the name of a file.
var form = regexp.MustCompile(`^\s*[a-z]+\s*=`)

// names are the names of the rates.
var names = []string{"in", "out", "read", "write", "hour"}

func (r *Rates) named(name string) *float64 {
	switch name {
	case "in":
		return &r.In
	case "out":
		return &r.Out
	case "read":
		return &r.Read
	case "write":
		return &r.Write
	case "hour":
		return &r.Hour
	}
	return nil
}

// unsaid are rates none of which was given.
var unsaid = Rates{-1, -1, -1, -1, -1}

// Parse returns the list for the value of --price: rates for every model, in dollars a million tokens, such as
// "in=3,out=15,read=0.3,write=3.75", or else the name of a file, which readFile reads. The file is YAML or JSON and has rates by the
// prefixes of models' ids. in must be given; rates of reads and writes that are not given follow from it by the cache rules of each
// model.
//
//	claude-opus-4-6: {in: 5, out: 25, read: 0.5, write: 6.25, hour: 10}
//	gpt-5.4: {in: 2.5, out: 15, read: 0.25, above: 272000, long: {in: 5, out: 22.5, read: 0.5}}
func Parse(arg string, readFile func(name string) ([]byte, error)) (List, error) {
	if form.MatchString(arg) {
		return parseLine(arg)
	}
	b, err := readFile(arg)
	if err != nil {
		return List{}, err
	}
	return parseFile(arg, b)
}

func parseLine(arg string) (List, error) {
	r := Row{Rates: unsaid, Source: "--price"}
	for part := range strings.SplitSeq(arg, ",") {
		name, value, _ := strings.Cut(part, "=")
		if err := set(&r.Rates, strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return List{}, fmt.Errorf("%q: %w", strings.TrimSpace(part), err)
		}
	}
	if r.In < 0 {
		return List{}, fmt.Errorf("%q: %w", arg, errIn)
	}
	return List{[]Row{r}}, nil
}

var errIn = errors.New("in is missing: what a million tokens of input cost, such as in=3")

// set sets a rate, which must not have been set before.
func set(r *Rates, name, value string) error {
	at := r.named(name)
	if at == nil {
		return fmt.Errorf("%q is none of %s", name, strings.Join(names, ", "))
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

func parseFile(name string, b []byte) (l List, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return List{}, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return List{}, fmt.Errorf("%s: there is no price in it", name)
	}
	err = members(doc.Content[0], "prices by model", func(model string, value *yaml.Node) error {
		r, err := row(model, value)
		r.Source = name
		l.own = append(l.own, r)
		return err
	})
	var at *placed
	if errors.As(err, &at) {
		return List{}, fmt.Errorf("%s:%d: %w", name, at.line, at.err)
	}
	if err == nil && len(l.own) == 0 {
		err = fmt.Errorf("%s: there is no price in it", name)
	}
	return l, err
}

// placed is an error at a line.
type placed struct {
	line int
	err  error
}

func (p *placed) Error() string { return p.err.Error() }

// members calls each for the members of a mapping, up to the first error. All its errors have a line, those that each returns included.
func members(n *yaml.Node, what string, each func(key string, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return &placed{n.Line, fmt.Errorf("here should be %s", what)}
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		var err error
		if seen[key.Value] {
			err = fmt.Errorf("%q is said twice", key.Value)
		} else {
			err = each(key.Value, value)
		}
		seen[key.Value] = true
		if at := (*placed)(nil); err != nil && !errors.As(err, &at) {
			err = &placed{key.Line, err}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func row(name string, n *yaml.Node) (Row, error) {
	r := Row{Prefix: name, Rates: unsaid, Long: unsaid}
	if name == "" {
		return r, errors.New("the name of the model is missing")
	}
	err := members(n, "rates, such as {in: 3, out: 15}", func(key string, v *yaml.Node) (err error) {
		switch key {
		case "above":
			r.Above, err = strconv.Atoi(v.Value)
			if err != nil || r.Above <= 0 {
				err = fmt.Errorf("%q is not a number of tokens", v.Value)
			}
		case "long":
			err = members(v, "rates", func(key string, v *yaml.Node) error { return set(&r.Long, key, v.Value) })
		default:
			err = set(&r.Rates, key, v.Value)
		}
		return err
	})
	switch {
	case err != nil:
	case r.In < 0:
		err = errIn
	case (r.Above > 0) != (r.Long.In >= 0):
		err = errors.New("above and long go together, and long needs in")
	}
	return r, err
}

// number returns a number without an exponent.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
