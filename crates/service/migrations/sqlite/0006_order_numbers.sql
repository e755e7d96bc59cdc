-- Orders with numbers, and line items by the order that they are in, so that storing a page touches few parts of the file
-- however long the history is: see docs/paging.md, Storing.

DROP TRIGGER line_items_added;
DROP TRIGGER line_items_removed;
DROP TRIGGER line_items_moved;
ALTER TABLE orders RENAME TO orders_5;
ALTER TABLE line_items RENAME TO line_items_5;
DROP INDEX line_items_newest;

-- Which orders are stored, and how they looked when they were read.
CREATE TABLE orders (
    number          INTEGER NOT NULL PRIMARY KEY, -- in the order in which they were stored first
    connection_id   TEXT    NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    order_id        TEXT    NOT NULL,
    fingerprint     TEXT,
    item_count      INTEGER NOT NULL,
    last_batch_id   TEXT    NOT NULL, -- the session that saw it last, so that a repeated page counts it once
    UNIQUE (connection_id, order_id)
) STRICT;

CREATE TABLE line_items (
    item            INTEGER NOT NULL PRIMARY KEY, -- the order's number times 2^20, and which of its lines
    id              TEXT    NOT NULL, -- made from connection, order and line key
    connection_id   TEXT    NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    sort_key        INTEGER NOT NULL, -- the order's date, negated; the largest number where there is none
    content_digest  BLOB    NOT NULL,
    document        TEXT    NOT NULL, -- the item's JSON
    csv             TEXT    NOT NULL  -- its line, with the line's end
) STRICT;

INSERT INTO orders (connection_id, order_id, fingerprint, item_count, last_batch_id)
    SELECT connection_id, order_id, fingerprint, item_count, last_batch_id FROM orders_5;
-- An order whose lines alone are known is one that looks different when it is read.
INSERT INTO orders (connection_id, order_id, item_count, last_batch_id)
    SELECT connection_id, order_id, COUNT(*), '' FROM line_items_5 WHERE TRUE GROUP BY connection_id, order_id
    ON CONFLICT DO NOTHING;
INSERT INTO line_items (item, id, connection_id, sort_key, content_digest, document, csv)
    SELECT (o.number << 20) + ROW_NUMBER() OVER (PARTITION BY o.number ORDER BY i.item) - 1,
        i.id, i.connection_id, i.sort_key, i.content_digest, i.document, i.csv
    FROM orders o JOIN line_items_5 i ON i.connection_id = o.connection_id AND i.order_id = o.order_id;
DROP TABLE line_items_5;
DROP TABLE orders_5;

CREATE INDEX line_items_newest ON line_items (connection_id, sort_key, id);
-- By id within each run of 8,192 orders. Ids are digests: in one index of all, each new line would change a part of the file
-- of its own.
CREATE INDEX line_items_by_id ON line_items (item >> 33, id);

-- Lines that come are counted by what stores them, many at once; those that go or move, here. What is put into this view
-- is added to the node of its level that holds the position.
CREATE VIEW line_counts AS
    SELECT connection_id, level, 0 AS sort_key, '' AS id, 0 AS items FROM line_nodes WHERE FALSE;

CREATE TRIGGER line_counts_added INSTEAD OF INSERT ON line_counts BEGIN
    UPDATE line_nodes SET items = items + NEW.items
    WHERE connection_id = NEW.connection_id AND level = NEW.level AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = NEW.connection_id AND n.level = NEW.level
            AND (n.start_key, n.start_id) <= (NEW.sort_key, NEW.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
END;

CREATE TRIGGER line_items_removed AFTER DELETE ON line_items BEGIN
    INSERT INTO line_counts SELECT OLD.connection_id, column1, OLD.sort_key, OLD.id, -1 FROM (VALUES (0), (1), (2));
END;

CREATE TRIGGER line_items_moved AFTER UPDATE OF sort_key ON line_items WHEN NEW.sort_key <> OLD.sort_key BEGIN
    INSERT INTO line_counts SELECT OLD.connection_id, column1, OLD.sort_key, OLD.id, -1 FROM (VALUES (0), (1), (2));
    INSERT INTO line_counts SELECT NEW.connection_id, column1, NEW.sort_key, NEW.id, 1 FROM (VALUES (0), (1), (2));
END;
