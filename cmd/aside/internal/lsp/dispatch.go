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

// A question is a request of the editor, answered from the view of the moment when it came.
type question func(ctx context.Context, s *Server, v *view, params json.RawMessage) (any, error)

// asked makes a question of a function that takes decoded parameters.
func asked[P any](f func(context.Context, *Server, *view, *P) (any, error)) question {
	return func(ctx context.Context, s *Server, v *view, raw json.RawMessage) (any, error) {
		var p P
		if err := decode(raw, &p); err != nil {
			return nil, err
		}
		return f(ctx, s, v, &p)
	}
}

// questions are the requests that are answered while the server is alive, but for initialize and shutdown.
func questions() map[string]question {
	return map[string]question{
		"textDocument/completion":          asked(completion),
		"textDocument/hover":               asked(hoverAt),
		"textDocument/codeAction":          asked(codeActions),
		"textDocument/formatting":          asked(formatting),
		"textDocument/documentSymbol":      asked(documentSymbols),
		"textDocument/definition":          asked(definition),
		"textDocument/references":          asked(references),
		"textDocument/prepareRename":       asked(prepareRename),
		"textDocument/rename":              asked(rename),
		"textDocument/semanticTokens/full": asked(tokens),
	}
}

// A notice is a notification of the editor. Notices are taken in one by one, in the order in which they come.
type notice func(ctx context.Context, s *Server, params json.RawMessage) error

// told makes a notice of a function that takes decoded parameters.
func told[P any](f func(context.Context, *Server, *P) error) notice {
	return func(ctx context.Context, s *Server, raw json.RawMessage) error {
		var p P
		if err := decode(raw, &p); err != nil {
			return err
		}
		return f(ctx, s, &p)
	}
}

func notices() map[string]notice {
	return map[string]notice{
		"initialized":                         told(initialized),
		"$/cancelRequest":                     told(cancelRequest),
		"textDocument/didOpen":                told(didOpen),
		"textDocument/didChange":              told(didChange),
		"textDocument/didSave":                told(didSave),
		"textDocument/didClose":               told(didClose),
		"workspace/didChangeWatchedFiles":     told(didChangeWatchedFiles),
		"workspace/didChangeWorkspaceFolders": told(didChangeWorkspaceFolders),
		"workspace/didChangeConfiguration":    told(didChangeConfiguration),
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

// handle takes one message. It is called for one after the other, and returns before a question is answered.
func (s *Server) handle(ctx context.Context, r *jsonrpc2.Request) {
	var raw json.RawMessage
	if r.Params != nil {
		raw = *r.Params
	}
	if r.Notif {
		s.take(ctx, r.Method, raw)
		return
	}
	switch at := s.life.stage(); {
	case r.Method == "initialize":
		if !s.life.step(unborn, alive) {
			s.reply(ctx, r.ID, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "initialize was said before"})
			return
		}
		answer, err := s.guard(ctx, r.Method, func() (any, error) { return s.initialize(ctx, raw) })
		s.reply(ctx, r.ID, answer, err)
	case at == unborn:
		s.reply(ctx, r.ID, nil, &jsonrpc2.Error{Code: codeNotInitialized, Message: "initialize comes first"})
	case at != alive:
		s.reply(ctx, r.ID, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "shutdown was said before"})
	case r.Method == "shutdown":
		s.life.step(alive, shut)
		s.reply(ctx, r.ID, nil, nil)
	default:
		s.ask(ctx, r.ID, r.Method, raw)
	}
}

// take takes in a notification.
func (s *Server) take(ctx context.Context, method string, raw json.RawMessage) {
	if method == "exit" {
		s.over()
		return
	}
	if s.life.stage() != alive {
		return // as the protocol says
	}
	f := s.notices[method]
	if f == nil {
		return // $/… and whatever else editors say
	}
	_, err := s.guard(ctx, method, func() (any, error) { return nil, f(ctx, s, raw) })
	var failed *failure
	if err != nil && !errors.As(err, &failed) {
		s.trouble(ctx, "%s: %v", method, err)
	}
}

// ask answers a question beside the reading of further messages.
func (s *Server) ask(ctx context.Context, id jsonrpc2.ID, method string, raw json.RawMessage) {
	f := s.questions[method]
	if f == nil {
		s.reply(ctx, id, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: fmt.Sprintf("there is no method %q", method)})
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

// failure is a panic.
type failure struct{ what any }

func (f *failure) Error() string { return fmt.Sprintf("internal error: %.300v", f.what) }

// guard makes an error of a panic, and tells of it.
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

// calls are the questions that are being answered.
type calls struct {
	wg sync.WaitGroup

	mu      sync.Mutex
	ended   bool
	running map[jsonrpc2.ID]context.CancelFunc
}

// start runs f beside the reading of messages, unless the conversation has ended.
func (c *calls) start(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.wg.Go(f)
	}
}

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

// end waits for what is running; nothing is started any more.
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
