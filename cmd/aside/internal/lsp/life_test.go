package lsp_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/lsp"
)

// teaching teaches the server something before it begins.
func teaching(teach func(*lsp.Server)) with { return with{server: teach} }

func TestLife(t *testing.T) {
	t.Parallel()
	e := start(t)
	if err := e.try("textDocument/hover", m{}, nil); rpcCode(err) != -32002 {
		t.Errorf("before initialize: %v", err)
	}
	if err := e.try("shutdown", nil, nil); rpcCode(err) != -32002 {
		t.Errorf("shutdown before initialize: %v", err)
	}
	u := e.show(".aside/reminders/early.md", "---\nwhen: [\n---\nx") // is not taken in
	e.ask("initialize", e.params(), nil)
	if err := e.try("initialize", e.params(), nil); rpcCode(err) != -32600 {
		t.Errorf("initialize twice: %v", err)
	}
	e.tell("initialized", m{})
	e.tell("$/setTrace", m{"value": "off"})
	e.tell("textDocument/willSave", m{})
	if err := e.try("textDocument/nothing", m{}, nil); rpcCode(err) != -32601 {
		t.Errorf("an unknown method: %v", err)
	}
	if err := e.try("textDocument/hover", []int{1}, nil); rpcCode(err) != -32602 {
		t.Errorf("wrong parameters: %v", err)
	}
	e.ask("shutdown", nil, nil)
	if err := e.try("textDocument/hover", m{}, nil); rpcCode(err) != -32600 {
		t.Errorf("after shutdown: %v", err)
	}
	e.tell("exit", nil)
	if code := <-e.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if len(e.told) > 0 {
		t.Errorf("%s was told of: %v", u, e.told)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(e *editor)
		code int
	}{
		"exit without shutdown":      {func(e *editor) { e.tell("exit", nil) }, 1},
		"the pipe ends":              {func(e *editor) { e.close() }, 1},
		"the pipe ends, as expected": {func(e *editor) { e.ask("shutdown", nil, nil); e.close() }, 0},
		"as the protocol says":       {func(e *editor) { e.ask("shutdown", nil, nil); e.tell("exit", nil) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := open(t)
			c.end(e)
			if code := <-e.code; code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
		})
	}
}

// TestPanic: a panic is an error of the question that it was over, and the server goes on.
func TestPanic(t *testing.T) {
	t.Parallel()
	e := open(t, teaching(func(s *lsp.Server) {
		s.Answer("test/panic", func(context.Context) (any, error) { panic("ouch") })
		s.Hear("test/told", func() { panic("ah") })
	}))
	if err := e.try("test/panic", nil, nil); rpcCode(err) != -32603 || !strings.Contains(err.Error(), "ouch") {
		t.Errorf("got %v", err)
	}
	e.tell("test/told", nil)
	e.until("the log", func() bool { return len(e.logged) == 2 })
	u := e.show(".aside/reminders/a.md", "---\nwhen: [\n---\nx")
	if ws := e.wrong(u, 1); len(ws) != 1 {
		t.Errorf("got %v", ws)
	}
}

// TestCancel: a question that is canceled is answered with the error for that, and others go on beside it.
func TestCancel(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	e := open(t, teaching(func(s *lsp.Server) {
		s.Answer("test/wait", func(ctx context.Context) (any, error) {
			close(begun)
			<-ctx.Done()
			return 1, nil
		})
		s.Answer("test/answer", func(context.Context) (any, error) { return 2, nil })
	}))
	done := make(chan error, 1)
	go func() { done <- e.try("test/wait", nil, nil) }()
	<-begun
	e.ask("test/answer", nil, nil)
	e.tell("$/cancelRequest", m{"id": 999})
	for id := range 10 { // whichever of the two has which number
		e.tell("$/cancelRequest", m{"id": id})
	}
	if err := <-done; rpcCode(err) != -32800 {
		t.Errorf("got %v", err)
	}
}

