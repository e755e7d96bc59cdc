-- How many forms with a password or a code a sync has sent: a crash must not make it send one too many.
ALTER TABLE retailer_sessions ADD COLUMN sent_forms BIGINT NOT NULL DEFAULT 0;
