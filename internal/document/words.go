package document

import "slices"

// Keys returns the keys of a reminder, in the order of LANGUAGE.md §3. The caller may keep it.
func Keys() []string { return slices.Clone(keyNames) }

// ScheduleKeys returns the keys of a schedule. The caller may keep it.
func ScheduleKeys() []string { return slices.Clone(scheduleKeys) }

// ScheduleKinds returns the kinds of a schedule. The caller may keep it.
func ScheduleKinds() []string { return slices.Clone(scheduleKinds) }
