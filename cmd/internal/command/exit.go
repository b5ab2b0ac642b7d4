package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"github.com/aside-go/aside/cmd/internal/terminal"
)

// The exit codes.
const (
	ExitFine        = 0
	ExitNo          = 1
	ExitUsage       = 2
	ExitMachine     = 3
	ExitInterrupted = 130
)

// Error is an error with an exit code. With a nil Err there is no message, since the output has said what is
// wrong.
type Error struct {
	Code int
	Err  error
	More []string // further lines
}

func (x *Error) Error() string { return terminal.Plain(x.Err) }
func (x *Error) Unwrap() error { return x.Err }

// And returns the error with further lines, "" being none.
func (x *Error) And(lines ...string) *Error {
	all := *x
	all.More = slices.Concat(x.More, slices.DeleteFunc(lines, func(l string) bool { return l == "" }))
	return &all
}

// ErrNo is the exit code 1 without a message.
var ErrNo = &Error{Code: ExitNo}

// No returns the exit code 1 with a message.
func No(format string, args ...any) *Error {
	return &Error{Code: ExitNo, Err: fmt.Errorf(format, args...)}
}

// Usage returns the exit code 2 with a message, for wrong usage that the parser does not see.
func Usage(format string, args ...any) *Error {
	return &Error{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// Verdict returns ErrNo where failed is true, else nil.
func Verdict(failed bool) error {
	if failed {
		return ErrNo
	}
	return nil
}

// Report writes err for the user and returns its exit code.
func (e *Env) Report(err error) int {
	var x *Error
	var file *fs.PathError
	switch {
	case err == nil:
		return ExitFine
	case errors.As(err, &file) && errors.Is(file, syscall.EPIPE): // and not a connection to a server
		return ExitFine // the reader of stdout has seen enough; mostly SIGPIPE has ended the process before this
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &x):
		if x.Err != nil {
			e.tell("aside: " + x.Error())
		}
		for _, line := range x.More {
			e.tell(line)
		}
		return x.Code
	default:
		e.tell("aside: " + terminal.Plain(err))
		return ExitMachine
	}
}
