package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// embedded is the host of the page "library" in place of an SDK: a client drives it.
type embedded struct {
	*host
	base   http.RoundTripper
	values bool
	calls  int
}

// RoundTrip implements http.RoundTripper.
func (e *embedded) RoundTrip(r *http.Request) (*http.Response, error) {
	e.calls++
	ctx, err := knows(r.Context(), e.obs, e.calls%8 > 0)
	if err != nil || !e.values {
		if err == nil {
			return e.client.Transport.RoundTrip(r.WithContext(ctx))
		}
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	asked, rest, err := asValues(body)
	if err != nil {
		return nil, err
	}
	e.model, e.history = asked.Model, asked.Messages
	var resp *http.Response
	_, err = e.ask(ctx, func(messages []inject.Message) (m inject.Message, u eval.Usage, err error) {
		body, err := asBytes(messages, rest)
		if err != nil {
			return m, u, err
		}
		out := r.Clone(ctx)
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		if resp, err = e.base.RoundTrip(out); err != nil {
			return m, u, err
		}
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			return m, u, err
		}
		resp.Body = io.NopCloser(bytes.NewReader(answer))
		var got struct {
			Usage struct {
				Input   int64 `json:"input_tokens"`
				Read    int64 `json:"cache_read_input_tokens"`
				Written int64 `json:"cache_creation_input_tokens"`
				Output  int64 `json:"output_tokens"`
			}
		}
		err = json.Unmarshal(answer, &got)
		n := got.Usage
		return m, eval.Usage{ContextTokens: n.Input + n.Read + n.Written, ResponseTokens: n.Output,
			Known: true}, err
	})
	return resp, err
}

// TestEmbed: the code of the page "library", in both its ways, over 50 calls of a model that binds its
// thinking to every earlier byte: no request is refused, no earlier text moves, the reminders with facts of
// the host's own fire when a person would count them, and cost at most 1.5 % of the run.
func TestEmbed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := strings.Repeat("Most of the tests are red now. ", 14)
	for name, when := range map[string]string{"red": "vars.tests_green == false", "plan": "thread_type == plan",
		"large": "context_tokens > 60000"} {
		rule := "---\nwhen: " + when + "\n---\n" + text + name + " {{.turn_count}}.\n"
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(rule), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := client.Options{API: modelapi.Anthropic, Model: "claude-opus-5-5", Steady: &run50}
	none := price(t, o, func(rt http.RoundTripper) http.RoundTripper { return rt })
	for _, values := range []bool{true, false}[:testkit.Repeat(1, 2)] {
		t.Run(fmt.Sprint("values ", values), func(t *testing.T) {
			t.Parallel()
			ev, err := evaluator(dir)
			if err != nil {
				t.Fatal(err)
			}
			paid, rs := bill(t, o, func(rt http.RoundTripper) http.RoundTripper {
				return &embedded{host: newHost(ev, rt), base: rt, values: values}
			})
			if err := (modelapi.Stable{}).Check(rs); err != nil {
				t.Error(err)
			}
			var fired []string
			for _, r := range rs[len(rs)-1].Prompt.Reminders() {
				words := strings.Fields(r.Text)
				fired = append(fired, strings.Join(words[len(words)-2:], " "))
			}
			slices.Sort(fired)
			// The prompt of call n has 22,000 + 3,000 (n-1) tokens, and is known on call n+1.
			want := []string{"large 15.", "plan 1.", "red 16.", "red 24.", "red 32.", "red 40.", "red 48.", "red 8."}
			if !slices.Equal(fired, want) {
				t.Errorf("fired %q, want %q", fired, want)
			}
			more := 100 * (paid/none - 1)
			if t.Logf("%+.2f %%", more); more <= 0 || more > 1.5 {
				t.Errorf("reminders cost %.2f %% of the run", more)
			}
		})
	}
}
