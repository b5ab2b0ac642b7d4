// Package analysis decides what a reminder can and cannot do, before it has done anything: whether its
// trigger can ever become true, whether it always is, how often it can fire, which parts of it do not matter,
// and how it stands to the other reminders of a set.
//
// The decisions are exact, not guesses. Between two neighbouring constants that a fact is compared with
// nothing changes, so one sample of each such cell, both values of each yes/no fact, and "unknown" beside
// them stand for every turn there can be. What the package cannot look into, an expression that only
// expr-lang reads or a Go function, counts as a part that may be true, false or unknown on its own; the same
// text is the same part. So more turns are taken into account than there can be, never fewer, and what is
// said to be never, always or without effect is so on every turn. Work is bounded: where a trigger has more
// cells than that, nothing is said of it.
//
// What is taken for granted of facts, and nothing else: counts, tokens and durations are not negative (facts
// that a host declares may be), counters never fall during a run, and what is said of the tools of one turn
// agrees: a tool that failed was used, and one that is used now was used once. A ratio is between 0 and 1,
// and where only that decides the finding says so, since a host may count more tokens than it believes the
// window to hold. That a reminder fires at most once leaves out those whose text never got through, which are
// offered again.
//
// The package does no I/O, reads no clock and starts no goroutine; its functions are pure and may be called
// concurrently.
//
// Codes: R0901 never fires by itself, R0902 always true, R0903 fires at most once, R0904 a part without
// effect, R0905 a part that is never true, R0906 a part that is always true, R0907 rearm never true, R0908
// rearm true together with the trigger, R0909 rearm without effect, R0910 duplicate, R0911 implied, R0912 a
// limit without effect.
package analysis
