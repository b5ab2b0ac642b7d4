package adk_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model/gemini"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"github.com/aside-go/aside/eval/engine"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/transport/adapters"
	asideadk "github.com/aside-go/aside/inject/transport/adapters/adk"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// kitAgent is an agent of the kit, whose runner keeps the history.
func kitAgent(ctx context.Context, rules, state, url string, prompts ...string) error {
	eng, err := engine.Open(ctx, engine.Options{Dirs: []string{rules}, State: state,
		Transport: transport.Options{Commands: true}})
	if err != nil {
		return err
	}
	defer eng.Close()
	m, err := gemini.NewModel(ctx, "gemini-3-pro", &genai.ClientConfig{APIKey: "key",
		Backend: genai.BackendGeminiAPI, HTTPClient: eng.Client(nil), HTTPOptions: genai.HTTPOptions{BaseURL: url}})
	if err != nil {
		return err
	}
	a, err := llmagent.New(llmagent.Config{Name: "agent", Model: asideadk.Model(m)})
	if err != nil {
		return err
	}
	r, err := runner.New(runner.Config{AppName: app, Agent: a, SessionService: session.InMemoryService(),
		AutoCreateSession: true})
	run := eng.Run("session-1")
	run.Thread("plan")
	ctx = adapters.With(run.Context(ctx), run.Observer())
	for _, prompt := range prompts {
		for range r.Run(ctx, user, id, genai.NewContentFromText(prompt, genai.RoleUser), agent.RunConfig{}) {
		}
	}
	return err
}

// An agent of the kit in 25 lines, with rules of files and /remind.
func Example() {
	fake := modelapi.New(modelapi.Options{})
	api := httptest.NewServer(fake)
	defer api.Close()
	dir, err := os.MkdirTemp("", "reminders")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	state, err := os.MkdirTemp("", "state")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(state)
	for name, rule := range map[string]string{
		"plan":  "---\nwhen: thread:plan\n---\nThis is a plan: change no files.\n",
		"brief": "---\nwhen: manual\n---\nShort answers are wanted.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(rule), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	if err := kitAgent(context.Background(), dir, state, api.URL, "What now?", "/remind brief"); err != nil {
		log.Fatal(err)
	}
	records := fake.Records()
	for _, r := range records[len(records)-1].Prompt.Reminders() {
		fmt.Println(strings.TrimSpace(r.Text))
	}
	// Output:
	// This is a plan: change no files.
	// Short answers are wanted.
}
