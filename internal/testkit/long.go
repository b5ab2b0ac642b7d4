package testkit

import (
	"flag"
	"os"
	"testing"
)

var long = flag.Bool("long", false, "run the slow tests at full length; some need -timeout 30m")

// Long reports whether the flag -long is given. The flags must have been parsed.
func Long() bool { return *long }

// Thorough reports whether a test should take more time than a person wants to wait: with -long, or where the
// environment has CI=true, but never with -short.
func Thorough() bool {
	return !testing.Short() && (*long || os.Getenv("CI") == "true")
}

// Repeat says how many times a test repeats something: few, or many where Thorough holds.
func Repeat(few, many int) int {
	if Thorough() {
		return many
	}
	return few
}
