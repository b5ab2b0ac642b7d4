package pgstore

import (
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
)

// NewWith returns a store whose program knows the changes of a directory.
func NewWith(pool *pgxpool.Pool, changes fs.FS) *Store {
	s := New(pool, Options{})
	s.schema.dir = changes
	return s
}
