// Package command is the surroundings of a command: its streams, its terminal, its directories, and the error
// that carries an exit code. It knows no command. An Env is made once for a process; Note, Paint and the
// streams belong to the goroutine that runs the command.
package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/state"
)

// Env is the environment of a command.
type Env struct {
	In     io.Reader
	Stdin  *Stdin        // the same as In
	lines  *bufio.Reader // of In, for Line
	Stdout io.Writer     // stdout, or a pager for it
	Out    *bufio.Writer // of Stdout; flushed at the end, and before each write to Err
	Err    io.Writer     // stderr

	OutTTY, ErrTTY bool
	Paged          bool   // stdout is a pager, which has the terminal to itself once it has begun
	Width          int    // columns of the terminal on stdout; 0 where there is none
	Colour         bool   // stdout takes colours
	ASCII          bool   // stdout is a terminal whose locale is not UTF-8
	Home           string // "" where there is none
	Dir            string // the working directory, which is the project; "" where it is not known

	Config *config.File // the user's own configuration; nil where there is none

	Databases Databases           // nil: this program has none
	Switched  Switched            // nil: this program switches no rules
	Named     func(string) string // puts the program's own name into its messages; nil: they stay as they are

	// Grace is how long the command may take after an interrupt, in nanoseconds, where that is longer than
	// usual.
	Grace atomic.Int64
	// Viewing says that a pager runs, and an interrupt is its own.
	Viewing atomic.Bool
}

// Databases opens the store at the URL of a database, which keeps runs for a time, as filestore.Options.Keep
// has it. It returns what may be shown of the URL. Where the error is an AwayError, there is a store.
type Databases func(url string, keep time.Duration) (s state.Store, shown string, err error)

// Switched returns what the rules are switched to in a store, and by whom, in words, by their ids.
type Switched func(ctx context.Context, s state.Store) (map[string]string, error)

// AwayError is the error of a store that cannot be had now, and may be later: who can wait uses it all the
// same.
type AwayError struct{ Err error }

func (e *AwayError) Error() string { return e.Err.Error() }

func (e *AwayError) Unwrap() error { return e.Err }

// New returns the environment of this process.
func New() *Env {
	in := &Stdin{}
	e := &Env{In: in, Stdin: in, Stdout: os.Stdout, Out: bufio.NewWriterSize(os.Stdout, 1<<16)}
	e.Err = flushFirst{e.Out, os.Stderr}
	e.OutTTY, e.ErrTTY = term.IsTerminal(int(os.Stdout.Fd())), term.IsTerminal(int(os.Stderr.Fd()))
	if e.OutTTY {
		if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			e.Width = w
		}
	}
	e.Colour = colour(e.OutTTY)
	e.ASCII = e.OutTTY && !utf8Locale()
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		e.Home = filepath.Clean(home)
	}
	if dir, err := os.Getwd(); err == nil {
		e.Dir = dir
	}
	return e
}

// colour says whether stdout takes colours where nobody has said so with --color: on a terminal that has
// them, or where FORCE_COLOR or CLICOLOR_FORCE ask for them, and never with NO_COLOR.
func colour(tty bool) bool {
	asked := func(name string) bool { return os.Getenv(name) != "" && os.Getenv(name) != "0" }
	switch {
	case os.Getenv("NO_COLOR") != "":
		return false
	case asked("FORCE_COLOR"), asked("CLICOLOR_FORCE"):
		return true
	}
	return tty && os.Getenv("TERM") != "dumb"
}

// utf8Locale reports whether the environment's locale is UTF-8. Where it names none, that is assumed.
func utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// Stdin is os.Stdin. It is an fs.File.
type Stdin struct{ reading atomic.Bool }

// Reading reports whether a read is waiting. It may be called concurrently with Read.
func (s *Stdin) Reading() bool { return s.reading.Load() }

// Stat returns the file's description.
func (s *Stdin) Stat() (fs.FileInfo, error) { return os.Stdin.Stat() }

// Close closes the file.
func (s *Stdin) Close() error { return os.Stdin.Close() }

// Read reads from the file.
func (s *Stdin) Read(p []byte) (int, error) {
	s.reading.Store(true)
	defer s.reading.Store(false)
	return os.Stdin.Read(p)
}

// Interactive reports whether stdin is a terminal, where a command that reads stdin tells the user what it
// waits for.
func Interactive() bool { return term.IsTerminal(int(os.Stdin.Fd())) }

// flushFirst is a writer to w that flushes first before each write, so that the two are in order on one
// terminal.
type flushFirst struct {
	first *bufio.Writer
	w     io.Writer
}

func (b flushFirst) Write(p []byte) (int, error) {
	_ = b.first.Flush() // first keeps its error, which the command's end reports
	return b.w.Write(p)
}

