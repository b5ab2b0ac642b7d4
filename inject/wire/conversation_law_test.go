package wire_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// eachClient holds a law over conversations of all APIs, a dozen requests each.
func eachClient(t *testing.T, law func(t *rapid.T, r *simulated)) {
	t.Helper()
	n := 2
	if testkit.Long() {
		n = 100
	}
	rapid.Check(t, func(t *rapid.T) {
		for range n {
			api := rapid.SampledFrom(vendors).Draw(t, "api")
			delivery := rapid.SampledFrom([]wire.Delivery{wire.Auto, wire.Auto, wire.Anchored, wire.Native,
				wire.Tail}).Draw(t, "delivery")
			law(t, &simulated{client: newClient(t, api), forgets: rapid.Bool().Draw(t, "forgets"),
				opts: wire.Options{API: api, Delivery: delivery, Options: inject.Options{Mark: "m"}}})
		}
	})
}

// simulated is what is kept of a run beside the client.
type simulated struct {
	*client
	opts            wire.Options
	puts            []body.Insertion
	wilder, forgets bool
	in              []byte // the last request as it came
	got             body.Copy
}

func (r *simulated) due() (due []reminder.Due) {
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2}).Draw(r.T, "due") {
		due = append(due, reminder.Due{ID: rapid.SampledFrom([]string{"one", "two"}).Draw(r.T, "id"),
			Text: rapid.SampledFrom([]string{"T", "two\nlines", "ü \"q\"", " "}).Draw(r.T, "text"),
			Attach: rapid.SampledFrom([]reminder.Attach{reminder.Tail, reminder.UserTurn, reminder.RunStart}).Draw(r.T,
				"attach")})
	}
	return due
}

// request goes on by one request, and remembers what was put.
func (r *simulated) request() {
	if r.wilder && len(r.said) > 0 && r.dice(3) {
		r.wild()
	} else {
		r.next()
	}
	if r.flips && r.dice(9) { // the client drops all that the model thought
		for i := range r.said {
			r.said[i].think = ""
		}
	}
	r.in = r.body()
	r.sent = r.compose(r.in, r.due())
	for _, g := range slices.Backward(r.got.Gone) {
		if r.forgets { // else it is tried again: a client may go back to where it was
			r.puts = slices.Delete(r.puts, g.Index, g.Index+1)
		}
	}
	r.puts, r.beta = append(r.puts, r.kept(r.got.Put)...), r.got.Beta
}

func (r *simulated) compose(in []byte, due []reminder.Due) []byte {
	c, err := readConversation(in, r.opts)
	if err != nil {
		r.Fatalf("%v\n%s", err, in)
	}
	out, got := compose(c, r.puts, due)
	if len(got.Gone) > 0 && !r.wilder || !json.Valid(out) {
		r.Fatalf("gone %v of %+v\nin  %s\nout %s", got.Gone, r.puts, in, out)
	}
	again, got2 := compose(c, r.puts, due)
	if !bytes.Equal(again, out) || !reflect.DeepEqual(got, got2) {
		r.Fatalf("I5: %s\nbut then %s", out, again)
	}
	n := 0
	for _, d := range due {
		if strings.TrimSpace(d.Text) != "" {
			n++
		}
	}
	for _, h := range got.Held {
		n -= h.Texts
	}
	for _, p := range got.Put {
		if n -= len(p.Texts); len(p.Texts) != len(p.IDs) {
			r.Fatalf("%+v", p)
		}
	}
	if n != 0 && r.opts.Delivery != wire.Tail {
		r.Fatalf("%d texts are lost: due %+v, %+v", n, due, got)
	}
	r.got = got
	return out
}

// kept is what comes back from a store.
func (r *simulated) kept(puts []body.Insertion) (out []body.Insertion) {
	b, err := json.Marshal(puts)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil || !reflect.DeepEqual(puts, out) {
		r.Fatalf("%v: %+v comes back as %+v", err, puts, out)
	}
	return out
}

// TestI2Compose: what was put into a request comes out again, over whole runs.
func TestI2Compose(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *rapid.T, r *simulated) {
		r.quiet, r.flips, r.wilder = true, rapid.Bool().Draw(t, "flips"), rapid.Bool().Draw(t, "wilder")
		for range 12 {
			r.request()
			if back, err := wire.Strip(r.sent, r.opts); err != nil || !bytes.Equal(back, r.in) {
				t.Fatalf("%v\nbefore %s\nafter  %s\nback   %s", err, r.in, r.sent, back)
			}
		}
	})
}

