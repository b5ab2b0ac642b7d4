package program

import (
	"context"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/effect"
)

// EffectCmd is "aside effect".
type EffectCmd struct {
	IDs []string `arg:"" optional:"" name:"id" help:"Reminders; without one all of which outcomes are recorded."`
	StateFlag
	Since Since    `placeholder:"TIME" help:"Leave out firings before; a date, a time, or a span such as 7d or 12h."`
	By    []string `enum:"agent,model" placeholder:"agent,model" help:"Tell the evidence apart by agent, by model, or by both."`
	JSON  bool     `name:"json" xor:"form" help:"Print a JSON array."`
	HTML  string   `name:"html" xor:"form" placeholder:"FILE" help:"Write a page to this file."`
}

// Help shows examples.
func (*EffectCmd) Help() string {
	return `Says for each reminder with expect, and for each version of its text, what became of its firings:
in runs that were sent the text, and in runs that were held out (holdout). The difference of the two is what the
text changes. aside help effect explains the words.

Examples:

    aside effect
    aside effect run-tests --since 30d
    aside effect --by model --json
    aside effect --html effect.html`
}

// Run reports.
func (c *EffectCmd) Run(ctx context.Context, e *command.Env) error {
	o := effect.Options{IDs: c.IDs, State: c.State, Since: c.Since.Before(time.Now()), JSON: c.JSON,
		HTML: c.HTML}
	for _, by := range c.By {
		o.By.Agent = o.By.Agent || by == "agent"
		o.By.Model = o.By.Model || by == "model"
	}
	return effect.Run(ctx, e, o)
}
