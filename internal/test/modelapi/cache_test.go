package modelapi_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// clock is a time that a test moves.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

// answer returns the usage of a request that must be taken.
func ask(t *testing.T, f *modelapi.Fake, r modelapi.Request) modelapi.Usage {
	t.Helper()
	a := f.Ask(r)
	if a.Refusal != nil {
		t.Fatal(a.Refusal)
	}
	return a.Usage
}

func want(t *testing.T, what string, u modelapi.Usage, read, write, plain int) {
	t.Helper()
	if u.Read != read || u.Write != write || u.Plain() != plain {
		t.Errorf("%s: read %d, written %d, plain %d, want %d, %d, %d", what, u.Read, u.Write, u.Plain(), read,
			write, plain)
	}
}

func big(name string, n int) string { return tokens(n, name) }

func TestMarkedCache(t *testing.T) {
	t.Parallel()
	sys := func(cache string) string { return `"system":[` + mark(big("s", 1000), cache) + `]` }
	q := blocks("user", mark(big("q", 100), marked))
	t.Run("read, written, plain", func(t *testing.T) {
		t.Parallel()
		f := modelapi.New(modelapi.Options{})
		want(t, "first", ask(t, f, messages(opus5, sys(marked), q)), 0, 1100, 0)
		want(t, "again", ask(t, f, messages(opus5, sys(marked), q)), 1100, 0, 0)
		want(t, "behind the mark", ask(t, f, messages(opus5, sys(marked),
			blocks("user", mark(big("q", 100), marked), text(big("r", 30))))), 1100, 0, 30)
		want(t, "on the mark", ask(t, f, messages(opus5, sys(marked), blocks("user", text(big("q", 100)),
			mark(big("r", 30), marked)))), 1100, 30, 0)
		want(t, "in front", ask(t, f, messages(opus5, sys(marked), blocks("user", text(big("r", 30)),
			mark(big("q", 100), marked)))), 1000, 130, 0)
		want(t, "system", ask(t, f, messages(opus5, `"system":[`+text("edit")+","+sys(marked)[len(`"system":[`):],
			q)), 0, 1101, 0)
		want(t, "another model", ask(t, f, messages(fable51, sys(marked), q)), 0, 1100, 0)
	})
	t.Run("not without a mark, not what is short", func(t *testing.T) {
		t.Parallel()
		f := modelapi.New(modelapi.Options{})
		for range 2 {
			want(t, "no mark", ask(t, f, messages(opus5, sys(""), say("user", "q"))), 0, 0, 1001)
			want(t, "511 tokens", ask(t, f, messages(opus5, "", blocks("user", mark(big("q", 511), marked)))), 0, 0,
				511)
		}
		ask(t, f, messages(opus5, "", blocks("user", mark(big("q", 512), marked))))
		want(t, "512 tokens", ask(t, f, messages(opus5, "", blocks("user", mark(big("q", 512), marked)))), 512, 0,
			0)
	})
	t.Run("five minutes, an hour, refreshed by a read", func(t *testing.T) {
		t.Parallel()
		c := &clock{time.Unix(0, 0)}
		f := modelapi.New(modelapi.Options{Clock: c.read})
		r := messages(opus5, sys(hour), q)
		u := ask(t, f, r)
		if want(t, "first", u, 0, 1100, 0); u.Hour != 1000 {
			t.Errorf("%d for an hour, want 1000", u.Hour)
		}
		c.now = c.now.Add(4 * time.Minute)
		want(t, "after 4", ask(t, f, r), 1100, 0, 0)
		c.now = c.now.Add(4 * time.Minute)
		want(t, "after 8", ask(t, f, r), 1100, 0, 0)
		c.now = c.now.Add(5 * time.Minute)
		want(t, "after 5 more", ask(t, f, r), 1000, 100, 0)
		c.now = c.now.Add(time.Hour)
		want(t, "after an hour more", ask(t, f, r), 0, 1100, 0)
	})
	t.Run("20 positions", func(t *testing.T) {
		t.Parallel()
		for n, read := range map[int]int{18: 1000, 19: 1000, 20: 0} { // blocks behind the one that was written
			f := modelapi.New(modelapi.Options{})
			ask(t, f, messages(opus5, "", blocks("user", mark(big("q", 1000), marked))))
			more := strings.Repeat(text("1234")+",", n-1) + mark("1234", marked)
			want(t, strconv.Itoa(n), ask(t, f, messages(opus5, "", blocks("user", text(big("q", 1000)), more))), read,
				1000+n-read, 0)
		}
	})
	t.Run("calls in a row are one position, results too", func(t *testing.T) {
		t.Parallel()
		f := modelapi.New(modelapi.Options{})
		var uses, results []string
		for i := range 30 {
			uses = append(uses, use("t"+strconv.Itoa(i)))
			results = append(results, result("t"+strconv.Itoa(i)))
		}
		ask(t, f, messages(opus5, "", blocks("user", mark(big("q", 1000), marked))))
		u := ask(t, f, messages(opus5, "", blocks("user", text(big("q", 1000))), blocks("assistant", uses...),
			blocks("user", append(results, mark("x", marked))...)))
		if u.Read != 1000 {
			t.Errorf("%+v", u)
		}
	})
	t.Run("automatic, but not on a turn-scoped message", func(t *testing.T) {
		t.Parallel()
		f := modelapi.New(modelapi.Options{})
		auto := marked[1:]
		want(t, "first", ask(t, f, beta(messages(opus5, auto, say("user", big("q", 1000)), scoped(big("r", 30))),
			clearAt)), 0, 1000, 30)
		want(t, "cleared", ask(t, f, beta(messages(opus5, auto, say("user", big("q", 1000)), scoped(big("r", 30)),
			say("assistant", big("a", 10)), say("user", big("u", 10))), clearAt)), 1000, 20, 0)
		want(t, "on a plain one", ask(t, f, messages(opus5, auto, say("user", big("q", 1000)),
			say("system", big("r", 30)))), 1000, 30, 0)
	})
	t.Run("parameters", func(t *testing.T) {
		t.Parallel()
		f := modelapi.New(modelapi.Options{})
		ask(t, f, messages(opus5, sys(marked), q))
		want(t, "tool_choice", ask(t, f, messages(opus5, sys(marked)+`,"tool_choice":{"type":"any"}`, q)),
			1000, 100, 0)
		want(t, "thinking", ask(t, f, messages(opus5, sys(marked)+`,"thinking":{"type":"adaptive"}`, q)),
			1000, 100, 0)
		want(t, "speed", ask(t, f, messages(opus5, sys(marked)+`,"speed":"fast"`, q)), 0, 1100, 0)
		want(t, "temperature", ask(t, f, messages(opus5, sys(marked)+`,"temperature":1`, q)), 1100, 0, 0)
	})
	t.Run("earlier thinking is forgotten when a user says more than results", func(t *testing.T) {
		t.Parallel()
		f := modelapi.New(modelapi.Options{})
		think := `{"type":"thinking","thinking":"` + big("t", 100) + `","signature":"x"}`
		old := []string{say("user", big("q", 5000)), blocks("assistant", think, use("t1"))}
		res := `{"type":"tool_result","tool_use_id":"t1","content":"` + big("o", 50) + `"` + marked + `}`
		first := ask(t, f, messages(haiku, "", append(old, blocks("user", res))...))
		again := ask(t, f, messages(haiku, "", append(old, blocks("user", res))...))
		after := ask(t, f, messages(haiku, "", append(old, blocks("user", res, text("r")))...))
		if again.Read != first.Prompt || after.Read != 0 || after.Prompt != first.Prompt-100 {
			t.Errorf("%+v, %+v, %+v", first, again, after)
		}
	})
	t.Run("order of members in a call", func(t *testing.T) {
		t.Parallel()
		f := modelapi.New(modelapi.Options{})
		ms := []string{say("user", big("q", 1000)), blocks("assistant", use("t1")),
			blocks("user", `{"type":"tool_result","tool_use_id":"t1","content":"ok"`+marked+`}`)}
		ask(t, f, messages(opus5, "", ms...))
		if u := ask(t, f, messages(opus5, "", ms...)); u.Write != 0 {
			t.Errorf("%+v", u)
		}
		ms[1] = strings.Replace(ms[1], `"b":1,"a":2`, `"a":2,"b":1`, 1)
		if u := ask(t, f, messages(opus5, "", ms...)); u.Read != 0 {
			t.Errorf("%+v", u)
		}
	})
}

