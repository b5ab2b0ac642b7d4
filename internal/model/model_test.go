package model_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestColumns holds each row to say something in all columns: a value with its source and the month of the
// last comparison, or a reason why no value is known, and never both. Whoever adds a model and forgets a
// column fails here.
func TestColumns(t *testing.T) {
	t.Parallel()
	month := regexp.MustCompile(`^20\d\d-(0[1-9]|1[0-2])$`)
	seen := map[string]bool{}
	for _, r := range model.All() {
		if r.Name == "" || seen[r.Name] {
			t.Errorf("%q: two rows, or no name", r.Name)
		}
		seen[r.Name] = true
		for column, c := range map[string]struct {
			model.Evidence
			value bool // there is one
		}{
			"window":   {r.Window.Evidence, r.Window.Tokens > 0},
			"delivery": {r.Delivery.Evidence, r.Delivery.Source != ""}, // the zero Delivery is a value too
			"cache":    {r.Cache.Evidence, r.Cache.Kind != model.Uncached},
			"price":    {r.Price.Evidence, r.Price.In > 0},
		} {
			switch {
			case c.value == (c.Unknown != ""):
				t.Errorf("%s: %s: neither known nor unknown, or both: %+v", r.Name, column, c.Evidence)
			case c.value && (c.Source == "" || !month.MatchString(c.Checked)):
				t.Errorf("%s: %s: no source, or no month: %+v", r.Name, column, c.Evidence)
			case !c.value && (c.Source != "" || c.Checked != ""):
				t.Errorf("%s: %s: a source of nothing: %+v", r.Name, column, c.Evidence)
			}
		}
	}
}

// TestOnlyHere: no other product code names a model, so that table.go is the only file that a new model
// touches.
func TestOnlyHere(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range model.All() {
		if len(r.Name) > len("o1") && strings.ContainsAny(r.Name, "0123456789") {
			names = append(names, r.Name)
		}
	}
	named := func(text string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, name) })
	}
	root, read := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"testdata", "test", "model", "sample"}, d.Name()) ||
			strings.HasPrefix(d.Name(), ".") && path != root):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		read++
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && named(l.Value) {
				t.Errorf("%s: %s names a model; the place for that is table.go", fset.Position(l.Pos()), l.Value)
			}
			return true
		})
		return nil
	})
	if err != nil || read < 100 {
		t.Fatalf("%d files read: %v", read, err)
	}
}

// TestValues holds the values of each row to what all of them have in common.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, r := range model.All() {
		if got := model.Of(r.Name); got.Name != r.Name || got.Price != r.Price || got.Window != r.Window {
			t.Errorf("%s: the row of %s is found", r.Name, got.Name)
		}
		if d := r.Delivery; d.ClearAt != "" && !slices.Contains(d.System, model.Direct) ||
			(d.ClearAt != "") != slices.Contains(d.Places, model.Native) || len(d.Places) == 0 ||
			!slices.Contains([]string{"", "developer", "system"}, d.Role) {
			t.Errorf("%s: %+v", r.Name, d)
		}
		if c := r.Cache; c.Unknown == "" && (c.Write < 1 || c.Read >= 1 || c.Hour != 0 && c.Hour < c.Write ||
			c.Minimum <= 0 || (c.Kind == model.Stepped) != (c.Step > 0)) {
			t.Errorf("%s: %+v", r.Name, c)
		}
		if p := r.Price; p.Unknown == "" && (p.Out <= p.In || (p.Above > 0) != (p.LongIn > p.In) ||
			p.Above > 0 && p.LongOut <= p.Out) {
			t.Errorf("%s: %+v", r.Name, p)
		}
		if r.Price.Unknown == "" && r.Cache.Unknown != "" {
			t.Errorf("%s has a price, and nobody knows the price of its cache", r.Name)
		}
	}
}

// TestFakesAgree: the strict fakes of the APIs, which have a list of their own, take the same texts of the
// same models.
func TestFakesAgree(t *testing.T) {
	t.Parallel()
	held := 0
	for _, m := range modelapi.Models() {
		d := model.Of(m.Prefix).Delivery
		if d.Unknown != "" {
			continue
		}
		held++
		if m.System != slices.Contains(d.System, model.Direct) || m.ClearAt != (d.ClearAt != "") ||
			m.Binds != d.Binds || m.StripsThinking != (strings.HasPrefix(m.Prefix, "claude-") &&
			slices.Index(d.Places, model.Result) == 0) {
			t.Errorf("%s: the fake has %+v, the table %+v", m.Prefix, m, d)
		}
	}
	if held < 20 {
		t.Errorf("%d models compared", held)
	}
}

