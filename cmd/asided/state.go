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

	Migrate migrateCmd `cmd:"" help:"Bring the tables of a database to a version, forth or back."`
}

// migrateCmd is "asided state migrate".
type migrateCmd struct {
	program.StateFlag
	To int `placeholder:"VERSION" default:"-1" help:"The version of the tables; by default the newest that this program knows."`
}

// Run migrates.
func (c *migrateCmd) Run(ctx context.Context, e *command.Env) error {
	store, where, err := runs.Open(e, c.State, filestore.Power)
	if err != nil {
		return err
	}
	tables, ok := store.(interface {
		Migrate(ctx context.Context, to int) (from, at int, err error)
	})
	if !ok {
		return command.Usage("%s has no tables: only PostgreSQL has", e.Short(where))
	}
	from, at, err := tables.Migrate(ctx, c.To)
	switch {
	case err != nil:
		return err
	case from == at:
		e.Note("aside: the tables in %s are of version %d", where, at)
	default:
		e.Note("aside: the tables in %s were of version %d, and are of version %d", where, from, at)
	}
	return nil
}
