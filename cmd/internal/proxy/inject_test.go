package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// apis are a first request to each API, of a conversation that names itself by the header.
var apis = []struct {
	api        wire.API
	path, body string
}{
	{wire.Anthropic, "/v1/messages",
		`{"model":"claude-sonnet-4-6","max_tokens":100,"messages":[{"role":"user","content":"PROMPT"}]}`},
	{wire.Chat, "/v1/chat/completions", `{"model":"gpt-5.6","messages":[{"role":"user","content":"PROMPT"}]}`},
	{wire.Responses, "/v1/responses", `{"model":"gpt-5.6","input":[{"role":"user","content":"PROMPT"}]}`},
	{wire.Gemini, "/v1beta/models/gemini-3-pro:generateContent",
		`{"contents":[{"role":"user","parts":[{"text":"PROMPT"}]}]}`},
	{wire.Converse, "/model/claude-sonnet-4-6/converse",
		`{"messages":[{"role":"user","content":[{"text":"PROMPT"}]}]}`},
}

// TestInjects: what is due is in what arrives, once, and everything else is what the client sent.
func TestInjects(t *testing.T) {
	t.Parallel()
	for _, c := range apis {
		t.Run(string(c.api), func(t *testing.T) {
			t.Parallel()
			fake := modelapi.New(modelapi.Options{})
			w := open(t, fake, proxy.Options{Transport: transport.Options{Commands: true}}, always, manual)
			for i, prompt := range []string{"hi", "/remind by-hand please", "/remind by-hnad"} {
				body := strings.Replace(c.body, "PROMPT", prompt, 1)
				if res, said := w.do("POST", c.path, body, fmt.Sprint("X-Aside-Run: r", i)); res.StatusCode != 200 {
					t.Fatal(res.StatusCode, said)
				}
				rec := fake.Records()[i]
				if rec.Request.Header.Get("X-Aside-Run") != "" {
					t.Error("the run's name was sent on")
				}
				var texts []string
				for _, f := range rec.Prompt.Reminders() {
					texts = append(texts, strings.TrimSpace(f.Text))
				}
				got := strings.Join(texts, "|")
				if byHand := strings.Contains(got, "hello"); !strings.Contains(got, "Be kind.") || byHand != (i == 1) ||
					strings.Count(got, "Be kind.") != 1 {
					t.Errorf("%s: %q in %s", prompt, got, rec.Request.Body)
				}
				if back := stripped(t, c.api, rec.Request); back != body {
					t.Errorf("%s\n got %s\nwant %s", prompt, back, body)
				}
			}
			if no := fake.Refused(); len(no) > 0 {
				t.Error(no[0].Answer.Refusal)
			}
			if log := w.logs.String(); !strings.Contains(log, `"unknown_reminder":true,"did_you_mean":["by-hand"]`) ||
				strings.Contains(log, "by-hnad") {
				t.Error(log)
			}
		})
	}
}

// stripped is what arrived without what we have put in; the mark is read off it.
func stripped(t testing.TB, api wire.API, r modelapi.Request) string {
	t.Helper()
	out, err := wire.Strip(r.Body, wire.Options{API: api, Options: inject.Options{Mark: mark(string(r.Body))}})
	if err != nil {
		t.Error(err)
	}
	return string(out)
}

// mark finds the mark of the first reminder in a body; "" if there is none.
func mark(body string) string {
	_, rest, ok := strings.Cut(body, "<system-reminder ")
	if !ok {
		return ""
	}
	tag, _, _ := strings.Cut(rest, ">")
	_, rest, _ = strings.Cut(tag, `=\"`)
	m, _, _ := strings.Cut(rest, `\"`)
	return m
}
