package transport_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/siblings"
	"github.com/aside-go/aside/state"
)

// killing is processes over one store, one of which may be killed before any of its writes.
type killing struct {
	*testing.T
	set       *compile.Set
	disk      state.Store
	processes []*killed
	answer    string // of the API
	sent      []byte // what the API got last
	report    transport.Report
	key       string // of the client
}

// killed is a process that may be.
type killed struct {
	store *mortal
	rt    *transport.Transport
}

func newKilling(t *testing.T, set *compile.Set, processes int) *killing {
	k := &killing{T: t, set: set, disk: onDisk{state.NewMemory()}, processes: make([]*killed, processes)}
	for i := range k.processes {
		k.start(i)
	}
	return k
}

// start starts a process, in place of the one before.
func (k *killing) start(i int) {
	p := &killed{store: &mortal{Store: k.disk, left: -1}}
	p.rt = transport.New(eval.New(k.set, eval.Options{Store: p.store}), transport.Options{
		Report: func(_ context.Context, r transport.Report) { k.report = r },
		Base: client.Trip(func(r *http.Request) (*http.Response, error) {
			if p.store.killed() {
				return nil, errKilled
			}
			b, err := io.ReadAll(r.Body)
			k.sent = b
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
				ContentLength: int64(len(k.answer)), Body: io.NopCloser(strings.NewReader(k.answer))}, err
		})})
	k.processes[i] = p
}

// ask sends a request to a process, and again to the next one where that is killed before the answer came. It
// returns whether one was killed.
func (k *killing) ask(process int, path string, body []byte, answer string) (was bool) {
	k.Helper()
	for k.answer = answer; ; {
		i := process % len(k.processes)
		r, err := http.NewRequestWithContext(k.Context(), http.MethodPost, "http://api.test"+path,
			bytes.NewReader(body))
		if err != nil {
			k.Fatal(err)
		}
		r.Header.Set("X-Api-Key", k.key)
		p := k.processes[i]
		resp, err := p.rt.RoundTrip(r)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
		}
		dead := p.store.killed()
		if was = was || dead; dead {
			k.start(i)
			process++
		}
		switch {
		case err == nil:
			return was
		case !dead:
			k.Fatal(err)
		}
	}
}

// TestListed: a run that has parted from another one is found by the answers that it has from that, before
// whichever write its process was killed when it began.
func TestListed(t *testing.T) {
	t.Parallel()
	says := func(who string, turn int) string {
		return fmt.Sprintf("%s has done step %d%s.", who, turn, strings.Repeat(" of all steps", 5))
	}
	for n, over := 0, false; !over; n++ {
		k := newKilling(t, rules(t, "once: turn_count == 3"), 1)
		ask := func(c chat, answer string) (chat, bool) {
			t.Helper()
			b := fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"text","text":%q}],"usage":{}}`,
				answer)
			was := k.ask(0, messages, []byte(c.of(plainly)), b)
			return c.says(answer), was
		}
		c, early := chat{}, chat{}
		for turn := 1; turn <= 6; turn++ {
			if c, _ = ask(c.user(fmt.Sprint("Do step ", turn)), says("A", turn)); turn == 3 {
				early = c
			}
		}
		k.processes[0].store.kill(n)
		f, was := ask(early.user("Do something else."), says("B", 4))
		over = !was
		k.processes[0].store.kill(-1)
		for turn := 5; turn <= 6; turn++ {
			f, _ = ask(f.user(fmt.Sprint("Do step ", turn)), says("B", turn))
		}
		for turn := 7; turn <= 24; turn++ { // that run is not found any more by what it had then
			c, _ = ask(c.user(fmt.Sprint("Do step ", turn)), says("A", turn))
		}
		k.start(0)
		k.key = "another"
		if ask(early.user("And then?"), says("C", 4)); k.report.Turn != 4 {
			t.Errorf("killed before write %d: turn %d", n, k.report.Turn)
		}
	}
}

// TestFirst: whoever was the first to get an answer that many get is found by the id of its call, before
// whichever write the process was killed that got it next.
func TestFirst(t *testing.T) {
	t.Parallel()
	id := func(who int) string { return fmt.Sprintf("toolu_%020d", who) }
	for n, over := 0, false; !over; n++ {
		k := newKilling(t, rules(t, "once: turn_count == 3"), 1)
		begin := func(who int) bool {
			t.Helper()
			return k.ask(0, messages, []byte(chat{}.user(fmt.Sprint("I am ", who)).of(plainly)),
				fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Edit",`+
					`"input":{}}],"usage":{}}`, id(who)))
		}
		begin(0)
		k.processes[0].store.kill(n)
		over = !begin(1)
		k.processes[0].store.kill(-1)
		for who := range 12 {
			begin(2 + who)
		}
		k.start(0)
		k.key = "another"
		k.ask(0, messages, []byte(chat{}.user("It was cut.").uses(id(0), "Edit").of(plainly)), `{"type":"message",`+
			`"role":"assistant","content":[{"type":"text","text":"Good."}],"usage":{}}`)
		if k.report.Turn != 2 {
			t.Errorf("killed before write %d: turn %d", n, k.report.Turn)
		}
	}
}

