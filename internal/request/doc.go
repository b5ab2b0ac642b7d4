// Package request reads off a request to a model API what it says about its turn: its facts, its kind, its
// run and thread.
//
// The body is read once, by package internal/body in the format of its API. history.go then goes over the
// messages and keeps the previous response and everything that came since; speaker.go tells persons from
// agents by the form of a message; kind.go decides what the request is for, and identity.go which run it is
// of. The marks and words of single agents are asked of package internal/agent. A fact that is not certain is
// unknown, never 0 or false.
//
// Every function may be called concurrently.
package request
