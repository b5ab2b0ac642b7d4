//go:build unix

package servers

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Server is a server that a test started.
type Server struct {
	Addr string // host:port
	dir  string
	args []string
	as   *syscall.SysProcAttr
	ping func() error

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended chan struct{} // closed when cmd and its children have ended
}

// started are the servers that Stop stops.
var (
	startedMu sync.Mutex
	started   []*Server
)

// keep adds a server to those that Stop stops.
func keep(s *Server) {
	startedMu.Lock()
	defer startedMu.Unlock()
	started = append(started, s)
}

// Stop stops the servers that the tests of a package share.
func Stop() {
	startedMu.Lock()
	defer startedMu.Unlock()
	for _, s := range started {
		s.Kill()
		_ = os.RemoveAll(s.dir)
	}
}

// free returns an address of the loopback interface at which nobody listens.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// patience is how long a server may take to start on a busy machine.
const patience = time.Minute

// Start starts the server, also again after Kill, over the same data, and waits until it answers.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.launch(); err != nil {
		log, _ := os.ReadFile(s.dir + "/server.log")
		return fmt.Errorf("%s: %w\n%s", s.args[0], err, log)
	}
	return nil
}

// launch starts the process, and returns when it answers or has ended.
func (s *Server) launch() error {
	cmd := exec.Command(s.args[0], s.args[1:]...)
	cmd.Dir, cmd.SysProcAttr = s.dir, s.as
	out, err := os.OpenFile(s.dir+"/server.log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	// Children of a PostgreSQL that was killed end a moment later, and may answer until then. The pipe, which
	// they have in common, ends with the last one.
	alive, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = out, out, []*os.File{theirs}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		alive.Close()
		return err
	}
	s.cmd, s.ended = cmd, make(chan struct{})
	go func(ended chan struct{}) {
		defer close(ended)
		defer alive.Close()
		_ = cmd.Wait()
		_, _ = io.Copy(io.Discard, alive)
	}(s.ended)
	for end := time.Now().Add(patience); ; {
		select {
		case <-s.ended:
			return errors.New("it ended")
		case <-time.After(10 * time.Millisecond):
		}
		if err = s.ping(); err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("it does not answer: %w", err)
		}
	}
}

// Kill ends the server as a loss of its machine does.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		<-s.ended
		s.cmd = nil
	}
}

// shared keeps the one server of a kind that the tests of a package share.
type shared struct {
	mu sync.Mutex
	s  *Server
}

func (h *shared) get(t testing.TB, start func(t testing.TB, dir string) *Server) *Server {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.s != nil {
		return h.s
	}
	dir, err := os.MkdirTemp("", "aside-server-")
	if err != nil {
		t.Fatal(err)
	}
	h.s = start(t, dir)
	keep(h.s)
	return h.s
}
