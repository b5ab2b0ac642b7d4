package eval

import (
	"errors"
	"fmt"

	"github.com/aside-go/aside/internal/near"
)

// Errors of this package. Methods also return those of package state: state.ErrOldKey and state.ErrOtherBody,
// and from the store state.ErrConflict, state.ErrIndeterminate, state.ErrCorrupt and state.ErrNewer. Find all
// of them with errors.Is.
var (
	// ErrNoRun is returned if neither the call nor its context names a run.
	ErrNoRun = errors.New("no run is named")
	// ErrNoTurn is returned by Evaluator.Explain for a run that has had no turn, and by Decision.Explain after
	// Discard.
	ErrNoTurn = errors.New("the run has had no turn yet")
	// ErrDiscarded is returned by Commit and Carry after Discard.
	ErrDiscarded = errors.New("the decision was discarded")
	// ErrCommitted is returned by Carry after Commit.
	ErrCommitted = errors.New("the decision was committed")
	// ErrNoOutcome is for Observer.ToolCall: it is not known whether the call failed.
	ErrNoOutcome = errors.New("it is not known whether the call failed")
	// ErrNotCommitted is returned by Decision.Missed before Commit.
	ErrNotCommitted = errors.New("the decision was not committed")
)

// UnknownError says that there is no reminder with that id.
type UnknownError struct {
	Name        string
	Suggestions []string // the ids that are most like it, nearest first; may be empty
}

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no reminder %q%s", e.Name, didYouMean(e.Suggestions))
}

// FactError says that a fact of a turn cannot be used. Prepare joins the errors of all wrong facts, in the
// order of their names.
type FactError struct {
	Name        string
	Err         error    // a *fact.UnknownError if there is no fact of that name
	Suggestions []string // if there is no fact of that name, the names that are most like it, nearest first
}

// Error implements error.
func (e *FactError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("fact %q cannot be used", e.Name)
	}
	return e.Err.Error() + didYouMean(e.Suggestions)
}

// Unwrap returns e.Err.
func (e *FactError) Unwrap() error { return e.Err }

func didYouMean(names []string) string {
	if q := near.Question(names); q != "" {
		return ": " + q
	}
	return ""
}

func unknown(name string, names []string) *UnknownError {
	return &UnknownError{Name: name, Suggestions: near.Names(name, names)}
}
