package main

import (
	"context"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/state/filestore"
)

// stateCmd is "asided state".
type stateCmd struct {
	program.StateCmd

	Migrate migrateCmd `cmd:"" help:"Bring a database to a version, forth or back."`
}

// migrateCmd is "asided state migrate".
type migrateCmd struct {
	program.StateFlag
	To int `placeholder:"VERSION" default:"-1" help:"The version of the tables, or of the keys in Redis; by default the newest that this program knows."`
}

// Run migrates.
func (c *migrateCmd) Run(ctx context.Context, e *command.Env) error {
	store, where, err := runs.Open(e, c.State, filestore.Power)
	if err != nil {
		return err
	}
	versions, ok := store.(interface {
		Migrate(ctx context.Context, to int) (from, at int, err error)
	})
	if !ok {
		return command.Usage("%s has no versions: only databases have", e.Short(where))
	}
	from, at, err := versions.Migrate(ctx, c.To)
	switch {
	case err != nil:
		return err
	case from == at:
		e.Note("aside: %s is of version %d", where, at)
	default:
		e.Note("aside: %s was of version %d, and is of version %d", where, from, at)
	}
	return nil
}
