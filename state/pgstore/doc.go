// Package pgstore keeps runs in a table of PostgreSQL, version 13 or later, for processes on any number of
// machines. Give New a pool of connections, and eval.Options the Store.
//
// # The table
//
// A Store keeps its runs in the table aside_run, a row a run, in the first schema of the connection's
// search_path. It creates the table, and changes an older one as far as programs of the version before can go
// on using it, when it is first used; Migrate makes the other changes, and takes changes back. Processes that
// start at once wait for each other by an advisory lock. The table aside_schema holds the number of each
// change and the one that a program must know at least, and aside_outcome the records of outcomes. A role
// that may not create tables can use those that exist: it needs SELECT, INSERT, UPDATE and DELETE on
// aside_run and aside_outcome, USAGE on the sequence aside_outcome_id_seq, and SELECT on aside_schema.
//
// A row has the keys by which its run is found, and a GIN index has those of all rows. They are written with
// the row, by the same statement. Tables of a program that did not know them find nothing until Migrate.
//
// # Saves
//
// A save is one statement, in a transaction of its own: an update of the row, provided that the revision is
// the one that was loaded. The new revision is a random number, so that none is used twice, not even after a
// failover to a replica that has lost the last saves. A load is one statement, too. So each waits for the
// server once. What a save survives is what the server is set to: with synchronous_commit = off, a server
// that dies forgets up to the last three wal_writer_delay (0.6 seconds), and reminders may fire again.
//
// # Poolers
//
// The store keeps nothing on a connection: it may stand behind a pooler that lends one for a transaction at a
// time, such as PgBouncer with pool_mode = transaction. A pooler that does not know prepared statements
// (PgBouncer before 1.21, or with max_prepared_statements = 0) needs default_query_exec_mode=exec in the
// connection string.
package pgstore
