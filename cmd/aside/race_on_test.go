//go:build race

package main

// slower is how much more time and memory the race detector may take.
const slower = 12
