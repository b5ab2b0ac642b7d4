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

// TestMigrate: the tables are brought to a version that the program knows, and to no other; what has no
// tables says so; a program that is too old for them does not start, and says what takes them back.
func TestMigrate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := servers.Postgres(t)
	for _, c := range []struct {
		state, to string
		code      int
		says      string
	}{
		{at, "-1", 0, "are of version 3"},
		{at, "2", 0, "were of version 3, and are of version 2"},
		{at, "1", command.ExitMachine, "no version 1 of the tables: this program knows those from 2 to 3"},
		{at, "4", command.ExitMachine, "no version 4 of the tables"},
		{at, "3", 0, "were of version 2, and are of version 3"},
		{"files", "-1", command.ExitUsage, "files has no tables"},
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
