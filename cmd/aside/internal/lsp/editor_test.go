package lsp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/lsp"
)

// m is a JSON object as an editor writes it.
type m = map[string]any

// editor is an editor that writes and reads the messages itself.
type editor struct {
	t    testing.TB
	out  io.WriteCloser // to the server
	root string         // the workspace
	home string
	code chan int

	mu     sync.Mutex
	last   int                  // the id of the latest request
	open   map[int]chan message // the requests without an answer, by id; nil: the session has ended
	news   *sync.Cond
	told   map[string]published // by URI: the last that was said
	times  map[string]int       // how often
	logged []string
	asked  []string       // methods that the server called
	tick   chan time.Time // when nothing was typed for a while
	slow   chan time.Time // when a long time has passed
}

type published struct {
	URI         string  `json:"uri"`
	Version     *int    `json:"version"`
	Diagnostics []wrong `json:"diagnostics"`
}

type wrong struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

type spot struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start spot `json:"start"`
	End   spot `json:"end"`
}

type edit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

// with changes how an editor begins.
type with struct {
	params  func(m)
	options func(*lsp.Options)
	server  func(*lsp.Server)
}

// offering offers units of columns.
func offering(units ...string) with {
	return with{params: func(p m) { p["capabilities"].(m)["general"] = m{"positionEncodings": units} }}
}

// settings are told to the server as it begins.
func settings(s m) with { return with{params: func(p m) { p["initializationOptions"] = s }} }

// open starts a server and an editor that has said initialize and initialized.
func open(t testing.TB, ways ...with) *editor {
	t.Helper()
	e := start(t, ways...)
	e.ask("initialize", e.params(ways...), nil)
	e.tell("initialized", m{})
	return e
}

func (e *editor) params(ways ...with) m {
	p := m{"processId": nil, "rootUri": uri(e.root), "capabilities": m{
		"workspace": m{"workspaceEdit": m{"documentChanges": true}},
		"textDocument": m{
			"completion":         m{"completionItem": m{"snippetSupport": true}},
			"codeAction":         m{"codeActionLiteralSupport": m{}},
			"documentSymbol":     m{"hierarchicalDocumentSymbolSupport": true},
			"publishDiagnostics": m{"versionSupport": true},
		},
	}}
	for _, w := range ways {
		if w.params != nil {
			w.params(p)
		}
	}
	return p
}

// start starts a server and an editor that has said nothing yet.
func start(t testing.TB, ways ...with) *editor {
	t.Helper()
	e := &editor{t: t, root: t.TempDir(), home: t.TempDir(), code: make(chan int, 1),
		open: map[int]chan message{}, told: map[string]published{}, times: map[string]int{},
		tick: make(chan time.Time), slow: make(chan time.Time)}
	e.news = sync.NewCond(&e.mu)
	opts := lsp.Options{Home: e.home, After: func(d time.Duration) <-chan time.Time {
		if d < time.Second {
			return e.tick
		}
		return e.slow
	}}
	for _, w := range ways {
		if w.options != nil {
			w.options(&opts)
		}
	}
	server := lsp.New(opts)
	for _, w := range ways {
		if w.server != nil {
			w.server(server)
		}
	}
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	go func() {
		e.code <- server.Serve(context.Background(), theirIn, theirOut)
		_ = theirOut.Close()
	}()
	e.out = ourOut
	go e.listen(ourIn)
	t.Cleanup(e.close)
	return e
}

// close ends the pipe to the server.
func (e *editor) close() { _ = e.out.Close() }

