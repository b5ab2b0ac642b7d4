package redisstore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/state"
)

var _ readset.Finder = (*Store)(nil)

// The keys by which runs are found, see state.Store, stand in a few parts, each a sorted set and a hash. A
// member of the set is a key, its value, and the name of a run, and Redis compares members as bytes.
// The hash has the keys and values of each run, so that a script can remove those that the run loses. A part
// has the runs whose names have one hash. It lies in one slot of a cluster, so one script changes it. Find
// asks all parts.
const (
	parts    = 4
	pairSize = 16 // bytes of a key and its value
)

// The versions of a database. Runs are found by keys from findsRuns on.
const (
	plain     = 1
	findsRuns = 2
)

// probe is how many pages of Runs are read at most to see whether there is any run.
const probe = 100

// format is the version of the database, as this process has read it.
type format struct {
	at    atomic.Int64 // the version; 0 is not known
	asked atomic.Int64 // when it was read last, in seconds since 1970
}

func (s *Store) versionKey() string { return "version:" + s.prefix }

// finds reports whether runs are found by keys: in a database that had no run when a Store first used it, and
// since Migrate in others, which this process sees within a second.
func (s *Store) finds(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	now, asked, known := time.Now().Unix(), s.format.asked.Load(), s.format.at.Load()
	if known != 0 && (asked >= now || !s.format.asked.CompareAndSwap(asked, now)) {
		return known >= findsRuns, nil
	}
	at, err := s.version(ctx)
	if err == nil && at == 0 && known != plain {
		if known == 0 {
			at, err = s.begin(ctx)
		} else { // the server has lost it
			at, err = s.note(ctx)
		}
	}
	if refuses(err) || at == 0 && err == nil { // it is read-only, allows the keys of runs alone, or has runs
		at, err = plain, nil
	}
	if err != nil {
		return false, err
	}
	s.sees(at)
	s.format.asked.Store(now)
	return at >= findsRuns, nil
}

// sees takes a version of the database that was read or written.
func (s *Store) sees(at int64) {
	if s.format.at.Swap(at) != at {
		s.listed.Purge()
	}
}

// version returns the version that the database names, 0 where it names none.
func (s *Store) version(ctx context.Context) (int64, error) {
	at, err := s.client.Do(ctx, s.client.B().Get().Key(s.versionKey()).Build()).AsInt64()
	if rueidis.IsRedisNil(err) {
		return 0, nil
	}
	return at, err
}

// begin writes the newest version into a database that has no run. It returns the version that the database
// names, 0 where it names none.
func (s *Store) begin(ctx context.Context) (int64, error) {
	cursor := ""
	for page := 0; page == 0 || cursor != ""; page++ {
		runs, next, err := s.Runs(ctx, cursor)
		if err != nil {
			return 0, err
		}
		if len(runs) > 0 || page == probe {
			return 0, nil
		}
		cursor = next
	}
	return s.note(ctx)
}

// note writes the newest version into a database that names none, and returns the version.
func (s *Store) note(ctx context.Context) (int64, error) {
	set := s.client.B().Set().Key(s.versionKey()).Value(strconv.Itoa(findsRuns)).Nx().Build()
	if err := s.client.Do(ctx, set).Error(); err != nil && !rueidis.IsRedisNil(err) {
		return 0, err
	}
	return s.version(ctx)
}

// refuses reports whether a server has answered that it does not do what it was asked.
func refuses(err error) bool {
	_, says := rueidis.IsRedisErr(err)
	return says && !rueidis.IsRedisNil(err)
}

// Migrate brings a database to a version: from 2 on runs are found by keys; a negative one is 2. It
// returns the versions before and after. Other processes use the version within a second. A program of the
// version before does not find runs by keys, so give it when all are newer.
func Migrate(ctx context.Context, s *Store, to int) (from, at int, err error) {
	if to < 0 {
		to = findsRuns
	}
	was, err := s.version(ctx)
	if err != nil {
		return 0, 0, err
	}
	if was == 0 {
		was = plain
	}
	from = int(was)
	if to < plain || to > findsRuns {
		return from, from, fmt.Errorf("there is no version %d of the keys: this program knows those from %d to %d",
			to, plain, findsRuns)
	}
	if from == to {
		return from, to, nil
	}
	forget := func() error {
		for part := range parts {
			if err := s.client.Do(ctx, s.client.B().Unlink().Key(s.part(part)...).Build()).Error(); err != nil {
				return err
			}
		}
		return nil
	}
	if to == findsRuns { // what was written until all processes saw that version 2 is gone is old by now
		err = forget()
	}
	if err == nil {
		err = s.client.Do(ctx, s.client.B().Set().Key(s.versionKey()).Value(strconv.Itoa(to)).Build()).Error()
	}
	if err != nil {
		return from, from, err
	}
	s.sees(int64(to))
	if to < findsRuns {
		err = forget()
	}
	return from, to, err
}

// part returns the keys of a sorted set and of its hash.
func (s *Store) part(n int) []string {
	name := fmt.Sprintf(":{%d}:%s", n, s.prefix)
	return []string{"found" + name, "finding" + name}
}

