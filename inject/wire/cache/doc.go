// Package cache counts what prompt caches make of prompts: how much of each is read, how much is written, and how much is
// neither. It knows the four ways in which the vendors cache (Kind) and which model is cached how (Of); what a million tokens
// cost in money it does not know, nor any request format.
//
// A Prompt is what a cache sees of a request: units one behind the other, each with what tells it from others and how many
// bytes the model reads of it. A Cache serves prompts and remembers them. Prompts that grow at their end are cheap: Cut takes
// away what stood there this once.
//
// A token is four bytes. Nothing here reads a clock: time is an argument. A Cache and a Prompt are for one goroutine at a time;
// the functions may be called concurrently.
package cache
