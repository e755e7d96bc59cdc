-- The keys of what a user has begin with the user. Connections are numbered per user and orders per connection, so that nothing
-- is counted for all users together. Orders and line items have no foreign keys: whoever removes a connection notes it in
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
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- Rows of connections and sessions say whose they are, too. The rows that they belong to keep their ids as keys, and are named
-- by user and id as well.
CREATE UNIQUE INDEX connections_of_user ON connections (user_id, id);
CREATE UNIQUE INDEX sessions_of_user ON sessions (user_id, id);
CREATE UNIQUE INDEX parts_of_user ON retailer_sessions (user_id, id);
DROP INDEX one_active_sync_per_connection;
CREATE UNIQUE INDEX one_active_sync_per_connection ON retailer_sessions (user_id, connection_id) WHERE active = 1;
DROP INDEX retailer_sessions_of_user; -- the one before begins like it

ALTER TABLE connection_shares RENAME TO connection_shares_18;
ALTER TABLE events RENAME TO events_18;
ALTER TABLE mfa_requests RENAME TO mfa_requests_18;
ALTER TABLE kept_back_orders RENAME TO kept_back_orders_18;
DROP INDEX mfa_requests_of_retailer_session;

CREATE TABLE connection_shares (
    user_id         TEXT    NOT NULL,
    connection_id   TEXT    NOT NULL,
    client_id       TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    shared_at       INTEGER NOT NULL,
    PRIMARY KEY (user_id, connection_id, client_id),
    FOREIGN KEY (user_id, connection_id) REFERENCES connections (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    user_id         TEXT    NOT NULL,
    batch_id        TEXT    NOT NULL,
    seq             INTEGER NOT NULL,
    at              INTEGER NOT NULL,
    type            TEXT    NOT NULL,
    connection_id   TEXT    NOT NULL,
    retailer_id     INTEGER NOT NULL,
    sync_status     TEXT,
    message         TEXT,
    req_id          TEXT,
    mfa             TEXT,             -- JSON, as it is served
    PRIMARY KEY (user_id, batch_id, seq),
    FOREIGN KEY (user_id, batch_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE mfa_requests (
    user_id             TEXT    NOT NULL,
    id                  TEXT    NOT NULL,
    retailer_session_id TEXT    NOT NULL,
    kind                TEXT    NOT NULL,
    options             TEXT    NOT NULL, -- JSON: the ids that may be chosen
    expires_at          INTEGER NOT NULL, -- in the user's time
    answered_at         INTEGER,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, retailer_session_id) REFERENCES retailer_sessions (user_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX mfa_requests_of_retailer_session ON mfa_requests (user_id, retailer_session_id);

-- Orders of a retailer's part that failed a check, so that each is counted once.
CREATE TABLE kept_back_orders (
    user_id             TEXT    NOT NULL,
    retailer_session_id TEXT    NOT NULL,
    order_id            TEXT    NOT NULL,
    reason              TEXT,   -- why the store refused it; NULL: the connector knows
    PRIMARY KEY (user_id, retailer_session_id, order_id),
    FOREIGN KEY (user_id, retailer_session_id) REFERENCES retailer_sessions (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO connection_shares (user_id, connection_id, client_id, shared_at)
    SELECT c.user_id, s.connection_id, s.client_id, s.shared_at
    FROM connection_shares_18 s JOIN connections c ON c.id = s.connection_id;
INSERT INTO events
    (user_id, batch_id, seq, at, type, connection_id, retailer_id, sync_status, message, req_id, mfa)
    SELECT s.user_id, e.batch_id, e.seq, e.at, e.type, e.connection_id, e.retailer_id, e.sync_status, e.message, e.req_id,
        e.mfa
    FROM events_18 e JOIN sessions s ON s.id = e.batch_id;
INSERT INTO mfa_requests (user_id, id, retailer_session_id, kind, options, expires_at, answered_at)
    SELECT r.user_id, m.id, m.retailer_session_id, m.kind, m.options, m.expires_at, m.answered_at
    FROM mfa_requests_18 m JOIN retailer_sessions r ON r.id = m.retailer_session_id;
INSERT INTO kept_back_orders (user_id, retailer_session_id, order_id, reason)
    SELECT r.user_id, k.retailer_session_id, k.order_id, k.reason
    FROM kept_back_orders_18 k JOIN retailer_sessions r ON r.id = k.retailer_session_id;

-- Nothing was left behind here, either.
CREATE TABLE moved (is_whole INTEGER NOT NULL CHECK (is_whole)) STRICT;
INSERT INTO moved VALUES
    ((SELECT COUNT(*) FROM idempotency) = (SELECT COUNT(*) FROM idempotency_18)),
    ((SELECT COUNT(*) FROM connection_shares) = (SELECT COUNT(*) FROM connection_shares_18)),
    ((SELECT COUNT(*) FROM events) = (SELECT COUNT(*) FROM events_18)),
    ((SELECT COUNT(*) FROM mfa_requests) = (SELECT COUNT(*) FROM mfa_requests_18)),
    ((SELECT COUNT(*) FROM kept_back_orders) = (SELECT COUNT(*) FROM kept_back_orders_18));
DROP TABLE moved;
DROP TABLE idempotency_18;
DROP TABLE connection_shares_18;
DROP TABLE events_18;
DROP TABLE mfa_requests_18;
DROP TABLE kept_back_orders_18;
