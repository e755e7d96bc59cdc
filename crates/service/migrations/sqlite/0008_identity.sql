-- What is known of a line and an order besides what is served of them.

-- What the retailer's page made the line's id when it was read last, if that differs from the id: a title was corrected, or
-- the order got another number. NULL: the id itself.
ALTER TABLE line_items ADD COLUMN line_key TEXT;

ALTER TABLE orders ADD COLUMN first_batch_id TEXT; -- the session that stored it first; NULL: one before this version
ALTER TABLE orders ADD COLUMN read_at INTEGER; -- when its page was last read; NULL: before this version
ALTER TABLE orders ADD COLUMN missing_since INTEGER; -- since when the retailer no longer lists it
ALTER TABLE orders ADD COLUMN marked INTEGER NOT NULL DEFAULT 0; -- 1: its figures do not agree
CREATE INDEX orders_by_reading ON orders (connection_id, read_at) WHERE fingerprint IS NOT NULL;

-- Numbers that orders had before the retailer renumbered them. If a number is used again, the new order's lines need ids of
-- their own.
CREATE TABLE former_order_ids (
    connection_id   TEXT    NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    order_id        TEXT    NOT NULL,
    PRIMARY KEY (connection_id, order_id)
) STRICT, WITHOUT ROWID;

-- Orders of a retailer's part that failed a check, so that each is counted once.
CREATE TABLE kept_back_orders (
    retailer_session_id TEXT    NOT NULL REFERENCES retailer_sessions (id) ON DELETE CASCADE,
    order_id            TEXT    NOT NULL,
    reason              TEXT,   -- why the store refused it; NULL: the connector knows
    PRIMARY KEY (retailer_session_id, order_id)
) STRICT, WITHOUT ROWID;

-- Nodes that lost all their items, to be removed.
CREATE INDEX line_nodes_empty ON line_nodes (connection_id, level) WHERE items = 0;
