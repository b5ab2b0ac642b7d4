//go:build !linux && !darwin

package parsed

import "io/fs"

// stampOf returns false: on these systems it is not known how to get a stamp.
func stampOf(fs.FileInfo) (stamp, bool) { return stamp{}, false }