// TestEachKill: of two conversations that begin alike, beside each other and through two processes, each
// sends what it sends alone, before whichever write a process is killed.
func TestEachKill(t *testing.T) {
	t.Parallel()
	const turns, alike = 7, 3
	item := func(who string, turn int) string {
		if turn < alike {
			who = ""
		}
		return fmt.Sprintf(`{"type":"function_call","id":"fc_%s%d","call_id":"call_%d_0","name":"Read",`+
			`"arguments":"{\"path\": \"%s%d\"}"}`, who, turn, turn, who, turn)
	}
	request := func(who string, turn int) string {
		var b strings.Builder
		b.WriteString(`{"model":"gpt-5.6-codex","store":false,"tools":[{"type":"function","name":"Read"}],` +
			`"input":[{"role":"user","content":"Go on."}`)
		for i := 1; i < turn; i++ {
			fmt.Fprintf(&b, `,%s,{"type":"function_call_output","call_id":"call_%d_0","output":"ok"}`, item(who, i), i)
		}
		return b.String() + "]}"
	}
	set := rules(t, "each! always", "once: turn_count == 3", "tool: after_tool:Read")
	play := func(whose []string, at, n int) (sent map[string]string, was bool) {
		k := newKilling(t, set, 2)
		sent = map[string]string{}
		for turn := 1; turn <= turns; turn++ {
			for i, who := range whose {
				if turn*len(whose)+i == at {
					k.processes[turn%2].store.kill(n)
				}
				answer := `{"object":"response","id":"resp","output":[` + item(who, turn) +
					`],"usage":{"input_tokens":9,"output_tokens":9}}`
				if k.ask(turn, "/v1/responses", []byte(request(who, turn)), answer) {
					was = true
				}
				sent[fmt.Sprint(who, turn)] = siblings.Unmarked(string(k.sent))
				for _, p := range k.processes {
					p.store.kill(-1)
				}
			}
		}
		return sent, was
	}
	alone, _ := play([]string{"a"}, -1, 0)
	b, _ := play([]string{"b"}, -1, 0)
	for turn := range b {
		alone[turn] = b[turn]
	}
	plays := 0
	for at := 2; at < 2*(turns+1); at++ {
		for n, over := 0, false; !over; n++ {
			sent, was := play([]string{"a", "b"}, at, n)
			over = !was
			plays++
			for turn, want := range alone {
				if got := sent[turn]; got != want {
					t.Fatalf("killed at request %d before write %d, turn %s:\n%s\nwant\n%s", at, n, turn, got, want)
				}
			}
		}
	}
	t.Log(plays, "plays")
}
