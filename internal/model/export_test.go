package model

// All returns the rows of the table, which the tests only read.
func All() (rows []Row) {
	for _, e := range table() {
		rows = append(rows, e.row())
	}
	return rows
}
