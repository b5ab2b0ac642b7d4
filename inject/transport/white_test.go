package transport_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
)

// TestI4Bytes: each request begins with the bytes of the request before it, whatever white space the client
// writes. Only the ends of the lists and of the body differ.
func TestI4Bytes(t *testing.T) {
	t.Parallel()
	styles := map[string]func(string) string{
		"Go":     func(s string) string { return s },
		"Python": spaced,
		"lines": func(s string) string {
			var b bytes.Buffer
			if err := json.Indent(&b, []byte(s), "", "  "); err != nil {
				t.Fatal(err)
			}
			return b.String()
		},
	}
	text := map[wire.API]string{
		wire.Chat:      `{"role":"user","content":"go on %d"}`,
		wire.Anthropic: `{"role":"user","content":[{"type":"text","text":"go on %d"}]}`,
		wire.Converse:  `{"role":"user","content":[{"text":"go on %d"}]}`,
		wire.Gemini:    `{"role":"user","parts":[{"text":"go on %d"}]}`,
	}
	answer := map[wire.API]string{wire.Gemini: `{"role":"model","parts":[{"text":"done %d"}]}`,
		wire.Converse: `{"role":"assistant","content":[{"text":"done %d"}]}`}
	list := map[wire.API]string{wire.Gemini: "contents"}
	for style, write := range styles {
		for api, user := range text {
			for _, model := range []string{"claude-haiku-4-5", "claude-opus-5", "gpt-4.1"} {
				name := fmt.Sprint(style, " ", api, " ", model)
				ev := eval.New(rules(t, "a: turn_count >= 1", "b: turn_count >= 2", "c: turn_count >= 4"), eval.Options{})
				tr := transport.New(ev, transport.Options{})
				ctx := eval.WithRun(context.Background(), "r")
				var said []string
				var before []byte
				for i := range 6 {
					said = append(said, fmt.Sprintf(user, i))
					c := tr.Copy(ctx, transport.Request{API: api, Body: []byte(write(fmt.Sprintf(`{"model":%q,%q:[%s]}`,
						model, cmp.Or(list[api], "messages"), strings.Join(said, ","))))})
					if c.Report.Passed != "" || i == 0 && len(c.Report.Put) != 1 {
						t.Fatalf("%s: %+v", name, c.Report)
					}
					if open := bytes.TrimRight(before, " \n]}"); !bytes.HasPrefix(c.Body, open) {
						t.Errorf("%s, request %d\n%s\ndoes not go on from\n%s", name, i, c.Body, open)
					}
					before = c.Body
					c.Done(transport.Response{})
					said = append(said, fmt.Sprintf(cmp.Or(answer[api], `{"role":"assistant","content":"done %d"}`), i))
				}
			}
		}
	}
}

// spaced writes JSON as Python does: with a blank behind each comma and colon.
func spaced(s string) string {
	var b strings.Builder
	in := false
	for i := range len(s) {
		b.WriteByte(s[i])
		switch c := s[i]; {
		case c == '"' && s[i-1] != '\\':
			in = !in
		case !in && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}
