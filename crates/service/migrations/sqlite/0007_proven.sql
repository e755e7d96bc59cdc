-- What a sync has proven, counted per retailer's part; and whether it reads settled orders again.
ALTER TABLE retailer_sessions ADD COLUMN items_marked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE retailer_sessions ADD COLUMN orders_kept_back INTEGER NOT NULL DEFAULT 0;
ALTER TABLE retailer_sessions ADD COLUMN full INTEGER NOT NULL DEFAULT 0;
