package model

// All returns the rows of the table, which the tests only read.
func All() []Row { return table() }
