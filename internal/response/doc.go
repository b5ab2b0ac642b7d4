// Package response reads off the responses of model APIs how many tokens they took. A Tap watches the bytes
// as they pass: they go through sse or frames, if the response is a stream, to feed, which knows JSON, and on
// to notes, which knows the words of the APIs (Vocabulary). Nothing of a response is kept but its numbers,
// its id and its model. A number that is not certain is unknown.
package response
