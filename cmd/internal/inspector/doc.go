// Package inspector is the page of "aside serve" that shows the runs while they go on: which reminder fired
// on which turn, why, what comes next, and what became of it.
//
//	eval.Options.Decided ─► record.go (runs in memory) ─► page.go (JSON), live.go (events) ─► the page
//	transport.Options.Report ─┘                         play.go (a trigger that somebody types)
//
// What is kept is in memory alone and bounded: the latest runs, the facts of their turns as the state of a
// run keeps them, and the texts of reminders. The words of a turn (prompt, answer, calls and their outputs)
// are kept only with Options.Keep, and for that time. A request never waits for a browser: a turn is written
// down under a lock that is held for no I/O, and each browser asks for what is new when it is ready for it.
//
// The page's timeline is that of package report, its findings are those of the playground. An Inspector may
// be used concurrently.
package inspector
