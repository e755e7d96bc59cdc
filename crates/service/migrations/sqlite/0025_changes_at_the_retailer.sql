-- What changed at the retailer since the sync before: orders that it no longer lists, and lines that have another name.
ALTER TABLE retailer_sessions ADD COLUMN orders_missing INTEGER NOT NULL DEFAULT 0;
ALTER TABLE retailer_sessions ADD COLUMN items_renamed INTEGER NOT NULL DEFAULT 0;
