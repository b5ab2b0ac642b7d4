//go:build unix

package servers

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/aside-go/aside/internal/test/testkit"
)

// Pooled starts PgBouncer before the database of a connection string. It lends few connections, each for a
// transaction at a time, and knows no prepared statements. Pooled returns the connection string to it.
func Pooled(t testing.TB, database string) string {
	t.Helper()
	bin := testkit.Program(t, "pgbouncer")
	cfg, err := pgx.ParseConfig(database)
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
%s = host=%s port=%d user=%s
[pgbouncer]
listen_addr = %s
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 500
`, cfg.Database, cfg.Host, cfg.Port, cfg.User, host, port), 0o644); err != nil {
		t.Fatal(err)
	}
	pooled := strings.Replace(database, fmt.Sprintf("%s:%d", cfg.Host, cfg.Port), addr, 1)
	s := &Server{Addr: addr, dir: dir, as: as, args: []string{bin, ini}}
	s.ping = func() error { return connect(pooled) }
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Kill(); _ = os.RemoveAll(dir) })
	return pooled
}
