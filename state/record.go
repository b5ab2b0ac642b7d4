package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/reminder"
)

// Record tells of one firing with an expectation: that it fired, or what became of it (LANGUAGE.md §4,
// Effect). A firing has a Record with the outcome Fired and, once its expectation has ended, another one. Of
// several with the same Firing the last one counts. No text of any kind stands in a Record.
type Record struct {
	Time   time.Time `json:"time"`
	Run    string    `json:"run"`    // a hash of the run that decides a holdout
	Firing string    `json:"firing"` // a hash that names the firing; the same on every machine
	ID     string    `json:"id"`
	// a digest of the reminder's text and of all that decides when it fires; with Trial behind it, of one that
	// is sent to nobody
	Version string `json:"version"`
	HeldOut bool   `json:"held_out,omitempty"`
	Outcome string `json:"outcome"`          // Fired, Unread, Heeded, Ignored or Open
	Turns   int    `json:"turns,omitempty"`  // from the firing to the outcome
	Tokens  int    `json:"tokens,omitempty"` // of the text; only beside Fired
	Agent   string `json:"agent,omitempty"`
	Model   string `json:"model,omitempty"`
}

// The values of Record.Outcome beside those of Outcome.Outcome.
const (
	Fired  = "fired"  // its expectation has not ended
	Unread = "unread" // its text was given up before a turn had carried it
)

// Recorder is a Store that also keeps the records of outcomes. A Recorder may forget the oldest records; it
// says how many it keeps. Package storetest tests this contract.
type Recorder interface {
	Store
	// SaveRecorded is Save with records, which are kept if the snapshot is. Records of a save whose process was
	// killed, or whose error is ErrIndeterminate, may be kept although the snapshot is not: the same turn,
	// decided again, has the same firings.
	SaveRecorded(ctx context.Context, run string, prev Revision, next *Snapshot, records []Record) (Revision,
		error)
	// Records yields the records, those of one run in the order of their saves. It ends with the first error.
	// The Record may change with the next one: copy what is to be kept.
	Records(ctx context.Context) iter.Seq2[*Record, error]
}

// SaveRecorded saves a snapshot, with records where the store is a Recorder.
func SaveRecorded(ctx context.Context, store Store, run string, prev Revision, next *Snapshot,
	records []Record) (Revision, error) {
	if recorder, ok := store.(Recorder); ok && len(records) > 0 {
		return recorder.SaveRecorded(ctx, run, prev, next, records)
	}
	return store.Save(ctx, run, prev, next)
}

// nameRun returns the Record.Run of a run.
func nameRun(run string) string { return digest(run) }

// nameFiring returns the Record.Firing of a firing: of the run in which a reminder fired, and how often it
// had.
func nameFiring(run, id string, fires int) string { return digest(run, id, fmt.Sprint(fires)) }

// Trial ends the Record.Version of a reminder with a holdout of 100%. Its runs are of another time than those
// of a test that follows it, and so no group of that test.
const Trial = "-trial"

// nameText returns the Record.Version of a reminder. The share of a holdout is no part of it.
func nameText(r *reminder.Reminder) string {
	terms := fmt.Sprint(r.Mode, r.Pause, r.Within, r.For, r.Cooldown)
	version := digest(r.Text, terms, r.Trigger, r.Rearm, r.Expect)
	if r.Holdout >= 1 {
		version += Trial
	}
	return version
}

// Version returns the Record.Version of reminder i, "" where it expects nothing.
func (rs *Rules) Version(i int) string {
	if rs.list[i].Expect == "" {
		return ""
	}
	return nameText(&rs.list[i])
}

// digest returns 64 bits of a hash of parts, in hexadecimal digits.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}
