package pgstore

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

var _ state.Recorder = (*Store)(nil)

// keepOutcomes is for how many days the records of outcomes are kept.
const keepOutcomes = 400

// SaveRecorded implements state.Recorder. Records and snapshot are written by one statement, both or neither.
func (s *Store) SaveRecorded(ctx context.Context, run string, prev state.Revision, next *state.Snapshot,
	records []reminder.Record) (state.Revision, error) {
	rev, err := s.set(ctx, run, prev, next, records)
	if err != nil {
		return 0, fmt.Errorf("save run %q: %w", run, s.told(ctx, err))
	}
	return rev, nil
}

// recording returns a statement that does as one with these arguments does and, if that changes a row, adds
// records. Its rows affected are those that were added.
func recording(statement string, args []any, records []reminder.Record) (string, []any, error) {
	if len(records) == 0 {
		return statement, args, nil
	}
	lines := make([]string, len(records))
	for i := range records {
		line, err := json.Marshal(&records[i])
		if err != nil {
			return "", nil, err
		}
		lines[i] = string(line)
	}
	args = append(args, lines)
	return fmt.Sprintf("WITH saved AS (%s RETURNING 1) INSERT INTO aside_outcome (record) "+
		"SELECT line::json FROM saved, unnest($%d::text[]) WITH ORDINALITY AS lines (line, n) ORDER BY n",
		statement, len(args)), args, nil
}

// Records implements state.Recorder. It keeps the records of the last 400 days; Sweep forgets older ones.
func (s *Store) Records(ctx context.Context) iter.Seq2[*reminder.Record, error] {
	return func(yield func(*reminder.Record, error) bool) {
		if err := s.readRecords(ctx, yield); err != nil {
			yield(nil, fmt.Errorf("read outcomes: %w", s.told(ctx, err)))
		}
	}
}

func (s *Store) readRecords(ctx context.Context, yield func(*reminder.Record, error) bool) error {
	if err := s.schema.ready(ctx, s.pool); err != nil {
		return err
	}
	rows, err := s.pool.Query(ctx, `SELECT record::text FROM aside_outcome ORDER BY id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r reminder.Record
		if err := json.Unmarshal(rows.RawValues()[0], &r); err == nil && !yield(&r, nil) {
			return nil
		}
	}
	return rows.Err()
}

// sweepRecords forgets old records.
func (s *Store) sweepRecords(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM aside_outcome WHERE saved < current_date - $1::int`, keepOutcomes)
	return err
}
