-- How many orders of earlier syncs this one found to be different.
ALTER TABLE retailer_sessions ADD COLUMN orders_changed BIGINT NOT NULL DEFAULT 0;
