package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// attempts is how often a request is sent before the client gives up.
const attempts = 3

// errGarbled is the error of an answer that breaks off or cannot be read. Clients try again.
var errGarbled = errors.New("the answer is cut short or not the API's")

// ask sends a request, the same bytes each time, until an attempt succeeds. It returns the answer; false if
// there is none.
func (a *Agent) ask(ctx context.Context, t *thread, k Kind) (message, bool) {
	path, header, body := a.request(a.shown(t), k)
	a.calls++
	first := len(a.sent)
	for n := range attempts {
		s := &Sent{N: len(a.sent), Call: a.calls - 1, Run: a.run, Thread: t.name, Kind: k, Attempt: n,
			Resumed: t.resumed,
			Path:    path, Header: header.Clone(), Body: body}
		if k == Turn && t.prompted(a.opts.API) {
			s.Prompt, s.Command = true, strings.HasPrefix(t.last().text, "/remind ")
		}
		a.sent = append(a.sent, s)
		m, err := a.attempt(ctx, s)
		if err == nil {
			m.by = a.mind()
			return m, true
		}
		s.Err = err
		if s.Status >= 400 && s.Status < 500 && s.Status != http.StatusTooManyRequests {
			a.stopped = fmt.Errorf("request %d of %s %s: %w", s.N, s.Run, s.Thread, err)
			break
		}
	}
	for _, s := range a.sent[first:] {
		s.Lost = true
	}
	return message{}, false
}

func (a *Agent) attempt(ctx context.Context, s *Sent) (message, error) {
	r, err := http.NewRequestWithContext(context.WithValue(ctx, sentKey{}, s), http.MethodPost,
		"http://api.test"+s.Path, bytes.NewReader(s.Body))
	if err != nil {
		return message{}, err
	}
	r.Header = s.Header.Clone()
	resp, err := a.rt.RoundTrip(r)
	if err != nil {
		return message{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	s.Status = resp.StatusCode
	b, err := io.ReadAll(resp.Body)
	switch {
	case s.Status != http.StatusOK:
		return message{}, fmt.Errorf("%d %s", s.Status, b)
	case err != nil:
		return message{}, err
	case s.Kind == Count:
		return message{}, nil
	}
	return a.answer(b, a.manner.stream && s.Kind == Turn)
}

// request writes the request of a kind that the thread makes now.
func (a *Agent) request(t *thread, k Kind) (path string, h http.Header, body []byte) {
	h = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer test"}}
	if a.opts.RunHeader != "" && !a.opts.Unnamed {
		name := a.run
		if t.name != "" {
			name += "/" + t.name
		}
		h.Set(a.opts.RunHeader, name)
	}
	switch a.opts.API {
	case modelapi.Anthropic:
		path, body = a.anthropic(t, k, h)
	case modelapi.Chat:
		path, body = a.chat(t, k, h)
	case modelapi.Responses:
		path, body = a.responses(t, k, h)
	case modelapi.Gemini:
		path, body = a.gemini(t, k, h)
	case modelapi.Interactions:
		path, body = a.interactions(t, k, h)
	default:
		path, body = a.converse(t, k)
	}
	return path, h, body
}

// answer reads the body of a response.
func (a *Agent) answer(b []byte, stream bool) (message, error) {
	read := map[modelapi.API][2]func([]byte) (message, error){
		modelapi.Anthropic: {anthropicAnswer, anthropicStream},
		modelapi.Chat:      {chatAnswer, chatStream},
		modelapi.Responses: {responsesAnswer, responsesStream},
		modelapi.Gemini:    {geminiAnswer, geminiStream},
		modelapi.Converse:  {converseAnswer, converseStream},

		modelapi.Interactions: {interactionsAnswer, interactionsStream},
	}[a.opts.API]
	f := read[0]
	if stream {
		f = read[1]
	}
	m, err := f(b)
	m.role = model
	if err == nil && len(m.parts) == 0 {
		err = errGarbled
	}
	return m, err
}

// object writes an object as this client does.
func (a *Agent) object(pairs ...any) raw { return object(a.manner.sorted, pairs...) }

// systemPrompt returns the system prompt of a thread.
func (a *Agent) systemPrompt(t *thread) string {
	if s := a.opts.Steady; s != nil {
		return a.steady[:s.System*4]
	}
	if t.name != "" {
		return "You are a subagent. Do one thing, and report."
	}
	return "You are a coding agent. Work in /repo, and say what you did."
}

// toolList returns the tools that the model is offered, each with name and description.
func (a *Agent) toolList() [][2]string {
	if s := a.opts.Steady; s != nil {
		return [][2]string{{"Read", a.steady[:s.Tools*4-150]}}
	}
	var out [][2]string
	for _, n := range toolNames {
		out = append(out, [2]string{n, "The tool " + n + "."})
	}
	return out
}

// schema is the schema of each tool's arguments.
const schema = `{"type":"object","properties":{"path":{"type":"string"}}}`
