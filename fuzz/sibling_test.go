package fuzz_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/state"
)

// talk is a conversation of a client that nobody names.
type talk struct {
	messages []json.RawMessage // the client's
	asked    int               // how many requests have led to them
	lengths  []int             // how many messages each request had
	sent     [][]json.RawMessage
	ids      []string // of the responses, where the API keeps them
}

// crowd is two processes over one store, and an API of which each answer is told beforehand.
type crowd struct {
	set       *compile.Set
	store     state.Store
	processes [2]*transport.Transport
	answer    string
	sent      []byte
	unsaved   bool // the process is killed before it saves the answer
	// by the id of a response, all that was said, where the API keeps responses; nil: it does not
	kept map[string][]json.RawMessage
}

func (c *crowd) start(i int) {
	c.processes[i] = transport.New(eval.New(c.set, eval.Options{Store: c.store}), transport.Options{Base: c,
		Later: func(save func() error) {
			if !c.unsaved {
				_ = save()
			}
		}})
}

// RoundTrip implements http.RoundTripper: it is the API.
func (c *crowd) RoundTrip(r *http.Request) (*http.Response, error) {
	var err error
	c.sent, err = io.ReadAll(r.Body)
	answer := c.answer
	if c.kept == nil {
		answer = `{"choices":[{"index":0,"message":` + answer + `}]}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, ContentLength: -1, Request: r,
		Body: io.NopCloser(strings.NewReader(answer))}, err
}

var turnTexts = regexp.MustCompile(`It is turn ([0-9]+)\.`)

// FuzzS7Siblings: conversations that begin alike, over two processes of which any is killed at any time, that
// get other answers or the same ones, ask again, and go back in their history: each request holds the texts
// of its own turns, each once, and goes on from what the conversation has sent before, to the byte. A byte is
// a request: whose it is, which process takes it, what it meets with, and what comes back. Where the API
// keeps the responses, a request goes on from one of the last by its id, and the law is about all that the
// API knows.
func FuzzS7Siblings(f *testing.F) {
	for _, steps := range []string{"\x00\x01\x02\x03\x00\x01\x02\x03\x00\x01\x02\x03",
		"\x20\x21\x26\x27\x20\x21\x22\x2b\x20\x31\x62\x23\xa0\xe1\x22",
		"\x10\x15\x1a\x1f\x10\x95\xda\x1f\x10\x15\x1a\x1f\x50\x15\x9a"} {
		f.Add([]byte(steps), false)
		f.Add([]byte(steps), true)
	}
	set, diags := compile.New([]reminder.Reminder{{ID: "each", Mode: reminder.While, Trigger: "always",
		Text: "It is turn {{.turn_count}}."}}, compile.Options{})
	if len(diags) > 0 {
		f.Fatal(diags)
	}
	f.Fuzz(func(t *testing.T, steps []byte, kept bool) {
		c := &crowd{set: set, store: state.NewMemory()}
		if kept {
			c.kept = map[string][]json.RawMessage{}
		}
		c.start(0)
		c.start(1)
		var talks [4]talk
		for i := range talks {
			talks[i].messages = []json.RawMessage{json.RawMessage(`{"role":"user","content":"Solve it."}`)}
		}
		play := c.play
		if kept {
			play = c.playKept
		}
		for i, b := range steps[:min(len(steps), 60)] {
			play(t, &talks[b&3], int(b>>2&1), i, b)
		}
	})
}

// play sends one request.
func (c *crowd) play(t *testing.T, k *talk, process, step int, b byte) {
	if c.unsaved = b>>3&1 == 1; c.unsaved {
		c.start(process)
	}
	if back := b>>6 == 3 && k.asked > 1; back || k.asked == 12 { // another question in place of one before
		k.asked /= 2
		k.messages = append([]json.RawMessage{}, k.messages[:k.lengths[k.asked]]...)
		last := &k.messages[len(k.messages)-1]
		*last = bytes.Replace(*last, []byte(`"content":"`), fmt.Appendf(nil, `"content":"Or %d: `, step), 1)
	}
	id, follow := fmt.Sprintf("call_%016d", step), ""
	switch b >> 4 & 3 {
	case 0:
	case 1:
		id = "call_1"
	case 2:
		c.answer, id = `{"role":"assistant","content":"OK"}`, ""
	case 3:
		c.answer, id = fmt.Sprintf(`{"role":"assistant","content":"answer %d"}`, step), ""
	}
	follow = `{"role":"user","content":"Go on."}`
	if id != "" {
		c.answer = fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function",`+
			`"function":{"name":"Read","arguments":"{\"line\": %d}"}}]}`, id, step%3)
		follow = fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"text"}`, id)
	}
	c.send(t, process, "chat/completions", map[string]any{"model": "gpt-5.6", "messages": k.messages})
	var sent struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(c.sent, &sent); err != nil {
		t.Fatal(err)
	}
	c.check(t, k, sent.Messages)
	if b>>6 == 2 { // the answer is thrown away
		return
	}
	k.lengths = append(k.lengths[:k.asked:k.asked], len(k.messages))
	k.sent = append(k.sent[:k.asked:k.asked], sent.Messages)
	k.asked++
	k.messages = append(k.messages, json.RawMessage(c.answer), json.RawMessage(follow))
}

// check holds what was sent to the turns of the conversation.
func (c *crowd) check(t *testing.T, k *talk, sent []json.RawMessage) {
	t.Helper()
	texts := turnTexts.FindAllSubmatch(c.sent, -1)
	if len(texts) != k.asked+1 {
		t.Fatalf("%d texts on turn %d: %s", len(texts), k.asked+1, c.sent)
	}
	for i, text := range texts {
		if string(text[1]) != fmt.Sprint(i+1) {
			t.Fatalf("text %d says %s: %s", i+1, text[1], c.sent)
		}
	}
	if k.asked == 0 {
		return
	}
	for i, was := range k.sent[k.asked-1] {
		if i >= len(sent) || !bytes.Equal(was, sent[i]) {
			t.Fatalf("message %d was %s: %s", i, was, c.sent)
		}
	}
}

// send sends a request through a process.
func (c *crowd) send(t *testing.T, process int, path string, said map[string]any) {
	t.Helper()
	body, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://api.test/v1/"+path,
		bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.processes[process].RoundTrip(r)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// playKept is play where the API keeps the responses. messages are the latest items that the client says.
func (c *crowd) playKept(t *testing.T, k *talk, process, step int, b byte) {
	if c.unsaved = b>>3&1 == 1; c.unsaved {
		c.start(process)
	}
	if b>>6 == 3 && k.asked > 1 { // another question in place of the last one
		k.asked--
		k.messages = []json.RawMessage{fmt.Appendf(nil, `{"role":"user","content":"Or %d."}`, step)}
	}
	id, follow := fmt.Sprintf("resp_%016d", step), `{"role":"user","content":"Go on."}`
	call := fmt.Sprintf("call_%016d", step)
	item := fmt.Sprintf(`{"type":"message","id":"msg_%016d","role":"assistant","content":[{"type":"output_text",`+
		`"text":"answer %d"}]}`, step, step)
	switch b >> 4 & 3 {
	case 1:
		call = "call_1"
	case 2:
		item = strings.Replace(item, fmt.Sprint("answer ", step), "OK", 1)
	}
	if b>>4&3 < 2 {
		item = fmt.Sprintf(`{"type":"function_call","id":"fc_%016d","call_id":%q,"name":"Read",`+
			`"arguments":"{\"line\": %d}"}`, step, call, step%3)
		follow = fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"text"}`, call)
	}
	c.answer = fmt.Sprintf(`{"id":%q,"object":"response","status":"completed","output":[%s]}`, id, item)
	said := map[string]any{"model": "gpt-5.6", "input": k.messages}
	var before []json.RawMessage
	if k.asked > 0 {
		said["previous_response_id"] = k.ids[k.asked-1]
		before = c.kept[k.ids[k.asked-1]]
	}
	c.send(t, process, "responses", said)
	var sent struct{ Input []json.RawMessage }
	if err := json.Unmarshal(c.sent, &sent); err != nil {
		t.Fatal(err)
	}
	all := append(before[:len(before):len(before)], sent.Input...)
	c.sent = bytes.Join(asBytes(all), []byte("\n"))
	c.check(t, k, all)
	if b>>6 == 2 { // the answer is thrown away
		return
	}
	c.kept[id] = append(all[:len(all):len(all)], json.RawMessage(item))
	k.ids = append(k.ids[:k.asked:k.asked], id)
	k.sent = append(k.sent[:k.asked:k.asked], all)
	k.asked++
	k.messages = []json.RawMessage{json.RawMessage(follow)}
}

func asBytes(all []json.RawMessage) (list [][]byte) {
	for _, m := range all {
		list = append(list, m)
	}
	return list
}
