//go:build !race

package document_test

// race is whether the race detector runs, beside which neither time nor memory can be measured.
const race = false
