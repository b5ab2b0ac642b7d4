package hook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// An event whose hook could not finish in time is spooled, and the next hook of the run takes it in first: as
// a turn of its own in which nothing can be said, if it was one, so what fires on it goes out with the event
// of that hook. Each event is a file of its own, so that hooks that spool and hooks that take in need no
// lock. No file holds a text of the event: no prompt, and neither input nor output of a call.

// spoolDir returns the directory of a run's spooled events.
func (r *run) spoolDir() string { return filepath.Join(r.dir, "spool", digest(r.name)) }

// spool leaves the event for the next hook of the run, once.
func (r *run) spool() (err error) {
	r.spooled.Do(func() { err = r.leave() })
	return err
}

func (r *run) leave() error {
	e := r.event
	if e.Kind == agent.ToolCall && !r.agent.Before && r.agent.Rounds != agent.RoundsAsked ||
		e.Kind == agent.StatusLine {
		return nil // nothing of it is a fact of a later turn
	}
	e.Prompt, e.Message, e.Moment = "", "", fact.Turn
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	dir := r.spoolDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	name := filepath.Join(dir, r.host.Clock().UTC().Format("20060102T150405.000000000")+"-"+rand.Text())
	if err := os.WriteFile(name+".part", b, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".part", name+spoolExt)
}

const spoolExt = ".event"

// takeIn takes the spooled events of the run in, oldest first. Its name is the key of an event's turn: a hook
// that was killed before it could remove the file has not told the event twice.
func (r *run) takeIn(ctx context.Context) error {
	entries, err := os.ReadDir(r.spoolDir())
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	var errs []error
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), spoolExt) {
			continue // a hook is writing it, or was killed meanwhile
		}
		path := filepath.Join(r.spoolDir(), entry.Name())
		b, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) { // another hook was quicker
			continue
		}
		late := *r
		late.mute, late.late = true, entry.Name()
		late.event = agent.Event{}
		if err == nil {
			err = json.Unmarshal(b, &late.event)
		}
		if err == nil {
			_, err = late.handle(ctx)
		}
		if err == nil || !errors.Is(err, context.DeadlineExceeded) {
			errs = append(errs, err, os.Remove(path))
		}
	}
	_ = os.Remove(r.spoolDir()) // where it is empty
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool {
		return errors.Is(err,
			os.ErrNotExist)
	})...)
}
