// Package outline plans where due texts go in messages of the generic shape, and finds texts of ours in them.
//
// Messages that are Go values and request bodies take the same way:
//
//	messages → []Message → Clear  → []Removal (texts that stand already where texts are to go)
//	                     → Plan   → []Edit    (the texts and their places)
//	                     → Remove → []Removal (all that is ours)
//
// Package inject applies these lists to Go values, package internal/api to bytes. Every function is pure and
// may be called concurrently.
package outline