// message is a request, a notification or a response.
type message struct {
	Version string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id"`
	Method  string           `json:"method"`
	Params  json.RawMessage  `json:"params"`
	Result  json.RawMessage  `json:"result"`
	Error   *rpcError        `json:"error"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("[%d] %s", e.Code, e.Message) }

// read reads the next message of a server.
func read(r *bufio.Reader) ([]byte, error) {
	var n int
	if _, err := fmt.Fscanf(r, "Content-Length: %d\r\n\r\n", &n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err := io.ReadFull(r, b)
	return b, err
}

// listen takes in the messages of the server, one after the other, until the pipe ends.
func (e *editor) listen(in io.Reader) {
	for r := bufio.NewReader(in); ; {
		b, err := read(r)
		if err != nil {
			break
		}
		var x message
		if err := json.Unmarshal(b, &x); err != nil || x.Version != "2.0" {
			e.t.Errorf("not a message: %v: %s", err, b)
			continue
		}
		switch {
		case x.Method == "":
			e.answered(b, x)
		case x.ID == nil:
			e.hear(x.Method, x.Params)
		default:
			e.mu.Lock()
			e.asked = append(e.asked, x.Method)
			e.news.Broadcast()
			e.mu.Unlock()
			go func() { _ = e.send(m{"id": x.ID, "result": nil}) }()
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.open {
		close(c)
	}
	e.open = nil
}

// answered hands a response to whoever waits for it.
func (e *editor) answered(b []byte, x message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var id int
	if x.ID == nil || json.Unmarshal(*x.ID, &id) != nil || e.open[id] == nil {
		e.t.Errorf("an answer to nothing: %s", b)
		return
	}
	e.open[id] <- x
	delete(e.open, id)
}

// send writes a message.
func (e *editor) send(x m) error {
	x["jsonrpc"] = "2.0"
	b, err := json.Marshal(x)
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.out, framed(string(b)))
	return err
}

func (e *editor) hear(method string, params json.RawMessage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch method {
	case "textDocument/publishDiagnostics":
		var p published
		if err := json.Unmarshal(params, &p); err != nil {
			e.t.Error(err)
		}
		e.told[p.URI] = p
		e.times[p.URI]++
	case "window/logMessage":
		e.logged = append(e.logged, string(params))
	default:
		e.t.Errorf("unexpected %s", method)
	}
	e.news.Broadcast()
}

// until waits until held, which is called with the lock.
func (e *editor) until(what string, held func() bool) {
	e.t.Helper()
	late := time.AfterFunc(20*time.Second, func() { e.mu.Lock(); defer e.mu.Unlock(); e.news.Broadcast() })
	defer late.Stop()
	began := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	for !held() {
		if time.Since(began) > 19*time.Second {
			e.t.Fatalf("nothing was heard of %s", what)
		}
		e.news.Wait()
	}
}

func (e *editor) ask(method string, params, result any) {
	e.t.Helper()
	if err := e.try(method, params, result); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

func (e *editor) try(method string, params, result any) error {
	e.mu.Lock()
	e.last++
	id, answer := e.last, make(chan message, 1)
	if e.open != nil {
		e.open[id] = answer
	} else {
		close(answer)
	}
	e.mu.Unlock()
	x := m{"id": id, "method": method}
	if params != nil {
		x["params"] = params
	}
	if err := e.send(x); err != nil {
		return err
	}
	select {
	case x, ok := <-answer:
		switch {
		case !ok:
			return errors.New("the session has ended")
		case x.Error != nil:
			return x.Error
		case result == nil:
			return nil
		}
		return json.Unmarshal(x.Result, result)
	case <-time.After(20 * time.Second):
		return errors.New("no answer")
	}
}

func (e *editor) tell(method string, params any) {
	e.t.Helper()
	x := m{"method": method}
	if params != nil {
		x["params"] = params
	}
	if err := e.send(x); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// uri is that of a path.
func uri(path string) string { return "file://" + filepath.ToSlash(path) }

// write puts a file into the workspace and returns its path.
func (e *editor) write(name, text string) string {
	e.t.Helper()
	path := e.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
	return path
}

// path is where a file of the workspace is; "~/" stands for the home.
func (e *editor) path(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(e.home, rest)
	}
	return filepath.Join(e.root, name)
}

// show opens a text.
func (e *editor) show(name, text string) string {
	e.t.Helper()
	u := uri(e.path(name))
	e.tell("textDocument/didOpen", m{"textDocument": m{"uri": u, "languageId": "markdown", "version": 1,
		"text": text}})
	return u
}

// hide closes a text.
func (e *editor) hide(u string) {
	e.t.Helper()
	e.tell("textDocument/didClose", m{"textDocument": m{"uri": u}})
}

// retype replaces the whole text.
func (e *editor) retype(u string, version int, text string) {
	e.t.Helper()
	e.tell("textDocument/didChange", m{"textDocument": m{"uri": u, "version": version},
		"contentChanges": []m{{"text": text}}})
}

// wrong waits for the diagnostics of a version of a text.
func (e *editor) wrong(u string, version int) []wrong {
	e.t.Helper()
	var p published
	e.until(u, func() bool {
		p = e.told[u]
		return p.Version != nil && *p.Version >= version
	})
	return p.Diagnostics
}

func codes(ws []wrong) string {
	var list []string
	for _, w := range ws {
		list = append(list, w.Code)
	}
	return strings.Join(list, " ")
}

// end says shutdown and exit.
func (e *editor) end() int {
	e.t.Helper()
	e.ask("shutdown", nil, nil)
	e.tell("exit", nil)
	return <-e.code
}

func rpcCode(err error) int {
	var e *rpcError
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}
