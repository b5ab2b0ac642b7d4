package hook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/state"
)

// A hook leaves a record of its event while it works, and removes the record once its answer is printed.
// Where it could not finish, since its time was over or somebody has killed it, the next hook of the run
// finds the record. The notes of the run name the committed texts (runNotes.Done), so no text goes out twice:
// a text that was committed and not printed is offered again, and an event that was not taken in is taken in,
// as a turn of its own in which nothing can be said.
//
// Each record is a file of its own in one directory, and its hook holds a lock on it, which ends with the
// process at the latest. No record holds a text of the event: no prompt, and neither input nor output of a
// call. Its first line is the event, "null" at a moment beside the turn; each further one is a recordLine.
type record struct {
	mu   sync.Mutex
	dir  string
	name string // of the file; "": there is none
	file *os.File
	// of one that is taken in, how many hooks have begun to and not come to an end before
	tries int
}

// recordLine is a further line of a record. The last one with a text counts, unless it is void.
type recordLine struct {
	Text string `json:"text,omitempty"` // that is about to be committed and printed
	From int64  `json:"from,omitempty"` // length in bytes of the session's file before
	Void bool   `json:"void,omitempty"` // the texts before were not committed
	// how many hooks have begun to take the event in and not come to an end, on a line without a text
	Try int `json:"try,omitempty"`
}

const (
	spoolDir  = "spool"
	maxTries  = 8                   // hooks that may die of one event
	maxWait   = 512                 // records of all runs; where there are more, the oldest are removed
	maxBytes  = 64 << 10            // length in bytes of a recorded event; of a longer one only the text is kept
	maxRecord = 30 * 24 * time.Hour // an older record is removed
	stamp     = "20060102T150405.000000000"
)

// begin writes the record of an event, unless there is one. event is nil where nothing of it is a fact of a
// later turn.
func (rec *record) begin(run string, at time.Time, event *agent.Event) error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.name != "" {
		return nil
	}
	b, err := json.Marshal(event)
	if err != nil {
		return err
	}
	if len(b) > maxBytes {
		b = []byte("null")
	}
	name := digest(run) + "-" + at.UTC().Format(stamp) + "-" + rand.Text()[:8]
	f, err := create(filepath.Join(rec.dir, name))
	if err != nil {
		return err
	}
	if _, err := f.Write(append(b, '\n')); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	rec.name, rec.file = name, f
	return nil
}

// create creates a file, and its directory where that is missing, and takes the lock on it.
func create(path string) (*os.File, error) {
	const flags = os.O_CREATE | os.O_EXCL | os.O_RDWR
	f, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(path, flags, 0o600)
	}
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return f, nil
}

// add appends a line, where there is a record.
func (rec *record) add(l recordLine) error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.file == nil {
		return nil
	}
	b, err := json.Marshal(l)
	if err == nil {
		_, err = rec.file.Write(append(b, '\n'))
	}
	return err
}

// untried takes back that a hook has begun to take the event in: its time was over, which says nothing
// against the event.
func (rec *record) untried() error { return rec.add(recordLine{Try: rec.tries}) }

// mark is the mark of the record in the notes; "" where there is no record.
func (rec *record) mark() string {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.name[max(len(rec.name)-8, 0):]
}

// end removes the record, or leaves it for the next hook.
func (rec *record) end(remove bool) (err error) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.file == nil {
		return nil
	}
	if remove {
		err = os.Remove(rec.file.Name())
	}
	err = errors.Join(err, rec.file.Close())
	rec.file = nil
	return err
}

// record records the event of the run, where something of it is a fact of a later turn.
func (r *run) record() error {
	e := r.event
	if e.Kind == agent.ToolCall && !r.agent.Before && r.agent.Rounds != agent.RoundsAsked ||
		e.Kind == agent.StatusLine {
		return nil
	}
	e.Prompt, e.Message, e.Moment = "", "", fact.Turn
	return r.left.begin(r.name, r.host.Clock(), &e)
}

// offer records a text that is about to be committed and printed, and marks the event in the notes. Where
// nothing can be recorded, the text goes out all the same.
func (r *run) offer(n *runNotes, text string) {
	if text != "" {
		_ = r.left.begin(r.name, r.host.Clock(), nil)
	}
	if text != "" && r.left.add(recordLine{Text: text, From: sizeOf(r.file)}) != nil {
		return
	}
	if m := r.left.mark(); m != "" {
		mark(&n.Done, m)
	}
}