func (s *Store) partOf(run string) []string {
	h := fnv.New32a()
	h.Write([]byte(run))
	return s.part(int(h.Sum32() % parts))
}

// replace has a run be found by the pairs of keys and values ARGV[2] alone.
var replace = rueidis.NewLuaScript(`
local before = redis.call('HGET', KEYS[2], ARGV[1]) or ''
local kept, had = {}, {}
for i = 1, #ARGV[2], 16 do kept[string.sub(ARGV[2], i, i + 15)] = true end
for i = 1, #before, 16 do
  local pair = string.sub(before, i, i + 15)
  had[pair] = true
  if not kept[pair] then redis.call('ZREM', KEYS[1], pair .. ARGV[1]) end
end
for pair in pairs(kept) do
  if not had[pair] then redis.call('ZADD', KEYS[1], 0, pair .. ARGV[1]) end
end
if ARGV[2] == '' then redis.call('HDEL', KEYS[2], ARGV[1])
else redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
if ARGV[3] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return 1`)

// listed are the keys and values with which this process has listed a run, by the revision that it saved.
type listed struct {
	rev   state.Revision
	pairs string
}

// list has a run be found by the keys of a snapshot, which was saved as rev in the place of prev.
func (s *Store) list(ctx context.Context, run string, prev, rev state.Revision, next *state.Snapshot) error {
	keys, values := readset.KeysOf(next)
	if keys == nil {
		return nil
	}
	var pairs []byte
	for i, k := range keys {
		pairs = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(pairs, k), values[i])
	}
	if was, ok := s.listed.Get(run); !ok || was.rev != prev || was.pairs != string(pairs) {
		if err := s.setPairs(ctx, run, string(pairs)); err != nil {
			return err
		}
	}
	s.listed.Add(run, listed{rev, string(pairs)})
	if prev != 0 {
		return nil
	}
	return s.sweep(ctx, s.partOf(run))
}

// setPairs has a run be found by some pairs of keys and values alone.
func (s *Store) setPairs(ctx context.Context, run, pairs string) error {
	return replace.Exec(ctx, s.client, s.partOf(run), []string{run, pairs, s.keep}).Error()
}

// swept is how many listed runs the first save of a run looks at. It removes those that have expired, so that
// few of them stay.
const swept = 4

// sweep looks at some runs of a part, and removes from it those that have expired.
func (s *Store) sweep(ctx context.Context, part []string) error {
	some, err := s.client.Do(ctx, s.client.B().Hrandfield().Key(part[1]).Count(swept).Build()).AsStrSlice()
	if err == nil {
		_, err = s.living(ctx, some)
	}
	return err
}

// living reports which of some runs exist, and removes the others from their parts.
func (s *Store) living(ctx context.Context, runs []string) (living map[string]bool, err error) {
	asks := make(rueidis.Commands, len(runs))
	for i, run := range runs {
		asks[i] = s.client.B().Exists().Key(s.prefix + run).Build()
	}
	living = map[string]bool{}
	for i, answer := range s.client.DoMulti(ctx, asks...) {
		n, err := answer.AsInt64()
		if err == nil && n == 0 {
			err = s.setPairs(ctx, runs[i], "")
		}
		if err != nil {
			return nil, err
		}
		living[runs[i]] = n > 0
	}
	return living, nil
}

// Find returns runs that have a key, at most limit, each with the values of the key there, see state.Store.
func (s *Store) Find(ctx context.Context, key uint64, limit int) (map[string][]uint64, error) {
	finds, err := s.finds(ctx)
	if err == nil && !finds {
		return nil, errors.ErrUnsupported
	}
	found := map[string][]uint64{}
	if err == nil && limit > 0 {
		found, err = s.search(ctx, key, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("find runs: %w", err)
	}
	return found, nil
}

func (s *Store) search(ctx context.Context, key uint64, limit int) (map[string][]uint64, error) {
	low, high := rueidis.BinaryString(binary.BigEndian.AppendUint64([]byte("["), key)), "+"
	if key < math.MaxUint64 {
		high = rueidis.BinaryString(binary.BigEndian.AppendUint64([]byte("("), key+1))
	}
	// A run may have several values of a key, and a few may have expired.
	var asks rueidis.Commands
	for part := range parts {
		asks = append(asks, s.client.B().Zrangebylex().Key(s.part(part)[0]).Min(low).Max(high).
			Limit(0, int64(4*limit)).Build())
	}
	values := map[string][]uint64{}
	var runs []string
	for _, answer := range s.client.DoMulti(ctx, asks...) {
		members, err := answer.AsStrSlice()
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			run := m[pairSize:]
			if values[run] == nil {
				runs = append(runs, run)
			}
			values[run] = append(values[run], binary.BigEndian.Uint64([]byte(m[pairSize/2:pairSize])))
		}
	}
	living, err := s.living(ctx, runs)
	if err != nil {
		return nil, err
	}
	found := map[string][]uint64{}
	for _, run := range runs {
		if living[run] && len(found) < limit {
			found[run] = values[run]
		}
	}
	return found, nil
}
