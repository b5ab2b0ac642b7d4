//go:build unix

package servertest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/aside-go/aside/internal/testkit"
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
	s := &Server{Addr: addr, dir: dir, stop: syscall.SIGTERM, args: append([]string{
		testkit.Program(t, "redis-server",
			"valkey-server"), "--bind", host, "--port", port, "--dir", dir}, args...)}
	s.ping = func() error {
		c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{addr}, DisableRetry: true,
			DisableCache: true})
		if err != nil {
			return err
		}
		defer c.Close()
		return c.Do(context.Background(), c.B().Ping().Build()).Error() // it may be loading its data
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
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
