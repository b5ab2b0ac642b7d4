// Package price says what tokens of models cost, in dollars a million.
//
// It owns a table kept by hand, each row with its source and the month in which it was last checked, and prices that the user gives on
// the command line or in a file instead. A model without a row has no price: none is guessed. The zero List is the table alone.
// Everything may be used concurrently.
package price
