package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/testkit"
)

// each holds a law against random bodies, some to each of rapid's checks, of which there are a hundred.
func each(t *testing.T, law func(t *rapid.T, body []byte)) {
	t.Helper()
	n := 5
	if testkit.Long() {
		n = 300
	}
	rapid.Check(t, func(t *rapid.T) {
		for range n {
			law(t, anyBody(t))
		}
	})
}

func must(t *rapid.T, b []byte, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestI2: strip gives back what was there, byte for byte: with a mark, all but tags that claim it; without
// one, with all tags harmless.
func TestI2(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, body []byte) {
		opts, due := anyOptions(t), anyDue(t)
		if opts.Neutralise == inject.NeutraliseNothing && opts.Mark != "tok" {
			opts.Neutralise = inject.NeutraliseByMark // else a forged tag may be just like ours
		}
		if b, err := wire.Strip(body, opts); err != nil || !bytes.Equal(b, body) {
			body = must(t, b, err) // something in it looks like ours: begin without that
			if b, err := wire.Strip(body, opts); err != nil || !bytes.Equal(b, body) {
				return
			}
		}
		out, _, err := wire.Inject(body, due, opts)
		out = must(t, out, err)
		if !json.Valid(out) {
			t.Fatalf("not JSON any more:\n%s\n%s", body, out)
		}
		back, err := wire.Strip(out, opts)
		want := body
		if !bytes.Equal(out, body) {
			want, _ = wire.Neutralise(body, opts)
		}
		if opts.Mark == "tok" && opts.Neutralise == inject.NeutraliseByMark && !bytes.Equal(want, body) {
			t.Fatalf("nothing claims the mark\nbefore %q\nafter  %q", body, want)
		}
		if !bytes.Equal(must(t, back, err), want) {
			t.Fatalf("%+v\nbefore   %q\ninjected %q\nafter    %q", opts, want, out, back)
		}
	})
}

// TestI3: nothing due, the very same bytes, whatever they are.
func TestI3(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, body []byte) {
		out, _, err := wire.Inject(body, nil, anyOptions(t))
		if err != nil || &out[0] != &body[0] || len(out) != len(body) {
			t.Fatalf("%q becomes %q, %v", body, out, err)
		}
	})
	for _, body := range []string{"", "no JSON", "[]", `{"messages":3}`} {
		if out, _, err := wire.Inject([]byte(body), nil, wire.Options{}); err != nil || string(out) != body {
			t.Errorf("%q becomes %q, %v", body, out, err)
		}
	}
}

// TestI5: injecting twice is injecting once.
func TestI5(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, body []byte) {
		opts, due := anyOptions(t), anyDue(t)
		once, _, err := wire.Inject(body, due, opts)
		once = must(t, once, err)
		twice, _, err := wire.Inject(once, due, opts)
		if !bytes.Equal(must(t, twice, err), once) {
			t.Fatalf("%+v\nbody  %q\nonce  %q\ntwice %q", opts, body, once, twice)
		}
	})
}

// TestI9: what comes out of Inject has no forged tag left, and the rest is as it was.
func TestI9(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, body []byte) {
		opts := anyOptions(t)
		if opts.Neutralise == inject.NeutraliseNothing {
			opts.Neutralise = inject.NeutraliseAll
		}
		out, err := wire.Neutralise(body, opts)
		out = must(t, out, err)
		again, err := wire.Neutralise(out, opts)
		if !bytes.Equal(must(t, again, err), out) {
			t.Fatalf("once %q\ntwice %q", out, again)
		}
		for _, s := range untrusted(t, out) {
			for _, g := range inject.Segments(s, opts.Mark) { // of ours are those alone that carry the mark
				all := opts.Mark == "" || opts.Neutralise == inject.NeutraliseAll
				if !g.Reminder && (all && inject.Neutralise(g.Text) != g.Text ||
					opts.Mark != "" && strings.Contains(g.Text, "<system-reminder mark=\""+opts.Mark+"\"")) {
					t.Fatalf("%q is left in %q", s, out)
				}
			}
		}
	})
}

// untrusted returns what the user and tool messages of a body say, read by encoding/json.
func untrusted(t *rapid.T, body []byte) (texts []string) {
	t.Helper()
	var b struct {
		Messages []any `json:"messages"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	var walk func(v any, kind string)
	walk = func(v any, kind string) {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, x := range v {
				if m, ok := x.(map[string]any); ok {
					switch m["type"] {
					case "text":
						if s, ok := m["text"].(string); ok {
							texts = append(texts, s)
						}
					case "tool_result":
						walk(m["content"], "")
					}
				}
			}
		}
	}
	for _, m := range b.Messages {
		if m, ok := m.(map[string]any); ok {
			if role, _ := m["role"].(string); role != "system" && role != "developer" && role != "assistant" {
				walk(m["content"], role)
			}
		}
	}
	return texts
}
