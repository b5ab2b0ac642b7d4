package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval/engine"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// message is a message of a conversation, as the model API has it.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ask is the call of a model by an SDK that takes an http.Client.
func ask(ctx context.Context, client *http.Client, url string, history []message) (message, error) {
	body, err := json.Marshal(map[string]any{"model": "claude-sonnet-5-5", "max_tokens": 1000,
		"messages": history})
	if err != nil {
		return message{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	resp, err := client.Do(r)
	if err != nil {
		return message{}, err
	}
	defer resp.Body.Close()
	var answer struct{ Content []struct{ Text string } }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		return message{}, fmt.Errorf("status %d: %w", resp.StatusCode, err)
	}
	return message{"assistant", answer.Content[0].Text}, nil
}

// directory makes a directory with rules, by their names.
func directory(rules map[string]string) string {
	dir, err := os.MkdirTemp("", "reminders")
	if err != nil {
		log.Fatal(err)
	}
	for name, rule := range rules {
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(rule), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	return dir
}

// agent answers what a person says, with a model.
func agent(ctx context.Context, rules, state, url string, prompts ...string) error {
	eng, err := engine.Open(ctx, engine.Options{
		Dirs:      []string{rules},
		State:     state,
		Facts:     []fact.Fact{{Name: "vars.tests_green", Type: fact.Bool}},
		Transport: transport.Options{Commands: true}, // "/remind NAME" of a person
	})
	if err != nil {
		return err
	}
	defer eng.Close()
	client, run := eng.Client(nil), eng.Run("session-1")
	ctx = run.Context(ctx)
	var history []message
	for i, prompt := range prompts {
		run.Thread("plan")
		if err := run.Set("tests_green", i != 1); err != nil {
			return err
		}
		history = append(history, message{"user", prompt})
		answer, err := ask(ctx, client, url, history)
		if err != nil {
			return err
		}
		history = append(history, answer)
	}
	return nil
}

// An agent with rules from files, a fact of its own, types of threads, and /remind. The model is a strict
// fake, which binds its thinking to every earlier byte.
func Example() {
	fake := modelapi.New(modelapi.Options{})
	api := httptest.NewServer(fake)
	defer api.Close()
	dir := directory(map[string]string{
		"plan":  "---\nwhen: thread:plan\n---\nThis is a plan: change no files.\n",
		"red":   "---\nwhen: vars.tests_green == false\n---\nThe tests fail.\n",
		"brief": "---\nwhen: manual\n---\nShort answers are wanted.\n",
	})
	state := directory(nil)
	defer os.RemoveAll(dir)
	defer os.RemoveAll(state)
	err := agent(context.Background(), dir, state, api.URL, "What now?", "Go on.", "/remind brief")
	if err != nil {
		log.Fatal(err)
	}
	records := fake.Records()
	show(records[len(records)-1].Prompt)
	// Output:
	// user: What now? [This is a plan: change no files.]
	// assistant: done
	// user: Go on. [The tests fail.]
	// assistant: done
	// user: /remind brief [Short answers are wanted.]
}

// show prints what a model has read, reminders in brackets.
func show(p *modelapi.Prompt) {
	for _, m := range p.Messages {
		var texts []string
		for _, b := range m.Blocks {
			text := b.Text
			if _, ours, found := strings.Cut(text, ">\n"); found {
				text = "[" + strings.TrimSuffix(ours, "\n</system-reminder>") + "]"
			}
			texts = append(texts, text)
		}
		fmt.Println(m.Role+":", strings.Join(texts, " "))
	}
}
