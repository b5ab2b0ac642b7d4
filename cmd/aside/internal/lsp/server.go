package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/textproto"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
)

// Options configure a server. The zero value is useful.
type Options struct {
	Home  string   // the user's home, "" for none
	Dir   string   // the project, where the editor names none
	Rules []string // files, directories and patterns of rules, besides the directories named reminders
	// Declared returns the facts that configuration files declare for the project of a directory. It is called
	// again when a file may have changed, never concurrently. nil: none.
	Declared func(dir string) []fact.Fact
	Config   string // the path of the user's own configuration, which the editor is asked to watch
	// Findings returns the diagnostics of a configuration file, which is Config or .aside/config.yaml of a
	// project; nil: such files are not served.
	Findings func(path string, src []byte) grammar.Diagnostics
	// reads directories of a project of which the editor has opened no file; nil: they are not read
	Trusted load.Gate
	// Saved is called after an editor has saved a text that the server made of the text from, unless it is nil
	Saved   func(path string, from, to []byte)
	Version string    // of the program
	Log     io.Writer // for internal errors; nil: they are not logged

	Alive func(pid int) bool // reports whether a process is running; nil: the operating system is asked

	After func(time.Duration) <-chan time.Time // nil: time.After
}

// Server serves one session with an editor. Its methods may be called concurrently, Serve only once.
type Server struct {
	opts Options
	log  *log.Logger
	conn *jsonrpc2.Conn
	over context.CancelFunc // ends the session

	requests, notifications map[string]handler // by method

	stage     atomic.Int32 // of the session
	calls     calls
	publisher publisher

	mu   sync.Mutex
	now  *view               // replaced, never written to
	sets map[string]*ruleSet // the latest of each scope, by scope.key

	// held while a rule set is made, so that concurrent requests for the same scope make it once
	loading sync.Mutex
}

// New returns a server.
func New(opts Options) *Server {
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	if opts.After == nil {
		opts.After = time.After
	}
	if opts.Alive == nil {
		opts.Alive = isAlive
	}
	s := &Server{opts: opts, log: log.New(opts.Log, "aside lsp: ", 0), sets: map[string]*ruleSet{}}
	s.now = &view{docs: map[string]*doc{}, schema: fact.Builtin(), rules: opts.Rules, made: &madeTexts{}}
	s.requests, s.notifications = requestHandlers(), notificationHandlers()
	s.calls.running = map[jsonrpc2.ID]context.CancelFunc{}
	s.publisher = publisher{changed: make(chan struct{}, 1), sent: map[string]report{}}
	return s
}

// Serve serves the editor at the other end of in and out until the editor sends exit, in ends, the editor's
// process ends, or ctx ends. It closes in. It returns the exit code that the protocol asks for: 0 if shutdown
// came before, else 1.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) int {
	ctx, s.over = context.WithCancel(ctx)
	defer s.over()
	ready := make(chan struct{})
	handler := handlerFunc(func(ctx context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
		<-ready // conn is set
		s.handle(ctx, r)
	})
	pipe := struct {
		io.ReadCloser
		io.Writer
	}{in, out}
	s.conn = jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(pipe, codec{}), handler, jsonrpc2.SetLogger(s.log))
	close(ready)
	var wg sync.WaitGroup
	wg.Go(func() { s.publisher.run(ctx, s) })
	select {
	case <-s.conn.DisconnectNotify():
	case <-ctx.Done():
	}
	s.over()
	_ = s.conn.Close()
	wg.Wait()
	s.calls.end()
	if s.stage.Load() == shutDown {
		return 0
	}
	return 1
}

type handlerFunc func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request)

// Handle implements jsonrpc2.Handler.
func (f handlerFunc) Handle(ctx context.Context, c *jsonrpc2.Conn, r *jsonrpc2.Request) { f(ctx, c, r) }

// codec reads messages with the headers of the Language Server Protocol, which the library writes. Unlike the
// library it takes headers in any case, lines that end with a newline alone, and blanks behind a message.
// Input that is not a message ends the session.
type codec struct{ jsonrpc2.VSCodeObjectCodec }

// ReadObject implements jsonrpc2.ObjectCodec.
func (codec) ReadObject(r *bufio.Reader, v any) error {
	head, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return err
	}
	length, err := strconv.ParseUint(head.Get("Content-Length"), 10, 31)
	if err != nil {
		return fmt.Errorf("a message without a length: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(length)))
	switch {
	case err != nil:
		return err
	case len(body) < int(length):
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(body, v)
}

// notify sends a notification to the editor. An error is logged.
func (s *Server) notify(ctx context.Context, method string, params any) {
	if err := s.conn.Notify(ctx, method, params); err != nil && ctx.Err() == nil {
		s.log.Printf("%s: %v", method, err)
	}
}

// trouble reports an internal error to the log, and to the editor's log.
func (s *Server) trouble(ctx context.Context, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	s.log.Print(message)
	s.notify(ctx, "window/logMessage", map[string]any{"type": 1, "message": "aside lsp: " + message})
}

// The stages of a session.
const (
	uninitialized int32 = iota // before initialize
	running                    // requests are answered
	shutDown                   // after shutdown: only exit may follow
)

// lookAfter is how often the server looks whether the editor's process is alive. Mostly stdin ends when that
// process does, but another process that the editor has started may hold the pipe open.
const lookAfter = 10 * time.Second

// watchParent ends the session when the process pid ends.
func (s *Server) watchParent(ctx context.Context, pid int) {
	if pid <= 0 {
		return
	}
	s.calls.start(func() {
		for s.opts.Alive(pid) {
			select {
			case <-ctx.Done():
				return
			case <-s.opts.After(lookAfter):
			}
		}
		s.log.Printf("the editor, process %d, is gone", pid)
		s.over()
	})
}

// isAlive reports whether there is a process pid, be it another user's. Where the system cannot tell, it is
// alive.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
