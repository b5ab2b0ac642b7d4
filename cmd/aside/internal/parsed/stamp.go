package parsed

import "time"

// stamp tells a file from other files and from its own earlier states: device, inode, size, mtime and ctime, the times in nanoseconds
// since 1970. No program can set the ctime.
type stamp [5]int64

// The indices of the times in a stamp.
const (
	mtime = 3
	ctime = 4
)

// settled reports whether both times of the file are at least the constant settled before a moment.
func (s stamp) settled(at time.Time) bool {
	before := at.Add(-settled).UnixNano()
	return s[mtime] <= before && s[ctime] <= before
}
