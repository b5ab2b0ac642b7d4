package body

import (
	"errors"
	"fmt"

	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/model"
)

// Delivery is how long a text stays in the requests of its run, and so where it goes, see wire.Delivery.
type Delivery uint8

// The deliveries.
const (
	Auto Delivery = iota
	Native
	Anchored
	Tail
	Stateful
)

var deliveries = [...]string{"auto", "native", "anchored", "tail", "stateful"}

// String returns the delivery as the command line writes it.
func (d Delivery) String() string {
	if int(d) < len(deliveries) {
		return deliveries[d]
	}
	return fmt.Sprintf("Delivery(%d)", uint8(d))
}

// Options say where texts go, and how.
type Options struct {
	mark.Options
	Delivery Delivery
	Place    Place // in a body of the generic shape, for one request alone
	// the model of a body that does not name one; a name in the body wins
	Model string
	// the texts that a model takes; nil: those that every model takes
	Takes func(id string) model.Delivery
	// whether the API has refused texts there; nil: nowhere
	Refused func(model string, at Placement) bool
}

// Place is where the texts of one request alone go in a body of the generic shape, see wire.Place.
type Place uint8

// The places.
const (
	InBlock Place = iota
	InText
	InSystem
)

// Placement is where texts stand: a place, behind the results of tools or behind a person's message.
type Placement struct {
	Place model.Place `json:"place"`
	Tool  bool        `json:"after_tool,omitempty"`
}

// Report is the outcome of putting due texts.
type Report struct {
	Model    string   // as the body names it, else the options; "" if neither does
	Delivery Delivery // of the texts that were put; Auto if none was
	// a value that the request's anthropic-beta header must hold for the body to be accepted; "": none
	Beta string
	Held []Held // the texts that were not put
}

// Held is a group of texts that could not be put into this request, and that stay due.
type Held struct {
	Texts int    // how many texts
	Why   string // why, in one line
}

// The kinds of errors.
var (
	ErrSyntax = errors.New("not JSON")                   // the body is not one JSON value
	ErrDepth  = errors.New("nested too deeply")          // the body has more than MaxDepth levels
	ErrShape  = errors.New("no messages in the request") // the body is JSON, but not of this API's shape
)

// MaxDepth is how many levels of arrays and objects are read.
const MaxDepth = 1000

// Error is a mistake in a body, with its place.
type Error struct {
	Kind   error  // ErrSyntax, ErrDepth or ErrShape
	Offset int    // in bytes, from 0
	Reason string // the finding there, or the expectation
}

// Error returns kind, offset and reason, as in "not JSON: byte 17: expected a colon".
func (e *Error) Error() string { return fmt.Sprintf("%v: byte %d: %s", e.Kind, e.Offset, e.Reason) }

// Unwrap returns Kind.
func (e *Error) Unwrap() error { return e.Kind }
