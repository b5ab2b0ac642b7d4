package redisstore

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/redis/rueidis"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

// Options say how a store works. All processes that share a database should use the same.
type Options struct {
	// Prefix begins the key of each run: "" is "aside:".
	Prefix string
	// Keep is how long a run is remembered after it was last saved: 0 is 30 days, and a negative Keep is for
	// ever.
	Keep time.Duration
}

const (
	prefixDefault = "aside:"
	keepDefault   = 30 * 24 * time.Hour
)

// Store is a state.Store in a database of Redis.
type Store struct {
	client rueidis.Client
	prefix string
	keep   string                    // milliseconds; "0" for ever
	known  *lru.Cache[string, known] // by run
	listed *lru.Cache[string, listed]
	format format
}

// known is what the store has loaded or saved last of a run. A revision is never used twice, so what has the
// same one need not be read again: decoding takes longer than the server does.
type known struct {
	rev      string
	snapshot *state.Snapshot
}

// maxKnown is how many runs a store knows.
const maxKnown = 4096

var _ state.Store = (*Store)(nil)

// New returns the store of a client's database. It does not connect, and it does not close the client. A
// client whose rueidis.ClientOption.RetryDelay is ReadAgain tells at once that a server is away; others wait
// until the context ends.
func New(client rueidis.Client, o Options) *Store {
	o.Prefix, o.Keep = cmp.Or(o.Prefix, prefixDefault), cmp.Or(o.Keep, keepDefault)
	cache, _ := lru.New[string, known](maxKnown) // fails for a size below 1 only
	names, _ := lru.New[string, listed](maxKnown)
	return &Store{client: client, prefix: o.Prefix, keep: strconv.FormatInt(max(0, o.Keep.Milliseconds()), 10),
		known: cache, listed: names}
}

// ReadAgain is a rueidis.RetryDelayFn. Where a connection broke, perhaps long ago, a read is tried again four
// times within 15 milliseconds. A client never tries a write again.
func ReadAgain(attempts int, _ rueidis.Completed, _ error) time.Duration {
	if attempts > 4 {
		return -1
	}
	return time.Millisecond << (attempts - 1)
}

// revisionSize is the length of the revision at the beginning of a value.
const revisionSize = 8

// Load implements state.Store.
func (s *Store) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	snap, rev, err := s.get(ctx, run)
	if err != nil {
		return nil, 0, fmt.Errorf("load run %q: %w", run, err)
	}
	return snap, rev, nil
}

func (s *Store) get(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	k, ok := s.known.Get(run)
	value, err := s.read(ctx, run, k.rev)
	switch {
	case rueidis.IsRedisNil(err):
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	case len(value) < revisionSize:
		return nil, 0, fmt.Errorf("%w: %d bytes", state.ErrCorrupt, len(value))
	}
	if rev := string(value[:revisionSize]); !ok || rev != k.rev {
		if k.snapshot, err = state.Decode(value[revisionSize:]); err != nil {
			return nil, 0, err
		}
		s.known.Add(run, known{rev, k.snapshot})
	}
	return k.snapshot, state.Revision(binary.BigEndian.Uint64(value)), nil
}

// unlessKnown returns the value, or of the revision ARGV[1] the revision alone.
var unlessKnown = rueidis.NewLuaScriptReadOnly(`
local at = redis.call('GETRANGE', KEYS[1], 0, 7)
if at == ARGV[1] then return at end
return redis.call('GET', KEYS[1])`)

func (s *Store) read(ctx context.Context, run, rev string) ([]byte, error) {
	if rev == "" {
		return s.client.Do(ctx, s.client.B().Get().Key(s.prefix+run).Build()).AsBytes()
	}
	return unlessKnown.Exec(ctx, s.client, []string{s.prefix + run}, []string{rev}).AsBytes()
}

// commit writes the value ARGV[2] provided that the key's revision is ARGV[1], or that it has been written
// already. "" is the revision of a key that does not exist. With it the records from ARGV[6] on go to the end
// of the list KEYS[2], of which the last ARGV[4] stay, for ARGV[5] milliseconds. A client must not try it
// again: where an earlier try has written, and another process went on from there, it would be told of a
// conflict, as if nothing was written.
var commit = rueidis.NewLuaScript(`
local at = redis.call('GETRANGE', KEYS[1], 0, 7)
if at == string.sub(ARGV[2], 1, 8) then return 1 end
if at ~= ARGV[1] then return 0 end
if ARGV[3] == '0' then redis.call('SET', KEYS[1], ARGV[2])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
if KEYS[2] then
  for i = 6, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
  redis.call('LTRIM', KEYS[2], -ARGV[4], -1)
  redis.call('PEXPIRE', KEYS[2], ARGV[5])
end
return 1`)

