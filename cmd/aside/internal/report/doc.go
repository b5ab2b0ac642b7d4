// Package report makes one self-contained HTML page of a replay: each run as a timeline, the reminders as lanes, and for each
// firing why, with the values that its trigger read.
//
// A Page is a view of package replay: it is shown the turns, keeps of them what the page shows, and is written at the end.
// The page loads nothing and sends nothing; a policy in it forbids what it does not need. Recorded texts are other people's words:
// they are data in the page and never markup, characters that cannot be seen are written out, and long ones are cut.
// Equal replays make equal pages, byte for byte. What the page does in a browser is in the folder asset, and is tested in one.
//
// A Page belongs to one goroutine.
package report