// TestOf: an id has the row with the longest name that it begins with, whatever platforms and gateways put
// in front, and the price of that row only where it names the same model.
func TestOf(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]struct {
		row    string
		priced bool
	}{
		"claude-opus-4-6":                              {"claude-opus-4-6", true},
		"claude-opus-5-5[1m]":                          {"claude-opus-5-5", true},
		"claude-opus-4-20250514":                       {"claude-opus-4", true},
		"us.anthropic.claude-opus-4-20250514-v1:0":     {"claude-opus-4", true},
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": {"claude-sonnet-4-5", true},
		"claude-sonnet-4-5@20250929":                   {"claude-sonnet-4-5", true},
		"claude-opus-5-latest":                         {"claude-opus-5", true},
		"anthropic/claude-opus-5.5":                    {"claude-opus-5-5", true},
		"claude-haiku-4.5":                             {"claude-haiku-4-5", true},
		"gateway/us.anthropic.claude-fable-5-1":        {"claude-fable-5-1", true},
		"publishers/anthropic/models/claude-opus-5":    {"claude-opus-5", true},
		"gemini-proxy/claude-opus-5":                   {"claude-opus-5", true},
		"models/gemini-3.8-flash":                      {"gemini-3.8-flash", true},
		"openai/gpt-5.6-sol":                           {"gpt-5.6-sol", true},
		"gpt-5-2025-08-07":                             {"gpt-5", true},
		"gpt-5-pro":                                    {"gpt-5", false},
		"gpt-5.6-mars":                                 {"gpt-5.6", false},
		"gpt-5.9":                                      {"gpt-5.", false},
		"claude-opus-4-9":                              {"claude-opus-4", false},
		"claude-opus-6":                                {"claude-", false},
		"gemini-3.8-flash-lite":                        {"gemini-3.8-flash", false},
		"accounts/fireworks/models/qwen3-coder-480":    {"qwen", false},
		"claude-3-7-sonnet-20250219":                   {"claude-3", false},
		"my-claude-opus-5":                             {"", false},
		"command-r":                                    {"", false},
		"claude":                                       {"", false},
		"<synthetic>":                                  {"", false},
		"":                                             {"", false},
	} {
		r := model.Of(id)
		if r.Name != want.row || (r.Price.Unknown == "") != want.priced || want.priced != (r.Price.In > 0) {
			t.Errorf("%s: the row %q, price %+v; want %+v", id, r.Name, r.Price, want)
		}
		if r.Name == "" && (r.Window.Unknown == "" || r.Delivery.Unknown == "" || r.Cache.Unknown == "") {
			t.Errorf("%s: it has no row, and yet a column that is not unknown: %+v", id, r)
		}
	}
}

func TestLongest(t *testing.T) {
	t.Parallel()
	prefixes := []string{"", "a", "ab", "b", "claude-x-1", "v/ab"}
	for id, want := range map[string]int{
		"": 0, "x": 0, "a": 1, "abc": 2, "x/ab": 2, "x.b": 3, "xb": 0, "ab/b": 2, "claude-x.1": 4,
		"y/claude-x.1.2": 4, "v/abc": 5,
	} {
		if got, _ := model.Longest(id, len(prefixes), func(i int) string { return prefixes[i] }); got != want {
			t.Errorf("%q: %d, want %d", id, got, want)
		}
	}
	if got, _ := model.Longest("x", 3, func(i int) string { return prefixes[i+1] }); got != -1 {
		t.Errorf("x begins with none, and yet with %d", got)
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]int64{
		"claude-opus-4-6":                              200_000,
		"claude-opus-4-6[1m]":                          1_000_000,
		"claude-haiku-4-5-20251001":                    200_000,
		"claude-sonnet-4-5-20250929":                   200_000,
		"claude-opus-4-8":                              1_000_000,
		"claude-opus-5":                                1_000_000,
		"claude-opus-5-5-20260601":                     1_000_000,
		"claude-fable-5-1":                             1_000_000,
		"claude-mythos-5":                              0,
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": 200_000,
		"anthropic/claude-sonnet-5":                    1_000_000,
		"anthropic/claude-opus-4.8":                    1_000_000,
		"claude-haiku-4.5":                             200_000,
		"gpt-5":                                        400_000,
		"gpt-5-mini":                                   400_000,
		"gpt-5.3-codex":                                400_000,
		"gpt-5.5":                                      1_050_000,
		"gpt-5.9":                                      0,
		"gpt-6-sol":                                    0,
		"gpt-4o":                                       0,
		"gpt-4.1-mini":                                 1_047_576,
		"gemini-2.5-pro":                               1_048_576,
		"gemini-2.0-flash":                             0,
		"<synthetic>":                                  0,
		"my-own":                                       0,
		"":                                             0,
	} {
		if got, ok := model.Holds(nil, id, 0); got != want || ok != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", id, got, ok, want)
		}
	}
	if n, ok := model.Holds(nil, "claude-opus-4-6", 200_000); n != 200_000 || !ok {
		t.Errorf("a full window: %d, %v", n, ok)
	}
	if _, ok := model.Holds(nil, "claude-opus-4-6", 200_001); ok {
		t.Error("a window that held more than its size is still taken to have that size")
	}
}

