// Package load reads reminders from the machine's files: which directories there are and which comes first, what is a rule
// file and what is not, which reminder hides which, and what changed since.
//
// It opens regular files of at most 256 KiB and nothing else, and each of them once: what was parsed is what Result.Files holds.
// Files that a Memory surely knows are not opened. Files of a project come through a Gate (package trust has one) or not at all,
// and what they say can neither replace, nor switch off, nor outrank a safety reminder of the user's own. What cannot be read is
// a diagnostic beside the reminders of all other files. The same files give the same Result, on any machine and in any order of
// reading.
//
// All functions may be called concurrently.
package load
