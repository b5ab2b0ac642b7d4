// Package rounds says how often a test goes round that could go on for ever: seldom on a person's machine, so that "go test ./..." is
// soon over, and more often under CI, where the environment has CI=true.
package rounds

import "os"

// Of returns few, or under CI many.
func Of(few, many int) int {
	if os.Getenv("CI") == "true" {
		return many
	}
	return few
}
