package cost

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/model"
)

// Blocks returns the accounts for people.
func (v *View) Blocks() []terminal.Block {
	t := &teller{}
	for _, x := range []struct {
		name string
		a    *Account
	}{{"main thread", &v.Root}, {"subagents", &v.Subagents}} {
		if x.a.Calls > 0 {
			t.account(x.name, x.a)
		}
	}
	return t.blocks
}

// teller collects what is said.
type teller struct{ blocks []terminal.Block }

func (t *teller) add(b terminal.Block) { t.blocks = append(t.blocks, b) }

func (t *teller) say(format string, args ...any) {
	t.add(terminal.Block{Text: fmt.Sprintf(format, args...)})
}

func (t *teller) account(name string, a *Account) {
	t.add(terminal.Block{Heading: fmt.Sprintf("cost of the reminders, %s: %s in %s", name,
		terminal.Many(a.Calls, "model call"), terminal.Many(a.Runs, "run"))})
	t.known(a)
	t.prices(a)
	x := a.Added()
	if len(x.Shares) == 0 {
		t.say("no reminder fired, so nothing is added")
		return
	}
	t.more(x.More, a)
	t.shares(x.Shares, a.Priced > 0)
}

// known writes the total without reminders, and how much of it was recorded.
func (t *teller) known(a *Account) {
	base := a.Base()
	what, paid := "recorded", ""
	if a.Cached < a.Calls {
		what = "worked out"
	}
	if a.Priced > 0 {
		paid = " (" + money(base.Dollars) + ")"
	}
	t.say("%s: %s tokens of prompts%s: %s read from the cache, %s written, %s neither", what,
		terminal.Thousands(base.Prompt), paid, terminal.Thousands(base.Read), terminal.Thousands(
			base.Write), terminal.Thousands(base.Plain()))
	const estimated = "estimated: tokens of reminders (bytes/4, with the tag)"
	switch {
	case a.Cached == a.Calls:
		t.say("known: what was read and written; %s", estimated)
	case a.Measured == a.Calls:
		t.say("known: how long the prompts were, and what was read and written of %s; by the rules of the cache: "+
			"the other reads and writes; %s",
			terminal.Many(a.Cached, "call"), estimated)
	case a.Measured == 0:
		t.say("the recording does not say what was billed; estimated: how long the prompts were (bytes/4 of the " +
			"texts in the recording), and tokens of reminders (the same, with the tag); by the rules of the cache: " +
			"what was read and written")
	default:
		t.say("known: how long %s were, and what was read and written of %s; by the rules of the cache: the other "+
			"reads and writes; %s, and the other prompts (bytes/4 of the texts in the recording)",
			terminal.Many(a.Measured, "prompt"), terminal.Many(a.Cached, "call"), estimated)
	}
}

// prices writes the prices that were used.
func (t *teller) prices(a *Account) {
	for _, m := range slices.Sorted(maps.Keys(a.Prices)) {
		r := a.Prices[m]
		s := fmt.Sprintf("%s: %s", clean(m), inputRates(r.Rates))
		if !r.NoOut {
			s += fmt.Sprintf(", $%s out", number(r.Out))
		}
		source, note, _ := strings.Cut(clean(r.Source), "; ")
		s += " a million tokens (" + source
		if r.Checked != "" {
			s += ", " + r.Checked
		}
		if note != "" {
			s += "; " + note
		}
		s += ")"
		if r.Longs > 0 {
			s += fmt.Sprintf("; %s with prompts past %s tokens: %s", terminal.Many(r.Longs, "call"),
				terminal.Thousands(r.Above), inputRates(r.Long))
		}
		if r.Derived != "" {
			s += "; not said, so by the rules of the cache: " + r.Derived
		}
		t.say("%s", s)
	}
	for _, m := range slices.Sorted(maps.Keys(a.Unpriced)) {
		name := clean(m)
		if m == "" {
			name = "a model without a name"
		}
		t.say("%s: nobody has said what it costs, so %s counted in tokens alone (--price)", name,
			are(a.Unpriced[m], "call"))
	}
}

// inputRates returns in words the price of input.
func inputRates(r model.Rates) string {
	s := fmt.Sprintf("$%s in, $%s read, $%s write", number(r.In), number(r.Read), number(r.Write))
	if r.Hour != r.Write {
		s += fmt.Sprintf(", $%s for an hour", number(r.Hour))
	}
	return s
}

// more writes what the reminders add.
func (t *teller) more(more Total, a *Account) {
	paid := ""
	if a.Priced > 0 {
		paid = " (" + plus(more.Dollars) + ")"
		if base := a.Base().Dollars; base > 0 {
			paid = fmt.Sprintf(" (%s, %s)", plus(more.Dollars), percent(more.Dollars/base))
		}
	}
	t.say("the reminders add: %s tokens%s: %s read from the cache, %s written, %s neither", signed(more.Prompt),
		paid, signed(more.Read), signed(more.Write), signed(more.Plain()))
}

// shares writes the table of reminders.
func (t *teller) shares(shares []Share, priced bool) {
	t.add(terminal.Block{})
	t.say("each reminder; stays: in how many requests a firing stands")
	b := terminal.Block{Head: []string{"reminder", "fires", "tokens", "stays", "sent", "read later", "cache",
		"dollars"}}
	if !priced {
		b.Head = append(b.Head[:6], "cache lost")
	}
	for _, s := range shares {
		row := []string{clean(s.ID), strconv.Itoa(s.Fires), terminal.Thousands(s.Tokens),
			fmt.Sprintf("%.1f", float64(s.Calls)/float64(max(s.Fires, 1)))}
		if priced {
			row = append(row, money(s.Fresh), money(s.Reads), plus(s.Harm), money(s.Dollars()))
		} else {
			row = append(row, terminal.Thousands(s.Own.Prompt-s.Own.Read), terminal.Thousands(s.Own.Read),
				signed(-s.Moved.Read))
		}
		b.Rows = append(b.Rows, row)
	}
	t.add(b)
}

// money returns an amount in dollars with as many decimals as matter.
func money(d float64) string {
	d = math.Round(d*1e10) / 1e10 // so that the error of floating-point sums does not change the last digit
	switch abs := math.Abs(d); {
	case abs < 0.0000005:
		return "$0"
	case abs < 0.001:
		return fmt.Sprintf("$%.6f", d)
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

// percent returns a share in percent, with its sign and as many decimals as matter.
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
		return "−" + terminal.Thousands(-n)
	case n > 0:
		return "+" + terminal.Thousands(n)
	}
	return "0"
}

func are(n int, unit string) string {
	if n == 1 {
		return "1 " + unit + " is"
	}
	return terminal.Many(n, unit) + " are"
}

func number(f float64) string { return strconv.FormatFloat(rate(f), 'f', -1, 64) }

// clean returns a name with replacement characters for those that a terminal would obey or not show.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if terminal.Obeys(r) {
			return '\ufffd'
		}
		return r
	}, s)
}
