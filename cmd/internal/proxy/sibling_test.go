package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// pair is two programs that serve the same directory, any of which may be killed at any time.
type pair struct {
	t    *testing.T
	api  string
	dir  string
	mu   sync.Mutex
	rng  *rand.Rand
	both [2]*program
	died int
}

func (p *pair) start(i int) {
	p.both[i] = start(p.t, served, p.api, stateVariable+"="+p.dir, turnsVariable+"=1")
}

// pick returns the address of one of them, which may have been started for this: the one before was killed.
func (p *pair) pick() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.rng.IntN(2)
	if p.rng.IntN(12) == 0 {
		_ = p.both[i].cmd.Process.Kill() // no signal that it could see
		_ = p.both[i].cmd.Wait()
		p.died++
		p.start(i)
	}
	return p.both[i].url
}

var turns = regexp.MustCompile(`It is turn [0-9]+\.`)

// TestS7Killed: conversations that begin alike, beside each other, through two programs that share a
// directory and are killed at random: the model that binds thinking refuses nothing, and each request holds
// the texts of its own turns, each once.
func TestS7Killed(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"claude-opus-5-5", "claude-sonnet-4-6"}[:testkit.Repeat(1, 2)] {
		for _, n := range []int{5, 50}[:testkit.Repeat(1, 2)] {
			t.Run(fmt.Sprint(model, " ", n), func(t *testing.T) { t.Parallel(); killed(t, model, n) })
		}
	}
}

func killed(t *testing.T, model string, n int) {
	answers, length := 0, 6
	fake := modelapi.New(modelapi.Options{Script: func(p *modelapi.Prompt) modelapi.Reply {
		answers++
		return modelapi.Reply{Parts: []modelapi.Part{{Thinking: fmt.Sprint("thought ", answers)},
			{Text: "I read."}, modelapi.Use(fmt.Sprintf("toolu_%020d", answers), "Read", `{"path":"a.go"}`)}}
	}})
	api := httptest.NewServer(fake)
	t.Cleanup(api.Close)
	p := &pair{t: t, api: api.URL, dir: t.TempDir(), rng: rand.New(rand.NewPCG(3, 4))}
	p.start(0)
	p.start(1)
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			messages := []any{map[string]any{"role": "user", "content": "Solve it."}}
			for range length {
				answer, err := p.ask(model, messages)
				if err != nil {
					t.Error(err)
					return
				}
				id := regexp.MustCompile(`toolu_[0-9]+`).FindString(string(answer))
				messages = append(messages, map[string]any{"role": "assistant", "content": answer},
					map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
						"tool_use_id": id, "content": "text"}}})
			}
		})
	}
	group.Wait()
	if refused := fake.Refused(); len(refused) > 0 {
		t.Error(refused[0])
	}
	ends := 0
	for _, r := range fake.Records() {
		if r.Prompt == nil {
			continue
		}
		made := strings.Count(string(r.Request.Body), `"tool_result"`)
		var want []string
		for i := range made + 1 {
			want = append(want, fmt.Sprintf("It is turn %d.", i+1))
		}
		if diff := cmp.Diff(want, turns.FindAllString(string(r.Request.Body), -1)); diff != "" {
			t.Fatalf("request %d with %d results (-want +got):\n%s", r.N, made, diff)
		}
		if made == length-1 {
			ends++
		}
	}
	if ends < n || p.died == 0 {
		t.Errorf("%d of %d came to their end, %d programs were killed", ends, n, p.died)
	}
}

// ask sends a request until it is answered, and returns the content of the answer. An error of the connection
// is that of a program that was killed.
func (p *pair) ask(model string, messages []any) (json.RawMessage, error) {
	body, err := json.Marshal(map[string]any{"model": model, "max_tokens": 2000, "messages": messages,
		"thinking": map[string]any{"type": "enabled", "budget_tokens": 1024},
		"tools":    []any{map[string]any{"name": "Read", "input_schema": map[string]any{"type": "object"}}}})
	if err != nil {
		return nil, err
	}
	for {
		resp, err := http.Post(p.pick()+"/v1/messages", "application/json", bytes.NewReader(body))
		if err != nil {
			continue
		}
		b, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		switch {
		case resp.StatusCode == http.StatusBadGateway || err != nil:
			continue
		case resp.StatusCode != http.StatusOK:
			return nil, fmt.Errorf("%d %s", resp.StatusCode, b)
		}
		var answer struct{ Content json.RawMessage }
		err = json.Unmarshal(b, &answer)
		return answer.Content, err
	}
}
