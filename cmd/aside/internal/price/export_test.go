package price

// Table is what the vendors ask for.
var Table = table
