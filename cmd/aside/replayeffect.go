package main

import (
	"fmt"
	"io"

	"github.com/aside-go/aside/cmd/aside/internal/baserate"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/terminal"
)

// replayEffect is "aside replay --effect".
type replayEffect struct {
	Effect bool `xor:"other" help:"Say what followed where reminders with expect would have fired, without them: base rates, and how long a test takes. Without a transcript: all sessions of your agents."`

	rates  *baserate.View
	asJSON bool // the output is JSON, whose summary has the rates
	beside bool // stdout is for another output, so the rates go to stderr
}

func (x *replayEffect) check(bool) error { return nil }

func (x *replayEffect) begin(o *replay.Options) {
	if !x.Effect {
		return
	}
	x.rates = baserate.New(o.Set, o.Wanted)
	x.asJSON, x.beside = o.JSON, o.Out == io.Discard
	if !o.JSON {
		o.Out = io.Discard
	}
	o.Views = append(o.Views, x.rates)
}

func (x *replayEffect) finish(e *command.Env, err error) error {
	if x.rates == nil || x.asJSON || err != nil && x.rates.Turns() == 0 {
		return nil
	}
	w := io.Writer(e.Out)
	if x.beside {
		w = e.Err
	}
	if err := x.rates.Print(w, e.Width); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

func (x *replayEffect) note() (title string, blocks []terminal.Block) {
	if x.rates != nil {
		blocks = x.rates.Blocks()
	}
	return "What followed", blocks
}
