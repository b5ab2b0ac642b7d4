// Command aside puts the right words before a model at the right moment.
//
// Each command is a file of this package; the bigger ones have a package of their own under internal. The result of a command goes to
// stdout, messages about the result go to stderr, and the exit code is 0 for success, 1 for the answer no, 2 for wrong usage, 3 for an
// error of the machine, and 130 for an interrupt.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	if runHook(os.Args[1:]) {
		return
	}
	code, is := runStatusline(os.Args[1:])
	if !is {
		code = command()
	}
	os.Exit(code)
}

// How long a command may take to end after an interrupt.
const (
	grace = 2 * time.Second        // unless env.grace is longer
	idle  = 100 * time.Millisecond // where it waits for stdin, which may never end
)

// command runs the command line and returns the exit code. The command itself runs on another goroutine, so that an interrupt ends the
// process even while a read of stdin blocks.
func command() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2) // room for two: the second one ends the process at once
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	e := newEnv()
	done := make(chan int, 1)
	go func() { done <- e.guarded(ctx, os.Args[1:]) }()
	select {
	case code := <-done:
		return code
	case <-signals:
	}
	cancel()
	over := time.After(max(grace, time.Duration(e.grace.Load())))
	for {
		select {
		case code := <-done:
			if code == 0 {
				return 0
			}
		case <-signals:
		case <-over:
		case <-time.After(idle):
			if !e.stdin.reading.Load() {
				continue
			}
		}
		return exitInterrupted
	}
}

// guarded runs the command line and returns the exit code. A panic becomes one line for the user and exit code 3, since Go's own exit
// code for it, 2, tells a coding agent to block what it is doing.
func (e *env) guarded(ctx context.Context, args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "aside: internal error: %.300v (please report it with the command line)\n", p)
			code = exitMachine
		}
	}()
	code = e.report(e.run(ctx, args))
	if err := e.out.Flush(); err != nil && !errors.Is(err, syscall.EPIPE) && (code == exitFine || code == exitNo) {
		code = e.report(err) // the output is not complete, so its exit code does not hold
	}
	return code
}

// report writes err for the user and returns its exit code.
func (e *env) report(err error) int {
	var x *exitError
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, syscall.EPIPE):
		return exitFine // the reader of stdout has seen enough; mostly SIGPIPE has ended the process before this
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &x):
		if x.err != nil {
			fmt.Fprintln(e.err, "aside: "+x.Error())
		}
		for _, line := range x.more {
			fmt.Fprintln(e.err, line)
		}
		return x.code
	default:
		fmt.Fprintln(e.err, "aside: "+plain(err))
		return exitMachine
	}
}
