// Package cost says what the reminders of a recorded run would have cost, and what they would have done to its prompt cache: for
// each way in which they can be delivered, against the run as it was recorded and against the naive way, in which a text is added
// to the last message and gone in the next request.
//
// It owns the way from what was billed to the prompts that were sent. Each recorded request becomes a prompt of units of known
// length; where the recording says what was read from the cache and what was written to it, the units end where the cache did,
// and entries are made and dropped so that the run without reminders comes to what was recorded, to the token. Then the same
// conversation is sent once for each delivery, with the reminders in it, through the accounting of inject/wire/cache. What a way
// costs is what was recorded and the difference between the two.
//
// Known are the lengths of prompts, reads, writes and answers, as far as the recording has them. Estimated are the tokens of
// reminders, a quarter of their bytes with the tag around them, and the lengths of prompts that nobody has measured, a quarter of
// their text.
//
// What is simpler than the real thing: a text stands behind the last message of the client's and its cache breakpoint, also where
// a rule attaches it to another place; a model that is asked to think is not taken to forget its thinking; a client that
// shortens its history without a compaction is taken to have lost what was put behind that place.
//
// The package knows what a replay.View is given, and no file format. Nothing here reads a clock. An Account and a View are for
// one goroutine.
package cost