// takeIn takes in what other hooks of the run have left, oldest first.
func (r *run) takeIn(ctx context.Context) error {
	entries, err := os.ReadDir(r.left.dir)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	errs := []error{r.thin(entries)}
	own := digest(r.name) + "-"
	for _, entry := range entries {
		rest, ok := strings.CutPrefix(entry.Name(), own)
		if ok && entry.Name() != r.left.name && ctx.Err() == nil {
			if err := r.takeOne(ctx, entry.Name(), rest); !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// thin removes the records that are too old, and the oldest of too many, where their hooks have ended. One of
// them is this hook's own.
func (r *run) thin(entries []os.DirEntry) error {
	const waiting = maxWait + 1
	byAge := slices.Clone(entries)
	slices.SortStableFunc(byAge, func(a, b os.DirEntry) int {
		return cmp.Compare(r.age(b.Name()),
			r.age(a.Name()))
	})
	left := 0
	for i, entry := range byAge {
		if len(byAge)-i <= waiting && r.age(entry.Name()) <= maxRecord {
			break
		}
		f, err := os.OpenFile(filepath.Join(r.left.dir, entry.Name()), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		old := &record{file: f}
		if free, err := hold(f); free && err == nil && old.end(true) == nil {
			left++
		} else {
			_ = old.end(false)
		}
	}
	if left > 0 {
		return fmt.Errorf("%d events are left out: more than %d waited, or for more than 30 days", left, maxWait)
	}
	return nil
}

// Waiting returns how many events wait for the next hook of their runs, and the most that may.
func Waiting(state string) (n, most int) {
	entries, _ := os.ReadDir(filepath.Join(state, spoolDir))
	return len(entries), maxWait
}

// age returns how long ago a record was begun, by its name; 0 for another file.
func (r *run) age(name string) time.Duration {
	if parts := strings.Split(name, "-"); len(parts) == 3 {
		if at, err := time.Parse(stamp, parts[1]); err == nil {
			return r.host.Clock().Sub(at)
		}
	}
	return 0
}

// takeOne takes in one record, unless its hook is still at work or another one is quicker.
func (r *run) takeOne(ctx context.Context, name, id string) error {
	f, err := os.OpenFile(filepath.Join(r.left.dir, name), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	left := &record{dir: r.left.dir, name: name, file: f}
	if free, err := hold(f); !free || err != nil {
		return errors.Join(err, left.end(false))
	}
	if _, err := os.Lstat(f.Name()); err != nil { // it has been taken in meanwhile
		return errors.Join(err, left.end(false))
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return errors.Join(err, left.end(false))
	}
	event, more, whole := bytes.Cut(b, []byte("\n"))
	late := *r
	late.event, late.left, late.late, late.mute, late.same = agent.Event{}, left, id, true, ""
	if !whole { // its hook is about to lock and to write it, or was killed before it could
		return left.end(r.age(name) > time.Minute)
	}
	if err := json.Unmarshal(event, &late.event); err != nil {
		return errors.Join(err, left.end(true))
	}
	var text, at = "", int64(0)
	tries := 0
	for line := range bytes.Lines(more) {
		var l recordLine
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		switch {
		case l.Text != "" || l.Void:
			text, at = l.Text, l.From
		default:
			tries = l.Try
		}
	}
	if tries >= maxTries {
		return errors.Join(errors.New("an event is left out: hooks have ended before they could take it in"),
			left.end(true))
	}
	left.tries = tries
	if err := left.add(recordLine{Try: tries + 1}); err != nil {
		return errors.Join(err, left.end(false))
	}
	r.host.taking.Store(left)
	defer r.host.taking.Store(nil)
	again, err := late.offerAgain(ctx, text, at)
	if !again && err == nil && text != "" { // else it would be offered once the event itself is taken in
		err = left.add(recordLine{Void: true})
	}
	if !again && err == nil && late.event.Kind != "" {
		_, err = late.handle(ctx)
	}
	r.phase.end(r.side)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(err, left.untried(), left.end(false))
	}
	return errors.Join(err, left.end(true))
}

// offerAgain puts a text that was committed and not printed before those of the next turn, and reports
// whether the event was committed. A text that the session's file shows has arrived.
func (r *run) offerAgain(ctx context.Context, text string, from int64) (done bool, err error) {
	m := r.left.mark()
	err = r.change(ctx, func(s *state.Snapshot, n *runNotes) (*state.Snapshot, error) {
		done = slices.Contains(n.Done, m)
		if done && text != "" && mark(&n.Done, m+"+") && !r.arrived(text, from) {
			n.Rest = strings.Trim(n.Rest+separator+text, "\n")
		}
		return s, nil
	})
	return done, err
}

// arrived reports whether the session's file holds a text behind an offset.
func (r *run) arrived(text string, from int64) bool {
	if r.agent.Session == nil || sizeOf(r.file) <= from {
		return false
	}
	f, err := os.Open(r.file)
	if err != nil {
		return false
	}
	defer f.Close()
	b, _ := io.ReadAll(io.NewSectionReader(f, from, maxShown))
	quoted, err := jsonscan.Encode(strings.TrimSpace(text))
	return err == nil && bytes.Contains(b, bytes.Trim(quoted, `"`))
}

// sizeOf returns the length in bytes of a regular file; 0 where there is none.
func sizeOf(path string) int64 {
	if path == "" {
		return 0
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// maxShown is how many bytes of a session's file are searched for a text.
const maxShown = 4 << 20
