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
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// limit is how long a hook may take: then it prints nothing, and ends.
const limit = 300 * time.Millisecond

// Usage is the help of a hook.
const Usage = `usage: aside hook --agent AGENT [--event NAME] [--mode MODE] [--rules PATH]… [--state DIR] [--timeout DURATION]

Called by a coding agent at each of its events: reads the event on stdin, prints the text of due reminders as that agent takes it.
It always exits with 0. What goes wrong stands in hook.log in the state directory; aside doctor shows it.
`

// phase is how far a process is: it may print, or have given up, and not both.
type phase struct{ at atomic.Int32 }

const (
	working int32 = iota
	printing
	over
)

func (p *phase) to(next int32) bool { return p.at.CompareAndSwap(working, next) }

// until is a context that has a deadline and does not end: what is still under way then ends with the process. So nothing has to be
// done beside something that waits for it.
type until struct {
	context.Context
	at time.Time
}

func (u until) Deadline() (time.Time, bool) { return u.at, true }

// Main is the whole of a hook's process: it reads stdin, prints, and returns for the process to end with 0. Whatever goes wrong is a
// line in the log, and where it takes too long Main ends the process itself. past may be nil.
func Main(args []string, past Reader) {
	signal.Ignore(syscall.SIGPIPE) // an agent that does not read what is printed is no reason to end otherwise
	h := &Host{Env: os.Getenv, Clock: time.Now, Past: past}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		h.Home = filepath.Clean(home)
	}
	if h.Build = build(); h.Build != "" {
		h.Cache = h.cacheDir()
	}
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
			fmt.Print(Usage)
			return
		}
		h.report(c, err)
		return
	}
	ctx := until{context.Background(), time.Now().Add(c.Limit)}
	time.AfterFunc(c.Limit, func() {
		if p.to(over) {
			time.AfterFunc(c.Limit/6, func() { os.Exit(0) }) // should the log be what takes so long
			h.report(c, errors.New("it took too long"))
			os.Exit(0)
		}
	})
	out, err := h.call(ctx, c, os.Stdin)
	if err != nil {
		h.report(c, err)
	}
	if p.to(printing) && len(out) > 0 {
		_, _ = os.Stdout.Write(out)
	}
}

// cacheDir is where parsed rules are remembered, "" for nowhere.
func (h *Host) cacheDir() string {
	if x := h.Env("XDG_CACHE_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "aside")
	}
	if h.Home == "" {
		return ""
	}
	return filepath.Join(h.Home, ".cache", "aside")
}

// build names the program that runs, by its file: another build has another.
func build() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return path + " " + strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
}

// call reads stdin and runs the hook.
func (h *Host) call(ctx context.Context, c Call, stdin io.Reader) ([]byte, error) {
	b, err := readStdin(stdin)
	if err != nil {
		return nil, err
	}
	return h.Run(ctx, c, b)
}

// recovered is the error that a panic is, and where it happened. What a panic says may be part of what the agent sent, so only what
// the runtime itself says is told.
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

// report is log, whatever happens there.
func (h *Host) report(c Call, err error) {
	defer func() { _ = recover() }()
	agent := c.Agent
	if _, ok := For(agent); !ok {
		agent = ""
	}
	h.log(agent, err)
}

// Parse reads the arguments of a call. Help asked for is flag.ErrHelp.
func Parse(args []string) (c Call, err error) {
	f := flag.NewFlagSet("hook", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&c.Agent, "agent", "", "")
	f.StringVar(&c.Event, "event", "", "")
	f.StringVar(&c.Mode, "mode", "", "")
	f.StringVar(&c.State, "state", "", "")
	f.DurationVar(&c.Limit, "timeout", limit, "")
	f.Func("rules", "", func(s string) error { c.Rules = append(c.Rules, s); return nil })
	if len(args) > 0 && args[0] == "hook" { // as of "aside hook"
		args = args[1:]
	}
	if err := f.Parse(args); err != nil {
		return c, fmt.Errorf("wrong usage: %w", err)
	}
	d, ok := For(c.Agent)
	switch {
	case f.NArg() > 0:
		return c, errors.New("wrong usage: it takes no arguments but its flags")
	case c.Agent == "":
		return c, errors.New("wrong usage: --agent is missing")
	case !ok:
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

// terminal reports whether f is a terminal, as far as that can be told without asking it.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && !os.SameFile(info, null)
}
