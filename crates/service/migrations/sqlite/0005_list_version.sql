-- How often a connection's line items were written: what a client reads page by page is one list as long as this stays.

ALTER TABLE connections ADD COLUMN list_version INTEGER NOT NULL DEFAULT 0;