// TestHoldsOwn: the sizes of a user go before the table, the longest prefix first.
func TestHoldsOwn(t *testing.T) {
	t.Parallel()
	own := map[string]int64{
		"claude-opus": 7, "claude-opus-5": 9, "my-": 11, "gpt-": 0, "openai/gpt-5.5": 13, "odd": -1,
	}
	for id, want := range map[string]int64{
		"claude-opus-4-8": 7, "claude-opus-5-5": 9, "us.anthropic.claude-opus-5": 9, "claude-opus-4-6[1m]": 7,
		"my-own": 11, "gpt-5-mini": 0, "openai/gpt-5.5": 13, "openai/gpt-5.4": 0, "gemini-3-pro": 1_048_576,
		"odd": 0, "": 0,
	} {
		if got, ok := model.Holds(own, id, 0); got != want || ok != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", id, got, ok, want)
		}
	}
	if n, ok := model.Holds(map[string]int64{"": 5}, "anything", 0); n != 5 || !ok {
		t.Error("the empty prefix fits any model")
	}
}

// TestPage compares the windows with the page that they are from.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "inject", "wire", "WIRE.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| (`(?:claude|gpt|gemini).*) \\| ([0-9,]+) \\|$")
	rows := row.FindAllStringSubmatch(string(page), -1)
	if len(rows) != 6 {
		t.Fatalf("%d rows found, the page has 6", len(rows))
	}
	for _, row := range rows {
		want, err := strconv.ParseInt(strings.ReplaceAll(row[2], ",", ""), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range regexp.MustCompile("`([^`*]+)\\*?`").FindAllStringSubmatch(row[1], -1) {
			if got := model.Of(id[1]).Window.Tokens; got != want {
				t.Errorf("%s: %d, the page says %d", id[1], got, want)
			}
		}
	}
}

// TestCache: some rules of the caches, as the vendors' pages say them.
func TestCache(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]struct {
		kind    model.CacheKind
		minimum int
		read    float64
	}{
		"claude-opus-5":                             {model.Marked, 512, 0.1},
		"claude-opus-5-5":                           {model.Marked, 512, 0.05},
		"claude-haiku-4-5-20251001":                 {model.Marked, 4096, 0.1},
		"us.anthropic.claude-sonnet-4-6":            {model.Marked, 1024, 0.1},
		"models/gemini-3.8-flash":                   {model.Stepped, 4096, 0.1},
		"openai/gpt-5.6-sol":                        {model.Endings, 1024, 0.1},
		"gpt-4o":                                    {model.Stepped, 1024, 0.5},
		"gateway/us.anthropic.claude-fable-5-1":     {model.Marked, 512, 0.025},
		"accounts/fireworks/models/qwen3-coder-480": {model.Stepped, 16, 0},
	} {
		c := model.Of(id).Cache
		if c.Kind != want.kind || c.Minimum != want.minimum || math.Abs(c.Read-want.read) > 1e-9 {
			t.Errorf("%s: %+v", id, c)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	const m = 1_000_000
	million := model.Tokens{Plain: m, Read: m, Written: 2 * m, Hour: m, Output: m}
	for _, c := range []struct {
		id   string
		t    model.Tokens
		want float64 // negative: unknown
	}{
		{"claude-opus-4-6", million, 5 + 0.5 + 6.25 + 10 + 25},
		{"claude-opus-4-6-20260101", model.Tokens{Plain: 1000, Output: 100}, 0.0075},
		{"gpt-5.4", model.Tokens{Plain: 272_000}, 0.68},
		{"gpt-5.4", model.Tokens{Plain: 200_001, Read: 72_000}, (200_001*5 + 72_000*0.5) / 1e6},
		{"claude-sonnet-4-5", model.Tokens{Plain: 200_001, Output: 1000}, (200_001*6 + 22_500) / 1e6},
		{"gemini-2.5-pro", model.Tokens{Plain: 1000, Read: 1000, Output: 10}, (1000*1.25 + 1000*0.125 + 100) / 1e6},
		{"claude-", million, -1},
		{"somebody's", million, -1},
	} {
		row := model.Of(c.id)
		got, ok := row.Cost(c.t)
		if !ok {
			got = -1
		}
		if math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s %+v: $%v, want $%v", c.id, c.t, got, c.want)
		}
	}
}
