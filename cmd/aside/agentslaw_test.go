package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// probe begins the text of each rule; the rule's id follows.
const probe = "Probe "

// ours finds our texts in the bytes of a request.
var ours = regexp.MustCompile(`<system-reminder mark=\\"(\w+)\\">\\n` + probe +
	`(\w+)[^<]*</system-reminder>`)

// found are our texts in a request: ids, and the very bytes, in order.
func found(body []byte) (ids, raw []string) {
	for _, m := range ours.FindAllSubmatch(body, -1) {
		ids, raw = append(ids, string(m[2])), append(raw, string(m[0]))
	}
	return ids, raw
}

func often(ids []string) map[string]int {
	n := map[string]int{}
	for _, id := range ids {
		n[id]++
	}
	return n
}

// said is one message of a request, without the parts that a client may change from one request to the next
// (WIRE.md §2.2).
type said struct {
	text string
	host bool // the client's own system message
}

// lines reads the messages of a request.
func lines(t *testing.T, api wire.API, body []byte) (ls []said) {
	t.Helper()
	var b map[string]any
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	name := map[wire.API]string{wire.Responses: "input", wire.Gemini: "contents"}[api]
	if name == "" {
		name = "messages"
	}
	list, _ := b[name].([]any)
	for _, m := range list {
		text, err := json.Marshal(blind("", m))
		if err != nil {
			t.Fatal(err)
		}
		obj, _ := m.(map[string]any)
		role, _ := obj["role"].(string)
		host := (role == "system" || role == "developer") && !wholly(text)
		ls = append(ls, said{string(text), host})
	}
	return ls
}

// wholly reports whether a message holds no text but ours.
func wholly(message []byte) bool {
	texts := regexp.MustCompile(`"text":"((?:[^"\\]|\\.)*)"`).FindAllSubmatch(message, -1)
	for _, m := range texts {
		if !bytes.Contains(m[1], []byte(probe)) || !bytes.HasPrefix(m[1], []byte(`\u003csystem-reminder mark=`)) {
			return false
		}
	}
	return len(texts) > 0
}

