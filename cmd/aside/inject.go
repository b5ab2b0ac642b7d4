package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/bodies"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/inject/wire"
)

// apiFlag holds the flags about the form of a request body.
type apiFlag struct {
	API   string `name:"api" required:"" placeholder:"API" help:"The shape of the body: anthropic, openai-chat, openai-responses, gemini, gemini-interactions, converse; or messages ({\"messages\":[{\"role\",\"content\"}]})."`
	Model string `placeholder:"MODEL" help:"The model, for bodies that do not name it (Bedrock, Vertex, Gemini)."`
	Mark  string `placeholder:"TOKEN" help:"The mark that tells our reminders from others. Without it the bare tag is written."`
}

// Validate returns an error for values that make no sense.
func (f apiFlag) Validate() error {
	if f.API != "" { // kong itself reports a missing one
		if err := bodies.KnownAPI(f.API); err != nil {
			return err
		}
	}
	if strings.ContainsFunc(f.Mark, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' ||
			r == '_' || r == '.')
	}) {
		return fmt.Errorf("--mark %q: letters, digits, dots, hyphens and underscores only", f.Mark)
	}
	return nil
}

func (f apiFlag) options() bodies.Options {
	return bodies.Options{API: f.API, Model: f.Model, Mark: f.Mark}
}

// injectCmd is "aside inject".
type injectCmd struct {
	apiFlag
	Text       []string `sep:"none" placeholder:"TEXT" help:"A reminder as it is; a blank one is none. Repeatable."`
	Placement  string   `default:"block" enum:"block,text,system" help:"Where, in messages: block (a block of its own), text (at the end of the last text), system (a system message)."`
	Delivery   string   `default:"auto" enum:"auto,native,anchored,tail" help:"How it goes out: native (a system message that the API lets lapse), anchored (to be repeated in later requests), tail (this once), auto (what the model takes). Of messages only tail."`
	Neutralise string   `default:"mark" enum:"mark,all" help:"Which reminder tags of others, in what users and tools say, are made harmless: mark (those that claim the mark of ours; without a mark all), all."`
	program.RulesFlag
	program.ProjectFlag
	State string           `default:"memory" placeholder:"DIR" help:"Where runs are remembered: a directory, the URL of a database, or memory (the default: each call is the first of its run)."`
	RunID string           `name:"run" default:"default" placeholder:"ID" help:"The run that the body belongs to."`
	Key   string           `placeholder:"KEY" help:"The turn's key: the same key again has the same reminders."`
	Facts string           `placeholder:"JSON" help:"Facts that the body does not tell, or in place of those that it tells, as in a rule test: '{\"context_usage\":0.8}'."`
	Var   program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Validate returns an error for flags that do not go together.
func (c *injectCmd) Validate() error {
	if err := c.apiFlag.Validate(); err != nil {
		return err
	}
	switch api := wire.API(c.API); {
	case api == "":
	case api == wire.Messages && c.Delivery != "auto" && c.Delivery != "tail":
		return fmt.Errorf("--delivery %s: messages have only tail", c.Delivery)
	case api != wire.Messages && c.Placement != "block":
		return fmt.Errorf("--placement %s: of --api messages only; the others have --delivery", c.Placement)
	}
	return nil
}

// Run injects.
func (c *injectCmd) Run(ctx context.Context, e *command.Env) error {
	return bodies.Inject(ctx, e, bodies.InjectOptions{
		Options: c.apiFlag.options(), Text: c.Text, Placement: c.Placement, Delivery: c.Delivery,
		Neutralise: c.Neutralise,
		Rules:      rules.Request{Paths: c.Rules, Project: c.Project, Vars: c.Var},
		State:      c.State, RunID: c.RunID, Key: c.Key, Facts: c.Facts,
	})
}

// stripCmd is "aside strip".
type stripCmd struct {
	apiFlag
}

// Run strips.
func (c *stripCmd) Run(e *command.Env) error { return bodies.Strip(e, c.apiFlag.options()) }
