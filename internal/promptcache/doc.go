// Package cache computes what prompt caches make of prompts: how many tokens of each are read from the cache, how many are
// written to it, and how many are neither. It knows the ways in which the vendors cache (Kind) and how each model is cached (Of).
// It knows neither prices in money nor request formats.
//
// A Prompt is what a cache sees of a request: a list of units, each with what tells it from others and how many bytes of it the
// model reads. A Cache serves prompts and remembers them. A Prompt may grow at its end at little cost; Cut takes away what stood
// there for one request only.
//
// A token is four bytes. Nothing here reads a clock: time is an argument. A Cache and a Prompt are for one goroutine at a time;
// the functions may be called concurrently.
package promptcache
