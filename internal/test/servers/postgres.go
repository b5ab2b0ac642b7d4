//go:build unix

package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/test/testkit"
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
	copied := exec.Command("cp", "-a", cluster(t, bin), data) // as root, it keeps the owner
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
	addr := free(t)
	host, port, _ := net.SplitHostPort(addr)
	args := []string{filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-h", host, "-p", port,
		"-c", "max_connections=200", "-c", "shared_buffers=32MB"}
	for _, set := range settings {
		args = append(args, "-c", set)
	}
	s := &Server{Addr: addr, dir: dir, args: args, as: as}
	s.ping = pinged(t, addr, s.url("postgres"))
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// empty is the data of a server that nobody has started.
var empty struct {
	sync.Mutex
	data string
}

// cluster returns the data of an empty server. They are made once, as that takes a second of the processor.
func cluster(t testing.TB, bin string) string {
	t.Helper()
	empty.Lock()
	defer empty.Unlock()
	if empty.data != "" {
		return empty.data
	}
	dir, err := os.MkdirTemp("", "aside-server-")
	if err != nil {
		t.Fatal(err)
	}
	keep(&Server{dir: dir}) // Stop removes it
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "aside", "-A", "trust", "-E", "UTF8",
		"--locale=C", "--no-sync", "--no-instructions")
	initdb.SysProcAttr, initdb.Dir = unprivileged(t, dir), dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	empty.data = data
	return data
}

// Replica starts a server that repeats what this one does, and promises nothing: replication is asynchronous
// unless synchronous is set. Then each commit waits until the replica has it on its disk.
func (s *Server) Replica(t testing.TB, synchronous bool) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "aside-server-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	as, addr, data := unprivileged(t, dir), free(t), filepath.Join(dir, "data")
	from, at, _ := net.SplitHostPort(s.Addr)
	_, port, _ := net.SplitHostPort(addr)
	copied := exec.Command(filepath.Join(postgresBin(t), "pg_basebackup"), "-h", from, "-p", at, "-U", "aside",
		"-D", data, "-R", "--no-sync", "--checkpoint=fast")
	copied.SysProcAttr, copied.Dir = as, dir
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	args := slices.Clone(s.args)
	for i, a := range args[:len(args)-1] {
		switch a {
		case "-D":
			args[i+1] = data
		case "-k":
			args[i+1] = dir
		case "-p":
			args[i+1] = port
		}
	}
	r := &Server{Addr: addr, dir: dir, args: args, as: as}
	r.ping = pinged(t, addr, r.url("postgres"))
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	state := "async"
	if synchronous {
		state = "sync"
		s.query(t, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
		s.query(t, `SELECT pg_reload_conf()`)
	}
	for end := time.Now().Add(patience); s.query(t, `SELECT count(*) FROM pg_stat_replication `+
		`WHERE state = 'streaming' AND sync_state = '`+state+`'`) != "1"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the replica is not %s", state)
		}
	}
	return r
}

// Promote makes a server of a replica.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	if s.query(t, `SELECT pg_promote()`) != "t" {
		t.Fatal("the replica does not take over")
	}
}

// query returns the result of a statement as text.
func (s *Server) query(t testing.TB, statement string) string {
	t.Helper()
	out, err := psql(client(t), s.url("postgres"), statement)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// pinged returns a function that tries whether a database answers.
func pinged(t testing.TB, addr, url string) func() error {
	t.Helper()
	program := client(t)
	return func() error {
		c, err := net.Dial("tcp", addr) // before a program is started for a server that does not listen yet
		if err != nil {
			return err
		}
		c.Close()
		_, err = psql(program, url, "SELECT")
		return err
	}
}

// client returns the program psql, which stands beside the server.
func client(t testing.TB) string {
	t.Helper()
	return testkit.Program(t, filepath.Join(postgresBin(t), "psql"), "psql")
}

// psql runs a statement in a database, and returns the result as text: a row is a line.
func psql(program, url, statement string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "-XAtqw", "-c", statement, url).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// url returns the connection string of a database.
func (s *Server) url(database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User("aside"), Host: s.Addr, Path: "/" + database}).String()
}

// Database creates an empty database, and returns its connection string.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := "test" + strconv.FormatInt(databases.Add(1), 10)
	s.query(t, "CREATE DATABASE "+name)
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
