package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// The protocol's own error codes.
const (
	codeNotInitialized  = -32002
	codeRequestCanceled = -32800
	codeRequestFailed   = -32803
)

// requestHandler answers a request of the editor from v, the view at the moment when the request came.
type requestHandler func(ctx context.Context, s *Server, v *view, params json.RawMessage) (any, error)

// request makes a requestHandler of a function that takes decoded parameters.
func request[P any](f func(context.Context, *Server, *view, *P) (any, error)) requestHandler {
	return func(ctx context.Context, s *Server, v *view, raw json.RawMessage) (any, error) {
		var p P
		if err := decode(raw, &p); err != nil {
			return nil, err
		}
		return f(ctx, s, v, &p)
	}
}

// requestHandlers returns the handlers by method, without initialize and shutdown, which handle answers
// itself.
func requestHandlers() map[string]requestHandler {
	return map[string]requestHandler{
		"textDocument/completion":     request(completion),
		"textDocument/hover":          request(hoverAt),
		"textDocument/codeAction":     request(codeActions),
		"textDocument/formatting":     request(formatting),
		"textDocument/documentSymbol": request(documentSymbols),
		"textDocument/definition":     request(definition),
	}
}

// notificationHandler handles a notification of the editor. Notifications are handled one by one, in the
// order in which they come.
type notificationHandler func(ctx context.Context, s *Server, params json.RawMessage) error

// notification makes a notificationHandler of a function that takes decoded parameters.
func notification[P any](f func(context.Context, *Server, *P) error) notificationHandler {
	return func(ctx context.Context, s *Server, raw json.RawMessage) error {
		var p P
		if err := decode(raw, &p); err != nil {
			return err
		}
		return f(ctx, s, &p)
	}
}

func notificationHandlers() map[string]notificationHandler {
	return map[string]notificationHandler{
		"initialized":                         notification(initialized),
		"$/cancelRequest":                     notification(cancelRequest),
		"textDocument/didOpen":                notification(didOpen),
		"textDocument/didChange":              notification(didChange),
		"textDocument/didSave":                notification(didSave),
		"textDocument/didClose":               notification(didClose),
		"workspace/didChangeWatchedFiles":     notification(lookAgain),
		"workspace/didChangeWorkspaceFolders": notification(didChangeWorkspaceFolders),
		"workspace/didChangeConfiguration":    notification(didChangeConfiguration),
	}
}

func decode(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	return nil
}

// handle handles one message. It is called for one message after the other, and does not wait until a request
// is answered.
func (s *Server) handle(ctx context.Context, r *jsonrpc2.Request) {
	var raw json.RawMessage
	if r.Params != nil {
		raw = *r.Params
	}
	if r.Notif {
		s.take(ctx, r.Method, raw)
		return
	}
	switch at := s.stage.Load(); {
	case r.Method == "initialize":
		if !s.stage.CompareAndSwap(uninitialized, running) {
			s.reply(ctx, r.ID, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest,
				Message: "initialize was said before"})
			return
		}
		answer, err := s.guard(ctx, r.Method, func() (any, error) { return s.initialize(ctx, raw) })
		s.reply(ctx, r.ID, answer, err)
	case at == uninitialized:
		s.reply(ctx, r.ID, nil, &jsonrpc2.Error{Code: codeNotInitialized, Message: "initialize comes first"})
	case at != running:
		s.reply(ctx, r.ID, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest,
			Message: "shutdown was said before"})
	case r.Method == "shutdown":
		s.stage.CompareAndSwap(running, shutDown)
		s.reply(ctx, r.ID, nil, nil)
	default:
		s.ask(ctx, r.ID, r.Method, raw)
	}
}

func (s *Server) take(ctx context.Context, method string, raw json.RawMessage) {
	if method == "exit" {
		s.over()
		return
	}
	if s.stage.Load() != running {
		return // as the protocol says
	}
	f := s.notifications[method]
	if f == nil {
		return // an optional notification ($/…), or an unknown one
	}
	_, err := s.guard(ctx, method, func() (any, error) { return nil, f(ctx, s, raw) })
	var failed *failure
	if err != nil && !errors.As(err, &failed) {
		s.trouble(ctx, "%s: %v", method, err)
	}
}

// ask answers a request on a goroutine of its own, while further messages are read.
func (s *Server) ask(ctx context.Context, id jsonrpc2.ID, method string, raw json.RawMessage) {
	f := s.requests[method]
	if f == nil {
		s.reply(ctx, id, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound,
			Message: fmt.Sprintf("there is no method %q", method)})
		return
	}
	v := s.view()
	ctx, done := s.calls.begin(ctx, id)
	s.calls.start(func() {
		defer done()
		answer, err := s.guard(ctx, method, func() (any, error) { return f(ctx, s, v, raw) })
		if ctx.Err() != nil {
			answer, err = nil, &jsonrpc2.Error{Code: codeRequestCanceled, Message: "canceled"}
		}
		s.reply(context.WithoutCancel(ctx), id, answer, err)
	})
}

// failure is a panic as an error.
type failure struct{ what any }

func (f *failure) Error() string { return fmt.Sprintf("internal error: %.300v", f.what) }

// guard calls f. A panic is reported, and returned as a *failure.
func (s *Server) guard(ctx context.Context, method string, f func() (any, error)) (answer any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &failure{p}
			s.trouble(context.WithoutCancel(ctx), "%s: %v (please report it)", method, err)
			s.log.Printf("%s", debug.Stack())
		}
	}()
	return f()
}

func (s *Server) reply(ctx context.Context, id jsonrpc2.ID, answer any, err error) {
	if err == nil {
		err = s.conn.Reply(ctx, id, answer)
	} else {
		var e *jsonrpc2.Error
		if !errors.As(err, &e) {
			code := int64(codeRequestFailed)
			var failed *failure
			if errors.As(err, &failed) {
				code = jsonrpc2.CodeInternalError
			}
			e = &jsonrpc2.Error{Code: code, Message: err.Error()}
		}
		err = s.conn.ReplyWithError(ctx, id, e)
	}
	if err != nil && !errors.Is(err, jsonrpc2.ErrClosed) {
		s.log.Printf("an answer could not be sent: %v", err)
	}
}

// calls are the requests that are being answered.
type calls struct {
	wg sync.WaitGroup

	mu      sync.Mutex
	ended   bool
	running map[jsonrpc2.ID]context.CancelFunc
}

// start runs f on a goroutine of its own, unless the session has ended.
func (c *calls) start(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.wg.Go(f)
	}
}

// begin returns a context for a request, which $/cancelRequest cancels, and a function to call when the
// request is answered.
func (c *calls) begin(ctx context.Context, id jsonrpc2.ID) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[id] = cancel
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, id)
		cancel()
	}
}

// end waits for the goroutines of start; no further ones are started.
func (c *calls) end() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.wg.Wait()
}

func cancelRequest(_ context.Context, s *Server, p *cancelParams) error {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	if cancel := s.calls.running[p.ID]; cancel != nil {
		cancel()
	}
	return nil
}
