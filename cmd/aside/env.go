package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/term"
)

// The exit codes.
const (
	exitFine        = 0
	exitNo          = 1
	exitUsage       = 2
	exitMachine     = 3
	exitInterrupted = 130
)

// env is what a command has of the world.
type env struct {
	in    io.Reader
	stdin *stdin        // what in reads
	out   *bufio.Writer // flushed at the end, and before anything goes to err
	err   io.Writer

	outTTY, errTTY bool
	width          int  // columns of the terminal on stdout; 0 where there is none
	colour         bool // colour on stdout
	home           string
	dir            string // the working directory, which is the project

	grace atomic.Int64 // how long the command may take after an interrupt, in nanoseconds; the default where that is longer
}

func newEnv() *env {
	in := &stdin{}
	e := &env{in: in, stdin: in, out: bufio.NewWriterSize(os.Stdout, 1<<16)}
	e.err = behind{e.out, os.Stderr}
	e.outTTY, e.errTTY = term.IsTerminal(int(os.Stdout.Fd())), term.IsTerminal(int(os.Stderr.Fd()))
	if e.outTTY {
		if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			e.width = w
		}
	}
	e.colour = e.outTTY && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		e.home = filepath.Clean(home)
	}
	if dir, err := os.Getwd(); err == nil {
		e.dir = dir
	}
	return e
}

// stdin is os.Stdin that can be asked whether somebody waits for it.
type stdin struct{ reading atomic.Bool }

func (s *stdin) Read(p []byte) (int, error) {
	s.reading.Store(true)
	defer s.reading.Store(false)
	return os.Stdin.Read(p)
}

// interactive reports whether stdin is a terminal: a command that reads it says so then.
func interactive() bool { return term.IsTerminal(int(os.Stdin.Fd())) }

// behind writes to w what comes after everything written to first, so that both read in order on one terminal.
type behind struct {
	first *bufio.Writer
	w     io.Writer
}

func (b behind) Write(p []byte) (int, error) {
	_ = b.first.Flush() // the error stays with first, and is told at the end
	return b.w.Write(p)
}

// note says something beside the result.
func (e *env) note(format string, args ...any) { fmt.Fprintf(e.err, format+"\n", args...) }

// paint wraps s in a terminal style such as "1" or "31" where stdout takes colour.
func (e *env) paint(style, s string) string {
	if !e.colour || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// below returns path as seen from here if it lies below, else as it is.
func (e *env) below(path string) string {
	if r, err := filepath.Rel(e.dir, path); err == nil && e.dir != "" && filepath.IsAbs(path) && filepath.IsLocal(r) {
		return r
	}
	return path
}

// short returns path as a person would name it: from here if it lies below, else from home.
func (e *env) short(path string) string {
	if path = e.below(path); !filepath.IsAbs(path) {
		return path
	}
	if r, err := filepath.Rel(e.home, path); err == nil && e.home != "" && filepath.IsLocal(r) {
		return filepath.Join("~", r)
	}
	return path
}

// exitError is an error that knows its exit code. Without an err everything was said already.
type exitError struct {
	code int
	err  error
	more []string // further lines
}

func (x *exitError) Error() string { return plain(x.err) }
func (x *exitError) Unwrap() error { return x.err }

// errNo ends a command whose output has already said no.
var errNo = &exitError{code: exitNo}

// no is the answer no.
func no(format string, args ...any) error {
	return &exitError{code: exitNo, err: fmt.Errorf(format, args...)}
}

// usage is a wrong command line that only the command itself could see.
func usage(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// plain returns the text of err without the name of the system call.
func plain(err error) string {
	if err == nil {
		return ""
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		path := p.Path
		if path == "" {
			path = `""`
		}
		return strings.Replace(err.Error(), p.Op+" "+p.Path, path, 1)
	}
	return err.Error()
}
