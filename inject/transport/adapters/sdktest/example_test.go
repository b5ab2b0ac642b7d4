package sdktest_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// example plays three messages of a person to an agent, with rules, a fact of its own, a type of thread and
// /remind, and prints what the model has read in the last request, tags aside.
func example(agent func(ctx context.Context, rules, state, url string, prompts ...string) error) {
	fake := modelapi.New(modelapi.Options{})
	api := httptest.NewServer(fake)
	defer api.Close()
	dir, err := os.MkdirTemp("", "reminders")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rules := filepath.Join(dir, "rules")
	if err := os.Mkdir(rules, 0o700); err != nil {
		log.Fatal(err)
	}
	for name, rule := range map[string]string{
		"plan":  "---\nwhen: thread:plan\n---\nThis is a plan: change no files.\n",
		"red":   "---\nwhen: vars.tests_green == false\n---\nThe tests fail.\n",
		"brief": "---\nwhen: manual\n---\nShort answers are wanted.\n",
	} {
		if err := os.WriteFile(filepath.Join(rules, name+".md"), []byte(rule), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	err = agent(context.Background(), rules, filepath.Join(dir, "state"), api.URL, "What now?", "Go on.",
		"/remind brief")
	if err != nil {
		log.Fatal(err)
	}
	records := fake.Records()
	for _, r := range records[len(records)-1].Prompt.Reminders() {
		fmt.Println(strings.TrimSpace(r.Text))
	}
}
