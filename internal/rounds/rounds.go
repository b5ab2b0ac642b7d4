// Package rounds says how often a test goes round that could go on for ever: seldom on a person's machine, so that "go test ./..." is
// soon over, and more often under CI, where the environment has CI=true, and with a package's own flag -long.
package rounds

import (
	"flag"
	"os"
)

// Of returns few, or under CI and with -long many.
func Of(few, many int) int {
	if f := flag.Lookup("long"); os.Getenv("CI") == "true" || f != nil && f.Value.String() == "true" {
		return many
	}
	return few
}
