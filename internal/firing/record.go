package firing

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/aside-go/aside/compile/reminder"
)

// nameRun returns the Record.Run of a run.
func nameRun(run string) string { return digest(run) }

// nameFiring returns the Record.Firing of a firing: of the run in which a reminder fired, and how often it
// had.
func nameFiring(run, id string, fires int) string { return digest(run, id, fmt.Sprint(fires)) }

// nameText returns the Record.Version of a  The share of a holdout is not part of it.
func nameText(r *reminder.Reminder) string {
	terms := fmt.Sprint(r.Mode, r.Pause, r.Within, r.For, r.Cooldown)
	version := digest(r.Text, terms, r.Trigger, r.Rearm, r.Expect)
	if r.Holdout >= 1 {
		version += reminder.Trial
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
