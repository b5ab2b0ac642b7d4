package promptcache_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/promptcache"
	_ "github.com/aside-go/aside/internal/test/testkit" // the same draws each time under CI=true
)

var noon = time.Unix(1_700_000_000, 0)

// unit is a block of so many tokens that no other name gives.
func unit(name string, tokens int) promptcache.Unit {
	text := name + " " + strings.Repeat("x", 4*tokens-len(name)-1)
	return promptcache.Unit{Raw: text, Text: text, Bytes: len(text)}
}

func prompt(r model.Cache, units ...promptcache.Unit) *promptcache.Prompt {
	p := promptcache.New("m", r)
	for _, u := range units {
		p.Add(u)
	}
	return p
}

var (
	marked  = model.Cache{Kind: model.Marked, Minimum: 10, TTL: 5 * time.Minute, Read: 0.1, Write: 1.25, Hour: 2}
	stepped = model.Cache{Kind: model.Stepped, Minimum: 16, Step: 8, Read: 0.1, Write: 1}
	endings = model.Cache{Kind: model.Endings, Minimum: 10, TTL: 30 * time.Minute, Read: 0.1, Write: 1.25}
)

func check(t *testing.T, what string, u promptcache.Usage, read, write, plain int) {
	t.Helper()
	if u.Read != read || u.Write != write || u.Plain() != plain {
		t.Errorf("%s: read %d, written %d, plain %d; want %d, %d, %d", what, u.Read, u.Write, u.Plain(), read,
			write, plain)
	}
}

func TestHoldsWarmForget(t *testing.T) {
	t.Parallel()
	for _, r := range []model.Cache{marked, stepped, endings} {
		t.Run(fmt.Sprint(r.Kind), func(t *testing.T) {
			t.Parallel()
			p := prompt(r, unit("a", 16), unit("b", 16), unit("c", 16))
			p.Marks, p.Endings = []promptcache.Mark{{Unit: 2}}, []int{0, 1, 2}
			if r.Kind == model.Endings {
				p.Marks = nil
			}
			var c promptcache.Cache
			if c.Holds(p, 1, noon) {
				t.Error("an empty cache holds something")
			}
			c.Warm(p, 2, noon)
			if !c.Holds(p, 2, noon) || c.Holds(p, 3, noon) {
				t.Error("two units were put there, and nothing else")
			}
			if u := c.Count(p, noon); u.Read != 32 || c.Holds(p, 3, noon) {
				t.Errorf("counted %+v, and remembered: %v", u, c.Holds(p, 3, noon))
			}
			if u := c.Serve(p, noon); u.Read != 32 || !c.Holds(p, 3, noon) {
				t.Errorf("served %+v", u)
			}
			c.Forget(32)
			if !c.Holds(p, 2, noon) || c.Holds(p, 3, noon) {
				t.Error("32 tokens stay, and nothing longer")
			}
			c.Forget(31)
			if c.Holds(p, 2, noon) {
				t.Error("32 tokens were to be forgotten")
			}
		})
	}
}