// blind takes away the parts that clients change without editing anything.
func blind(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, w := range v {
			text, isText := w.(string)
			switch {
			case w == nil, k == "cache_control", k == "thoughtSignature", strings.HasPrefix(k, "__"), k == "type" &&
				strings.HasSuffix(text, "text"), k == "status":
			case k == "content" && isText:
				out[k] = []any{map[string]any{"text": text}}
			case k == "arguments" && isText:
				var args any
				if json.Unmarshal([]byte(text), &args) != nil {
					args = text
				}
				out[k] = args
			default:
				out[k] = blind(k, w)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, w := range v {
			out[i] = blind(name, w)
		}
		return out
	}
	return v
}

// begins reports whether ls begin with before. Without hosts, the client's own system messages are not looked
// at.
func begins(ls, before []said, hosts bool) bool {
	if !hosts {
		own := func(l said) bool { return l.host }
		ls, before = slices.DeleteFunc(slices.Clone(ls), own), slices.DeleteFunc(slices.Clone(before), own)
	}
	return len(before) <= len(ls) && slices.Equal(ls[:len(before)], before)
}

// asModels are the strict models of the fakes, but that Claude Code sends system messages to Sonnet 5
// (WIRE.md §1.1).
func asModels() []modelapi.Model {
	models := modelapi.Models()
	for i := range models {
		if models[i].Prefix == "claude-sonnet-5" {
			models[i].System = true
		}
	}
	return models
}

// permitted holds a request that came out against the rules of its API: what the client's own request breaks
// does not count.
func permitted(t *testing.T, x trip) {
	t.Helper()
	check := func(h hop) *modelapi.Refusal {
		return modelapi.Check(modelapi.Request{Path: h.path, Header: h.header, Body: h.body}, asModels())
	}
	if no := check(x.out); no != nil {
		if own := check(x.in); own == nil || own.Rule != no.Rule {
			t.Errorf("request %d would be refused: %v (as it came: %v)", x.in.n, no, own)
		}
	}
}

// intact holds what came out against what went in: without what is ours it is the same, to the byte, the
// client's own tags included, and so are its path and its headers.
func intact(t *testing.T, x trip) {
	t.Helper()
	ids, _ := found(x.out.body)
	if len(ids) == 0 {
		if a, b := x.in.body, x.out.body; !bytes.Equal(a, b) {
			t.Errorf("request %d holds nothing of ours and was changed: %s", x.in.n, differ(a, b))
		}
	} else {
		mark := string(ours.FindSubmatch(x.out.body)[1])
		b, err := wire.Strip(x.out.body, wire.Options{Options: inject.Options{Mark: mark}, API: x.api()})
		if err != nil {
			t.Errorf("request %d: %v", x.in.n, err)
		}
		if a := x.in.body; !bytes.Equal(a, b) {
			t.Errorf("request %d, what is ours taken out, is not what the client sent: %s", x.in.n, differ(a, b))
		}
		if n := bytes.Count(x.out.body, []byte(probe)) - bytes.Count(x.in.body, []byte(probe)); n != len(ids) {
			t.Errorf("request %d holds texts of ours without a tag: %d, %d", x.in.n, n, len(ids))
		}
	}
	if x.in.path != x.out.path || x.in.method != x.out.method {
		t.Errorf("request %d went to %s %s, not to %s %s", x.in.n, x.out.method, x.out.path, x.in.method, x.in.path)
	}
	for name, want := range x.in.header {
		switch got := x.out.header.Values(name); name {
		case "Accept-Encoding", "Connection", "Content-Length", "Transfer-Encoding", "Host", "Keep-Alive":
		case "Authorization", "X-Api-Key", "X-Goog-Api-Key":
			if len(got) != len(want) {
				t.Errorf("request %d: header %s is not there", x.in.n, name)
			}
		case "Anthropic-Beta":
			if len(got) == 0 || !strings.HasPrefix(strings.Join(got, ","), strings.Join(want, ",")) {
				t.Errorf("request %d: header %s is %q, was %q", x.in.n, name, got, want)
			}
		default:
			if !slices.Equal(got, want) {
				t.Errorf("request %d: header %s is %q, was %q", x.in.n, name, got, want)
			}
		}
	}
}

// differ tells where two bodies part, without more of them than is needed.
func differ(a, b []byte) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	cut := func(b []byte) []byte { return b[max(n-20, 0):min(n+60, len(b))] }
	return fmt.Sprintf("%d and %d bytes, from %d on: %q, %q", len(a), len(b), n, cut(a), cut(b))
}

// stable is law I4 over the requests of a run: where one goes on from another, it does so with what is ours,
// and ours are the same bytes. It returns how many went on from the one before.
func stable(t *testing.T, xs []trip) (continued int) {
	t.Helper()
	type turn struct {
		x       trip
		in, out []said
		raw     []string
	}
	var before []turn
	for _, x := range xs {
		_, raw := found(x.out.body)
		now := turn{x, lines(t, x.api(), x.in.body), lines(t, x.api(), x.out.body), raw}
		for i := len(before) - 1; i >= 0; i-- {
			b := before[i]
			hosts := begins(now.in, b.in, true)
			if !hosts && !begins(now.in, b.in, false) {
				continue
			}
			continued++
			if !begins(now.out, b.out, hosts) {
				t.Errorf("I4: request %d goes on from request %d, but not with what was put in", x.in.n, b.x.in.n)
			}
			held := b.raw
			if prompt(t, x.api(), x.in.body) != prompt(t, b.x.api(), b.x.in.body) {
				held = slices.DeleteFunc(slices.Clone(held), func(s string) bool {
					return strings.Contains(s,
						probe+"start")
				})
			}
			if missing := without(held, raw); missing != "" {
				t.Errorf("I4: request %d does not hold %q as request %d held it", x.in.n, missing, b.x.in.n)
			}
			break
		}
		before = append(before, now)
	}
	return continued
}

// without returns the first of earlier texts that later ones do not hold, in this order and to the byte; ""
// if they hold all.
func without(earlier, later []string) string {
	for _, e := range earlier {
		i := slices.Index(later, e)
		if i < 0 {
			return e
		}
		later = later[i+1:]
	}
	return ""
}

// strictly is the same law as the fakes read it.
func strictly(t *testing.T, xs []trip, tail bool) {
	t.Helper()
	f := modelapi.New(modelapi.Options{Models: asModels()})
	for _, x := range xs {
		f.Ask(modelapi.Request{Path: x.out.path, Header: x.out.header, Body: x.out.body})
	}
	if err := (modelapi.Stable{Tail: tail, Ours: func(text string) bool {
		return strings.HasPrefix(text,
			probe)
	}}).Check(f.Records()); err != nil {
		t.Errorf("I4: %v", err)
	}
}

