CREATE TABLE aside_run (
	name     bytea  PRIMARY KEY,       -- any bytes name a run
	revision bigint NOT NULL,
	saved    date   NOT NULL,          -- the day of the last save: an index on it changes once a day
	snapshot bytea  NOT NULL
) WITH (fillfactor = 80);                -- room for the next version of a row beside it
CREATE INDEX aside_run_saved ON aside_run (saved);
