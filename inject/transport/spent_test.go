package transport_test

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/client"
)

// TestSpent: the fact is what the responses so far have cost, by the model that answered; it is unknown from
// the first response on of which that is not known, and a request that was refused costs nothing.
func TestSpent(t *testing.T) {
	t.Parallel()
	// on claude-opus-4-6: $0.5 + $0.05 + $0.25
	answer := func(model string) string {
		return `{"id":"m","type":"message","role":"assistant","content":[],"model":"` + model +
			`","usage":{"input_tokens":100000,"cache_read_input_tokens":100000,"output_tokens":10000}}`
	}
	const refused = "refused"
	for name, c := range map[string]struct {
		begun   bool // the conversation began before the run
		answers []string
		want    []string // on each turn
	}{
		"each response": {false, []string{answer("claude-opus-4-6"), answer("")},
			[]string{"$0.00", "$0.80", "$1.60"}},
		"another model": {false, []string{answer("claude-haiku-4-5"), answer("")},
			[]string{"$0.00", "$0.16", "$0.96"}},
		"a model without price": {false, []string{answer("claude-x"), answer("")}, []string{"$0.00", "$?", "$?"}},
		"no usage": {false, []string{`{"id":"m","content":[]}`, answer("")},
			[]string{"$0.00", "$?", "$?"}},
		"refused":       {false, []string{refused, answer("")}, []string{"$0.00", "$0.00", "$0.80"}},
		"begun already": {true, []string{answer(""), answer("")}, []string{"$?", "$?", "$?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, diags := compile.New([]reminder.Reminder{{ID: "r", Mode: reminder.While, Trigger: "always",
				Text: `Spent ${{if known "cost"}}{{printf "%.2f" .cost}}{{else}}?{{end}}`}}, compile.Options{})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			var got []string
			spent := regexp.MustCompile(`Spent (\$[\d.?]+)`)
			w := newWorld(t, set, setting{base: func(http.RoundTripper) http.RoundTripper {
				return client.Trip(func(r *http.Request) (*http.Response, error) {
					b, _ := io.ReadAll(r.Body)
					said := spent.FindAllSubmatch(b, -1)
					got = append(got, string(said[len(said)-1][1]))
					answers := append(slices.Clone(c.answers), "{}")
					body := answers[len(got)-1]
					status := http.StatusOK
					if body == refused {
						status = http.StatusTooManyRequests
					}
					return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: int64(len(body)),
						Body: io.NopCloser(strings.NewReader(body))}, nil
				})
			}})
			w.header.Set("X-Aside-Run", "run")
			talk := chat{}.user("do it")
			if c.begun {
				talk = talk.uses("toolu_00000000000000000000", "Edit")
			}
			for _, id := range []string{"toolu_00000000000000000001", "toolu_00000000000000000002", ""} {
				w.post(messages, talk.of("claude-opus-4-6"))
				talk = talk.uses(id, "Edit")
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
