package wire

import (
	"errors"
	"fmt"
)

// What is wrong with a body.
var (
	ErrSyntax = errors.New("not JSON")                   // not one JSON value
	ErrDepth  = errors.New("nested too deeply")          // more than MaxDepth levels
	ErrShape  = errors.New("no messages in the request") // JSON, but not of this API's shape
	ErrAPI    = errors.New("no such API")                // not one of APIs()
)

// MaxDepth is how many levels of arrays and objects are read.
const MaxDepth = 1000

// Error says what is wrong with a body, and where. It is one of ErrSyntax, ErrDepth and ErrShape.
type Error struct {
	Kind   error
	Offset int    // in bytes from 0
	Reason string // what was found there, or what was looked for
}

// Error returns "not JSON: byte 17: expected a colon".
func (e *Error) Error() string { return fmt.Sprintf("%v: byte %d: %s", e.Kind, e.Offset, e.Reason) }

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }
