package wire_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject/wire"
)

// TestOwnMark: a text that stays behind the client's cache mark at the end of a request has a copy of that
// mark, if the API allows one more, and goes again as it came.
func TestOwnMark(t *testing.T) {
	t.Parallel()
	const ours = `{"type":"text","text":"<system-reminder>\none\n</system-reminder>"`
	const mark = `"cache_control":{"type":"ephemeral","ttl":"1h"}`
	block := func(member string) string { return `{"type":"text","text":"hi"` + member + `}` }
	for name, c := range map[string]struct {
		system, said string
		delivery     wire.Delivery
		want         string // behind our text
	}{
		"a mark":                 {"", block("," + mark), wire.Auto, "," + mark},
		"before the last block":  {"", block(","+mark) + "," + block(""), wire.Auto, "," + mark},
		"three marks":            {block(","+mark) + "," + block(","+mark), block("," + mark), wire.Auto, "," + mark},
		"four marks":             {strings.Repeat(block(","+mark)+",", 2) + block(","+mark), block("," + mark), wire.Auto, ""},
		"none there":             {block("," + mark), block("") + "," + block(""), wire.Auto, ""},
		"none":                   {"", block("") + "," + block(""), wire.Auto, ""},
		"not an object":          {"", block(`,"cache_control":null`), wire.Auto, ""},
		"gone with next request": {"", block("," + mark), wire.Tail, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := `{"model":"claude-sonnet-4-6","system":[` + c.system + `],"messages":[{"role":"user","content":[` +
				c.said + `]}]}`
			opts := wire.Options{API: wire.Anthropic, Delivery: c.delivery}
			out, _, err := wire.Inject([]byte(body), []reminder.Due{{Text: "one"}}, opts)
			if want := strings.TrimSuffix(body, "]}]}") + "," + ours + c.want + "}]}]}"; err != nil || string(out) != want {
				t.Fatalf("%v\n%s\n%s", err, out, want)
			}
			if back, err := wire.Strip(out, opts); err != nil || string(back) != body {
				t.Errorf("%v: it goes as %s", err, back)
			}
		})
	}
}
