package proxy_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestI10Secrets: no secret, prompt or key reaches a log, a metric or an error of ours, whatever happens to
// the request.
func TestI10Secrets(t *testing.T) {
	t.Parallel()
	const canary = "c4n4ry-7h4t-n0b0dy-5h4ll-534"
	headers := []string{
		"Authorization: Bearer " + canary, "X-Api-Key: " + canary, "X-Goog-Api-Key: " +
			canary, "Api-Key: " + canary,
		"Proxy-Authorization: Basic " + canary, "Cookie: s=" + canary, "User-Agent: agent-" +
			canary, "X-Aside-Token: " + canary, "Referer: http://" + canary,
		"Anthropic-Beta: " + canary, "X-Custom: " + canary, "X-Reminder-Turn: " + canary,
	}
	paths := []string{
		"/v1/messages", "/v1/messages/count_tokens", "/v1/chat/completions", "/v1/responses",
		"/v1beta/models/gemini-3-pro:generateContent", "/model/claude-opus-5/converse",
		"/v1/other", "/v1/runs/r/turns", "/v1/runs/r/remind/always", "/v1/runs", "/v1/runs/r/why", "/v1/runs/r/x",
		"/openai/v1/files", "/",
	}
	bodies := []string{
		ask(false, "s", canary), ask(true, "s", "/remind "+canary), ask(false, "s",
			"/remind always "+canary), canary, `{"messages":"` + canary + `"}`, `{"messages":[{"role":"` +
			canary + `"}]}`,
		`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + canary + `"}]}]}`,
		`{"input":[{"type":"function_call_output","call_id":"` + canary +
			`"}]}`, `{"contents":[{"parts":[{"text":"` + canary + `"}]}]}`,
		`{"model":"gpt-5.6","input":"` + canary + `"}`, `{"facts":{"` + canary + `":1}}`, `{"facts":{"prompt":"` +
			canary + `"},"remind":["` + canary + `"]}`, `{"name":"` + canary + `"}`,
		`{"run":"r","name":"` + canary + `"}`, "\x1f\x8b" + canary, `{"model":"m","messages":[` +
			strings.Repeat("[", 2000) + canary,
	}
	ups := map[string]http.Handler{
		"fake": modelapi.New(modelapi.Options{
			Script: func(*modelapi.Prompt) modelapi.Reply { return modelapi.Say(canary) }}),
		"refuses": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, canary, 400) }),
		"breaks": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Secret", canary)
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, canary)
		}),
		"garbage": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				fmt.Fprint(c, canary+" is no HTTP\r\n\r\n")
				c.Close()
			}
		}),
	}
	for name, up := range ups {
		for _, token := range []string{"", "sesame"} {
			w := open(t, up, proxy.Options{Guard: guard(token), Transport: transport.Options{Commands: true}},
				always, manual)
			n := 0
			for _, path := range paths {
				for _, body := range bodies {
					h := headers
					if token != "" && n%2 == 0 {
						h = append([]string{}, headers...)
						h[7] = "X-Aside-Token: " + token
					}
					n++
					r, _ := http.NewRequest("POST", w.url+path+"?key="+canary+"&"+canary, strings.NewReader(body))
					for _, line := range h {
						k, v, _ := strings.Cut(line, ": ")
						r.Header.Set(k, v)
					}
					if strings.HasPrefix(body, "\x1f") {
						r.Header.Set("Content-Encoding", "gzip")
					}
					res, err := w.client.Do(r)
					if err != nil {
						t.Fatal(err)
					}
					b := make([]byte, 1<<16)
					k, _ := res.Body.Read(b)
					res.Body.Close()
					// Answers of ours may name what the very same client asked for only where that is how it learns of its
					// mistake.
					if said := string(b[:k]); res.StatusCode >= 400 && strings.Contains(said, "aside: ") {
						leaks(t, name+" "+path+" error", said, canary)
					}
				}
			}
			for _, line := range []string{"GET /v1/models?key=" + canary + " HTTP/1.1\r\nHost: " + canary +
				"\r\n\r\n"} {
				r, _ := http.NewRequest("GET", w.url+strings.Fields(line)[1], nil)
				if res, err := w.client.Do(r); err == nil {
					res.Body.Close()
				}
			}
			w.proxy.Settle()
			_, metrics := w.do("GET", "/metrics", "", "X-Aside-Token: "+token)
			leaks(t, name+" metrics", metrics, canary)
			if log := w.logs.String(); !strings.Contains(log, "request") {
				t.Error("nothing was logged")
			} else {
				leaks(t, name+" log", log, canary)
			}
		}
	}
}

// leaks looks for a secret, also where it was encoded, alone or among other bytes.
func leaks(t *testing.T, where, said, secret string) {
	t.Helper()
	forms := []string{secret, url.QueryEscape(secret), secret[:16]}
	for from := range 3 { // base64 writes each three bytes as four characters, and the secret begins anywhere
		b := []byte(secret)[from : from+12]
		forms = append(forms, base64.StdEncoding.EncodeToString(b), base64.URLEncoding.EncodeToString(b))
	}
	for _, form := range forms {
		if at := strings.Index(said, form); at >= 0 {
			t.Errorf("%s tells it: …%s…", where, said[max(0, at-200):min(len(said), at+100)])
			return
		}
	}
}
