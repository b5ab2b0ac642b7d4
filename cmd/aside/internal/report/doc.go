// Package report makes one self-contained HTML page of a replay: each run as a timeline, the reminders as lanes, and for each
// firing why, with the values that its trigger read.
//
// A Page is a replay.View: it receives the turns, keeps of them what the page shows, and is written at the end. The page loads nothing
// and sends nothing; a content security policy in it forbids what it does not need. Recorded texts are other people's words: they are
// data in the page and never markup, their invisible characters are written out, and long texts are cut. Equal replays make equal pages,
// byte for byte. The page's scripts and styles are in the folder asset, and are tested in a browser.
//
// A Page is for one goroutine.
package report
