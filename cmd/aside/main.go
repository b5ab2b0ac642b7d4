// Command aside puts the right words before a model at the right moment.
//
// Each command is a file of this package; the bigger ones have a package of their own under internal. What a command
// makes goes to stdout, what it has to say about that to stderr, and the exit code is one of four: 0 fine, 1 the answer
// is no, 2 wrong usage, 3 the machine failed.
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

// grace is how long a command may take to put down what it holds after an interrupt, if it does not ask for longer.
const grace = 2 * time.Second

// command runs the command line and returns the exit code. The command itself runs beside it, so that an interrupt ends
// the process also while a read of stdin blocks.
func command() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2) // none may be lost: the second ends the process at once
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
	if e.stdin.reading.Load() {
		return exitInterrupted // nothing is half done
	}
	select {
	case code := <-done:
		if code == 0 {
			return 0
		}
	case <-signals:
	case <-time.After(max(grace, time.Duration(e.grace.Load()))):
	}
	return exitInterrupted
}

// guarded runs args. Nothing here panics on purpose; should something do so all the same, a user reads one line, and the
// exit code is not 2, which coding agents take for "block".
func (e *env) guarded(ctx context.Context, args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "aside: internal error: %.300v (please report it with the command line)\n", p)
			code = exitMachine
		}
	}()
	code = e.report(e.run(ctx, args))
	if err := e.out.Flush(); err != nil && !errors.Is(err, syscall.EPIPE) && (code == exitFine || code == exitNo) {
		code = e.report(err) // an answer that nobody could read in full is none
	}
	return code
}

// report tells the user about err and returns the exit code it stands for.
func (e *env) report(err error) int {
	var x *exitError
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, syscall.EPIPE):
		return exitFine // who reads us has seen enough; where there is a SIGPIPE it has ended us already
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
