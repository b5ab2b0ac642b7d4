ALTER TABLE aside_run DROP COLUMN keys, DROP COLUMN values;
