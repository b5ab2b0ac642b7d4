CREATE TABLE aside_outcome (
	id     bigserial PRIMARY KEY,        -- the records of a run in the order of their saves
	saved  date      NOT NULL DEFAULT current_date,
	record json      NOT NULL
);
CREATE INDEX aside_outcome_saved ON aside_outcome (saved);
