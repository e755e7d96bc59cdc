-- The keys of orders and line items begin with their user. Connections are numbered per user and orders per connection, so
-- that nothing is counted for all users together. Rows have no foreign keys: whoever removes a connection notes it in
-- `removed_connections`, and its rows are deleted in batches.

ALTER TABLE users ADD COLUMN connections_made INTEGER NOT NULL DEFAULT 0;
ALTER TABLE connections ADD COLUMN number INTEGER NOT NULL DEFAULT 0; -- among the user's
ALTER TABLE connections ADD COLUMN orders_made INTEGER NOT NULL DEFAULT 0; -- the number of the newest order
UPDATE connections SET number = n.number
    FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY created_at, id) AS number FROM connections) n
    WHERE n.id = connections.id;
UPDATE connections SET orders_made = o.made
    FROM (SELECT connection_id, MAX(number) AS made FROM orders GROUP BY connection_id) o
    WHERE o.connection_id = connections.id;
UPDATE users SET connections_made = (SELECT COUNT(*) FROM connections c WHERE c.user_id = users.id);
CREATE UNIQUE INDEX connections_by_number ON connections (user_id, number);

ALTER TABLE orders RENAME TO orders_18;
ALTER TABLE line_items RENAME TO line_items_18;
ALTER TABLE line_nodes RENAME TO line_nodes_18;
ALTER TABLE former_order_ids RENAME TO former_order_ids_18;
DROP INDEX orders_by_reading;
DROP INDEX line_items_newest;
DROP INDEX line_items_by_id;

