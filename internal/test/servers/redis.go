//go:build unix

package servers

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/test/testkit"
)

var redis shared

// Redis returns the address of the server that the tests of the package share. It does not write to disk.
func Redis(t testing.TB) string {
	t.Helper()
	return redis.get(t, func(t testing.TB, dir string) *Server {
		return startRedis(t, dir, "--appendonly", "no", "--save", "")
	}).Addr
}

// NewRedis starts a server for one test, with arguments such as "--appendonly", "yes".
func NewRedis(t testing.TB, args ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "aside-server-")
	if err != nil {
		t.Fatal(err)
	}
	s := startRedis(t, dir, args...)
	t.Cleanup(func() { s.Kill(); _ = os.RemoveAll(dir) })
	return s
}

func startRedis(t testing.TB, dir string, args ...string) *Server {
	t.Helper()
	addr := free(t)
	host, port, _ := net.SplitHostPort(addr)
	program := testkit.Program(t, "redis-server", "valkey-server")
	args = append(append([]string{program}, args...), "--bind", host, "--port", port, "--dir", dir)
	s := &Server{Addr: addr, dir: dir, args: args, ping: func() error { return pong(addr) }}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// pong asks a server whether it answers. One that is loading its data does not yet.
func pong(addr string) error {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	answer, err := bufio.NewReader(c).ReadString('\n')
	if err == nil && answer != "+PONG\r\n" {
		err = fmt.Errorf("%q", answer)
	}
	return err
}

// Do sends a command to a server that asks for no password, and returns the answer as text.
func (s *Server) Do(t testing.TB, words ...string) string {
	t.Helper()
	host, port, _ := net.SplitHostPort(s.Addr)
	cli := testkit.Program(t, "redis-cli", "valkey-cli")
	out, err := exec.Command(cli, append([]string{"-h", host, "-p", port}, words...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v: %s", words, err, out)
	}
	return string(out)
}

// Await sends a command until the answer has a part.
func (s *Server) Await(t testing.TB, part string, words ...string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		out := s.Do(t, words...)
		if strings.Contains(out, part) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%q: no %q in %s", words, part, out)
		}
	}
}

// NewSentinel starts a sentinel that watches a server under the name "runs", and has a replica take over when
// the server does not answer for half a second.
func NewSentinel(t testing.TB, watched *Server) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "aside-server-")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(watched.Addr)
	conf := filepath.Join(dir, "sentinel.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, "sentinel monitor runs %s %s 1\n"+
		"sentinel down-after-milliseconds runs 500\nsentinel failover-timeout runs 5000\n", host, port),
		0o600); err != nil {
		t.Fatal(err)
	}
	s := startRedis(t, dir, conf, "--sentinel")
	t.Cleanup(func() { s.Kill(); _ = os.RemoveAll(dir) })
	return s
}

// NewRedisCluster starts three servers that share the slots, and returns their addresses.
func NewRedisCluster(t testing.TB) []string {
	t.Helper()
	var addrs []string
	for range 3 {
		_, bus, _ := net.SplitHostPort(free(t))
		s := NewRedis(t, "--cluster-enabled", "yes", "--cluster-port", bus, "--save", "")
		addrs = append(addrs, s.Addr)
	}
	args := append([]string{"--cluster-yes", "--cluster", "create"}, addrs...)
	cli := testkit.Program(t, "redis-cli", "valkey-cli")
	if out, err := exec.Command(cli, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, addr := range addrs {
		host, port, _ := net.SplitHostPort(addr)
		for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			out, err := exec.Command(cli, "-h", host, "-p", port, "cluster", "info").CombinedOutput()
			if strings.Contains(string(out), "cluster_state:ok") {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%v: %s", err, out)
			}
		}
	}
	return addrs
}
