//go:build !race

package main

// slower is how much more time and memory the race detector may take: it is off.
const slower = 1
