package cost

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Print writes what was added up, for people. ascii is for terminals that show no more.
func (v *View) Print(w io.Writer, ascii bool) error {
	p := &printer{ascii: ascii}
	for _, x := range []struct {
		name string
		a    *Account
	}{{"main thread", &v.Root}, {"subagents", &v.Subagents}} {
		if x.a.Calls > 0 {
			p.account(v, x.name, x.a)
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

type printer struct {
	b     strings.Builder
	ascii bool
}

func (p *printer) line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if p.ascii {
		s = strings.NewReplacer("−", "-", "–", "-", "×", "x").Replace(s)
	}
	p.b.WriteString(strings.TrimRight(s, " ") + "\n")
}

func (p *printer) account(v *View, name string, a *Account) {
	p.line("")
	p.line("cost of the reminders, %s: %s in %s", name, plural(a.Calls, "model call"), plural(a.Runs, "run"))
	p.known(a)
	p.prices(a)
	if len(a.Default().Shares) == 0 {
		p.line("  no reminder fired, so nothing is added")
		return
	}
	p.line("")
	p.ways(a)
	p.shares(v, a)
}

// known says what the recording shows and what is estimated.
func (p *printer) known(a *Account) {
	base := a.Base()
	what := "recorded"
	if a.Cached < a.Calls {
		what = "worked out"
	}
	p.line("  %s: %s tokens of prompts, of these %s read from the cache, %s written, %s neither%s", what,
		thousands(base.Prompt), thousands(base.Read), thousands(base.Write), thousands(base.Plain()), p.total(a))
	switch {
	case a.Cached == a.Calls:
		p.line("  known: lengths, reads and writes; estimated: tokens of reminders (bytes/4, with the tag)")
	case a.Measured == a.Calls:
		p.line("  known: lengths; reads and writes of %s; the other reads and writes follow the rules of the cache", plural(a.Cached, "call"))
	default:
		p.line("  known: lengths of %s, reads and writes of %s; the other lengths are bytes/4 of the texts that the recording", plural(a.Measured, "call"), plural(a.Cached, "call"))
		p.line("  shows, without system prompt, tools and results: too short; reads and writes follow the rules of the cache")
	}
}

func (p *printer) total(a *Account) string {
	if a.Priced == 0 {
		return ""
	}
	s := ": " + money(a.Base().Dollars)
	if a.Spoke > 0 && a.Answers > 0 {
		s += fmt.Sprintf("; answers %s", money(a.Answers))
	}
	return s
}

// prices says what was reckoned with.
func (p *printer) prices(a *Account) {
	for _, m := range slices.Sorted(maps.Keys(a.Prices)) {
		r := a.Prices[m]
		s := fmt.Sprintf("  %s: $%s in, $%s read, $%s write", clean(m), number(r.In), number(r.Row.Read), number(r.Row.Write))
		if r.Row.Hour != r.Row.Write {
			s += fmt.Sprintf(", $%s for an hour", number(r.Row.Hour))
		}
		if !r.NoOut {
			s += fmt.Sprintf(", $%s out", number(r.Out))
		}
		s += " a million tokens (" + clean(r.Source)
		if r.Checked != "" {
			s += ", " + r.Checked
		}
		s += ")"
		p.line("%s", s)
		if r.Derived != "" {
			p.line("    not said, so by the rules of the cache: %s", r.Derived)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(a.Unpriced)) {
		name := clean(m)
		if m == "" {
			name = "a model without a name"
		}
		p.line("  %s: nobody has said what it costs, so %s counted in tokens alone (--price)", name, are(a.Unpriced[m], "call"))
	}
}

// ways is the table of deliveries.
func (p *printer) ways(a *Account) {
	t := table{{"delivery", "more read", "written", "plain", "dollars", "of all"}}
	def := None
	for w := Native; w <= Naive; w++ {
		x, _, ok := a.Added(w)
		if !ok {
			continue
		}
		name := w.String()
		if x.More == a.Default().More && def == None && w != Naive {
			def = w
			name += " (the default)"
		}
		t = append(t, p.way(name, x, a))
	}
	if def == None {
		t = slices.Insert(t, 1, p.way("by model (the default)", a.Default(), a))
	}
	p.table(t)
	for w := Native; w <= Naive; w++ {
		if _, refused, ok := a.Added(w); !ok {
			p.line("  %s: not with %s", w, clean(refused))
		}
	}
	p.line("  naive: put into the last message when it fires, and gone in the next request: what was cached behind it is lost")
}

func (p *printer) way(name string, x Added, a *Account) []string {
	row := []string{name, signed(x.More.Read), signed(x.More.Write), signed(x.More.Plain())}
	if a.Priced == 0 {
		return append(row, "", "")
	}
	share := ""
	if base := a.Base().Dollars; base > 0 {
		share = percent(x.More.Dollars / base)
	}
	return append(row, plus(x.More.Dollars), share)
}

// shares is the table of reminders.
func (p *printer) shares(v *View, a *Account) {
	x, ok := v.told(a)
	if !ok || len(x.Shares) == 0 {
		return
	}
	p.line("")
	how := "by default"
	if v.way != None {
		how = "with delivery " + v.way.String()
	}
	p.line("  each reminder, %s; stays: in how many requests a firing stands", how)
	t := table{{"reminder", "fires", "tokens", "stays", "sent", "read later", "cache", "dollars"}}
	for _, s := range x.Shares {
		row := []string{clean(s.ID), strconv.Itoa(s.Fires), thousands(s.Tokens), fmt.Sprintf("%.1f", float64(s.Calls)/float64(max(s.Fires, 1)))}
		if a.Priced > 0 {
			row = append(row, money(s.Fresh), money(s.Reads), plus(s.Harm), money(s.Dollars()))
		} else {
			row = append(row, thousands(s.Own.Prompt-s.Own.Read), thousands(s.Own.Read), signed(-s.Moved.Read), "")
		}
		t = append(t, row)
	}
	p.table(t)
}

// table is rows of cells, the first of each to the left and the others to the right.
type table [][]string

func (p *printer) table(t table) {
	wide := make([]int, len(t[0]))
	for _, row := range t {
		for i, cell := range row {
			wide[i] = max(wide[i], len([]rune(cell)))
		}
	}
	for _, row := range t {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", wide[i]-len([]rune(cell)))
			if i == 0 {
				b.WriteString("  " + cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		p.line("%s", b.String())
	}
}

// money writes dollars with as many places as matter.
func money(d float64) string {
	switch abs := math.Abs(d); {
	case abs < 0.00005:
		return "$0"
	case abs < 1:
		return fmt.Sprintf("$%.4f", d)
	default:
		return fmt.Sprintf("$%.2f", d)
	}
}

func plus(d float64) string {
	switch s := money(math.Abs(d)); {
	case s == "$0":
		return s
	case d < 0:
		return "−" + s
	default:
		return "+" + s
	}
}

// percent writes a share with as many places as matter.
func percent(f float64) string {
	places := 2
	if f = 100 * f; math.Abs(f) >= 10 {
		places = 0
	}
	return strings.Replace(fmt.Sprintf("%+.*f %%", places, f), "-", "−", 1)
}

func signed(n int) string {
	switch {
	case n < 0:
		return "−" + thousands(-n)
	case n > 0:
		return "+" + thousands(n)
	}
	return "0"
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return thousands(n) + " " + unit + "s"
}

func are(n int, unit string) string {
	if n == 1 {
		return "1 " + unit + " is"
	}
	return thousands(n) + " " + unit + "s are"
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// clean takes out of a name what would move the cursor of a terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || 0x7f <= r && r < 0xa0 || 0x200b <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 {
			return '\ufffd'
		}
		return r
	}, s)
}
