//go:build unix

package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/redisstore"
	"github.com/aside-go/aside/state/storetest"
)

// found saves runs in a database of its own, and looks what there is of them.
type found struct {
	*testing.T
	rueidis.Client
	*redisstore.Store
}

func newFound(t *testing.T, keep time.Duration) *found {
	t.Helper()
	c := client(t, option(servers.NewRedis(t, "--save", "").Addr))
	return &found{t, c, redisstore.New(c, redisstore.Options{Keep: keep})}
}

// saves saves a run that is found by a key, in the place of prev.
func (f *found) saves(run string, prev state.Revision, key uint64) state.Revision {
	f.Helper()
	next, err := firing.Note(races.Usual(), storetest.Keyed{{key, 0}})
	if err == nil {
		prev, err = f.Save(f.Context(), run, prev, next)
	}
	if err != nil {
		f.Fatal(err)
	}
	return prev
}

// finds looks whether a key leads to runs.
func (f *found) finds(by *redisstore.Store, key uint64, want ...string) {
	f.Helper()
	got, err := by.Find(f.Context(), key, 10)
	if err != nil || len(got) != len(want) {
		f.Errorf("%d leads to %v, %v; want %q", key, got, err, want)
	}
	for _, run := range want {
		if got[run] == nil {
			f.Errorf("%d leads to %v, want %q", key, got, want)
		}
	}
}

// do runs a command of Redis.
func (f *found) do(args ...string) (n int64) {
	f.Helper()
	n, err := f.Do(f.Context(), f.B().Arbitrary(args...).Build()).AsInt64()
	if err != nil && !rueidis.IsRedisNil(err) {
		f.Fatal(args, err)
	}
	return n
}

// members counts the keys of all runs, and the runs that have some.
func (f *found) members() (keys, runs int64) {
	f.Helper()
	all, err := f.Do(f.Context(), f.B().Keys().Pattern("f*").Build()).AsStrSlice()
	if err != nil {
		f.Fatal(err)
	}
	for _, key := range all {
		if strings.HasPrefix(key, "found:") {
			keys += f.do("ZCARD", key)
		} else {
			runs += f.do("HLEN", key)
		}
	}
	return keys, runs
}

// TestFindMany: of runs that have one key as many are found as were asked for, and what is beside the runs is
// no more than one key and two for each of a few parts.
func TestFindMany(t *testing.T) {
	t.Parallel()
	f := newFound(t, 0)
	for i := range 50 {
		f.saves(fmt.Sprint("run ", i), 0, 7)
	}
	if all, err := f.Find(t.Context(), 7, 12); len(all) != 12 || err != nil {
		t.Errorf("%d runs, %v", len(all), err)
	}
	if keys := f.do("DBSIZE"); keys > 50+9 {
		t.Errorf("%d keys", keys)
	}
	f.saves("highest", 0, 1<<64-1)
	f.finds(f.Store, 1<<64-1, "highest")
}

// TestFindElsewhere: the keys that a run loses lead to it no more, whichever process has saved them.
func TestFindElsewhere(t *testing.T) {
	t.Parallel()
	f := newFound(t, 0)
	other := *f
	other.Store = redisstore.New(f.Client, redisstore.Options{})
	rev := f.saves("run", 0, 1)
	rev = other.saves("run", rev, 2)
	rev = f.saves("run", rev, 1)
	f.finds(f.Store, 2)
	f.finds(other.Store, 1, "run")
	f.saves("run", rev, 1)
	f.finds(f.Store, 1, "run")
	if keys, runs := f.members(); keys != 1 || runs != 1 {
		t.Errorf("%d keys of %d runs", keys, runs)
	}
}

// TestFindExpired: a run that has expired is not found, and its keys are forgotten: by who looks for it, and
// by new runs.
func TestFindExpired(t *testing.T) {
	t.Parallel()
	f := newFound(t, time.Hour)
	expired := func(run string) {
		f.saves(run, 0, 1)
		f.do("DEL", "aside:"+run)
	}
	expired("looked for")
	f.finds(f.Store, 1)
	if keys, runs := f.members(); keys+runs != 0 {
		t.Errorf("%d keys of %d runs are left", keys, runs)
	}
	for i := range 100 {
		expired(fmt.Sprint(i))
	}
	if _, runs := f.members(); runs > 20 {
		t.Errorf("%d of 100 runs that have expired are left", runs)
	}
	if left := f.do("PTTL", "version:aside:"); left != -1 {
		t.Errorf("the version is forgotten in %d ms", left)
	}
	keys, err := f.Do(t.Context(), f.B().Keys().Pattern("f*").Build()).AsStrSlice()
	if err != nil || len(keys) == 0 {
		t.Fatal(keys, err)
	}
	for _, key := range keys {
		if left := f.do("PTTL", key); left <= 0 || left > time.Hour.Milliseconds() {
			t.Errorf("%s is forgotten in %d ms", key, left)
		}
	}
}

// TestVersion: in a database that has runs none is found by keys until Migrate, which each process sees, and
// which can be taken back.
func TestVersion(t *testing.T) {
	t.Parallel()
	f := newFound(t, 0)
	f.do("SETNX", "aside:before", "of a version before")
	other := redisstore.New(f.Client, redisstore.Options{})
	rev := f.saves("run", 0, 1)
	for _, s := range []*redisstore.Store{f.Store, other} {
		if _, err := s.Find(t.Context(), 1, 1); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("found, %v", err)
		}
	}
	migrates := func(to, from, at int, wrong bool) {
		t.Helper()
		was, is, err := f.Migrate(t.Context(), to)
		if was != from || is != at || wrong != (err != nil) {
			t.Errorf("to %d: from %d to %d, %v", to, was, is, err)
		}
	}
	migrates(3, 1, 1, true)
	migrates(-1, 1, 2, false)
	migrates(0, 2, 2, true)
	rev = f.saves("run", rev, 1)
	eventually(t, other, nil)
	f.finds(other, 1, "run")
	migrates(1, 2, 1, false)
	eventually(t, other, errors.ErrUnsupported)
	if keys, runs := f.members(); keys+runs != 0 {
		t.Errorf("%d keys of %d runs are left", keys, runs)
	}
	f.saves("run", rev, 2)
}

// eventually waits until Find has an error.
func eventually(t *testing.T, s *redisstore.Store, want error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		if _, err := s.Find(ctx, 1, 0); errors.Is(err, want) {
			return
		} else if ctx.Err() != nil {
			t.Fatalf("%v, want %v", err, want)
		}
	}
}

// TestRefused: a server that is read-only, and a user who may use the keys of runs alone, do without.
func TestRefused(t *testing.T) {
	t.Parallel()
	server := servers.NewRedis(t, "--save", "")
	server.Do(t, "acl", "setuser", "runs", "on", ">secret", "~aside:*", "~outcomes:*", "+@all")
	o := option(server.Addr)
	o.Username, o.Password = "runs", "secret"
	store := redisstore.New(client(t, o), redisstore.Options{})
	races.Take(t, store, "1")
	if _, err := store.Find(t.Context(), 1, 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("found, %v", err)
	}
	if all, err := state.AllRuns(t.Context(), store); !slices.Equal(all, []string{"race"}) || err != nil {
		t.Errorf("%q, %v", all, err)
	}
}
