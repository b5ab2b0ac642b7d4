//go:build unix

package servers

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
)

// Pooled starts PgBouncer before the database of a connection string. It lends few connections, each for a
// transaction at a time, and knows no prepared statements. Pooled returns the connection string to it.
func Pooled(t testing.TB, database string) string {
	t.Helper()
	bin := testkit.Program(t, "pgbouncer")
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "aside-server-")
	if err != nil {
		t.Fatal(err)
	}
	as := unprivileged(t, dir)
	addr := free(t)
	host, port, _ := net.SplitHostPort(addr)
	ini := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(ini, fmt.Appendf(nil, `[databases]
%s = host=%s port=%s user=%s
[pgbouncer]
listen_addr = %s
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 500
`, strings.TrimPrefix(u.Path, "/"), u.Hostname(), u.Port(), u.User.Username(), host, port), 0o644); err != nil {
		t.Fatal(err)
	}
	u.Host = addr
	s := &Server{Addr: addr, dir: dir, as: as, args: []string{bin, ini}, ping: pinged(t, addr, u.String())}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Kill(); _ = os.RemoveAll(dir) })
	return u.String()
}
