package promptcache_test

import (
	"regexp"
	"testing"

	"github.com/aside-go/aside/internal/promptcache"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]struct {
		kind    promptcache.Kind
		minimum int
		read    float64
	}{
		"claude-opus-5":                             {promptcache.Marked, 512, 0.1},
		"claude-opus-5-5":                           {promptcache.Marked, 512, 0.05},
		"claude-opus-5-5[1m]":                       {promptcache.Marked, 512, 0.05},
		"claude-haiku-4-5-20251001":                 {promptcache.Marked, 4096, 0.1},
		"us.anthropic.claude-sonnet-4-6":            {promptcache.Marked, 1024, 0.1},
		"us.anthropic.claude-opus-4-20250514-v1:0":  {promptcache.Marked, 1024, 0.1},
		"anthropic/claude-opus-5.5":                 {promptcache.Marked, 512, 0.05},
		"models/gemini-3.8-flash":                   {promptcache.Stepped, 4096, 0.1},
		"openai/gpt-5.6-sol":                        {promptcache.Endings, 1024, 0.1},
		"gpt-4o":                                    {promptcache.Stepped, 1024, 0.1},
		"gateway/us.anthropic.claude-fable-5-1":     {promptcache.Marked, 512, 0.025},
		"accounts/fireworks/models/qwen3-coder-480": {promptcache.Stepped, 16, 0},
	} {
		r, ok := promptcache.Of(model)
		if !ok || r.Kind != want.kind || r.Minimum != want.minimum || r.Read != want.read {
			t.Errorf("%s: %+v, %v", model, r, ok)
		}
	}
	for _, model := range []string{"", "mistral-large", "my-claude-opus-5"} {
		if r, ok := promptcache.Of(model); ok || r != (promptcache.Rules{}) {
			t.Errorf("%q: %+v, though nobody knows", model, r)
		}
	}
}

// TestTable: each row can be found, says where it is from, and no two are for the same models.
func TestTable(t *testing.T) {
	t.Parallel()
	month := regexp.MustCompile(`^20\d\d-(0[1-9]|1[0-2])$`)
	seen := map[string]bool{}
	for _, r := range promptcache.Table() {
		if got, ok := promptcache.Of(r.Prefix); !ok || got != r.Rules {
			t.Errorf("%s: %+v is found", r.Prefix, got)
		}
		if seen[r.Prefix] || r.Source == "" || !month.MatchString(r.Checked) || r.Kind == promptcache.Uncached || r.Write < 1 || r.Read >= 1 {
			t.Errorf("%+v", r)
		}
		seen[r.Prefix] = true
	}
}

func TestLongest(t *testing.T) {
	t.Parallel()
	prefixes := []string{"", "a", "ab", "b"}
	for model, want := range map[string]int{"": -1, "x": -1, "a": 1, "abc": 2, "x/ab": 2, "x.b": 3, "xb": -1, "ab/b": 2} {
		if got := promptcache.Longest(model, len(prefixes), func(i int) string { return prefixes[i] }); got != want {
			t.Errorf("%q: %d, want %d", model, got, want)
		}
	}
}
