ALTER TABLE aside_run
	ADD COLUMN keys   bigint[] NOT NULL DEFAULT '{}', -- by which the run is found
	ADD COLUMN values bigint[] NOT NULL DEFAULT '{}'; -- what comes back with each
CREATE INDEX aside_run_keys ON aside_run USING gin (keys)
	WITH (gin_pending_list_limit = 256);             -- kB that a search may have to read through