func TestConverseCache(t *testing.T) {
	t.Parallel()
	f := modelapi.New(modelapi.Options{})
	r := func(more string) modelapi.Request {
		return converse("anthropic.claude-opus-5-v1:0", blocks("user", part(big("q", 1000)),
			`{"cachePoint":{"type":"default"}}`+more))
	}
	want(t, "first", ask(t, f, r("")), 0, 1000, 0)
	want(t, "text behind the point", ask(t, f, r(","+part(big("r", 30)))), 1000, 0, 30)
}

func TestSteppedCache(t *testing.T) {
	t.Parallel()
	f := modelapi.New(modelapi.Options{})
	want(t, "first", ask(t, f, completions("gpt-4.1", say("user", big("q", 1100)))), 0, 0, 1100)
	want(t, "in steps of 128", ask(t, f, completions("gpt-4.1", say("user", big("q", 1100)),
		say("assistant", "a"), say("user", "q"))), 1024, 0, 77)
	want(t, "another beginning", ask(t, f, completions("gpt-4.1", say("user", big("r", 1100)))), 0, 0, 1100)
	want(t, "too short", ask(t, f, completions("gpt-4.1", say("user", big("q", 1000)))), 0, 0, 1000)
	g := func(s string) modelapi.Request { return generate("gemini-3.8-flash", content("user", part(s))) }
	want(t, "gemini", ask(t, f, g(big("q", 4096))), 0, 0, 4096)
	want(t, "gemini again", ask(t, f, g(big("q", 5000))), 4096, 0, 904)
}

