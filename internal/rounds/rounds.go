// Package rounds says how often a test goes round that could go on for ever: seldom on a person's machine, so that "go test ./..." is
// soon over, and more often under CI, where the environment has CI=true, and with a package's own flag -long.
package rounds

import (
	"flag"
	"os"
)

// Of returns few, or where Many holds many.
func Of(few, many int) int {
	if Many() {
		return many
	}
	return few
}

// Many reports whether this is CI, or -long is given. The flags must have been parsed.
func Many() bool {
	f := flag.Lookup("long")
	return os.Getenv("CI") == "true" || f != nil && f.Value.String() == "true"
}
