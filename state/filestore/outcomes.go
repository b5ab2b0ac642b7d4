package filestore

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

var _ state.Recorder = (*Store)(nil)

// The records of outcomes are lines of JSON in files beside the runs: outcomes, and, once that is full,
// outcomes-TIME. The oldest files are removed.
const (
	outcomesFile = "outcomes"
	fullPrefix   = outcomesFile + "-"
	// Store.full and Store.maxFull: about a million records
	fullAt  = 16 << 20
	maxFull = 240 << 20
)

// SaveRecorded implements state.Recorder. It appends the records before it saves, so that no outcome is lost
// with the process. Records that cannot be appended are lost: no reminder fails because of them. A loss of
// power may take the records of the last half minute, unless the store's Durability is Power.
func (s *Store) SaveRecorded(ctx context.Context, run string, prev state.Revision, next *state.Snapshot,
	records []reminder.Record) (state.Revision, error) {
	rev, err := s.saveFile(ctx, fileName(run), run, prev, saving{next, records})
	if err != nil {
		return 0, fmt.Errorf("save run %q: %w", run, err)
	}
	return rev, nil
}

// appendRecords appends the records to the file, each write at once, which the system keeps whole beside the
// writes of others. Behind a line that a full disk or a loss of power has torn, a new one begins. One that
// another process is writing may look torn; an empty line stands behind it then.
func (s *Store) appendRecords(records []reminder.Record) error {
	if len(records) == 0 {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range records {
		if err := enc.Encode(&records[i]); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(s.path(outcomesFile), os.O_RDWR|os.O_APPEND|os.O_CREATE|nonblock, 0o600)
	if err != nil {
		return fmt.Errorf("record outcomes: %w", err)
	}
	size, err := s.appendLines(f, b.Bytes())
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("record outcomes: %w", err)
	}
	if size >= s.full {
		return s.turnOver()
	}
	return nil
}

// appendLines writes lines at the end of a file, and returns its size.
func (s *Store) appendLines(f *os.File, lines []byte) (size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	last := []byte{'\n'}
	if info.Size() > 0 {
		if _, err := f.ReadAt(last, info.Size()-1); err != nil {
			return 0, err
		}
	}
	if last[0] != '\n' {
		lines = append([]byte{'\n'}, lines...)
	}
	if err := s.disk.write(f, lines); err != nil {
		return 0, err
	}
	if s.durability == Power {
		err = s.disk.syncData(f)
	}
	return info.Size() + int64(len(lines)), err
}

// turnOver gives the full file a name of its own and removes the oldest files. Two processes that do so at
// once make a small file more, and lose nothing.
func (s *Store) turnOver() error {
	name := fmt.Sprintf("%s%020d-%d", fullPrefix, s.disk.now().UnixNano(), rand.Uint32())
	if err := s.disk.rename(s.path(outcomesFile), s.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	full, err := filepath.Glob(s.path(fullPrefix + "*"))
	slices.SortFunc(full, func(a, b string) int { return cmp.Compare(b, a) }) // the newest first
	sum := int64(0)
	for _, path := range full {
		if info, err := os.Stat(path); err == nil {
			sum += info.Size()
		}
		if sum > s.maxFull {
			if err := s.disk.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return err
}

// Records implements state.Recorder. It keeps about a million records. A line that is not whole is left out.
func (s *Store) Records(ctx context.Context) iter.Seq2[*reminder.Record, error] {
	return func(yield func(*reminder.Record, error) bool) {
		if err := s.open(); err != nil {
			yield(nil, err)
			return
		}
		last, err := s.disk.openRead(s.path(outcomesFile)) // before the others, of which it may become one
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield(nil, err)
			return
		}
		full, err := filepath.Glob(s.path(fullPrefix + "*")) // in the order of their names
		if err != nil {
			yield(nil, err)
			return
		}
		for _, path := range full {
			f, err := s.disk.openRead(path)
			switch {
			case errors.Is(err, fs.ErrNotExist): // removed by now
				continue
			case err != nil:
				yield(nil, err)
				return
			case same(f, last):
				_ = f.Close()
				continue
			}
			if !readRecords(ctx, f, yield) {
				return
			}
		}
		if last != nil {
			readRecords(ctx, last, yield)
		}
	}
}

// same reports whether two open files are one.
func same(a, b *os.File) bool {
	if b == nil {
		return false
	}
	x, err := a.Stat()
	y, failed := b.Stat()
	return err == nil && failed == nil && os.SameFile(x, y)
}

// readRecords yields the records in a file, closes it, and reports whether to go on.
func readRecords(ctx context.Context, f *os.File, yield func(*reminder.Record, error) bool) bool {
	defer f.Close()
	var r reminder.Record
	for in := bufio.NewReaderSize(f, 1<<20); ; {
		if err := ctx.Err(); err != nil {
			return yield(nil, err) && false
		}
		line, err := in.ReadSlice('\n')
		if r = (reminder.Record{}); err == nil && json.Unmarshal(line, &r) == nil && !yield(&r, nil) {
			return false
		}
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return yield(nil, err) && false
		}
	}
}
