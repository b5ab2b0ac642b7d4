// Command aside puts the right words before a model at the right moment.
//
// This package holds the flags and the exit codes; a package under internal does the work of a command. The
// result of a command goes to stdout, messages about the result go to stderr, and the exit code is 0 for
// success, 1 for the answer no, 2 for wrong usage, 3 for an error of the machine, and 130 for an interrupt
// (CLI.md).
//
// Commands stand together as "aside help" groups them: start.go, rulefiles.go, runs.go; hook.go,
// statusline.go, eval.go, inject.go and serve.go are for agents; replay.go is a file of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
)

func main() {
	if runHook(os.Args[1:]) {
		return
	}
	code, is := runStatusline(os.Args[1:])
	if !is {
		code = interruptible()
	}
	os.Exit(code)
}

// How long a command may take to end after an interrupt.
const (
	grace = 2 * time.Second        // unless env.grace is longer
	idle  = 100 * time.Millisecond // where it waits for stdin, which may never end
)

// interruptible runs the command line and returns the exit code. The command itself runs on another
// goroutine, so that an interrupt ends the process even while a read of stdin blocks.
func interruptible() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2) // room for two: the second one ends the process at once
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	e := command.New()
	done := make(chan int, 1)
	go func() { done <- guarded(ctx, e, os.Args[1:]) }()
	select {
	case code := <-done:
		return code
	case <-signals:
	}
	cancel()
	over := time.After(max(grace, time.Duration(e.Grace.Load())))
	for {
		select {
		case code := <-done:
			if code == 0 {
				return 0
			}
		case <-signals:
		case <-over:
		case <-time.After(idle):
			if !e.Stdin.Reading() {
				continue
			}
			if command.Interactive() {
				e.Note("") // behind the question
			}
		}
		return command.ExitInterrupted
	}
}

// guarded runs the command line and returns the exit code. A panic becomes one line for the user and exit
// code 3, since Go's own exit code for it, 2, tells a coding agent to block its action.
func guarded(ctx context.Context, e *command.Env, args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "aside: internal error: %.300v (please report it with the command line)\n", p)
			code = command.ExitMachine
		}
	}()
	code = e.Report(run(ctx, e, args))
	if err := e.Out.Flush(); err != nil && !errors.Is(err, syscall.EPIPE) && (code == command.ExitFine ||
		code == command.ExitNo) {
		code = e.Report(err) // the output is not complete, so its exit code does not hold
	}
	return code
}
