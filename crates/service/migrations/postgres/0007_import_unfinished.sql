-- 1: an import of a file has stored some of its orders, and not all yet.
ALTER TABLE connections ADD COLUMN import_unfinished BIGINT NOT NULL DEFAULT 0;
