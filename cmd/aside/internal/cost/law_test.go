package cost_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/cmd/aside/internal/cost"
	table "github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/promptcache"
)

var all = []cost.Way{cost.Native, cost.Anchored, cost.Tail, cost.Naive}

// models are one of each kind of cache, those of which nobody knows it included.
var models = []string{"claude-opus-5", "claude-opus-4-6", "gpt-5.6", "gpt-4o", "qwen3", "nobody-1"}

// few blocks a call and a reminder are so many that a breakpoint looks back past them.
const few = 8

// conversation draws a run: turns that go on, a cache that is lost now and then, compactions; what was
// recorded of it is possible, and now and then nothing was. No prompt is so short that it is not cached:
// there a reminder may make a run cheaper.
func conversation(t *rapid.T, models []string, most int) (calls []cost.Call) {
	model := rapid.SampledFrom(models).Draw(t, "model")
	rules := table.Of(model).Cache
	known := rapid.SampledFrom([]string{"all", "length", "nothing"}).Draw(t, "known")
	end, answer := 0, 0
	for i := range rapid.IntRange(1, 25).Draw(t, "calls") {
		c := cost.Call{Model: model, Blocks: rapid.IntRange(1, most).Draw(t, "blocks"), New: 4 * rapid.IntRange(0,
			1500).Draw(t, "new")}

		read, grown := end, rapid.IntRange(1, 4000).Draw(t, "grown")+answer
		switch {
		case i == 0:
			read, grown = rapid.IntRange(0, 9000).Draw(t, "warm"), 5000+grown
		case rapid.IntRange(0, 15).Draw(t, "what") == 0: // lost
			read = rapid.IntRange(0, end).Draw(t, "left")
			grown += end - read
		case rapid.IntRange(0, 15).Draw(t, "what else") == 0:
			c.Rewritten = true
			read = rapid.IntRange(0, end).Draw(t, "kept")
			grown += 6000
		}
		if i == 0 || c.Rewritten {
			c.New += 24_000
		}
		answer = rapid.IntRange(0, 900).Draw(t, "answer")
		c.Recorded = cost.Recorded{Output: answer, Spoke: true}
		switch known {
		case "all":
			c.Recorded.Cached = true
			c.Recorded.Usage = promptcache.Usage{Prompt: read + grown, Read: read}
			if rules.Kind == table.Marked || rules.Kind == table.Endings {
				c.Recorded.Write = grown
				if rapid.Bool().Draw(t, "hour") && rules.Kind == table.Marked {
					c.Recorded.Hour = grown
				}
				c.Recorded.Prompt += rapid.SampledFrom([]int{0, 0, 3, 700}).Draw(t, "plain")
			}
		case "length":
			c.Recorded.Prompt = read + grown
		}
		end = read + grown
		calls = append(calls, c)
	}
	return calls
}

// remind draws on which calls reminders fire, and for how long they are due.
func remind(t *rapid.T, calls []cost.Call) []cost.Call {
	calls = slices.Clone(calls)
	for id := range rapid.IntRange(1, 4).Draw(t, "reminders") {
		text := cost.Text{ID: fmt.Sprint("r", id), Tokens: rapid.IntRange(1, 300).Draw(t, "tokens")}
		left := 0
		for i := range calls {
			c := &calls[i]
			if fires := rapid.IntRange(0, 3).Draw(t, "fires") == 0; fires {
				c.Fired = append(slices.Clip(c.Fired), text)
				left = rapid.IntRange(1, 4).Draw(t, "keep")
			}
			if left > 0 {
				c.Due = append(slices.Clip(c.Due), text)
				left--
			}
		}
	}
	return calls
}

func play(calls []cost.Call, prices cost.Prices) *cost.Account {
	a := new(cost.Account)
	a.Play(calls, prices)
	return a
}