// TestOrder: a question is answered from the notifications before it, and from none that comes later.
func TestOrder(t *testing.T) {
	t.Parallel()
	e := open(t)
	u := e.show(".aside/reminders/a.md", "---\nid: a0\n---\nx")
	for i := 2; i < 200; i++ {
		e.retype(u, i, fmt.Sprintf("---\nid: a%d\n---\nx", i))
		var symbols []struct{ Name string }
		e.ask("textDocument/documentSymbol", m{"textDocument": m{"uri": u}}, &symbols)
		if len(symbols) != 1 || symbols[0].Name != fmt.Sprintf("a%d", i) {
			t.Fatalf("version %d: %v", i, symbols)
		}
	}
}

// raw is a connection that anything can be written to.
type raw struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

func rawly(t *testing.T) *raw {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		lsp.New(lsp.Options{}).Serve(context.Background(), theirIn, theirOut)
		_ = theirOut.Close()
	}()
	t.Cleanup(func() {
		_ = ourOut.Close()
		go io.Copy(io.Discard, ourIn) //nolint: the rest is of no interest
		<-done
	})
	return &raw{t, ourOut, bufio.NewReader(ourIn)}
}

func (r *raw) send(s string) {
	r.t.Helper()
	go func() { _, _ = io.WriteString(r.in, s) }()
}

func framed(s string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(s), s) }

// next reads an answer.
func (r *raw) next() string {
	r.t.Helper()
	b, err := read(r.out)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// TestMalformed: input that is not a message ends the session.
func TestMalformed(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]string{
		"not JSON":            framed("{"),
		"empty":               "Content-Length: 0\r\n\r\n",
		"not UTF-8":           framed("\xff\xfe"),
		"no length":           "Content-Type: x\r\n\r\n",
		"a length of letters": "Content-Length: many\r\n\r\n",
		"a negative length":   "Content-Length: -3\r\n\r\n",
		"a huge length":       "Content-Length: 99999999999999999999999\r\n\r\n",
		"a number":            framed("17"),
		"null":                framed("null"),
		"a batch":             framed(`[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`),
		"no method":           framed(`{"jsonrpc":"2.0","id":1}`),
		"a method of numbers": framed(`{"jsonrpc":"2.0","id":1,"method":3}`),
		"an id of lists":      framed(`{"jsonrpc":"2.0","id":[],"method":"shutdown"}`),
		"deep":                framed(strings.Repeat("[", 200_000)),
		"garbage":             "hello\r\nworld: no\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			in := io.NopCloser(strings.NewReader(send +
				framed(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"capabilities":{}}}`)))
			if code := lsp.New(lsp.Options{}).Serve(context.Background(), in, &out); code != 1 || out.Len() > 0 {
				t.Errorf("exit code %d, and the server says %q", code, out.String())
			}
		})
	}
}

// TestStray: an answer that nobody waits for, headers of all kinds and lines that end with a newline alone
// are taken as they come.
func TestStray(t *testing.T) {
	t.Parallel()
	r := rawly(t)
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	r.send(framed(`{"jsonrpc":"2.0","id":7,"result":null}`) +
		framed(`{"jsonrpc":"2.0","method":"initialized"}`) +
		fmt.Sprintf("content-type: application/vscode-jsonrpc; charset=utf-8\ncontent-LENGTH:%d\n\n%s",
			len(hello), hello))
	if got := r.next(); !strings.Contains(got, `"capabilities"`) {
		t.Errorf("got %s", got)
	}
}

// TestParent: the server ends when the editor's process has.
func TestParent(t *testing.T) {
	t.Parallel()
	var gone atomic.Bool
	e := start(t, with{options: func(o *lsp.Options) {
		o.Alive = func(pid int) bool {
			return pid == 4711 &&
				!gone.Load()
		}
	}})
	p := e.params()
	p["processId"] = 4711
	e.ask("initialize", p, nil)
	gone.Store(true)
	code := -1
	select {
	case e.slow <- time.Time{}: // it is looked again
		code = <-e.code
	case code = <-e.code: // it was not looked before
	}
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
}
