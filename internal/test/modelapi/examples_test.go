package modelapi_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// The worked example: 50 turns, tools of 12,000 tokens, a system prompt of 8,000, a first user message of
// 2,000, then in each turn an answer of 600 (a text and a call) and a result of 2,400; a reminder is 120.
const turns = 50

// tokens is a text of so many tokens that no other n gives.
func tokens(n int, name string) string {
	return name + strings.Repeat("x", 4*n-len(name))
}

func block(n int, name string) modelapi.Block { return modelapi.TextBlock(tokens(n, name)) }

// example is a conversation that a strategy puts reminders into.
type example struct {
	fires map[int]bool
	put   func(p *modelapi.Prompt, x *example, k int) // k is the turn, from 1
	mark  bool                                        // the client marks the last block and the system prompt
}

var blockOf = func() (out [3][turns + 1]modelapi.Block) {
	for k := range turns + 1 {
		s := strconv.Itoa(k)
		out[0][k], out[1][k], out[2][k] = block(300, "a"+s+" "), block(300, "c"+s+" "), block(2400, "u"+s+" ")
		out[1][k].Kind, out[1][k].ID = modelapi.ToolUse, s
		out[2][k].Kind, out[2][k].ID = modelapi.ToolResult, s
	}
	return out
}()

var (
	toolsBlock  = block(12_000, "tools ")
	systemBlock = block(8_000, "system ")
	firstBlock  = block(2_000, "first ")
)

// prompt is the client's request k.
func (x *example) prompt(model string, k int) *modelapi.Prompt {
	p := &modelapi.Prompt{Model: model, Tools: []modelapi.Block{toolsBlock},
		System: []modelapi.Block{systemBlock}}
	role := "user"
	if !x.mark {
		role = "tool"
	}
	p.Messages = append(p.Messages, modelapi.Message{Role: "user", Blocks: []modelapi.Block{firstBlock}})
	for i := 2; i <= k; i++ {
		p.Messages = append(p.Messages, modelapi.Message{Role: "assistant", Blocks: []modelapi.Block{blockOf[0][i],
			blockOf[1][i]}},
			modelapi.Message{Role: role, Blocks: []modelapi.Block{blockOf[2][i]}})
	}
	if x.mark {
		p.System[0].Mark = &modelapi.Mark{}
		last := p.Messages[len(p.Messages)-1].Blocks
		last[0].Mark = &modelapi.Mark{}
	}
	return p
}

// run is what the whole conversation costs, in tokens at the base price, and the mean share of the client's
// own prompt that was read from the cache in the turn after one that fired, and in the turns that fired.
func (x *example) run(models []modelapi.Model, model string) (cost, after, fired float64) {
	row := modelapi.Model{}
	for _, m := range models {
		if m.Prefix == model {
			row = m
		}
	}
	now := time.Unix(0, 0)
	var cache modelapi.Cache
	nAfter, nFired := 0, 0
	for k := 1; k <= turns; k++ {
		p := x.prompt(model, k)
		if x.put != nil {
			x.put(p, x, k)
		}
		u := cache.Serve(p, row, now)
		cost += row.Cache.Rates(1e6).Cost(u.Tokens())
		stable := float64(22_000 + 3_000*max(0, k-2)) // what a clean run would read
		if x.fires[k-1] {
			after += min(1, float64(u.Read)/stable)
			nAfter++
		}
		if x.fires[k] && k > 1 {
			fired += min(1, float64(u.Read)/stable)
			nFired++
		}
		if row.Cache.Outputs && k < turns {
			p.Messages = append(p.Messages[:len(p.Messages):len(p.Messages)], modelapi.Message{Role: "assistant",
				Blocks: []modelapi.Block{blockOf[0][k+1], blockOf[1][k+1]}})
			cache.Serve(p, row, now)
		}
		now = now.Add(time.Minute)
	}
	return cost, after / float64(max(1, nAfter)), fired / float64(max(1, nFired))
}

