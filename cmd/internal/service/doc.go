// Package service is the evaluation API of "asided serve": a program in any language tells the turns of a run
// over HTTP, and gets decisions.
//
// Its paths are the table routes; openapi.json describes them for programs, and is served. A turn is read,
// decided and answered by package evaljson, which "aside eval" uses too. Errors are problem details
// (RFC 9457), with the types of the table problems. The package keeps nothing of its own: each of several
// processes over one store answers for all runs.
//
// A Service may be used concurrently.
package service
