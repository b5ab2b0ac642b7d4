// Package planted switches on one of the faults that package fuzz plants in the engine, to see that its tests
// find it. No file of the tree imports it: the test writes the import into copies of the files.
package planted

import (
	"os"
	"strconv"
)

// Fault is the variable of the environment that holds the number of the fault; without it there is none.
const Fault = "ASIDE_PLANTED_FAULT"

var fault, _ = strconv.Atoi(os.Getenv(Fault))

// On reports whether fault n is switched on. Faults count from 1.
func On(n int) bool { return n == fault }

// Or returns right, or wrong if fault n is switched on.
func Or[T any](n int, right, wrong T) T {
	if On(n) {
		return wrong
	}
	return right
}
