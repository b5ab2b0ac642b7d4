package facts

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/duration"
)

// numeral matches a number of JSON, and the same without exponent with a sign or unit of LANGUAGE.md §2: $5,
// 80%, 4k, 2M.
var numeral = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\$?)(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)([eE][+-]?[0-9]+)?([%kM]?)$`)
})

// amount is a number as it is written.
type amount struct {
	n      float64
	unit   string // "", "$", "%", "k" or "M"
	digits bool   // it is whole, in digits alone
	beyond bool   // these digits are beyond fact.MaxInt, where n may be rounded
}

// read reads a number with or without a unit; ok is false for anything else.
func read(text string) (a amount, ok bool) {
	m := numeral().FindStringSubmatch(text)
	if m == nil || m[1] != "" && m[4] != "" || m[1]+m[4] != "" && m[3] != "" {
		return a, false
	}
	n, err := strconv.ParseFloat(m[2]+m[3], 64)
	if err != nil {
		n = math.Inf(1) // beyond all floats
	}
	a = amount{n: n, unit: m[1] + m[4], digits: m[3] == "" && !strings.Contains(m[2], ".")}
	i, err := strconv.ParseInt(m[2], 10, 64)
	a.beyond = err == nil && (i > fact.MaxInt || i < -fact.MaxInt)
	switch a.unit {
	case "%":
		a.n /= 100
	case "k":
		a.n *= 1e3
	case "M":
		a.n *= 1e6
	}
	return a, true
}

// units are the units that numbers of a type may have.
var units = map[fact.Type]string{fact.Int: "kM", fact.Number: "kM", fact.Ratio: "%", fact.Dollars: "$"}

// number reads the number of a fact.
func (d *decoder) number(ft fact.Fact, v Value) (n float64, ok bool) {
	a, is := read(v.Text)
	switch {
	case v.Kind == Number && !is:
		d.respell(ft, v)
		return 0, false
	case v.Kind != Number && v.Kind != Text, !is, !strings.Contains(units[ft.Type], a.unit):
		d.wrongType(ft, v, "")
		return 0, false
	case v.Kind == Text && a.unit == "":
		bare := v
		bare.Kind = Number
		if _, ok := d.number(ft, bare); ok { // else number has reported a mistake that the quotes do not explain
			d.wrongType(ft, v, "write "+v.Text+" without quotes")
		}
		return 0, false
	}
	switch {
	case math.IsInf(a.n, 0):
		d.fail(v, "", "fact %q: %s is not a finite number", ft.Name, v)
	case ft.Type == fact.Int && (a.beyond || a.n != math.Trunc(a.n) || math.Abs(a.n) > fact.MaxInt):
		d.fail(v, "", "fact %q: %s is not a whole number up to %d", ft.Name, v, int64(fact.MaxInt))
	case ft.Type == fact.Int && a.unit == "" && !a.digits:
		d.respell(ft, v)
	default:
		return a.n, d.inRange(ft, v, a)
	}
	return 0, false
}

// respell refuses a number in a form that only some languages know, and says how to write it.
func (d *decoder) respell(ft fact.Fact, v Value) {
	text := strings.ReplaceAll(v.Text, "_", "")
	n, err := strconv.ParseFloat(text, 64)
	if i, bad := strconv.ParseInt(v.Text, 0, 64); bad == nil && strings.ContainsAny(v.Text, "xXoObB") {
		n, err = float64(i), nil
	}
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		d.fail(v, "write unknown for a fact that is not known", "fact %q: %s is not a finite number", ft.Name, v)
		return
	}
	d.fail(v, "write "+strconv.FormatFloat(n, 'f', -1, 64), "fact %q: %s is not how %s is written", ft.Name, v,
		ft.Type.Article())
}

// farAbove is the number from which a ratio is taken for a percentage whose sign was forgotten. A little
// more than 1 may be right: agents go beyond the window they believe in.
const farAbove = 2

// inRange refuses a number that no host can mean.
func (d *decoder) inRange(ft fact.Fact, v Value, a amount) bool {
	builtin := !strings.HasPrefix(ft.Name, vars+".")
	switch {
	case a.n < 0 && (ft.Type == fact.Ratio || ft.Type == fact.Dollars):
		d.fail(v, "", "fact %q: %s is negative", ft.Name, v)
	case ft.Type == fact.Ratio && a.n >= farAbove && a.unit == "":
		hint := "0.8 and 80% are the same"
		if a.n <= 100 {
			hint = "did you mean " + strconv.FormatFloat(a.n/100, 'f', -1, 64) + ", which is " +
				fact.Percent(a.n/100) + "?"
		}
		d.fail(v, hint, "%s is a ratio, from 0 to 1", ft.Name)
	case builtin && ft.ID == fact.Hour && (a.n < 0 || a.n > 23):
		d.fail(v, "", "hour is from 0 to 23 and cannot be %s", v)
	case builtin && ft.Type == fact.Int && a.n < 0:
		d.fail(v, "leave out a fact that is not known", "%s counts %s and cannot be %s", ft.Name, ft.Unit, v)
	default:
		return true
	}
	return false
}

// duration reads the duration of a fact.
func (d *decoder) duration(ft fact.Fact, v Value) (any, bool) {
	if v.Kind != Text && v.Kind != Number {
		d.wrongType(ft, v, "")
		return nil, false
	}
	n, err := duration.Parse(v.Text)
	_, plain := read(v.Text)
	switch {
	case err != nil && plain:
		d.fail(v, "did you mean "+v.Text+"s?", "fact %q: the duration %s needs a unit", ft.Name, v)
	case err != nil:
		d.fail(v, "", "fact %q: %s", ft.Name, err)
	case n < 0 && !strings.HasPrefix(ft.Name, vars+"."):
		d.fail(v, "leave out a fact that is not known", "%s is a length of time and cannot be %s", ft.Name, v)
	default:
		return n, true
	}
	return nil, false
}

// wrongType refuses a value of another type.
func (d *decoder) wrongType(ft fact.Fact, v Value, hint string) {
	switch {
	case hint != "":
	case ft.Type == fact.Bool:
		hint = "true, false or unknown"
	case v.Kind == List || v.Kind == Map || v.Kind == Nothing:
		hint = "write unknown for a fact that is not known"
	}
	d.fail(v, hint, "fact %q is %s, %s is none", ft.Name, ft.Type.Article(), v)
}

func (d *decoder) fail(at Value, hint, format string, args ...any) {
	d.problems = append(d.problems, Problem{at, fmt.Sprintf(format, args...), hint})
}
