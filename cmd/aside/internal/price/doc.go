// Package price says what tokens of models cost, in dollars a million.
//
// It owns a table kept by hand, each row with where it is from and when it was last looked at, and what people say on the command
// line or in a file instead. A model without a row has no price: nothing here guesses one. The zero List is the table alone. All
// of it may be used concurrently.
package price