// Print writes text to stdout, wrapped to the terminal.
func (e *Env) Print(text string) {
	_, _ = e.Out.WriteString(terminal.Fold(text, e.Width)) // the writer keeps its error
}

// PrintJSON writes v as JSON on one line to stdout.
func (e *Env) PrintJSON(v any) error {
	b, err := jsonscan.Encode(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s\n", b)
	return err
}

// PrintList writes a JSON array with each element on a line.
func PrintList(w io.Writer, list []any) error {
	open := "["
	for _, v := range list {
		b, err := jsonscan.Encode(v)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s%s", open, b)
		open = ",\n"
	}
	if len(list) == 0 {
		fmt.Fprint(w, "[")
	}
	_, err := fmt.Fprintln(w, "]")
	return err
}

// Note writes a line to stderr.
func (e *Env) Note(format string, args ...any) { e.tell(fmt.Sprintf(format, args...)) }

// tell writes lines to stderr, wrapped to the terminal.
func (e *Env) tell(text string) {
	if e.Named != nil {
		text = e.Named(text)
	}
	if e.ErrTTY {
		text = terminal.Fold(text, e.Width)
	}
	fmt.Fprintln(e.Err, text)
}

// Show writes text with a line break to stderr as it is: what is laid out in columns, or may be copied.
func (e *Env) Show(text string) { fmt.Fprintln(e.Err, text) }

// Paint wraps s in a terminal style such as "1" or "31" where stdout takes colour.
func (e *Env) Paint(style, s string) string {
	if !e.Colour || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// Redraws reports whether a line on stderr can be written over, to show how far something is.
func (e *Env) Redraws() bool { return e.ErrTTY && os.Getenv("TERM") != "dumb" }

// Glyph returns a character, or what stands for it on a terminal without UTF-8.
func (e *Env) Glyph(glyph, ascii string) string {
	if e.ASCII {
		return ascii
	}
	return glyph
}

// Below returns path relative to the working directory if it lies below that, else path itself.
func (e *Env) Below(path string) string {
	if r, err := filepath.Rel(e.Dir, path); err == nil && e.Dir != "" && filepath.IsAbs(path) &&
		filepath.IsLocal(r) {
		return r
	}
	return path
}

// Short returns path in its shortest form for a person: relative to the working directory, or with ~ for the
// home directory.
func (e *Env) Short(path string) string {
	if path = e.Below(path); !filepath.IsAbs(path) {
		return path
	}
	if r, err := filepath.Rel(e.Home, path); err == nil && e.Home != "" && filepath.IsLocal(r) {
		return filepath.Join("~", r)
	}
	return path
}

// StateDir returns the user's own state directory. A relative XDG_STATE_HOME is ignored, as its specification
// asks.
func (e *Env) StateDir() (string, error) {
	if x := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "aside"), nil
	}
	if e.Home == "" {
		return "", errors.New("there is no place for state: HOME is not set; give --state DIR")
	}
	return filepath.Join(e.Home, ".local", "state", "aside"), nil
}

// Quiet returns an environment for the side work of a command. That work prints nothing on stderr and sees no
// terminal.
func (e *Env) Quiet() *Env {
	return &Env{In: e.In, Stdin: e.Stdin, Out: e.Out, Err: io.Discard, Home: e.Home, Dir: e.Dir,
		Config: e.Config}
}

// IsHome reports whether a directory is the home, by whatever path.
func (e *Env) IsHome(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return dir == e.Home || err == nil && real == e.RealHome()
}

// RealHome returns the path of the home directory with links resolved, "" where there is none.
func (e *Env) RealHome() string {
	if real, err := filepath.EvalSymlinks(e.Home); err == nil && e.Home != "" {
		return real
	}
	return ""
}

// Directory returns the path of a directory with links resolved. The path is not cleaned first, since the
// meaning of ".." after a link depends on the place to which the link leads.
func Directory(dir string) (string, error) {
	path := dir
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = wd + string(filepath.Separator) + path
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return "", &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	fi, err := os.Stat(real)
	if err == nil && !fi.IsDir() {
		err = No("%s is not a directory", dir)
	}
	return real, err
}

// version is set by the linker for releases.
var version string

// Version returns one line with the version of this program, of Go, and the platform.
func Version() string {
	v := cmp.Or(version, "unknown")
	if info, ok := debug.ReadBuildInfo(); ok && version == "" && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("aside %s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Until reads in to its end, and then calls stop. A program that runs as the child of another holds a pipe of
// its parent as stdin: the system closes that whatever the parent dies of.
func Until(in io.Reader, stop func()) {
	_, _ = io.Copy(io.Discard, in)
	stop()
}
