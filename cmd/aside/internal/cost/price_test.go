package cost_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/cost"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/promptcache"
)

func TestPrices(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]model.Rates{
		"claude-opus-4-6":                          {In: 5, Out: 25, Read: 0.5, Write: 6.25, Hour: 10},
		"claude-opus-5-5[1m]":                      {In: 4, Out: 20, Read: 0.2, Write: 5, Hour: 8},
		"claude-opus-4-20250514":                   {In: 15, Out: 75, Read: 1.5, Write: 18.75, Hour: 30},
		"us.anthropic.claude-opus-4-20250514-v1:0": {In: 15, Out: 75, Read: 1.5, Write: 18.75, Hour: 30},
		"claude-sonnet-4-5@20250929":               {In: 3, Out: 15, Read: 0.3, Write: 3.75, Hour: 6},
		"claude-haiku-4-5-20251001":                {In: 1, Out: 5, Read: 0.1, Write: 1.25, Hour: 2},
		"claude-fable-5-1":                         {In: 10, Out: 50, Read: 0.25, Write: 12.5, Hour: 20},
		"openai/gpt-5.6-sol":                       {In: 4, Out: 20, Read: 0.4, Write: 5, Hour: 5},
		"gpt-5-2025-08-07":                         {In: 1.25, Out: 10, Read: 0.125, Write: 1.25, Hour: 1.25},
		"models/gemini-3.8-flash":                  {In: 0.75, Out: 3.75, Read: 0.075, Write: 0.75, Hour: 0.75},
	} {
		r, ok := cost.Prices{}.Of(id)
		for _, name := range []struct{ got, want float64 }{{r.In, want.In}, {r.Out, want.Out}, {r.Read, want.Read},
			{r.Write, want.Write}, {r.Hour, want.Hour}} {
			if !ok || !near(name.got, name.want) {
				t.Errorf("%s: %+v, want %+v", id, r.Rates, want)
				break
			}
		}
	}
}

// TestUnknown: no model is priced as another whose name is like its own.
func TestUnpriced(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"", "claude", "claude-opus-4-9", "claude-opus-5-7", "claude-opus-6",
		"gpt-5.7", "gpt-5-pro", "gpt-5.6-mars", "gpt-4", "o3-pro", "gemini-3.8-flash-lite", "qwen3-coder",
		"my-claude-opus-5"} {
		if r, ok := (cost.Prices{}).Of(model); ok {
			t.Errorf("%q costs what %s does", model, r.Prefix)
		}
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	r := model.Rates{In: 5, Out: 25, Read: 0.5, Write: 6.25, Hour: 10}
	u := promptcache.Usage{Prompt: 1_000_000, Read: 600_000, Write: 300_000, Hour: 100_000}
	if got, want := r.Cost(u.Tokens()), 0.1*5+0.6*0.5+0.2*6.25+0.1*10; !near(got, want) {
		t.Errorf("$%g, want $%g", got, want)
	}
	if got := r.Cost(model.Tokens{Output: 200_000}); !near(got, 5) {
		t.Errorf("$%g", got)
	}
}

func noFile(string) ([]byte, error) { return nil, fs.ErrNotExist }

func aFile(text string) func(string) ([]byte, error) {
	return func(string) ([]byte, error) { return []byte(text), nil }
}

func TestParseLine(t *testing.T) {
	t.Parallel()
	l, err := cost.ParsePrices(" in=3, out=15,read=0.3,write=3.75", noFile)
	if err != nil {
		t.Fatal(err)
	}
	r, ok := l.Of("anything")
	if !ok || r.Rates != (model.Rates{In: 3, Out: 15, Read: 0.3, Write: 3.75, Hour: 3}) ||
		r.Derived != "hour 1 × in" || r.NoOut {
		t.Errorf("%+v, %v", r, ok)
	}
	if r, _ := l.Of("claude-opus-4-6"); r.Hour != 6 || r.Derived != "hour 2 × in" || r.Source != "--price" {
		t.Errorf("%+v", r)
	}
	l, err = cost.ParsePrices("in=10", noFile)
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := l.Of("claude-fable-5-1"); r.Read != 0.25 || r.Write != 12.5 || r.Hour != 20 || !r.NoOut ||
		r.Out != 0 || r.Derived != "read 0.025 × in, write 1.25 × in, hour 2 × in" {
		t.Errorf("%+v", r)
	}
	if r, _ := l.Of("nobody-1"); r.Read != 10 || r.Write != 10 || r.Hour != 10 {
		t.Errorf("%+v", r)
	}
}

func TestParseFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"yaml": "claude-opus: {in: 7, out: 8, read: 0.7}\nclaude-opus-4-6:\n  in: 9\n  above: 100\n  long: {in: " +
			"18, out: 2}\n",
		"json": `{"claude-opus": {"in": 7, "out": 8, "read": 0.7}, "claude-opus-4-6": {"in": 9, "above": 100, "long": {"in": 18, "out": 2}}}`,
	} {
		l, err := cost.ParsePrices("prices."+name, aFile(text))
		if err != nil {
			t.Fatal(err)
		}
		if r, _ := l.Of("us.anthropic.claude-opus-4-7"); r.In != 7 || r.Read != 0.7 || r.Write != 8.75 ||
			r.Source != "prices."+name || r.Checked != "" {
			t.Errorf("%s: %+v", name, r)
		}
		if r, _ := l.Of("claude-opus-4-6"); r.At(100).In != 9 || r.At(101).In != 18 || !near(r.At(101).Read, 1.8) ||
			r.At(101).Out != 2 {
			t.Errorf("%s: %+v", name, r)
		}
		if r, ok := l.Of("claude-haiku-4-5"); !ok || r.In != 1 {
			t.Errorf("%s: the table is gone: %+v", name, r)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"in=":            `"in=": "" is not a number of dollars`,
		"in=x":           `"in=x": "x" is not a number of dollars`,
		"in=-1":          `"in=-1": "-1" is not a number of dollars`,
		"in=NaN":         `"in=NaN": "NaN" is not a number of dollars`,
		"in=inf":         `"in=inf": "inf" is not a number of dollars`,
		"in=3,in=4":      `"in=4": in is said twice`,
		"in=3,":          `"": "" is none of in, out, read, write, hour`,
		"in=3,cache=1":   `"cache=1": "cache" is none of in, out, read, write, hour`,
		"out=15,read=.3": `"out=15,read=.3": in is missing: what a million tokens of input cost, such as in=3`,
	} {
		if _, err := cost.ParsePrices(arg, noFile); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", arg, err, want)
		}
	}
	if _, err := cost.ParsePrices("prices.yaml", noFile); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	const keys = "the keys are in, out, read, write, hour"
	for text, want := range map[string]string{
		"":        "p: there is no price in it",
		"{}":      "p: there is no price in it",
		"- in: 3": "p:1: the prices by model must be a mapping",
		"m: 3":    "p:1: rates must be a mapping; write KEY: VALUE; " + keys + ", above, long",
		"m: {out: 3}": "p:1: in is missing: what a million tokens of input cost, " +
			"such as in=3",
		"m:\n  in: 3\n  inn: 4":                `p:3: unknown key "inn" in rates; ` + keys + ", above, long",
		"m: {in: 3}\nm: {in: 4}":               `p:2: "m" stands twice in the prices by model`,
		"m:\n  in: free":                       `p:2: "free" is not a number of dollars`,
		"m: {in: 3, above: 9}":                 "p:1: above and long go together, and long needs in",
		"m: {in: 3, long: {in: 9}}":            "p:1: above and long go together, and long needs in",
		"m: {in: 3, above: -9, long: {in: 9}}": "p:1: above must be a whole number, at least 1",
		"m: {in: 3, above: 9, long: {out: 9}}": "p:1: above and long go together, and long needs in",
		"m: {in: 3, above: 9, long: {inn: 9}}": `p:1: unknown key "inn" in long; ` + keys,
		"\"\": {in: 3}":                        "p:1: the name of the model is missing",
		"m: {in: 3": "p:1: the bracket { is not closed; close it, or quote the value " +
			"if it is text",
		"m: {in: [3]}":                          `p:1: "" is not a number of dollars`,
		"a: &x {in: 3}\nb: *x":                  "p:1: an anchor; write it out",
		"m: {in: 3, in: 4}":                     `p:1: "in" stands twice in rates`,
		"m:\n  in: 3\n  above: 9\n  long: 4\n":  "p:4: long must be a mapping; write KEY: VALUE; " + keys,
		"m:\n  in: 3\n  above: 1e3\n  long: {}": "p:3: above must be a whole number, at least 1",
	} {
		if _, err := cost.ParsePrices("p", aFile(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