// counted holds the texts in each request of a run against the texts that the log has put there so far: each
// text as often as it fired, and nothing in requests that are no turn but what was there before. It returns
// the firings.
func counted(t *testing.T, xs []trip) (fired map[string]int, texts int) {
	t.Helper()
	fired, stands := map[string]int{}, map[string]int{}
	runs := map[string]map[string]int{} // the texts in each; a branch of a run begins with those of the run
	var prompts []string                // of turns
	for _, x := range xs {
		if runs[x.log.Run] == nil {
			runs[x.log.Run] = map[string]int{}
			if x.log.Turn != 1 {
				runs[x.log.Run] = maps.Clone(stands)
			}
		}
		stands = runs[x.log.Run]
		ids, _ := found(x.out.body)
		n := often(ids)
		texts = max(texts, len(ids))
		if x.log.Kind != "turn" {
			if x.log.Turn != 0 || len(x.log.Put)+len(x.log.Fired) > 0 {
				t.Errorf("request %d is a %s and took a turn: %+v", x.in.n, x.log.Kind, x.log)
			}
			for id, k := range n {
				if k > stands[id] {
					t.Errorf("request %d is a %s and holds %q %d times, was %d", x.in.n, x.log.Kind, id, k, stands[id])
				}
			}
			own := prompt(t, x.api(), x.in.body)
			if own != prompt(t, x.api(), x.out.body) && !slices.Contains(prompts, own) {
				t.Errorf("request %d is a %s with a system prompt of its own, into which a text was put",
					x.in.n, x.log.Kind)
			}
			continue
		}
		prompts = append(prompts, prompt(t, x.api(), x.in.body))
		if !x.log.Again {
			for _, id := range x.log.Fired {
				fired[id]++
			}
			for _, id := range x.log.Put {
				stands[id]++
			}
		}
		switch {
		case len(x.log.Gone) > 0:
			for id := range stands {
				if n[id] > stands[id] {
					t.Errorf("request %d holds %q %d times, want at most %d", x.in.n, id, n[id], stands[id])
				}
			}
			runs[x.log.Run] = n
		case !maps.Equal(n, stands):
			t.Errorf("request %d holds %v, want %v", x.in.n, n, stands)
		}
	}
	return fired, texts
}

// atTheEnd is counted for texts that go out once: each that is due stands in a turn's request once.
func atTheEnd(t *testing.T, xs []trip) (fired map[string]int, texts int) {
	t.Helper()
	fired = map[string]int{}
	for _, x := range xs {
		ids, _ := found(x.out.body)
		n := often(ids)
		texts = max(texts, len(ids))
		if x.log.Kind != "turn" {
			if len(ids) > 0 {
				t.Errorf("request %d is a %s and holds %v", x.in.n, x.log.Kind, ids)
			}
			continue
		}
		if !x.log.Again {
			for _, id := range x.log.Fired {
				fired[id]++
			}
		}
		for _, id := range x.log.Fired {
			if n[id] != 1 {
				t.Errorf("request %d holds %q %d times, for which it fired", x.in.n, id, n[id])
			}
		}
		for id, k := range n {
			if k > 1 {
				t.Errorf("request %d holds %q %d times", x.in.n, id, k)
			}
		}
	}
	return fired, texts
}

// prompt returns the system prompt of a request, and whether it offers tools.
func prompt(t *testing.T, name wire.API, body []byte) string {
	t.Helper()
	var b map[string]any
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	tools, _ := b["tools"].([]any)
	parts := []any{len(tools) > 0, blind("", b["system"]), blind("", b["instructions"]),
		blind("", b["systemInstruction"])}
	for _, m := range lines(t, name, body) {
		if !m.host {
			break
		}
		parts = append(parts, m.text)
	}
	return fmt.Sprint(parts...)
}

// isSub reports whether a request is of the subagent that the script asks.
func isSub(x trip) bool {
	at := bytes.Index(x.in.body, []byte(submark))
	if at < 0 {
		return false
	}
	answered := bytes.Index(x.in.body, []byte("Agents000000000011")) // the call that asks it is the parent's
	return answered < 0
}
