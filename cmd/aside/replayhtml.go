package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/report"
	"github.com/aside-go/aside/cmd/internal/terminal"
)

// replayHTML is "aside replay --html".
type replayHTML struct {
	HTML *string `name:"html" placeholder:"FILE" help:"Write a page for a browser, all in one file, instead of the timeline; - is stdout."`

	page        *report.Page
	differences []terminal.Block
	notes       []replayNote
}

// replayNote is an output that has a part of its own on the page.
type replayNote interface {
	// note returns the heading and what stands below it; nothing where the output was not asked for.
	note() (title string, blocks []terminal.Block)
}

// stdoutName is the file name that stands for stdout.
const stdoutName = "-"

func (x *replayHTML) check(json bool) error {
	switch {
	case x.HTML == nil:
		return nil
	case *x.HTML == "":
		return command.Usage("--html needs the name of a file")
	case *x.HTML != stdoutName:
		return report.Writable(*x.HTML)
	case json:
		return command.Usage("--html - and --json would both write to stdout")
	}
	return nil
}

func (x *replayHTML) begin(o *replay.Options) {
	if x.HTML == nil {
		return
	}
	if !o.JSON {
		o.Out = io.Discard
		if o.Against != nil {
			o.Blocks = &x.differences
		}
	}
	o.Words = true
	x.page = report.New(o.Set)
	o.Views = append(o.Views, x.page)
}

// finish writes the page. Where the replay was interrupted, an existing page stays as it was.
func (x *replayHTML) finish(e *command.Env, err error) error {
	switch {
	case x.page == nil:
		return nil
	case errors.Is(err, replay.ErrInterrupted), err != nil && x.page.Turns() == 0:
		if *x.HTML != stdoutName {
			e.Note("%s: not written", e.Short(*x.HTML))
		}
		return nil
	}
	if len(x.differences) > 0 {
		x.page.Note("What would change", x.differences)
	}
	for _, n := range x.notes {
		if title, blocks := n.note(); len(blocks) > 0 {
			x.page.Note(title, blocks)
		}
	}
	var page bytes.Buffer
	if _, err := x.page.WriteTo(&page); err != nil {
		return err
	}
	if *x.HTML == stdoutName {
		_, err := e.Out.Write(page.Bytes())
		return err
	}
	if err := report.Put(*x.HTML, page.Bytes()); err != nil {
		return err
	}
	e.Note("%s: %s in %s, %s; %s", e.Short(*x.HTML), terminal.Count(x.page.Turns(), "turn"),
		terminal.Count(x.page.Runs(), "run"), terminal.Count(x.page.Fires(), "firing"), bytesize(page.Len()))
	return nil
}

func bytesize(n int) string {
	if n < 1_000_000 {
		return fmt.Sprintf("%d kB", (n+999)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
