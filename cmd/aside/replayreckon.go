package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/aside-go/aside/cmd/aside/internal/baserate"
	"github.com/aside-go/aside/cmd/aside/internal/cost"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/terminal"
)

// reckoning is an output of "aside replay" that looks at the turns and has something to say behind them.
type reckoning struct {
	title  string
	view   reckoner // nil: it was not asked for
	asJSON bool     // the output is JSON, whose summary has it
	beside bool     // stdout is for another output, so it goes to stderr
	behind bool     // the timeline stands before it
}

type reckoner interface {
	replay.View
	Blocks() []terminal.Block
}

func (x *reckoning) look(o *replay.Options, title string, v reckoner) {
	x.title, x.view, x.asJSON, x.beside = title, v, o.JSON, o.Out == io.Discard
	o.Views = append(o.Views, v)
}

func (x *reckoning) finish(e *command.Env, _ error) error {
	_, blocks := x.note()
	if len(blocks) == 0 || x.asJSON {
		return nil
	}
	w := io.Writer(e.Out)
	if x.beside {
		w = e.Err
	}
	if x.behind {
		fmt.Fprintln(w) // what is printed next meets the same error and returns it
	}
	if err := terminal.Print(w, blocks, e.Width, e.ASCII); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

func (x *reckoning) note() (title string, blocks []terminal.Block) {
	if x.view != nil {
		blocks = x.view.Blocks()
	}
	return x.title, blocks
}

// replayCost is "aside replay --cost".
type replayCost struct {
	Cost  bool   `help:"Say what the reminders would have cost, and what they would have done to the prompt cache."`
	Price string `placeholder:"FILE|in=3,out=15,…" help:"With --cost, prices in dollars a million tokens: in, out, read, write, hour; or a YAML or JSON file of them by model."`

	Delivery string `hidden:"" help:"Of earlier versions."`

	prices    cost.Prices
	reckoning `kong:"-"`
}

func (x *replayCost) check(bool) error {
	switch {
	case x.Delivery != "":
		return command.Usage("--delivery is gone: --cost reckons with the way in which texts go to each model")
	case x.Price == "":
		return nil
	case !x.Cost:
		return command.Usage("--price goes with --cost")
	}
	var err error
	var file *fs.PathError
	switch x.prices, err = cost.ParsePrices(x.Price, os.ReadFile); {
	case errors.As(err, &file):
		return err
	case err != nil:
		return command.Usage("--price: %v", err)
	}
	return nil
}

func (x *replayCost) begin(o *replay.Options) {
	if x.Cost {
		x.behind = true
		x.look(o, "What it would have cost", cost.NewView(x.prices))
	}
}

// replayEffect is "aside replay --effect".
type replayEffect struct {
	Effect bool `xor:"other" help:"Say what followed where reminders with expect would have fired, without them: base rates, and how long a test takes. Without a transcript: all sessions of your agents."`

	reckoning `kong:"-"`
}

func (x *replayEffect) check(bool) error { return nil }

func (x *replayEffect) begin(o *replay.Options) {
	if !x.Effect {
		return
	}
	x.look(o, "What followed", baserate.New(o.Set, o.Wanted))
	if !o.JSON {
		o.Out = io.Discard
	}
}