func prices(t *rapid.T, in, read, write, hour float64) cost.Prices {
	l, err := cost.ParsePrices(fmt.Sprintf("in=%g,out=15,read=%g,write=%g,hour=%g", in, read, write, hour), nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func standard(t *rapid.T) cost.Prices { return prices(t, 3, 0.3, 3.75, 6) }

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

// TestLawBaseline: without reminders every way is the run as it was recorded, where it was.
func TestLawBaseline(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		calls := conversation(t, models, 25)
		a := play(calls, standard(t))
		var want promptcache.Usage
		for _, c := range calls {
			want = want.Plus(c.Recorded.Usage)
		}
		if got := a.Base().Usage; calls[0].Recorded.Cached && got != want {
			t.Fatalf("%+v, recorded was %+v", got, want)
		} else if got.Prompt != want.Prompt && want.Prompt > 0 {
			t.Fatalf("%d tokens, recorded were %d", got.Prompt, want.Prompt)
		}
		for _, w := range all {
			if x, _, ok := a.Added(w); ok && (x.Total != a.Base() || x.More != (cost.Total{}) || len(x.Shares) > 0) {
				t.Fatalf("%v: %+v, without reminders %+v", w, x, a.Base())
			}
		}
		if reminded := play(remind(t, calls), standard(t)); reminded.Base() != a.Base() {
			t.Fatalf("with reminders the run without them comes to %+v, before to %+v", reminded.Base(), a.Base())
		}
	})
}

// TestLawSums: what reminders come to, all of them together, is what the way adds, in tokens and in dollars;
// and no token of the client's is made or lost.
func TestLawSums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		calls := remind(t, conversation(t, models, 25))
		a := play(calls, standard(t))
		fires := map[string]int{}
		put := map[cost.Way]int{}
		for _, c := range calls {
			for _, f := range c.Fired {
				fires[f.ID]++
				put[cost.Native] += f.Tokens
			}
			for _, d := range c.Due {
				put[cost.Tail] += d.Tokens
			}
		}
		put[cost.Naive] = put[cost.Native]
		for _, w := range all {
			x, _, ok := a.Added(w)
			if !ok {
				continue
			}
			var sum promptcache.Usage
			dollars := 0.0
			for _, s := range x.Shares {
				sum = sum.Plus(s.Own).Plus(s.Moved)
				dollars += s.Dollars()
				if s.Moved.Prompt != 0 || s.Own.Plain() < 0 || s.Own.Read < 0 || s.Own.Write < 0 || s.Own.Hour < 0 {
					t.Fatalf("%v: %+v", w, s)
				}
				if w != cost.Tail && s.Fires != fires[s.ID] {
					t.Fatalf("%v: %s fired %d times, counted %d", w, s.ID, fires[s.ID], s.Fires)
				}
			}
			if sum != x.More.Usage || !near(dollars, x.More.Dollars) {
				t.Fatalf("%v: reminders %+v and $%g, the way %+v", w, sum, dollars, x.More)
			}
			if w != cost.Anchored && sum.Prompt != put[w] || sum.Prompt < put[cost.Native] {
				t.Fatalf("%v: %d tokens more, %d were put", w, sum.Prompt, put[w])
			}
			if x.Total.Read < 0 || x.Total.Write < 0 || x.Total.Plain() < 0 || x.Total.Hour < 0 ||
				x.Total.Hour > x.Total.Write {
				t.Fatalf("%v: %+v", w, x.Total)
			}
		}
	})
}

// TestLawBehindTheBreakpoint: where the client marks its prompts, what stands behind the mark this once
// changes no read and no write, what stays is never cheaper than what lapses, and the naive way never moves a
// token for the better.
func TestLawBehindTheBreakpoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := play(remind(t, conversation(t, []string{"claude-opus-5", "claude-opus-4-8", "gpt-5.6"}, few)),
			standard(t))
		var dollars [cost.Naive + 1]float64
		for _, w := range all {
			x, _, ok := a.Added(w)
			if !ok {
				continue
			}
			dollars[w] = x.More.Dollars
			for _, s := range x.Shares {
				if w != cost.Naive && s.Moved != (promptcache.Usage{}) {
					t.Fatalf("%v: %s moves %+v", w, s.ID, s.Moved)
				}
			}
			switch {
			case (w == cost.Native || w == cost.Tail) && (x.More.Read != 0 || x.More.Write != 0):
				t.Fatalf("%v: %+v", w, x.More)
			case w == cost.Naive && (x.More.Read > 0 || x.More.Write < 0):
				t.Fatalf("%v: %+v", w, x.More)
			}
		}
		if dollars[cost.Native] > dollars[cost.Anchored]+1e-12 && dollars[cost.Native] > 0 {
			t.Fatalf("native costs $%g, anchored $%g", dollars[cost.Native], dollars[cost.Anchored])
		}
	})
}

// TestLawPrice: twice the price is twice the cost, and no rate that rises makes a run cheaper.
func TestLawPrice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		calls := remind(t, conversation(t, models, 25))
		rate := rapid.Float64Range(0.01, 20)
		in, read, write, hour := rate.Draw(t, "in"), rate.Draw(t, "read"), rate.Draw(t,
			"write"), rate.Draw(t, "hour")
		one := play(calls, prices(t, in, read, write, hour))
		two := play(calls, prices(t, 2*in, 2*read, 2*write, 2*hour))
		more := rate.Draw(t, "more")
		dear := []*cost.Account{
			play(calls, prices(t, in+more, read, write, hour)), play(calls, prices(t, in, read+more, write, hour)),
			play(calls, prices(t, in, read, write+more, hour)), play(calls, prices(t, in, read, write, hour+more)),
		}
		for _, w := range all {
			x, _, ok := one.Added(w)
			if !ok {
				continue
			}
			if y, _, _ := two.Added(w); !near(y.Total.Dollars, 2*x.Total.Dollars) || y.Total.Usage != x.Total.Usage {
				t.Fatalf("%v: %+v, at twice the price %+v", w, x.Total, y.Total)
			}
			for i, d := range dear {
				if y, _, _ := d.Added(w); y.Total.Dollars < x.Total.Dollars-1e-12 {
					t.Fatalf("%v: $%g, with rate %d higher $%g", w, x.Total.Dollars, i, y.Total.Dollars)
				}
			}
		}
	})
}

// TestLawOneMore: a reminder more never makes the others' own tokens fewer, nor the run cheaper.
func TestLawOneMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		calls := remind(t, conversation(t, []string{"claude-opus-5", "gpt-5.6"}, few))
		more := slices.Clone(calls)
		at := rapid.IntRange(0, len(calls)-1).Draw(t, "at")
		text := cost.Text{ID: "zz", Tokens: 50}
		more[at].Fired = append(slices.Clip(more[at].Fired), text)
		more[at].Due = append(slices.Clip(more[at].Due), text)
		a, b := play(calls, standard(t)), play(more, standard(t))
		for _, w := range []cost.Way{cost.Native, cost.Anchored, cost.Tail} {
			x, _, ok := a.Added(w)
			y, _, _ := b.Added(w)
			if !ok {
				continue
			}
			if y.More.Dollars < x.More.Dollars || y.More.Prompt < x.More.Prompt+50 {
				t.Fatalf("%v: %+v, and with one more %+v", w, x.More, y.More)
			}
			for _, s := range x.Shares {
				n := slices.IndexFunc(y.Shares, func(o cost.Share) bool { return o.ID == s.ID })
				if n < 0 || y.Shares[n].Own.Prompt != s.Own.Prompt || y.Shares[n].Fires != s.Fires {
					t.Fatalf("%v: %+v, and with one more %+v", w, s, y.Shares)
				}
			}
		}
	})
}

// TestUnknownModel: of a model that nobody knows, the recording shows how it is cached.
func TestUnknownModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		known := remind(t, conversation(t, []string{"claude-opus-5", "gemini-3.8-flash"}, few))
		for i := range known {
			if !known[i].Recorded.Cached { // then it shows nothing
				return
			}
		}
		unknown := slices.Clone(known)
		for i := range unknown {
			unknown[i].Model = "nobody-1"
		}
		a, b := play(known, standard(t)), play(unknown, standard(t))
		for _, w := range []cost.Way{cost.Anchored, cost.Naive} {
			x, _, _ := a.Added(w)
			y, _, _ := b.Added(w)
			if x.Total != y.Total || !slices.Equal(x.Shares, y.Shares) {
				t.Fatalf("%v: %+v, of a model that is known %+v", w, y, x)
			}
		}
	})
}