func TestEntriesEnd(t *testing.T) {
	t.Parallel()
	p := prompt(marked, unit("a", 16), unit("b", 16))
	p.Marks = []promptcache.Mark{{Unit: 0, Hour: true}, {Unit: 1}}
	var c promptcache.Cache
	u := c.Serve(p, noon)
	if check(t, "first", u, 0, 32, 0); u.Hour != 16 {
		t.Errorf("%d for an hour", u.Hour)
	}
	check(t, "before five minutes", c.Count(p, noon.Add(5*time.Minute-1)), 32, 0, 0)
	check(t, "after", c.Count(p, noon.Add(5*time.Minute)), 16, 16, 0)
	check(t, "after an hour", c.Count(p, noon.Add(time.Hour)), 0, 32, 0)
	if got, want := price(u, marked), 2*16+1.25*16; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// price returns the price of a prompt, in tokens at the base price.
func price(u promptcache.Usage, c model.Cache) float64 { return c.Rates(1e6).Cost(u.Tokens()) }

// TestStepsLiveOn: what is read of a cache that forgets lives as long again as what is new.
func TestStepsLiveOn(t *testing.T) {
	t.Parallel()
	r := stepped
	r.TTL = 5 * time.Minute
	p := prompt(r, unit("a", 32))
	var c promptcache.Cache
	for n := range 4 {
		u := c.Serve(p, noon.Add(time.Duration(n)*4*time.Minute))
		if want := min(n, 1) * 32; u.Read != want {
			t.Errorf("after %d minutes %d tokens were read, want %d", 4*n, u.Read, want)
		}
	}
}

func TestJoinedTakesNoPosition(t *testing.T) {
	t.Parallel()
	for joined, read := range map[bool]int{false: 0, true: 16} {
		p := prompt(marked, unit("a", 16))
		p.Marks = []promptcache.Mark{{Unit: 0}}
		var c promptcache.Cache
		c.Serve(p, noon)
		for i := range 20 {
			u := unit(fmt.Sprint("b", i), 1)
			u.Joined = joined
			p.Add(u)
		}
		p.Marks = []promptcache.Mark{{Unit: 20}}
		check(t, fmt.Sprint("joined ", joined), c.Serve(p, noon), read, 36-read, 0)
	}
}

// TestCutIsAsIfNeverAdded: a prompt that was longer once is the prompt that it is.
func TestCutIsAsIfNeverAdded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]model.Cache{marked, stepped, endings}).Draw(t, "rules")
		some := func(label string) (out []promptcache.Unit) {
			for i, n := range rapid.SliceOfN(rapid.IntRange(2, 30), 1, 8).Draw(t, label) {
				out = append(out, unit(fmt.Sprint(label, i), n))
			}
			return out
		}
		a, b, more := some("a"), some("b"), some("c")
		long := prompt(r, append(a, more...)...)
		long.Cut(len(a))
		for _, u := range b {
			long.Add(u)
		}
		short := prompt(r, append(a[:len(a):len(a)], b...)...)
		var c promptcache.Cache
		ends := func(p *promptcache.Prompt) *promptcache.Prompt {
			p.Marks, p.Endings = []promptcache.Mark{{Unit: p.Len() - 1}}, []int{p.Len() - 1}
			if r.Kind == model.Endings {
				p.Marks = nil
			}
			return p
		}
		first := c.Serve(ends(short), noon)
		again := c.Serve(ends(long), noon)
		if first.Read != 0 || first.Prompt != again.Prompt {
			t.Fatalf("%+v, then %+v", first, again)
		}
		want := again.Prompt
		if r.Kind == model.Stepped {
			want -= want % r.Step
		}
		if want < r.Minimum {
			want = 0
		}
		if again.Read != want {
			t.Fatalf("%d of %d tokens were read, want %d", again.Read, again.Prompt, want)
		}
	})
}

// TestLawOfSums: read, written and plain are the prompt; what is served again at once costs no more.
func TestLawOfSums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]model.Cache{marked, stepped, endings, {}}).Draw(t, "rules")
		var c promptcache.Cache
		p := promptcache.New("m", r)
		for i, n := range rapid.SliceOfN(rapid.IntRange(2, 40), 1, 40).Draw(t, "turns") {
			p.Add(unit(fmt.Sprint(i), n))
			last := p.Len() - 1
			if r.Kind == model.Marked && rapid.Bool().Draw(t, "mark") {
				p.Marks = []promptcache.Mark{{Unit: last, Hour: rapid.Bool().Draw(t, "hour")}}
			}
			p.Endings = append(p.Endings, last)
			u := c.Serve(p, noon)
			again := c.Count(p, noon)
			if u.Read < 0 || u.Write < 0 || u.Plain() < 0 || u.Hour > u.Write || u.Hour < 0 {
				t.Fatalf("turn %d: %+v", i, u)
			}
			if again.Write != 0 || again.Read < u.Read || price(again, r) > price(u, r) {
				t.Fatalf("turn %d: %+v, and again %+v", i, u, again)
			}
		}
	})
}