// TestI3Compose: a request of a run in which nothing was ever put comes out byte for byte, and nothing due
// puts nothing.
func TestI3Compose(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *rapid.T, body []byte, _ []reminder.Due, opts wire.Options) {
		c, err := readConversation(body, opts)
		if err != nil {
			t.Fatal(err)
		}
		if opts.Mark == "m" { // which tags in some bodies claim
			opts.Mark = "tok"
		}
		if out, got := compose(c.Marked(opts.Mark), nil, nil); !bytes.Equal(out, body) || got.Put != nil {
			t.Fatalf("%s becomes %s, %+v", body, out, got)
		}
	})
}

// end is a request up to the end of its last message, with what is ours behind it, and what follows the list:
// the client writes nothing there, but a system prompt of ours may stand there.
func (r *simulated) end(out []byte) (list, rest []byte) {
	for _, key := range []string{"system", "instructions", "systemInstruction", "system_instruction"} {
		if i := bytes.LastIndex(out, []byte(`],"`+key+`":`)); i > 0 && i > bytes.Index(out, []byte(`":[{"role"`)) {
			return bytes.TrimRight(out[:i], " "), out[i:]
		}
	}
	return bytes.TrimRight(bytes.TrimSuffix(out, []byte("]}")), " "), nil
}

// TestI4Compose: a client that writes its messages always alike finds all of its last request, and ours in
// it, at the beginning of the next one, byte for byte.
func TestI4Compose(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *rapid.T, r *simulated) {
		if r.request(); r.opts.Delivery == wire.Tail {
			return // it promises no more than what the client's marks are on
		}
		for range 12 {
			before, rest := r.end(r.sent)
			r.request()
			if _, more := r.end(r.sent); !bytes.HasPrefix(r.sent, before) || !bytes.Equal(rest, more) {
				t.Fatalf("before %s%s\nnow    %s\nputs %+v", before, rest, r.sent, r.puts)
			}
		}
	})
}

// TestI4Flips: nor does it matter how the client writes its earlier messages this time.
func TestI4Flips(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *rapid.T, r *simulated) {
		r.flips = true
		if r.request(); r.opts.Delivery == wire.Tail {
			return
		}
		before := r.plainly(t)
		for range 12 {
			r.request()
			now := r.plainly(t)
			if len(now) < len(before) || !reflect.DeepEqual(now[:len(before)], before) {
				t.Fatalf("before %v\nnow    %v\nputs %+v", before, now, r.puts)
			}
			before = now
		}
	})
}

// plainly is the prompt and the messages of a request, as two ways of writing them are alike.
func (r *simulated) plainly(t *rapid.T) (out []any) {
	var b map[string]any
	if err := json.Unmarshal(r.sent, &b); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"system", "instructions", "systemInstruction", "system_instruction"} {
		out = append(out, alike(b[key]))
	}
	for _, key := range []string{"messages", "input", "contents"} {
		list, _ := b[key].([]any)
		for _, m := range list {
			if own := m.(map[string]any); own["role"] == "user" && (r.opts.API == wire.Chat ||
				r.opts.API == wire.Responses) {
				own["content"] = said1(own["content"]) // servers join the parts of a text by lines
			}
			out = append(out, alike(m))
		}
	}
	return out
}

func alike(v any) any {
	switch v := v.(type) {
	case []any:
		var out []any
		for _, x := range v {
			if m, ok := x.(map[string]any); ok && (m["type"] == "thinking" || m["cachePoint"] != nil) {
				continue
			}
			out = append(out, alike(x))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, x := range v {
			s, isString := x.(string)
			switch {
			case key == "cache_control" || key == "thoughtSignature" || key == "__copilotMessageSource" || x == nil:
			case key == "content" && isString && v["type"] == "tool_result":
				out[key] = said1(s)
			case key == "content" && isString && v["role"] != "tool":
				out[key] = []any{map[string]any{"type": "text", "text": s}}
			case key == "content" && v["type"] == "tool_result":
				out[key] = said1(x)
			case key == "arguments":
				var args any
				_ = json.Unmarshal([]byte(s), &args)
				out[key] = args
			case key == "type" && (s == "input_text" || s == "output_text"):
				out[key] = "text"
			default:
				out[key] = alike(x)
			}
		}
		return out
	}
	return v
}

// said1 is all that a result says.
func said1(v any) (s string) {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, x := range v {
			text := x.(map[string]any)["text"].(string)
			if s != "" && text[0] == '<' {
				s += "\n"
			}
			s += text
		}
	}
	return s
}