-- Which orders are stored, and how they looked when they were read.
CREATE TABLE orders (
    user_id         TEXT    NOT NULL,
    connection      INTEGER NOT NULL, -- its number
    number          INTEGER NOT NULL, -- in the order in which the connection's orders were stored first
    order_id        TEXT    NOT NULL,
    fingerprint     TEXT,
    item_count      INTEGER NOT NULL,
    last_batch_id   TEXT    NOT NULL, -- the session that saw it last, so that a repeated page counts it once
    first_batch_id  TEXT, -- the session that stored it first; NULL: one before version 8
    read_at         INTEGER, -- when its page was last read; NULL: before version 8
    missing_since   INTEGER, -- since when the retailer no longer lists it
    marked          INTEGER NOT NULL DEFAULT 0, -- 1: its figures do not agree
    PRIMARY KEY (user_id, connection, number),
    UNIQUE (user_id, connection, order_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE line_items (
    user_id         TEXT    NOT NULL,
    connection      INTEGER NOT NULL, -- its number
    item            INTEGER NOT NULL, -- the order's number times 2^20, and which of its lines
    id              TEXT    NOT NULL, -- made from connection, order and line key
    sort_key        INTEGER NOT NULL, -- the order's date, negated; the largest number where there is none
    content_digest  BLOB    NOT NULL,
    line_key        TEXT, -- what the retailer's page made the line's id when it was read last; NULL: the id itself
    document        TEXT    NOT NULL, -- the item's JSON
    csv             TEXT    NOT NULL  -- its line, with the line's end
) STRICT;

-- How many items a connection has from a position (`sort_key`, `id`) up to the next node's of the same level. Every start
-- of a level is a start of the level below as well.
CREATE TABLE line_nodes (
    user_id         TEXT    NOT NULL,
    connection      INTEGER NOT NULL, -- its number
    level           INTEGER NOT NULL, -- 0 to 2
    start_key       INTEGER NOT NULL,
    start_id        TEXT    NOT NULL,
    items           INTEGER NOT NULL,
    PRIMARY KEY (user_id, connection, level, start_key, start_id)
) STRICT, WITHOUT ROWID;

-- Numbers that orders had before the retailer renumbered them.
CREATE TABLE former_order_ids (
    user_id         TEXT    NOT NULL,
    connection      INTEGER NOT NULL, -- its number
    order_id        TEXT    NOT NULL,
    PRIMARY KEY (user_id, connection, order_id)
) STRICT, WITHOUT ROWID;

INSERT INTO orders
    SELECT c.user_id, c.number, o.number, o.order_id, o.fingerprint, o.item_count, o.last_batch_id, o.first_batch_id,
        o.read_at, o.missing_since, o.marked
    FROM orders_18 o JOIN connections c ON c.id = o.connection_id;
INSERT INTO line_items
    SELECT c.user_id, c.number, i.item, i.id, i.sort_key, i.content_digest, i.line_key, i.document, i.csv
    FROM line_items_18 i CROSS JOIN connections c ON c.id = i.connection_id ORDER BY i.item;
INSERT INTO line_nodes
    SELECT c.user_id, c.number, n.level, n.start_key, n.start_id, n.items
    FROM line_nodes_18 n JOIN connections c ON c.id = n.connection_id;
INSERT INTO former_order_ids
    SELECT c.user_id, c.number, f.order_id FROM former_order_ids_18 f JOIN connections c ON c.id = f.connection_id;

-- Nothing was left behind, or nothing is changed.
CREATE TABLE moved (is_whole INTEGER NOT NULL CHECK (is_whole)) STRICT;
INSERT INTO moved VALUES
    ((SELECT COUNT(*) FROM orders) = (SELECT COUNT(*) FROM orders_18)),
    ((SELECT COUNT(*) FROM line_items) = (SELECT COUNT(*) FROM line_items_18)),
    ((SELECT COUNT(*) FROM line_nodes) = (SELECT COUNT(*) FROM line_nodes_18)),
    ((SELECT COUNT(*) FROM former_order_ids) = (SELECT COUNT(*) FROM former_order_ids_18));
DROP TABLE moved;
DROP TABLE orders_18;
DROP TABLE line_items_18;
DROP TABLE line_nodes_18;
DROP TABLE former_order_ids_18;

CREATE INDEX orders_by_reading ON orders (user_id, connection, read_at, number) WHERE fingerprint IS NOT NULL;
CREATE UNIQUE INDEX line_items_of_orders ON line_items (user_id, connection, item);
CREATE INDEX line_items_newest ON line_items (user_id, connection, sort_key, id);
-- By id within each run of 4,096 orders. Ids are digests: in one index of all, each new line would change a part of the file
-- of its own.
CREATE INDEX line_items_by_id ON line_items (user_id, connection, item >> 32, id);

-- Connections that were removed, whose orders and line items are still to be deleted.
CREATE TABLE removed_connections (
    user_id         TEXT    NOT NULL,
    connection      INTEGER NOT NULL, -- its number
    PRIMARY KEY (user_id, connection)
) STRICT, WITHOUT ROWID;
-- Until now, they belonged to a user of their own.
INSERT INTO removed_connections SELECT user_id, number FROM connections WHERE user_id = 'removed';
DELETE FROM sessions WHERE id IN (
        SELECT r.batch_id FROM retailer_sessions r JOIN connections c ON c.id = r.connection_id WHERE c.user_id = 'removed')
    AND NOT EXISTS (SELECT 1 FROM retailer_sessions r JOIN connections c ON c.id = r.connection_id
        WHERE r.batch_id = sessions.id AND c.user_id <> 'removed');
DELETE FROM events WHERE connection_id IN (SELECT id FROM connections WHERE user_id = 'removed');
DELETE FROM connections WHERE user_id = 'removed';
DELETE FROM users WHERE id = 'removed';

-- First answers by user first, too.
ALTER TABLE idempotency RENAME TO idempotency_18;
DROP INDEX idempotency_by_age;
CREATE TABLE idempotency (
    user_id         TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id       TEXT    NOT NULL,
    key             TEXT    NOT NULL,
    request_digest  BLOB    NOT NULL,
    status          INTEGER NOT NULL,
    body            BLOB    NOT NULL,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (user_id, client_id, key)
) STRICT, WITHOUT ROWID;
INSERT INTO idempotency (user_id, client_id, key, request_digest, status, body, created_at)
    SELECT user_id, client_id, key, request_digest, status, body, created_at FROM idempotency_18;
DROP TABLE idempotency_18;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
