// Package cost computes what the reminders of a recorded run would have cost, and what they would have done to its prompt cache: for each
// way of delivering them, compared with the run as it was recorded, and with the naive way, in which a text is added to the last message
// and gone in the next request.
//
// It owns the reconstruction of the prompts from what was billed. Each recorded request becomes a prompt of units of known length. Where
// the recording says what was read from the cache and what was written to it, units end where the cache did, and cache entries are made
// and dropped so that the run without reminders has exactly the recorded tokens. Then the same conversation is sent once for each
// delivery, with the reminders in it, through the accounting of inject/wire/cache. A way costs what was recorded, plus the difference
// between that run and the one without reminders.
//
// The lengths of prompts, reads, writes and answers are known as far as the recording has them. Estimated are the tokens of reminders, a
// quarter of their bytes with the tag around them, and the lengths of prompts that were not recorded, a quarter of the bytes of their
// text.
//
// The model is simpler than the APIs in three points: a text always goes after the client's last message and its cache breakpoint, even
// if its rule attaches it elsewhere; a model that thinks is assumed not to drop its thinking; a client that shortens its history without
// a compaction is assumed to have lost the texts that were put after that place.
//
// The package knows what a replay.View receives, and no file format. Nothing here reads a clock. An Account and a View are for one
// goroutine.
package cost
