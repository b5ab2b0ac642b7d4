package redisstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/redis/rueidis"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

var _ state.Recorder = (*Store)(nil)

const (
	// outcomes begins the key of the list of a run's records.
	outcomes = "outcomes:"
	// how many records of a run are kept, and for how many milliseconds after the last one: 400 days
	maxOutcomes  = "2000"
	keepOutcomes = "34560000000"
)

// SaveRecorded implements state.Recorder. Records and snapshot are written by one script, both or neither:
// the records of a run are in the slot of the run. A run whose name has a "}" and no hash tag has no records.
func (s *Store) SaveRecorded(ctx context.Context, run string, prev state.Revision, next *state.Snapshot,
	records []reminder.Record) (state.Revision, error) {
	rev, err := s.set(ctx, run, prev, next, records)
	if err != nil {
		return 0, fmt.Errorf("save run %q: %w", run, err)
	}
	return rev, nil
}

// recording adds records to the keys and arguments of commit.
func (s *Store) recording(run string, keys, args []string, records []reminder.Record) (k,
	a []string, err error) {
	tag, ok := slotTag(s.prefix + run)
	if len(records) == 0 || !ok {
		return keys, args, nil
	}
	sum := sha256.Sum256([]byte(run))
	keys = append(keys, outcomes+"{"+tag+"}:"+s.prefix+hex.EncodeToString(sum[:16]))
	args = append(args, maxOutcomes, keepOutcomes)
	for i := range records {
		line, err := json.Marshal(&records[i])
		if err != nil {
			return nil, nil, err
		}
		args = append(args, rueidis.BinaryString(line))
	}
	return keys, args, nil
}

// slotTag returns the hash tag that puts another key into the slot of a key, by the cluster specification of
// Redis: what stands between the first "{" and the next "}", or else the whole key.
func slotTag(key string) (tag string, ok bool) {
	if _, rest, found := strings.Cut(key, "{"); found {
		if tag, _, found := strings.Cut(rest, "}"); found && tag != "" {
			return tag, true
		}
	}
	return key, !strings.Contains(key, "}")
}

// Records implements state.Recorder. It keeps at most 2000 records of a run, up to 400 days after the last.
func (s *Store) Records(ctx context.Context) iter.Seq2[*reminder.Record, error] {
	return func(yield func(*reminder.Record, error) bool) {
		for cursor := ""; ; {
			keys, next, err := s.scan(ctx, cursor, outcomes+"{*}:"+literal(s.prefix)+strings.Repeat("[0-9a-f]", 32))
			if err != nil {
				yield(nil, fmt.Errorf("read outcomes: %w", err))
				return
			}
			for _, key := range keys {
				lines, err := s.client.Do(ctx, s.client.B().Lrange().Key(key).Start(0).Stop(-1).Build()).AsStrSlice()
				if err != nil {
					yield(nil, fmt.Errorf("read outcomes: %w", err))
					return
				}
				for _, line := range lines {
					var r reminder.Record
					if json.Unmarshal([]byte(line), &r) == nil && !yield(&r, nil) {
						return
					}
				}
			}
			if cursor = next; cursor == "" {
				return
			}
		}
	}
}
