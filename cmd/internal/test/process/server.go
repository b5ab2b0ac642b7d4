package process

import (
	"bufio"
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is a process that serves. Its methods fail the test where it does not do as they say; no two of
// Await and End are called at once.
type Server struct {
	URL  string
	Said bytes.Buffer // the part of stderr that was read

	t    testing.TB
	cmd  *exec.Cmd
	errs *bufio.Reader
}

// Serve starts the command serve of p in dir, with further variables of the environment, on a free port, and
// waits until it listens. The process is over when the test is.
func (p Program) Serve(t testing.TB, dir string, env []string, args ...string) *Server {
	t.Helper()
	args = append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)
	s := &Server{t: t, cmd: p.command(t.Context(), dir, args...)}
	s.cmd.Env = append(s.cmd.Env, env...)
	pipe, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.errs = bufio.NewReader(io.TeeReader(pipe, &s.Said))
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	_, address, _ := strings.Cut(s.Await("listening"), "http://")
	address, _, _ = strings.Cut(strings.TrimSuffix(address, "\n"), `"`) // of a log in JSON
	s.URL = "http://" + address
	return s
}

// PID returns the number of the process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Await reads stderr up to a line that holds a part, and returns that line. A process that does not say it is
// killed.
func (s *Server) Await(part string) string {
	s.t.Helper()
	defer time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() }).Stop()
	for {
		line, err := s.errs.ReadString('\n')
		if strings.Contains(line, part) {
			return line
		}
		if err != nil {
			s.t.Fatalf("no %q in\n%s", part, &s.Said)
		}
	}
}

// Signal sends a signal to the process.
func (s *Server) Signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// End reads the rest of stderr, and returns the exit code; -1 after a signal.
func (s *Server) End() int {
	s.t.Helper()
	_, _ = io.Copy(io.Discard, s.errs)
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// Ask sends a request on a connection of its own, and returns the body of the answer.
func (s *Server) Ask(method, path, body string) string {
	s.t.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	res, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// RoundTrip implements http.RoundTripper: it sends a request to the server, whatever host it names.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = "http", strings.TrimPrefix(s.URL, "http://"), ""
	return http.DefaultTransport.RoundTrip(r)
}

// Rival is httputil.ReverseProxy before an API, with what serve has: its way of sending, and buffers that are
// used again.
func Rival(api string, base http.RoundTripper) http.Handler {
	to, err := url.Parse(api)
	if err != nil {
		panic(err) // an address of the test's own
	}
	return &httputil.ReverseProxy{Rewrite: func(pr *httputil.ProxyRequest) { pr.SetURL(to) }, FlushInterval: -1,
		Transport: base, BufferPool: &buffers{}, ErrorLog: log.New(io.Discard, "", 0)}
}

type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(p []byte) { b.pool.Put(&p) }
