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

// handler answers a request of the editor from v, the view at the moment when the request came, or takes a
// notification in. Notifications are handled one by one, in the order in which they come.
type handler func(ctx context.Context, s *Server, v *view, params json.RawMessage) (any, error)

// request makes a handler of a function that takes decoded parameters.
func request[P any](f func(context.Context, *Server, *view, *P) (any, error)) handler {
	return func(ctx context.Context, s *Server, v *view, raw json.RawMessage) (any, error) {
		var p P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
			}
		}
		return f(ctx, s, v, &p)
	}
}

// notification is request for what has no answer.
func notification[P any](f func(context.Context, *Server, *P) error) handler {
	return request(func(ctx context.Context, s *Server, _ *view, p *P) (any, error) { return nil, f(ctx, s, p) })
}

func requestHandlers() map[string]handler {
	return map[string]handler{
		initializeMethod:              request(initialize),
		shutdownMethod:                request(shutdown),
		"textDocument/completion":     request(completion),
		"textDocument/hover":          request(hoverAt),
		"textDocument/codeAction":     request(codeActions),
		"textDocument/formatting":     request(formatting),
		"textDocument/documentSymbol": request(documentSymbols),
		"textDocument/definition":     request(definition),
	}
}

func notificationHandlers() map[string]handler {
	return map[string]handler{
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

// handle handles one message. It is called for one message after the other, and waits for the answer to
// those requests alone that begin and end the session.
func (s *Server) handle(ctx context.Context, r *jsonrpc2.Request) {
	var raw json.RawMessage
	if r.Params != nil {
		raw = *r.Params
	}
	if r.Notif {
		s.take(ctx, r.Method, raw)
		return
	}
	f, refused := s.requests[r.Method], s.refusal(r.Method)
	if refused != nil || r.Method == initializeMethod || r.Method == shutdownMethod {
		s.reply(ctx, r, refused, func() (any, error) { return f(ctx, s, s.view(), raw) })
		return
	}
	v := s.view()
	ctx, done := s.calls.begin(ctx, r.ID)
	s.calls.start(func() {
		defer done()
		s.reply(ctx, r, nil, func() (any, error) { return f(ctx, s, v, raw) })
	})
}

// The requests that begin and end the session.
const initializeMethod, shutdownMethod = "initialize", "shutdown"

// refusal returns why a request is not answered at this stage of the session; nil where it is.
func (s *Server) refusal(method string) error {
	code, message := int64(jsonrpc2.CodeInvalidRequest), ""
	switch at := s.stage.Load(); {
	case at == uninitialized && method == initializeMethod:
		return nil
	case at == uninitialized:
		code, message = codeNotInitialized, "initialize comes first"
	case method == initializeMethod:
		message = "initialize was said before"
	case at != running:
		message = "shutdown was said before"
	case s.requests[method] == nil:
		code, message = jsonrpc2.CodeMethodNotFound, fmt.Sprintf("there is no method %q", method)
	default:
		return nil
	}
	return &jsonrpc2.Error{Code: code, Message: message}
}

func shutdown(_ context.Context, s *Server, _ *view, _ *struct{}) (any, error) {
	s.stage.Store(shutDown)
	return nil, nil
}

func (s *Server) take(ctx context.Context, method string, raw json.RawMessage) {
	if method == "exit" {
		s.over()
		return
	}
	f := s.notifications[method]
	if f == nil || s.stage.Load() != running { // an optional notification ($/…) or an unknown one; an early one
		return
	}
	_, err := s.guard(ctx, method, func() (any, error) { return f(ctx, s, nil, raw) })
	if err != nil && !errors.As(err, new(*failure)) {
		s.trouble(ctx, "%s: %v", method, err)
	}
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

// reply answers a request with err or, where that is nil, with what f returns.
func (s *Server) reply(ctx context.Context, r *jsonrpc2.Request, err error, f func() (any, error)) {
	answer := &jsonrpc2.Response{ID: r.ID}
	var result any
	if err == nil {
		result, err = s.guard(ctx, r.Method, f)
	}
	if ctx.Err() != nil {
		err = &jsonrpc2.Error{Code: codeRequestCanceled, Message: "canceled"}
	}
	if err == nil {
		err = answer.SetResult(result)
	}
	if err != nil && !errors.As(err, &answer.Error) {
		answer.Error = &jsonrpc2.Error{Code: codeRequestFailed, Message: err.Error()}
		if errors.As(err, new(*failure)) {
			answer.Error.Code = jsonrpc2.CodeInternalError
		}
	}
	if err := s.conn.SendResponse(ctx, answer); err != nil && !errors.Is(err, jsonrpc2.ErrClosed) {
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
