// Package response reads off the responses of model APIs how many tokens they took. A Tap watches the bytes
// as they pass, and gathers them into whole events (tap.go); the words of the APIs (Vocabulary) say which
// numbers of an event count (event.go). Nothing of an event is kept but its numbers, its id and its model. A
// number that is not certain is unknown.
package response