// Save implements state.Store. Its error is state.ErrIndeterminate where the connection broke or ctx ended
// before the server had answered.
func (s *Store) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	return s.SaveRecorded(ctx, run, prev, next, nil)
}

func (s *Store) set(ctx context.Context, run string, prev state.Revision, next *state.Snapshot,
	records []reminder.Record) (state.Revision, error) {
	if next == nil {
		return 0, errors.New("there is no snapshot to save")
	}
	finds, err := s.finds(ctx)
	if err != nil {
		return 0, err
	}
	rev := max(1, rand.Uint64())
	value := append(binary.BigEndian.AppendUint64(nil, rev), next.Encode()...)
	before := ""
	if prev != 0 {
		before = string(binary.BigEndian.AppendUint64(nil, uint64(prev)))
	}
	keys, args, err := s.recording(run, []string{s.prefix + run},
		[]string{before, rueidis.BinaryString(value), s.keep}, records)
	if err != nil {
		return 0, err
	}
	wrote, err := commit.Exec(ctx, s.client, keys, args).AsInt64()
	_, refused := rueidis.IsRedisErr(err)
	switch {
	case refused:
		return 0, err
	case err != nil:
		return 0, errors.Join(state.ErrIndeterminate, err)
	case wrote == 0:
		return 0, state.ErrConflict
	}
	s.known.Add(run, known{string(value[:revisionSize]), next})
	if finds {
		if err := s.list(ctx, run, prev, state.Revision(rev), next); err != nil {
			return 0, errors.Join(state.ErrIndeterminate, err)
		}
	}
	return state.Revision(rev), nil
}

// Delete implements state.Store.
func (s *Store) Delete(ctx context.Context, run string) error {
	finds, err := s.finds(ctx)
	if err == nil {
		err = s.client.Do(ctx, s.client.B().Del().Key(s.prefix+run).Build()).Error()
	}
	if err == nil && finds {
		err = s.setPairs(ctx, run, "")
	}
	if err != nil {
		return fmt.Errorf("delete run %q: %w", run, err)
	}
	return nil
}

// scanCount is about how many keys a server looks at in one step.
const scanCount = 1000

// Runs implements state.Store. It asks one server of a cluster after the other, in the order of their
// addresses; the cursor is that of the server, and its address. While slots move between servers, a run may
// be missing.
func (s *Store) Runs(ctx context.Context, cursor string) (runs []string, next string, err error) {
	keys, next, err := s.scan(ctx, cursor, literal(s.prefix)+"*")
	if err != nil {
		return nil, "", fmt.Errorf("list runs: %w", err)
	}
	for _, key := range keys {
		runs = append(runs, strings.TrimPrefix(key, s.prefix))
	}
	return runs, next, nil
}

// scan returns a page of the keys that match a pattern.
func (s *Store) scan(ctx context.Context, cursor, match string) (keys []string, next string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	nodes := s.client.Nodes()
	addrs := slices.Sorted(maps.Keys(nodes))
	number, addr, _ := strings.Cut(cursor, " ")
	at, _ := slices.BinarySearch(addrs, addr)
	if at == len(addrs) {
		return nil, "", nil
	}
	var within uint64
	if addrs[at] == addr {
		within, _ = strconv.ParseUint(number, 10, 64)
	}
	node := nodes[addrs[at]]
	page, err := node.Do(ctx, node.B().Scan().Cursor(within).Match(match).Count(scanCount).
		Build()).AsScanEntry()
	if err != nil {
		return nil, "", err
	}
	switch {
	case page.Cursor != 0:
		next = fmt.Sprint(page.Cursor, " ", addrs[at])
	case at+1 < len(addrs):
		next = "0 " + addrs[at+1]
	}
	return page.Elements, next, nil
}

// literal escapes what a pattern of Redis reads otherwise.
func literal(prefix string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(prefix)
}
