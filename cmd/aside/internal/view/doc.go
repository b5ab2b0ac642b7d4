// Package view is "aside view": a recorded session with its reminders at their places, for a person at a
// terminal, or as text where there is no terminal.
//
// It owns the screen: which rows of which message are on it, which message is selected and which are open,
// what a key does. Package lens reads the session. Only what is on the screen is laid out, so that a session
// may be of any length; a message breaks into rows as far as they are shown.
//
// All that a session says was written by others: no row that reaches the terminal holds a character that a
// terminal obeys, but for the styles that this package puts there itself.
package view
