UPDATE store_compatibility SET oldest_version = 29; -- an older node would end syncs without saying whether they completed

-- Whether what is stored of a connection is complete. Of the last sync that ended, if it did not complete: when it ended, why
-- (NULL: not known), and its session, which may be gone.
ALTER TABLE connections ADD COLUMN failed_at INTEGER;
ALTER TABLE connections ADD COLUMN failure_code TEXT;
ALTER TABLE connections ADD COLUMN failed_batch_id TEXT;
-- When something failed for the first time since a sync completed.
ALTER TABLE connections ADD COLUMN incomplete_since INTEGER;

UPDATE connections SET (failed_at, failure_code, failed_batch_id) = (
    SELECT CASE WHEN r.sync_status <> 'completed' THEN r.updated_at END, r.error_code,
        CASE WHEN r.sync_status <> 'completed' THEN r.batch_id END
    FROM retailer_sessions r JOIN sessions s ON s.id = r.batch_id
    WHERE r.connection_id = connections.id AND r.active = 0
    ORDER BY s.created_at DESC, s.number DESC, s.id DESC LIMIT 1);
-- Where nothing is known of the last sync, it is not taken for complete.
UPDATE connections SET failed_at = last_sync_at
    WHERE last_sync_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM retailer_sessions r WHERE r.connection_id = connections.id AND r.active = 0);
UPDATE connections SET incomplete_since = COALESCE((
    SELECT MIN(r.updated_at) FROM retailer_sessions r
    WHERE r.connection_id = connections.id AND r.active = 0 AND r.sync_status <> 'completed'
        AND r.updated_at >= connections.last_sync_at), failed_at)
    WHERE failed_at IS NOT NULL;

-- Orders of a connection that failed a check and have not passed it since.
ALTER TABLE kept_back_orders RENAME TO kept_back_orders_28;
CREATE TABLE kept_back_orders (
    user_id             TEXT    NOT NULL,
    connection_id       TEXT    NOT NULL,
    order_id            TEXT    NOT NULL,
    batch_id            TEXT    NOT NULL, -- the last session that kept it back
    reason              TEXT,             -- which check failed, and how; NULL: a version that did not note it kept it back
    PRIMARY KEY (user_id, connection_id, order_id),
    FOREIGN KEY (user_id, connection_id) REFERENCES connections (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO kept_back_orders (user_id, connection_id, order_id, batch_id, reason)
    SELECT c.user_id, c.id, k.order_id, r.batch_id, k.reason
    FROM kept_back_orders_28 k
    JOIN retailer_sessions r ON r.user_id = k.user_id AND r.id = k.retailer_session_id
    JOIN sessions s ON s.id = r.batch_id
    JOIN connections c ON c.id = r.connection_id
    LEFT JOIN orders o ON o.user_id = c.user_id AND o.connection = c.number AND o.order_id = k.order_id
    WHERE r.sync_status <> 'completed' AND (r.active = 1 OR r.updated_at >= COALESCE(c.last_sync_at, r.updated_at))
        -- A later session that saw it has stored it, or has a row of its own.
        AND (o.last_batch_id IS NULL OR o.last_batch_id = r.batch_id)
    ORDER BY s.created_at DESC, s.number DESC, s.id DESC
    ON CONFLICT DO NOTHING;
DROP TABLE kept_back_orders_28;

-- Orders of a sync that have no line, such as cancelled ones: no list of lines shows them.
ALTER TABLE retailer_sessions ADD COLUMN orders_without_items INTEGER NOT NULL DEFAULT 0;
