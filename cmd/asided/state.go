package main

import (
	"context"
	"errors"

	"github.com/aside-go/aside/cmd/asided/internal/database"
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
	from, at, err := database.Migrate(ctx, store, c.To)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return command.Usage("%s has no versions: only databases have", e.Short(where))
	case err != nil:
		return err
	case from == at:
		e.Note("aside: %s is of version %d", where, at)
	default:
		e.Note("aside: %s was of version %d, and is of version %d", where, from, at)
	}
	return nil
}
