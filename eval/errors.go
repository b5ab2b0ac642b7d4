package eval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aside-go/aside/grammar"
)

// Errors of this package. Those of the store (state.ErrConflict, state.ErrIndeterminate, state.ErrCorrupt, state.ErrNewer) and
// state.ErrOldKey come through it and are found with errors.Is.
var (
	// ErrNoRun is returned when a run is named neither by the call nor by its context.
	ErrNoRun = errors.New("no run is named")
	// ErrNoTurn is returned by Explain for a run that has had no turn.
	ErrNoTurn = errors.New("the run has had no turn yet")
	// ErrDiscarded is returned by Commit after Discard.
	ErrDiscarded = errors.New("the decision was discarded")
	// ErrCommitted is returned by Carry after Commit.
	ErrCommitted = errors.New("the decision was committed")
	// ErrNotCommitted is returned by Missed before Commit.
	ErrNotCommitted = errors.New("the decision was not committed")
)

// UnknownError says that there is no reminder of that name.
type UnknownError struct {
	Name        string
	Suggestions []string // the nearest names there are, nearest first; may be empty
}

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no reminder %q%s", e.Name, didYouMean(e.Suggestions))
}

// FactError says that a fact of a turn cannot be used. Prepare joins those of all wrong facts, in the order of their names.
type FactError struct {
	Name        string
	Err         error    // *fact.UnknownError when there is no fact of that name
	Suggestions []string // the nearest names there are; only when there is no fact of that name
}

// Error implements error.
func (e *FactError) Error() string { return e.Err.Error() + didYouMean(e.Suggestions) }

// Unwrap returns e.Err.
func (e *FactError) Unwrap() error { return e.Err }

func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(names, " or ") + "?"
}

func unknown(name string, names []string) *UnknownError {
	return &UnknownError{Name: name, Suggestions: grammar.Suggest(name, names)}
}
