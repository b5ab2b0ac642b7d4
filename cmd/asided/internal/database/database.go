// Package database opens the stores of databases, PostgreSQL and Redis, by their URLs.
package database

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/rueidis"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/pgstore"
	"github.com/aside-go/aside/state/redisstore"
)

// databases open the store in a database, by the scheme of its URL. They need not connect.
var databases = map[string]func(at string, keep time.Duration) (state.Store, error){
	"postgres": postgres, "postgresql": postgres,
	"redis": redis, "rediss": redis, "valkey": redis, "valkeys": redis,
}

// patience is how long a database may take to take up a connection.
const patience = 5 * time.Second

// Open opens the store at a URL, and returns what may be shown of the URL. It is a command.Databases: where
// the database cannot be had now, and may be later, the store comes with a command.AwayError.
func Open(at string, keep time.Duration) (state.Store, string, error) {
	u, err := url.Parse(at)
	// The error of url.Parse quotes the URL, with the password. A password with a slash, a hash or a question
	// mark in it makes a port or a path of its parts.
	if err != nil || u.User == nil && strings.Contains(at, "@") || u.Fragment != "" {
		return nil, "", command.Usage("--state: that is no URL; it begins as postgres:// or redis:// does, " +
			"and special characters of a password are written as %%40 is for @")
	}
	u.RawQuery = "" // it may have a password, too
	where := u.Redacted()
	open := databases[u.Scheme]
	if open == nil {
		return nil, "", command.Usage("--state %s: not a directory, not memory, and no URL of PostgreSQL "+
			"(postgres://) or Redis (redis://)", where)
	}
	s, err := open(at, keep)
	if err != nil {
		return nil, "", away(where, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	if _, _, err = s.Load(ctx, ""); err == nil {
		return s, where, nil
	}
	if lasting(err) {
		return nil, "", away(where, err)
	}
	return s, where, &command.AwayError{Err: away(where, err)}
}

// lasting reports whether an error of a database will not pass by itself: it has answered, and refuses who
// asks, or does not have what is asked for.
func lasting(err error) bool {
	if errors.Is(err, state.ErrNewer) {
		return true
	}
	if said := (*pgconn.PgError)(nil); errors.As(err, &said) {
		// https://www.postgresql.org/docs/current/errcodes-appendix.html
		return slices.Contains([]string{"28", "3D", "42", "26"}, said.Code[:min(2, len(said.Code))])
	}
	if said := (*rueidis.RedisError)(nil); errors.As(err, &said) {
		word, _, _ := strings.Cut(said.Error(), " ")
		return slices.Contains([]string{"NOAUTH", "WRONGPASS", "NOPERM", "ERR"}, word) &&
			!strings.Contains(said.Error(), "max number of clients")
	}
	unsure := (*tls.CertificateVerificationError)(nil)
	return errors.As(err, &unsure)
}

func away(where string, err error) error {
	return fmt.Errorf("runs cannot be remembered in %s: %w", where, err)
}

func postgres(at string, keep time.Duration) (state.Store, error) {
	o, err := pgxpool.ParseConfig(at)
	if err != nil {
		return nil, err
	}
	o.ConnConfig.ConnectTimeout = patience
	pool, err := pgxpool.NewWithConfig(context.Background(), o)
	if err != nil {
		return nil, err
	}
	return pgstore.New(pool, pgstore.Options{Keep: keep}), nil
}

func redis(at string, keep time.Duration) (state.Store, error) {
	o, err := rueidis.ParseURL(at)
	if err != nil {
		return nil, err
	}
	if o.TLSConfig != nil { // of each server, its own name is checked
		o.TLSConfig.ServerName, o.Sentinel.TLSConfig = "", o.TLSConfig
	}
	o.Dialer.Timeout, o.RetryDelay, o.DisableCache = patience, redisstore.ReadAgain, true
	return &late{open: func() (*redisstore.Store, error) {
		client, err := rueidis.NewClient(o)
		if err != nil {
			return nil, err
		}
		return redisstore.New(client, redisstore.Options{Keep: keep}), nil
	}}, nil
}
