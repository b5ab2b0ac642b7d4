//go:build unix

package servertest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/aside-go/aside/internal/testkit"
)

var (
	postgres  shared
	databases atomic.Int64
)

// Postgres returns the connection string of an empty database on the server that the tests of the package
// share. That server does not wait for its disk.
func Postgres(t testing.TB) string {
	t.Helper()
	s := postgres.get(t, func(t testing.TB, dir string) *Server { return startPostgres(t, dir, "fsync=off") })
	return s.Database(t)
}

// NewPostgres starts a server for one test, with settings such as "fsync=on".
func NewPostgres(t testing.TB, settings ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "aside-server-")
	if err != nil {
		t.Fatal(err)
	}
	s := startPostgres(t, dir, settings...)
	t.Cleanup(func() { s.Kill(); _ = os.RemoveAll(dir) })
	return s
}

func startPostgres(t testing.TB, dir string, settings ...string) *Server {
	t.Helper()
	bin := postgresBin(t)
	as := unprivileged(t, dir)
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "aside", "-A", "trust", "-E", "UTF8",
		"--locale=C", "--no-sync", "--no-instructions")
	initdb.SysProcAttr, initdb.Dir = as, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	addr := free(t)
	host, port, _ := net.SplitHostPort(addr)
	args := []string{filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-h", host, "-p", port,
		"-c", "max_connections=200", "-c", "shared_buffers=32MB"}
	for _, set := range settings {
		args = append(args, "-c", set)
	}
	s := &Server{Addr: addr, dir: dir, args: args, as: as, stop: syscall.SIGINT}
	s.ping = func() error { return connect(s.url("postgres")) }
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// connect connects to a database, and disconnects.
func connect(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// url returns the connection string of a database.
func (s *Server) url(database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User("aside"), Host: s.Addr, Path: "/" + database}).String()
}

// Database creates an empty database, and returns its connection string.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := "test" + strconv.FormatInt(databases.Add(1), 10)
	conn, err := pgx.Connect(t.Context(), s.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.url(name)
}

// postgresBin returns the directory of the newest server that is installed, as Debian places it.
func postgresBin(t testing.TB) string {
	t.Helper()
	if dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin"); len(dirs) > 0 {
		return dirs[len(dirs)-1]
	}
	return filepath.Dir(testkit.Program(t, "postgres"))
}

// unprivileged says as whom a server runs that refuses to be root, and gives that user the directory.
func unprivileged(t testing.TB, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(fmt.Errorf("the server refuses to run as root: %w", err))
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
