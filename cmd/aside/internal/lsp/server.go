package lsp

import (
	"context"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/lint"
	"github.com/aside-go/aside/compile/load"
)

// Options say where a server looks and what it takes for granted. The zero value is useful.
type Options struct {
	Home    string       // the user's home, "" for none
	Dir     string       // the project of an editor that names none
	Rules   []string     // files, directories and patterns that hold rules beside the directories named reminders
	Schema  *fact.Schema // nil: the built-in facts
	Lint    lint.Options // what is looked for; Only is not used
	Trusted load.Gate    // reads what nobody has opened of a project; nil: nobody does
	Version string       // of the program
	Log     io.Writer    // what goes wrong inside; nil: nothing is said

	Alive func(pid int) bool // whether a process is running; nil: the machine is asked

	// After is the clock: a channel that is sent to after a while. nil is time.After.
	After func(time.Duration) <-chan time.Time
}

// Server is one conversation with an editor. Its methods may be called concurrently; Serve once.
type Server struct {
	opts Options
	log  *log.Logger
	conn *jsonrpc2.Conn
	over context.CancelFunc // ends the conversation

	questions map[string]question
	notices   map[string]notice

	life  life
	calls calls
	feed  feed
	disk  disk
	memo  memo

	mu      sync.Mutex
	now     *view // replaced, never written to
	studies map[string]*study

	studying sync.Mutex // one scope is looked at at a time: who else wants to know it waits, and finds it known
}

// New makes a server.
func New(opts Options) *Server {
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	if opts.After == nil {
		opts.After = time.After
	}
	if opts.Alive == nil {
		opts.Alive = aliveProcess
	}
	s := &Server{opts: opts, log: log.New(opts.Log, "aside lsp: ", 0), studies: map[string]*study{}}
	s.now = &view{docs: map[string]*doc{}, dirs: map[string][]*doc{}, schema: opts.Schema, rules: opts.Rules, lint: opts.Lint}
	s.questions, s.notices = questions(), notices()
	s.calls.running = map[jsonrpc2.ID]context.CancelFunc{}
	s.feed.init()
	return s
}

// Serve speaks with the editor behind in and out until it says exit, in ends, the editor's process ends or ctx does. It returns the
// exit code that the protocol asks for: 0 if the editor had said shutdown before, else 1. It closes in.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) int {
	ctx, s.over = context.WithCancel(ctx)
	defer s.over()
	ready := make(chan struct{})
	handler := handlerFunc(func(ctx context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
		<-ready // conn is set
		s.handle(ctx, r)
	})
	s.conn = jsonrpc2.NewConn(ctx, newStream(in, out), handler, jsonrpc2.SetLogger(s.log))
	close(ready)
	var wg sync.WaitGroup
	wg.Go(func() { s.feed.run(ctx, s) })
	select {
	case <-s.conn.DisconnectNotify():
	case <-ctx.Done():
	}
	s.over()
	_ = s.conn.Close()
	wg.Wait()
	s.calls.end()
	return s.life.code()
}

// handlerFunc is a jsonrpc2.Handler.
type handlerFunc func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request)

// Handle implements jsonrpc2.Handler.
func (f handlerFunc) Handle(ctx context.Context, c *jsonrpc2.Conn, r *jsonrpc2.Request) { f(ctx, c, r) }

// notify tells the editor something.
func (s *Server) notify(ctx context.Context, method string, params any) {
	if err := s.conn.Notify(ctx, method, params); err != nil && ctx.Err() == nil {
		s.log.Printf("%s: %v", method, err)
	}
}

// trouble says that something went wrong inside, to the log and to the editor's.
func (s *Server) trouble(ctx context.Context, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	s.log.Print(message)
	s.notify(ctx, "window/logMessage", struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
	}{1, "aside lsp: " + message})
}

// life is how far the conversation has come.
type life struct {
	mu sync.Mutex
	at stage
}

type stage uint8

const (
	unborn  stage = iota // before initialize
	alive                // answers
	shut                 // after shutdown: only exit is left
	expired              // shutdown and exit
)

// code is the exit code.
func (l *life) code() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at >= shut {
		return 0
	}
	return 1
}

func (l *life) stage() stage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// step goes from one stage to the next; false if it is another.
func (l *life) step(from, to stage) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at != from {
		return false
	}
	l.at = to
	return true
}
