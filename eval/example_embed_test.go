package eval_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
)

// The whole way, from a directory of rules to the messages that are sent.
func Example_embed() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "reminders")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rule := "---\nwhen: context_usage > 75%\n---\nThe context window is {{.context_usage | percent}} full.\n"
	if err := os.WriteFile(filepath.Join(dir, "near-full.md"), []byte(rule), 0o600); err != nil {
		log.Fatal(err)
	}
	history := []inject.Message{{Role: "user", Text: "rename the function"}}

	set, diags := load.Dir(dir)
	if diags.HasErrors() {
		log.Print(diags) // a bad file never stops the others
	}
	ev := eval.New(set, eval.Options{})

	obs := ev.Observe("session-1")
	obs.Model("anthropic", "claude-opus-4-6", 200_000)
	obs.UserMessage("rename the function")
	obs.Response(eval.Usage{ContextTokens: 160_000, ResponseTokens: 300, Known: true})

	d, err := ev.Prepare(ctx, "session-1", obs.Turn())
	if err != nil {
		log.Fatal(err)
	}
	if err := d.Commit(ctx); err != nil { // before anything is sent; or d.Discard(), and nothing was spent
		log.Fatal(err)
	}
	send := inject.Messages(history, d.Due, inject.Options{}) // a copy: history is never written to

	fmt.Println(len(history[0].Blocks), len(send[0].Blocks))
	fmt.Println(send[0].Blocks[1].Text)
	// Output:
	// 0 2
	// <system-reminder>
	// The context window is 80% full.
	// </system-reminder>
}
