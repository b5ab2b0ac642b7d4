package parsed

import "time"

// stamp tells a file from all others, and from what it was before: its device, inode and size, and when its bytes and when anything
// about it last changed, in nanoseconds since 1970. The last of them no program can set.
type stamp [5]int64

const (
	bytesChanged = 3
	lastChanged  = 4
)

// settled reports whether the file had not changed for a while at a moment, nor will have changed by its clock.
func (s stamp) settled(at time.Time) bool {
	before := at.Add(-settled).UnixNano()
	return s[bytesChanged] <= before && s[lastChanged] <= before
}