// when are the three columns of the tables: six fires, a stretch, every turn. Which six is not said there:
// the cells of "before the first user message" leave only turns whose sum is 147, and its share at the turns
// that fire these or near ones.
var when = []map[int]bool{on(5, 12, 20, 29, 37, 44), on(between(30, 50)...), on(between(1, 50)...)}

func on(ks ...int) map[int]bool {
	out := map[int]bool{}
	for _, k := range ks {
		out[k] = true
	}
	return out
}

func between(from, to int) (out []int) {
	for k := from; k <= to; k++ {
		out = append(out, k)
	}
	return out
}

// cell is a cell of a table: a factor over a run without reminders, in per cent, and the shares that were
// read, if given.
type cell struct{ over, after, fired float64 }

func (c cell) String() string {
	return fmt.Sprintf("%+.1f%% · %.0f%% (%.0f%%)", c.over, c.after, c.fired)
}

func table(t *testing.T, model modelapi.Model, marks bool, want map[string][3]cell) {
	t.Helper()
	model.Prefix = "m"
	models := []modelapi.Model{model}
	none, _, _ := (&example{mark: marks}).run(models, "m")
	for name, cells := range want {
		put, ok := strategies[name]
		if !ok {
			t.Fatal(name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, c := range cells {
				x := &example{fires: when[i], put: put, mark: marks}
				cost, after, fired := x.run(models, "m")
				got := cell{100 * (cost/none - 1), 100 * after, 100 * fired}
				t.Logf("%d: %v, %.0f tokens", i, got, cost)
				near := func(got, want float64) bool { // as it is rounded there
					off := math.Abs(got - want)
					return off <= 0.051 || want >= 5 && off <= 0.51 || want >= 100 && off < 1
				}
				if !near(got.over, c.over) || c.after > 0 && math.Abs(got.after-c.after) > 1 || c.fired > 0 &&
					math.Abs(got.fired-c.fired) > 1 {
					t.Errorf("column %d: %v, want %v", i, got, c)
				}
			}
		})
	}
}

func claude(read float64) modelapi.Model {
	return modelapi.Model{Cache: model.Cache{Kind: model.Marked, Minimum: 512, TTL: 5 * time.Minute, Read: read,
		Write: 1.25, Hour: 2}}
}

// TestWorkedExampleMarks is the example with two breakpoints, at the end of the system prompt and of the last
// message.
func TestWorkedExampleMarks(t *testing.T) {
	t.Parallel()
	none, _, _ := (&example{mark: true}).run([]modelapi.Model{
		func() modelapi.Model { m := claude(0.1); m.Prefix = "m"; return m }()}, "m")
	if none != 671_850 { // $3.359 at $5 a million
		t.Errorf("without reminders %.0f tokens, want 671850", none)
	}
	table(t, claude(0.1), true, map[string][3]cell{
		"none":                          {{}, {}, {}},
		"after the breakpoint":          {{0.1, 100, 0}, {0.4, 100, 0}, {0.9, 100, 0}},
		"clear_at":                      {{0.1, 100, 0}, {0.4, 100, 0}, {0.9, 100, 0}},
		"sticky":                        {{0.4, 100, 0}, {0.8, 100, 0}, {3.3, 100, 0}},
		"sticky, after the breakpoint":  {{0.5, 100, 0}, {1.2, 100, 0}, {4.1, 100, 0}}, // written a turn late
		"on the breakpoint":             {{3.2, 96, 0}, {329, 34, 0}, {622, 29, 0}},
		"in the tool result":            {{3.2, 96, 0}, {329, 34, 0}, {620, 29, 0}},
		"before the first user message": {{75, 96, 30}, {417, 15, 0}, {622, 29, 0}},
		"system, ephemeral":             {{95, 96, 0}, {489, 0, 0}, {790, 0, 0}},
		"system, accumulating":          {{93, 100, 0}, {494, 0, 0}, {817, 0, 0}},
	})
}

