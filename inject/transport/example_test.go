package transport_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
)

// evaluator reads the rules of a directory, which may read facts of the host's own.
func evaluator(dir string) (*eval.Evaluator, error) {
	schema, err := fact.NewSchema(fact.Fact{Name: "vars.tests_green", Type: fact.Bool})
	if err != nil {
		return nil, err
	}
	rules := load.Load([]load.Source{{Path: dir}}, load.Options{Options: compile.Options{Schema: schema}})
	if rules.Diagnostics.HasErrors() {
		log.Print(rules.Diagnostics) // a bad file never stops the others
	}
	return eval.New(rules.Set, eval.Options{}), nil
}

// host is an agent in Go. TestEmbed runs both its ways over 50 model calls.
type host struct {
	ev      *eval.Evaluator
	obs     *eval.Observer
	tr      *transport.Transport
	client  *http.Client
	model   string
	history []inject.Message
}

// newHost begins a session of an agent. base is what the requests are sent over.
func newHost(ev *eval.Evaluator, base http.RoundTripper) *host {
	tr := transport.New(ev, transport.Options{Base: base})
	client := &http.Client{Transport: tr}
	obs := ev.Observe("session-1")
	return &host{ev: ev, obs: obs, tr: tr, client: client}
}

// knows says of the next model calls what only the host knows.
func knows(ctx context.Context, obs *eval.Observer, green bool) (context.Context, error) {
	obs.Thread("plan")
	if err := obs.Set("tests_green", green); err != nil {
		return nil, err
	}
	return obs.Context(ctx), nil
}

// post is the way of an SDK that takes an http.Client.
func (h *host) post(ctx context.Context, url, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	return h.client.Do(r)
}

// call is a model, behind whatever the host calls it by.
type call func([]inject.Message) (answer inject.Message, u eval.Usage, err error)

// ask is the way of a host that holds messages as values.
func (h *host) ask(ctx context.Context, call call) (inject.Message, error) {
	tr, model, history := h.tr, h.model, h.history
	c := tr.Copy(ctx, transport.Request{Model: model, Messages: history}) // history stays as it is
	answer, usage, err := call(c.Messages)
	if err != nil {
		return answer, err // a retry is the same turn: it gets the same copy
	}
	c.Done(transport.Response{Usage: usage})
	h.history = append(h.history, answer)
	return answer, nil
}

// An SDK that takes an http.Client needs one line. What the host knows better goes with the context.
func ExampleNew() {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(pretty(string(body)))
	}))
	defer api.Close()
	dir, err := os.MkdirTemp("", "reminders")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rule := "---\nwhen: vars.tests_green == false\n---\nThe tests fail.\n"
	if err := os.WriteFile(filepath.Join(dir, "tests.md"), []byte(rule), 0o600); err != nil {
		log.Fatal(err)
	}

	ev, err := evaluator(dir)
	if err != nil {
		log.Fatal(err)
	}
	h := newHost(ev, nil)
	ctx, err := knows(context.Background(), h.obs, false)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := h.post(ctx, api.URL+"/v1/messages",
		`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"go on"}]}`)
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	// Output:
	// {"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[
	//   {"type":"text","text":"go on"},
	//   {"type":"text","text":"<system-reminder mark=\"…\">\nThe tests fail.\n</system-reminder>"}]}]}
}

// Each earlier reminder stays at its message, in every later request. The history of the host has none.
func ExampleTransport_Copy() {
	set, diags := compile.New([]reminder.Reminder{{ID: "n", Mode: reminder.While, Trigger: "user_message",
		Text: "This is message {{.user_turn_count}}."}}, compile.Options{})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	h := newHost(eval.New(set, eval.Options{}), nil)
	ctx := eval.WithRun(context.Background(), "session-1")
	for i, text := range []string{"hello", "how are you?"} {
		h.history = append(h.history, inject.Message{Role: "user", Text: text})
		_, err := h.ask(ctx, func(sent []inject.Message) (inject.Message, eval.Usage, error) {
			fmt.Println("request", i+1)
			for _, m := range sent {
				fmt.Println(" ", m.Role, m.Text+plain(m.Blocks))
			}
			return inject.Message{Role: "assistant", Text: "I see."}, eval.Usage{}, nil
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("in the host's history:", h.history[0].Text+plain(h.history[0].Blocks))
	// Output:
	// request 1
	//   user hello [This is message 1.]
	// request 2
	//   user hello [This is message 1.]
	//   assistant I see.
	//   user how are you? [This is message 2.]
	// in the host's history: hello
}

// plain returns the texts of blocks, with reminders in brackets.
func plain(blocks []inject.Block) string {
	var texts []string
	for _, b := range blocks {
		if _, reminder, ours := strings.Cut(b.Text, ">\n"); ours {
			b.Text = "[" + strings.TrimSuffix(reminder, "\n</system-reminder>") + "]"
		}
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, " ")
}

// pretty puts each block on a line, and hides the mark of the run, which is another one each time.
func pretty(body string) string {
	body = strings.ReplaceAll(body, `{"type"`, "\n  {\"type\"")
	before, after, _ := strings.Cut(body, `mark=\"`)
	_, after, _ = strings.Cut(after, `\"`)
	return before + `mark=\"…\"` + after
}
