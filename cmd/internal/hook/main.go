package hook

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aside-go/aside/internal/agent"
)

// usage is the help of a hook.
const usage = `usage: aside hook --agent AGENT [--event NAME] [--mode MODE] [--rules PATH]… [--state DIR] [--timeout DURATION]

Called by a coding agent at each of its events: reads the event on stdin, prints the text of due reminders as that agent takes it.
It always exits with 0. What goes wrong stands in hook.log in the state directory; aside setup --check shows it.
`

// Main is the whole of a hook's process: it reads stdin, prints, and returns, so that the process can end
// with 0. Whatever goes wrong is a line in the log. Where it takes longer than the limit, Main ends the
// process itself, with 0. read may be nil.
func Main(args []string, read Reader) {
	signal.Ignore(syscall.SIGPIPE) // also where the agent does not read what is printed, the process ends with 0
	h := thisHost(read)
	var c Call
	defer func() {
		if err := recovered(recover()); err != nil {
			_ = h.printed() // else the next hook would take the event in, and fail as well
			h.report(c, err)
		}
	}()
	c, err := Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp) && terminal(os.Stdin):
		fmt.Print(usage)
		return
	case errors.Is(err, errNoAgent) && !terminal(os.Stdin) && borrowed(os.Stdin):
		return
	case err != nil:
		h.report(c, err)
		return
	}
	ctx, cancel := h.endInTime(c)
	defer cancel()
	out, err := h.call(ctx, c, os.Stdin)
	if err != nil {
		h.report(c, err)
	}
	if len(out) > 0 {
		if _, err := os.Stdout.Write(out); err != nil {
			return // the next hook offers it again
		}
	}
	if err := h.printed(); err != nil {
		h.report(c, err)
	}
}

// errNoAgent is for a call that does not say which agent calls.
var errNoAgent = errors.New("wrong usage: --agent is missing")

// borrowed reports whether the event on stdin is one of an agent that runs the hooks of another one, without
// their arguments, as Copilot does with those of Claude Code. Where it has hooks of its own, those answer.
func borrowed(stdin io.Reader) bool {
	b, err := readStdin(stdin)
	a, ok := agent.Named("claude-code")
	return err == nil && ok && a.Decode(agent.Input{Stdin: b, Env: os.Getenv}).Kind == agent.Duplicate
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
	return h.answer(ctx, c, b)
}

// recovered returns what recover returned as an error that says where the panic happened, nil for nil. The
// value of a panic may quote the agent's input. So the error has the message of a runtime.Error alone; of any
// other value it has the type.
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
		return c, errNoAgent
	case !ok || d.Says == nil:
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