func TestEndingsCache(t *testing.T) {
	t.Parallel()
	f := modelapi.New(modelapi.Options{})
	chat := func(ms ...string) modelapi.Request { return completions("gpt-5.6", ms...) }
	s, q, a := say("developer", big("s", 1000)), say("user", big("q", 1000)), say("assistant", big("a", 100))
	want(t, "first", ask(t, f, chat(s, q)), 0, 2000, 0)
	want(t, "trailing developer is not eligible", ask(t, f, chat(s, q, say("developer", big("r", 30)))), 2000, 0,
		30)
	want(t, "trailing user is", ask(t, f, chat(s, q, say("user", big("r", 30)))), 2000, 30, 0)
	want(t, "next", ask(t, f, chat(s, q, a, say("user", big("u", 50)))), 2000, 150, 0)
	want(t, "no longest common prefix", ask(t, f, chat(s, say("user", big("q", 500)+"x"))), 0, 1501, 0)
	// One implicit breakpoint, behind the last result of a group; what it finds is at the end of a group, too.
	one := []string{s, say("user", big("p", 1000)), toolCalls("c1", "c2"), tool("c1"), tool("c2")}
	u := ask(t, f, chat(one...))
	want(t, "the same group", ask(t, f, chat(append(one, say("developer", "x"))...)), u.Prompt, 0, 1)
	other := append(append([]string{}, one[:4]...), strings.Replace(tool("c2"), "ok", "no", 1))
	want(t, "not the middle of a group", ask(t, f, chat(other...)), 0, u.Prompt, 0)
	want(t, "nor when it was sent before", ask(t, f, chat(append(other[:4:4], strings.Replace(tool("c2"), "ok",
		"hm", 1))...)), 0, u.Prompt, 0)
	parts := blocks("user", `{"type":"text","text":"`+big("e",
		1500)+`","prompt_cache_breakpoint":{"mode":"explicit"}}`, text(big("f", 10)))
	explicit := request("/v1/chat/completions",
		`{"model":"gpt-5.6","prompt_cache_options":{"mode":"explicit"},"messages":[`+parts+`]}`)
	want(t, "explicit", ask(t, f, explicit), 0, 1500, 10)
	want(t, "explicit again", ask(t, f, explicit), 1500, 0, 10)
}

// TestBodiesCountAsPrompts: the first turns of the worked example, as bodies.
func TestBodiesCountAsPrompts(t *testing.T) {
	t.Parallel()
	f := modelapi.New(modelapi.Options{})
	sys := `"system":[` + mark(big("s", 20_000), marked) + `]`
	ms := []string{blocks("user", text(big("q", 2000)))}
	for k := 1; k <= 4; k++ {
		if k > 1 {
			id := strconv.Itoa(k)
			args := `{"x":"` + strings.Repeat("x", 1200-4-8) + `"}` // and the name, Bash
			ms = append(ms, blocks("assistant", text(big("a", 300)),
				`{"type":"tool_use","id":"`+id+`","name":"Bash","input":`+args+`}`),
				blocks("user", `{"type":"tool_result","tool_use_id":"`+id+`","content":"`+big("u", 2400)+`"}`))
		}
		sent := append([]string{}, ms...)
		last := sent[len(sent)-1]
		sent[len(sent)-1] = last[:len(last)-3] + marked + "}]}"
		read, write := 22_000+3_000*(k-2), 3_000
		if k == 1 {
			read, write = 0, 22_000
		}
		want(t, strconv.Itoa(k), ask(t, f, messages(opus5, sys, sent...)), read, write, 0)
	}
}
