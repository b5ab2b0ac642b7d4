//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/servers"
)

// TestMigrate: a database is brought to a version that the program knows, and to no other; what has no
// versions says so; a program that is too old for it does not start, and says what takes it back.
func TestMigrate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at, redis := servers.Postgres(t), "redis://"+servers.NewRedis(t, "--save", "").Addr
	for _, c := range []struct {
		state, to string
		code      int
		says      string
	}{
		{at, "-1", 0, " is of version 3"},
		{at, "2", 0, " was of version 3, and is of version 2"},
		{at, "1", command.ExitMachine, "no version 1 of the tables: this program knows those from 2 to 3"},
		{at, "4", command.ExitMachine, "no version 4 of the tables"},
		{at, "3", 0, " was of version 2, and is of version 3"},
		{redis, "-1", 0, " is of version 2"},
		{redis, "1", 0, " was of version 2, and is of version 1"},
		{redis, "3", command.ExitMachine, "no version 3 of the keys: this program knows those from 1 to 2"},
		{"files", "-1", command.ExitUsage, "files has no versions: only databases have"},
	} {
		r := exe.Invoke(t, dir, nil, "state", "migrate", "--to="+c.to, "--state", c.state)
		if r.Code != c.code || !strings.Contains(r.Err, c.says) {
			t.Errorf("%s, to %s: exit %d: %s", c.state, c.to, r.Code, r.Err)
		}
	}
	conn, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "INSERT INTO aside_schema VALUES (4)"); err != nil {
		t.Fatal(err)
	}
	process.Put(t, dir, "rules/kind.md", "---\nwhile: always\n---\nBe kind.\n")
	r := exe.Invoke(t, dir, nil, "serve", "--rules", "rules", "--state", at, "--listen", "127.0.0.1:0")
	if r.Code != command.ExitMachine || !strings.Contains(r.Err, "asided state migrate --to 3") {
		t.Errorf("exit %d: %s", r.Code, r.Err)
	}
}