func TestWorkedExampleCheapReads(t *testing.T) {
	t.Parallel()
	t.Run("0.025", func(t *testing.T) {
		t.Parallel()
		table(t, claude(0.025), true, map[string][3]cell{
			"after the breakpoint": {{over: 0.2}, {over: 0.8}, {over: 1.8}},
			"sticky":               {{over: 0.4}, {over: 1.2}, {over: 3.4}},
			"on the breakpoint":    {{over: 7}, {over: 722}, {over: 1363}},
			"system, ephemeral":    {{over: 209}, {over: 1073}, {over: 1731}},
		})
	})
	t.Run("0.05", func(t *testing.T) {
		t.Parallel()
		table(t, claude(0.05), true, map[string][3]cell{
			"on the breakpoint": {{over: 5}, {over: 523}, {over: 987}},
			"system, ephemeral": {{over: 151}, {over: 777}, {over: 1254}},
		})
	})
}

// TestWorkedExampleSteps is the example with automatic prefix caches. One cell of the table does not come
// out: a system prompt edited on every turn is said to cost 525% more, against 516% for a text before the
// first user message. Both leave the same 19,968 tokens in the cache, so both must cost the same, as they do
// in the other columns. The difference is what three requests without those tokens cost.
func TestWorkedExampleSteps(t *testing.T) {
	t.Parallel()
	table(t, modelapi.Model{Cache: model.Cache{Kind: model.Stepped, Minimum: 1024, Step: 128, Read: 0.1,
		Write: 1}}, false, map[string][3]cell{
		"trailing developer":            {{0.1, 100, 0}, {0.4, 100, 0}, {0.9, 100, 0}},
		"sticky user":                   {{over: 0.4}, {over: 0.8}, {over: 3.3}},
		"before the first user message": {{over: 62}, {over: 347}, {over: 516}},
		"system, ephemeral": {{over: 62}, {over: 347},
			{over: 517}}, // the table says 525: see the comment
	})
}

// TestWorkedExampleLongSteps: at 2,048 tokens a step the same, only less of it is found.
func TestWorkedExampleLongSteps(t *testing.T) {
	t.Parallel()
	table(t, modelapi.Model{Cache: model.Cache{Kind: model.Stepped, Minimum: 1024, Step: 2048, Read: 0.1,
		Write: 1}}, false, map[string][3]cell{
		"trailing developer": {{0.1, 98, 0}, {over: 0.4}, {over: 0.9}},
	})
}

// TestWorkedExamplePrefill counts the tokens that a server of one's own computes again: it caches answers
// too, in blocks of 16.
func TestWorkedExamplePrefill(t *testing.T) {
	t.Parallel()
	table(t, modelapi.Model{Cache: model.Cache{Kind: model.Stepped, Minimum: 16, Step: 16, Outputs: true,
		Write: 1}}, false, map[string][3]cell{
		"trailing user":     {{over: 3.1}, {over: 10.4}, {over: 25.3}},
		"sticky user":       {{over: 0.5}, {over: 1.9}, {over: 4.1}},
		"system, ephemeral": {{over: 314}, {over: 1753}, {over: 2619}}, // 2661 in the table, as above
	})
}

// TestWorkedExampleEndings is the example in GPT-5.6's implicit mode.
func TestWorkedExampleEndings(t *testing.T) {
	t.Parallel()
	table(t, modelapi.Model{Cache: model.Cache{Kind: model.Endings, Minimum: 1024, Read: 0.1, Write: 1.25}},
		false, map[string][3]cell{
			"trailing developer":                        {{over: 0.1}, {over: 0.4}, {over: 0.9}},
			"trailing user":                             {{over: 3.2}, {over: 145}, {over: 790}},
			"trailing user, explicit breakpoint before": {{over: 0.1}, {over: 0.5}, {over: 1.1}},
			"sticky user":                               {{over: 0.4}, {over: 0.8}, {over: 3.3}},
			"sticky developer": {{over: 0.5}, {over: 1.2},
				{over: 4.1}}, // written a turn late
			"system, ephemeral": {{over: 95}, {over: 489}, {over: 790}},
		})
}