// TestI6Compose: what the API takes without ours it takes with them, over whole runs, thinking that is bound
// to the earlier requests included.
func TestI6Compose(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *rapid.T, r *simulated) {
		r.flips, r.wilder = rapid.Bool().Draw(t, "flips"), rapid.Bool().Draw(t, "wilder")
		r.forgets = false // for as many turns a run keeps what one model takes and the next one does not
		for range 12 {
			r.request()
			own := modelapi.Check(r.at(r.in, ""), nil)
			if own != nil && own.Rule != modelapi.ThinkingBound && r.wilder {
				return // the client's own fault; thinking is bound to what was sent, so to ours as well
			}
			if no := modelapi.Check(r.at(r.sent, r.beta), nil); no != nil {
				t.Fatalf("%v\nin  %s\nout %s\nputs %+v", no, r.in, r.sent, r.puts)
			}
		}
	})
}

// TestComposeKeys: a client's message has the same key in every request, however it is written, and ours do
// not count.
func TestComposeKeys(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *rapid.T, r *simulated) {
		r.flips = true
		var before []string
		for range 12 {
			r.request()
			c, err := readConversation(r.in, r.opts)
			if err != nil {
				t.Fatal(err)
			}
			keys := c.Keys()
			if len(keys) < len(before) || !slices.Equal(keys[:len(before)], before) {
				t.Fatalf("before %v\nnow    %v\n%s", before, keys, r.in)
			}
			other, err := readConversation(r.body(), r.opts)
			if err != nil || other.Head() != c.Head() {
				t.Fatalf("%v: %s and %s are two conversations", err, r.in, r.body())
			}
			before = keys
		}
	})
}

// TestI2ComposeVendors: bodies of any form, as clients write them and as none would.
func TestI2ComposeVendors(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *rapid.T, body []byte, due []reminder.Due, opts wire.Options) {
		if opts.Mark == "" {
			opts.Mark = "none"
		}
		holdCompose(t, body, due, opts)
	})
}

// holdCompose: what is put comes out again, and the next request for the same conversation is the same.
func holdCompose(t rapid.TB, body []byte, due []reminder.Due, opts wire.Options) body.Copy {
	c, err := readConversation(body, opts)
	if err != nil {
		t.Fatal(err)
	}
	once, got := compose(c, nil, due)
	again, next := compose(c, got.Put, nil)
	if !json.Valid(once) || len(next.Gone) > 0 || len(got.Put) > 0 && (!bytes.Equal(again, once) ||
		next.Beta != got.Beta) {
		t.Fatalf("I4: %s %+v, then %+v\nbody  %q\nonce  %q\nagain %q", show(opts), got, next, body, once, again)
	}
	twice, more := compose(c, got.Put, due)
	if !json.Valid(twice) || len(more.Put) != len(got.Put) {
		t.Fatalf("%s: %q, %+v", show(opts), twice, more)
	}
	want, _ := compose(c, nil, nil)
	if stripped, err := wire.Strip(want, opts); err != nil || !bytes.Equal(stripped, want) {
		return got // something in it looks like ours
	}
	for _, out := range [][]byte{once, twice} {
		if back, err := wire.Strip(out, opts); err != nil || !bytes.Equal(back, want) {
			t.Fatalf("I2: %s: %v\nbefore %q\nout    %q\nback   %q", show(opts), err, want, out, back)
		}
	}
	return got
}

// TestI6ComposeCorpus: every body of the corpus, and what strict fakes say of it.
func TestI6ComposeCorpus(t *testing.T) {
	t.Parallel()
	names, bodies := corpus(t)
	put := 0
	for _, name := range names {
		for delivery := wire.Auto; delivery <= wire.Tail; delivery++ {
			for _, attach := range []reminder.Attach{reminder.Tail, reminder.UserTurn, reminder.RunStart} {
				opts := wire.Options{API: apiOf(name), Delivery: delivery, Model: "claude-opus-5",
					Options: inject.Options{Mark: "k"}}
				due := append(attached(attach, "T"), one("U")...)
				if put += len(holdCompose(t, bodies[name], due, opts).Put); opts.API == wire.Messages {
					continue
				}
				if modelapi.Check(atFake(opts.API, opts.Model, bodies[name], ""), nil) != nil {
					continue
				}
				c, err := readConversation(bodies[name], opts)
				if err != nil {
					t.Fatal(name, err)
				}
				out, got := compose(c, nil, due)
				if no := modelapi.Check(atFake(opts.API, opts.Model, out, got.Beta), nil); no != nil {
					t.Errorf("I6: %s %s: %v\n%s", name, show(opts), no, out)
				}
			}
		}
	}
	if put < 300 {
		t.Errorf("only %d texts were put", put)
	}
}
