package hook

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/aside-go/aside/internal/agent"
)

// limit is how long a hook may take by default. After that it ends without printing anything.
const limit = 300 * time.Millisecond

// usage is the help of a hook.
const usage = `usage: aside hook --agent AGENT [--event NAME] [--mode MODE] [--rules PATH]… [--state DIR] [--timeout DURATION]

Called by a coding agent at each of its events: reads the event on stdin, prints the text of due reminders as that agent takes it.
It always exits with 0. What goes wrong stands in hook.log in the state directory; aside doctor shows it.
`

// phase is how far the process is. Of printing and giving up only the one that comes first happens.
type phase struct{ at atomic.Int32 }

const (
	working int32 = iota
	printing
	over
)

// leave goes from working to next, and reports whether the phase was still working.
func (p *phase) leave(next int32) bool { return p.at.CompareAndSwap(working, next) }

// processDeadline is a context with a deadline at which it does not end: Main ends the process then, and with
// it all that is under way. Its Done is nil, so that nobody needs a goroutine to stop waiting in time.
type processDeadline struct {
	context.Context
	at time.Time
}

func (d processDeadline) Deadline() (time.Time, bool) { return d.at, true }

// Main is the whole of a hook's process: it reads stdin, prints, and returns, so that the process can end
// with 0. Whatever goes wrong is a line in the log. Where it takes longer than the limit, Main ends the
// process itself, with 0. read may be nil.
func Main(args []string, read Reader) {
	signal.Ignore(syscall.SIGPIPE) // also where the agent does not read what is printed, the process ends with 0
	h := thisHost(read)
	var p phase
	var c Call
	defer func() {
		if err := recovered(recover()); err != nil {
			h.report(c, err)
		}
	}()
	c, err := Parse(args)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) && terminal(os.Stdin) {
			fmt.Print(usage)
			return
		}
		h.report(c, err)
		return
	}
	ctx := processDeadline{context.Background(), time.Now().Add(c.Limit)}
	time.AfterFunc(c.Limit, func() {
		if p.leave(over) {
			time.AfterFunc(c.Limit/6, func() { os.Exit(0) }) // in case writing the log hangs, too
			h.report(c, errors.New("it took too long"))
			os.Exit(0)
		}
	})
	out, err := h.call(ctx, c, os.Stdin)
	if err != nil {
		h.report(c, err)
	}
	if p.leave(printing) && len(out) > 0 {
		_, _ = os.Stdout.Write(out)
	}
}

// thisHost is the machine that the process runs on.
func thisHost(read Reader) *Host {
	h := &Host{Env: os.Getenv, Clock: time.Now, Session: read}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		h.Home = filepath.Clean(home)
	}
	return h
}

// call reads stdin and runs the hook.
func (h *Host) call(ctx context.Context, c Call, stdin io.Reader) ([]byte, error) {
	b, err := readStdin(stdin)
	if err != nil {
		return nil, err
	}
	return h.Run(ctx, c, b)
}

// recovered returns what recover returned as an error that says where the panic happened, nil for nil. The
// value of a panic may quote what the agent sent, so the message is told only of a runtime.Error, and of any
// other value its type.
func recovered(p any) error {
	if p == nil {
		return nil
	}
	what := fmt.Sprintf("a panic with a %T", p)
	if err, ok := p.(runtime.Error); ok {
		what = err.Error()
	}
	where := "?"
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			where = fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
			break
		}
		if !more {
			break
		}
	}
	return fmt.Errorf("internal error: %s, at %s", what, where)
}

// report logs an error of a call, and survives a panic on the way. An agent that is not known is logged as
// none: its name may be anything.
func (h *Host) report(c Call, err error) {
	defer func() { _ = recover() }()
	name := c.Agent
	if _, ok := agent.Named(name); !ok {
		name = ""
	}
	h.log(name, err)
}

// Parse reads the arguments of "aside hook", with or without the word hook. Its error is flag.ErrHelp where
// help is asked for.
func Parse(args []string) (c Call, err error) {
	f := flag.NewFlagSet("hook", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&c.Agent, "agent", "", "")
	f.StringVar(&c.Event, "event", "", "")
	f.StringVar(&c.Mode, "mode", "", "")
	f.StringVar(&c.State, "state", "", "")
	f.DurationVar(&c.Limit, "timeout", limit, "")
	f.Func("rules", "", func(s string) error { c.Rules = append(c.Rules, s); return nil })
	if len(args) > 0 && args[0] == "hook" {
		args = args[1:]
	}
	if err := f.Parse(args); err != nil {
		return c, fmt.Errorf("wrong usage: %w", err)
	}
	d, ok := agent.Named(c.Agent)
	switch {
	case f.NArg() > 0:
		return c, errors.New("wrong usage: it takes no arguments but its flags")
	case c.Agent == "":
		return c, errors.New("wrong usage: --agent is missing")
	case !ok || d.Encode == nil:
		return c, fmt.Errorf("wrong usage: there is no agent %.64q", c.Agent)
	case c.Mode != "" && !slices.Contains(d.Modes, c.Mode):
		return c, fmt.Errorf("wrong usage: %s has no mode %.64q", c.Agent, c.Mode)
	case c.Limit <= 0:
		return c, errors.New("wrong usage: --timeout must be above 0")
	case c.State == "memory", strings.Contains(c.State, "://"):
		return c, errors.New("wrong usage: --state must be a directory")
	}
	return c, nil
}

// terminal reports whether f is a character device other than the null device. That is as much as can be told
// without an ioctl.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && !os.SameFile(info, null)
}

// Status records, for the hooks of the session, what Claude Code writes to its status line's command: only
// there does it tell the size of the context window. Status returns after limit at the latest; what it has
// begun may go on then. Errors go to the log.
func Status(stdin []byte, limit time.Duration) {
	h := thisHost(nil)
	c := Call{Agent: agent.StatusAgent, Event: agent.StatusEvent, Limit: limit}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- errors.Join(err, recovered(recover())) }()
		_, err = h.Run(ctx, c, stdin)
	}()
	select {
	case err := <-done:
		if err != nil {
			h.report(c, err)
		}
	case <-ctx.Done(): // the status line must not wait
	}
}

// StatusText returns a status line from the same stdin: the model, and how full its context is in percent.
// What is not known is left out.
func StatusText(stdin []byte) string {
	var parts []string
	model, percent := agent.ReadStatusLine(stdin)
	if model != "" {
		parts = append(parts, plain(model, 60))
	}
	if percent != nil {
		parts = append(parts, fmt.Sprintf("%.0f%%", math.Floor(*percent)))
	}
	return strings.Join(parts, " · ")
}

// longWindow is the suffix of the id of a model that is used with a context window of a million tokens.
const longWindow = "[1m]"

// sameModel reports whether two ids may be those of one model: one contains the other, since platforms add to
// ids, and longWindow does not count. An unknown id, "", may be any model.
func sameModel(a, b string) bool {
	a, b = strings.TrimSuffix(a, longWindow), strings.TrimSuffix(b, longWindow)
	return strings.Contains(a, b) || strings.Contains(b, a)
}
