package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/aside-go/aside/cmd/aside/internal/cost"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/terminal"
)

// replayCost is "aside replay --cost".
type replayCost struct {
	Cost  bool   `help:"Say what the reminders would have cost, and what they would have done to the prompt cache."`
	Price string `placeholder:"FILE|in=3,out=15,…" help:"With --cost, prices in dollars a million tokens: in, out, read, write, hour; or a YAML or JSON file of them by model."`

	Delivery string `hidden:"" help:"Of earlier versions."`

	prices cost.Prices
	view   *cost.View
	asJSON bool // the output is JSON, whose summary has the costs
	beside bool // stdout is for another output, so the costs go to stderr
	style  cost.Style
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
	if !x.Cost {
		return
	}
	x.view = cost.NewView(x.prices)
	x.asJSON, x.beside, x.style = o.JSON, o.Out == io.Discard, cost.Style{Width: o.Width, ASCII: o.ASCII}
	o.Views = append(o.Views, x.view)
}

func (x *replayCost) finish(e *command.Env, _ error) error {
	if x.view == nil || x.asJSON {
		return nil
	}
	w := io.Writer(e.Out)
	if x.beside {
		w = e.Err
	}
	if err := x.view.Print(w, x.style); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

func (x *replayCost) note() (title string, blocks []terminal.Block) {
	if x.view != nil {
		blocks = x.view.Blocks()
	}
	return "What it would have cost", blocks
}
