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

// env is the environment of a command: its streams, terminal and directories.
type env struct {
	in    io.Reader
	stdin *stdin        // the same as in
	out   *bufio.Writer // stdout; flushed at the end, and before each write to err
	err   io.Writer     // stderr

	outTTY, errTTY bool
	width          int    // columns of the terminal on stdout; 0 where there is none
	colour         bool   // stdout takes colours
	home           string // "" where there is none
	dir            string // the working directory, which is the project; "" where it is not known

	grace atomic.Int64 // how long the command may take after an interrupt, in nanoseconds; at least the constant grace counts
}

func newEnv() *env {
	in := &stdin{}
	e := &env{in: in, stdin: in, out: bufio.NewWriterSize(os.Stdout, 1<<16)}
	e.err = flushFirst{e.out, os.Stderr}
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

// stdin is os.Stdin, and knows whether a read is waiting. It is an fs.File.
type stdin struct{ reading atomic.Bool }

func (s *stdin) Stat() (fs.FileInfo, error) { return os.Stdin.Stat() }
func (s *stdin) Close() error               { return os.Stdin.Close() }

func (s *stdin) Read(p []byte) (int, error) {
	s.reading.Store(true)
	defer s.reading.Store(false)
	return os.Stdin.Read(p)
}

// interactive reports whether stdin is a terminal, where a command that reads stdin tells the user what it waits for.
func interactive() bool { return term.IsTerminal(int(os.Stdin.Fd())) }

// flushFirst is a writer to w that flushes first before each write, so that the two are in order on one terminal.
type flushFirst struct {
	first *bufio.Writer
	w     io.Writer
}

func (b flushFirst) Write(p []byte) (int, error) {
	_ = b.first.Flush() // first keeps its error, which guarded reports
	return b.w.Write(p)
}

// note writes a line to stderr.
func (e *env) note(format string, args ...any) { fmt.Fprintf(e.err, format+"\n", args...) }

// paint wraps s in a terminal style such as "1" or "31" where stdout takes colour.
func (e *env) paint(style, s string) string {
	if !e.colour || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// below returns path relative to the working directory if it lies below that, else path itself.
func (e *env) below(path string) string {
	if r, err := filepath.Rel(e.dir, path); err == nil && e.dir != "" && filepath.IsAbs(path) && filepath.IsLocal(r) {
		return r
	}
	return path
}

// short returns path in its shortest form for a person: relative to the working directory, or with ~ for the home directory.
func (e *env) short(path string) string {
	if path = e.below(path); !filepath.IsAbs(path) {
		return path
	}
	if r, err := filepath.Rel(e.home, path); err == nil && e.home != "" && filepath.IsLocal(r) {
		return filepath.Join("~", r)
	}
	return path
}

// exitError is an error with an exit code. With a nil err there is no message, since the output has said what is wrong.
type exitError struct {
	code int
	err  error
	more []string // further lines
}

func (x *exitError) Error() string { return plain(x.err) }
func (x *exitError) Unwrap() error { return x.err }

// errNo is the exit code 1 without a message.
var errNo = &exitError{code: exitNo}

// no returns the exit code 1 with a message.
func no(format string, args ...any) error {
	return &exitError{code: exitNo, err: fmt.Errorf(format, args...)}
}

// usage returns the exit code 2 with a message, for wrong usage that the parser does not see.
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
