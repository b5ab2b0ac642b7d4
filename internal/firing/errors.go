package firing

import "errors"

// Errors of Step and Decode. They come wrapped; find them with errors.Is.
var (
	// ErrCorrupt says that a stored run cannot be read. It is never taken for an empty run: that would fire
	// everything again.
	ErrCorrupt = errors.New("corrupt snapshot")
	// ErrNewer says that a newer version of this module wrote the stored run. It stays as it is.
	ErrNewer = errors.New("made by a newer version")
	// ErrOldKey says that an older turn of the run has this turn key, or that the key ends in a lower number
	// than the key of the last turn, so the turn is too late.
	ErrOldKey = errors.New("the turn is over")
	// ErrOtherBody says that the run's last turn has this turn key and another Input.Body: the key names two
	// turns.
	ErrOtherBody = errors.New("the turn key was used with another body")
)
