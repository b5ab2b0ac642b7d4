package hook

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// KeepVariable is the environment variable that says how long runs are remembered; where it is empty, 30
// days. It is not a flag, since all programs that share a state directory must agree.
const KeepVariable = "ASIDE_KEEP"

// Keep parses a value of KeepVariable, such as "72h", "14d" or "forever", into filestore.Options.Keep: 0 is
// the default and -1 is for ever.
func Keep(value string) (time.Duration, error) {
	switch {
	case value == "":
		return 0, nil
	case value == "forever":
		return -1, nil
	}
	var keep time.Duration
	if days, found := strings.CutSuffix(value, "d"); found {
		n, err := strconv.Atoi(days)
		if err != nil || n > 100_000 {
			return 0, badKeep(value)
		}
		keep = time.Duration(n) * 24 * time.Hour
	} else if d, err := time.ParseDuration(value); err == nil {
		keep = d
	}
	if keep <= 0 {
		return 0, badKeep(value)
	}
	return keep, nil
}

func badKeep(value string) error {
	return errors.New(KeepVariable + fmt.Sprintf(" is %.40q: a duration such as 72h or 14d, or forever", value))
}
