package wire

import (
	"errors"
	"fmt"
)

// The kinds of errors.
var (
	ErrSyntax = errors.New("not JSON")                   // the body is not one JSON value
	ErrDepth  = errors.New("nested too deeply")          // the body has more than MaxDepth levels
	ErrShape  = errors.New("no messages in the request") // the body is JSON, but not of this API's shape
	ErrAPI    = errors.New("no such API")                // the API is none of APIs()
)

// MaxDepth is how many levels of arrays and objects are read.
const MaxDepth = 1000

// Error says what is wrong with a body, and where.
type Error struct {
	Kind   error  // ErrSyntax, ErrDepth or ErrShape
	Offset int    // in bytes, from 0
	Reason string // what was found there, or what was expected
}

// Error returns kind, offset and reason, as in "not JSON: byte 17: expected a colon".
func (e *Error) Error() string { return fmt.Sprintf("%v: byte %d: %s", e.Kind, e.Offset, e.Reason) }

// Unwrap returns Kind.
func (e *Error) Unwrap() error { return e.Kind }
