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

// lapses tells of one of models whether texts lapse with their turn.
func lapses(calls []cost.Call) bool { return calls[0].Model == "claude-opus-5" }

// remind draws on which calls reminders fire.
func remind(t *rapid.T, calls []cost.Call) []cost.Call {
	calls = slices.Clone(calls)
	for id := range rapid.IntRange(1, 4).Draw(t, "reminders") {
		text := cost.Text{ID: fmt.Sprint("r", id), Tokens: rapid.IntRange(1, 300).Draw(t, "tokens")}
		for i := range calls {
			if c := &calls[i]; rapid.IntRange(0, 3).Draw(t, "fires") == 0 {
				c.Fired = append(slices.Clip(c.Fired), text)
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

// TestLawBaseline: without reminders the run is as it was recorded, where it was.
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
		if x := a.Added(); x.Total != a.Base() || x.More != (cost.Total{}) || len(x.Shares) > 0 {
			t.Fatalf("%+v, without reminders %+v", x, a.Base())
		}
		if reminded := play(remind(t, calls), standard(t)); reminded.Base() != a.Base() {
			t.Fatalf("with reminders the run without them comes to %+v, before to %+v", reminded.Base(), a.Base())
		}
	})
}

// TestLawSums: what reminders come to, all of them together, is what is added, in tokens and in dollars; and
// no token of the client's is made or lost.
func TestLawSums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		calls := remind(t, conversation(t, models, 25))
		a := play(calls, standard(t))
		fires := map[string]int{}
		put := 0
		for _, c := range calls {
			for _, f := range c.Fired {
				fires[f.ID]++
				put += f.Tokens
			}
		}
		x := a.Added()
		var sum promptcache.Usage
		dollars := 0.0
		for _, s := range x.Shares {
			sum = sum.Plus(s.Own).Plus(s.Moved)
			dollars += s.Dollars()
			if s.Moved.Prompt != 0 || s.Own.Plain() < 0 || s.Own.Read < 0 || s.Own.Write < 0 || s.Own.Hour < 0 {
				t.Fatalf("%+v", s)
			}
			if s.Fires != fires[s.ID] {
				t.Fatalf("%s fired %d times, counted %d", s.ID, fires[s.ID], s.Fires)
			}
		}
		if sum != x.More.Usage || !near(dollars, x.More.Dollars) {
			t.Fatalf("reminders %+v and $%g, all %+v", sum, dollars, x.More)
		}
		if sum.Prompt < put || lapses(calls) && sum.Prompt != put {
			t.Fatalf("%d tokens more, %d were put", sum.Prompt, put)
		}
		if x.Total.Read < 0 || x.Total.Write < 0 || x.Total.Plain() < 0 || x.Total.Hour < 0 ||
			x.Total.Hour > x.Total.Write {
			t.Fatalf("%+v", x.Total)
		}
	})
}

// TestLawBehindTheBreakpoint: where the client marks its prompts, no text moves a token of the client's, and
// one that lapses is neither read nor written.
func TestLawBehindTheBreakpoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		calls := remind(t, conversation(t, []string{"claude-opus-5", "claude-opus-4-6", "gpt-5.6"}, few))
		x := play(calls, standard(t)).Added()
		for _, s := range x.Shares {
			if s.Moved != (promptcache.Usage{}) {
				t.Fatalf("%s moves %+v", s.ID, s.Moved)
			}
		}
		if lapses(calls) && (x.More.Read != 0 || x.More.Write != 0) {
			t.Fatalf("%+v", x.More)
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
		x, y := one.Added(), two.Added()
		if !near(y.Total.Dollars, 2*x.Total.Dollars) || y.Total.Usage != x.Total.Usage {
			t.Fatalf("%+v, at twice the price %+v", x.Total, y.Total)
		}
		for i, d := range dear {
			if y := d.Added(); y.Total.Dollars < x.Total.Dollars-1e-12 {
				t.Fatalf("$%g, with rate %d higher $%g", x.Total.Dollars, i, y.Total.Dollars)
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
		x, y := play(calls, standard(t)).Added(), play(more, standard(t)).Added()
		if y.More.Dollars < x.More.Dollars || y.More.Prompt < x.More.Prompt+50 {
			t.Fatalf("%+v, and with one more %+v", x.More, y.More)
		}
		for _, s := range x.Shares {
			n := slices.IndexFunc(y.Shares, func(o cost.Share) bool { return o.ID == s.ID })
			if n < 0 || y.Shares[n].Own.Prompt != s.Own.Prompt || y.Shares[n].Fires != s.Fires {
				t.Fatalf("%+v, and with one more %+v", s, y.Shares)
			}
		}
	})
}

// TestUnknownModel: of a model that nobody knows, the recording shows how it is cached.
func TestUnknownModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		known := remind(t, conversation(t, []string{"claude-opus-4-6", "gemini-3.8-flash"}, few))
		for i := range known {
			if !known[i].Recorded.Cached { // then it shows nothing
				return
			}
		}
		unknown := slices.Clone(known)
		for i := range unknown {
			unknown[i].Model = "nobody-1"
		}
		x, y := play(known, standard(t)).Added(), play(unknown, standard(t)).Added()
		if x.Total != y.Total || !slices.Equal(x.Shares, y.Shares) {
			t.Fatalf("%+v, of a model that is known %+v", y, x)
		}
	})
}
