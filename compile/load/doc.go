// Package load reads reminders from files. It knows the standard directories and their precedence, tells rule
// files from others, decides which reminder overrides which, and watches for changes.
//
// It opens only regular files of at most 256 KiB, and each only once, so that the bytes in Result.Files are
// those that were parsed. A file that cannot be read is a diagnostic, and the reminders of the others are
// there all the same. The same files lead to the same Result on any machine.
//
// Files of a project are read only through a Gate, such as trust.Store. Their reminders can neither replace,
// nor disable, nor outrank a safety reminder of the user's own.
//
// All functions may be called concurrently.
package load
