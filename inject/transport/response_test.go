package transport_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestUsage: what a response says of tokens is a fact of the next turn, and of no later one.
func TestUsage(t *testing.T) {
	t.Parallel()
	for _, encoding := range append(encodings, "") {
		t.Run("encoding "+encoding, func(t *testing.T) {
			t.Parallel()
			script := func(p *modelapi.Prompt) modelapi.Reply {
				return modelapi.Reply{Parts: []modelapi.Part{{Text: "done"}}, Output: 777 * (1 - min(p.Answers(), 1))}
			}
			w := newWorld(t, rules(t, "out: last_response_tokens == 777", "in: context_tokens > 1000",
				"usage: context_usage > 0"),
				setting{fake: modelapi.Options{Script: script}, base: compressed(encoding)})
			c := chat{}.user(strings.Repeat("word ", 2000))
			var reports []transport.Report
			for range 3 {
				w.post(messages, c.of(plainly))
				_, r := w.last()
				reports = append(reports, r)
				c = c.says("done").user("more")
			}
			if len(reports[0].Fired) != 0 || len(reports[2].Fired) != 0 {
				t.Errorf("%+v\n%+v", reports[0].Fired, reports[2].Fired)
			}
			var got []string
			for _, f := range reports[1].Fired {
				got = append(got, f.ID)
			}
			if diff := cmp.Diff([]string{"in", "out", "usage"}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// compressed answers in an encoding, whatever is asked for.
func compressed(encoding string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return client.Trip(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err != nil || encoding == "" {
				return resp, err
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				return nil, err
			}
			out := encoded(encoding, string(body))
			resp.Header.Set("Content-Encoding", coding(encoding))
			resp.ContentLength = int64(len(out))
			resp.Body = io.NopCloser(iotest.OneByteReader(strings.NewReader(out)))
			return resp, nil
		})
	}
}

// TestImpatient: a client that goes on at the last event of an answer, before its end, is judged by that
// answer all the same.
func TestImpatient(t *testing.T) {
	t.Parallel()
	script := func(*modelapi.Prompt) modelapi.Reply {
		return modelapi.Reply{Parts: []modelapi.Part{{Text: "done"}}, Output: 777}
	}
	w := newWorld(t, rules(t, "out: last_response_tokens == 777", "a: turn_count == 1"),
		setting{fake: modelapi.Options{Script: script}, Options: transport.Options{Delivery: wire.Tail}})
	c := chat{}.user("do it")
	ask := func(body string) *http.Response {
		r, err := http.NewRequest(http.MethodPost, "http://api.test"+messages,
			strings.NewReader(strings.Replace(body, `"max_tokens"`, `"stream":true,"max_tokens"`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := w.rt.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	first := ask(c.of(plainly))
	var got []byte
	for one := make([]byte, 1); !bytes.Contains(got, []byte("message_stop\"}\n\n")); {
		if _, err := io.ReadFull(first.Body, one); err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		got = append(got, one[0])
	}
	second := ask(c.says("done").user("more").of(plainly))
	if diff := cmp.Diff([]string{"OUT"}, w.texts()); diff != "" { // and not A, which was answered
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, _ = io.Copy(io.Discard, second.Body)
	_ = second.Body.Close()
	_ = first.Body.Close()
}
