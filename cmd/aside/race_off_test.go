//go:build !race

package main

// race is whether the race detector runs, beside which neither time nor memory can be measured.
const race = false
