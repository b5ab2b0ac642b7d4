// Package response reads off the responses of model APIs how many tokens they took. A Tap watches the bytes
// as they pass (tap.go) and gathers them into whole events (stream.go). The words of the APIs say which
// numbers of an event count (vocabulary.go). A Tap keeps nothing of an event but its numbers, its id and its
// model. A number that is not certain is unknown.
package response
