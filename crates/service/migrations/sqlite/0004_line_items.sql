-- Line items as they are served, and how many of them stand where: see docs/paging.md. The rows of `order_items` are moved
-- over when the store is opened, which then drops that table.

CREATE TABLE line_items (
    item            INTEGER NOT NULL PRIMARY KEY,
    id              TEXT    NOT NULL UNIQUE, -- made from connection, order and line key
    connection_id   TEXT    NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    order_id        TEXT    NOT NULL,
    sort_key        INTEGER NOT NULL, -- the order's date, negated; the largest number where there is none
    content_digest  BLOB    NOT NULL,
    document        TEXT    NOT NULL, -- the item's JSON
    csv             TEXT    NOT NULL  -- its line, with the line's end
) STRICT;
CREATE INDEX line_items_newest ON line_items (connection_id, sort_key, id);
CREATE INDEX line_items_of_order ON line_items (connection_id, order_id);

-- How many items a connection has from a position (`sort_key`, `id`) up to the next node's of the same level. Every start
-- of a level is a start of the level below as well.
CREATE TABLE line_nodes (
    connection_id   TEXT    NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    level           INTEGER NOT NULL, -- 0 to 2
    start_key       INTEGER NOT NULL,
    start_id        TEXT    NOT NULL,
    items           INTEGER NOT NULL,
    PRIMARY KEY (connection_id, level, start_key, start_id)
) STRICT, WITHOUT ROWID;
-- Those that hold too many, to be split before the transaction ends.
CREATE INDEX line_nodes_full ON line_nodes (level)
    WHERE items > CASE level WHEN 0 THEN 128 WHEN 1 THEN 4096 ELSE 131072 END;

INSERT INTO line_nodes (connection_id, level, start_key, start_id, items)
    SELECT id, column1, -9223372036854775807, '', 0 FROM connections, (VALUES (0), (1), (2));

CREATE TRIGGER connections_have_nodes AFTER INSERT ON connections BEGIN
    INSERT INTO line_nodes (connection_id, level, start_key, start_id, items)
    VALUES (NEW.id, 0, -9223372036854775807, '', 0),
           (NEW.id, 1, -9223372036854775807, '', 0),
           (NEW.id, 2, -9223372036854775807, '', 0);
END;

CREATE TRIGGER line_items_added AFTER INSERT ON line_items BEGIN
    UPDATE line_nodes SET items = items + 1
    WHERE connection_id = NEW.connection_id AND level = 0 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = NEW.connection_id AND n.level = 0
            AND (n.start_key, n.start_id) <= (NEW.sort_key, NEW.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
    UPDATE line_nodes SET items = items + 1
    WHERE connection_id = NEW.connection_id AND level = 1 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = NEW.connection_id AND n.level = 1
            AND (n.start_key, n.start_id) <= (NEW.sort_key, NEW.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
    UPDATE line_nodes SET items = items + 1
    WHERE connection_id = NEW.connection_id AND level = 2 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = NEW.connection_id AND n.level = 2
            AND (n.start_key, n.start_id) <= (NEW.sort_key, NEW.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
END;

CREATE TRIGGER line_items_removed AFTER DELETE ON line_items BEGIN
    UPDATE line_nodes SET items = items - 1
    WHERE connection_id = OLD.connection_id AND level = 0 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = OLD.connection_id AND n.level = 0
            AND (n.start_key, n.start_id) <= (OLD.sort_key, OLD.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
    UPDATE line_nodes SET items = items - 1
    WHERE connection_id = OLD.connection_id AND level = 1 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = OLD.connection_id AND n.level = 1
            AND (n.start_key, n.start_id) <= (OLD.sort_key, OLD.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
    UPDATE line_nodes SET items = items - 1
    WHERE connection_id = OLD.connection_id AND level = 2 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = OLD.connection_id AND n.level = 2
            AND (n.start_key, n.start_id) <= (OLD.sort_key, OLD.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
END;

CREATE TRIGGER line_items_moved AFTER UPDATE OF sort_key ON line_items WHEN NEW.sort_key <> OLD.sort_key BEGIN
    UPDATE line_nodes SET items = items - 1
    WHERE connection_id = OLD.connection_id AND level = 0 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = OLD.connection_id AND n.level = 0
            AND (n.start_key, n.start_id) <= (OLD.sort_key, OLD.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
    UPDATE line_nodes SET items = items - 1
    WHERE connection_id = OLD.connection_id AND level = 1 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = OLD.connection_id AND n.level = 1
            AND (n.start_key, n.start_id) <= (OLD.sort_key, OLD.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
    UPDATE line_nodes SET items = items - 1
    WHERE connection_id = OLD.connection_id AND level = 2 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = OLD.connection_id AND n.level = 2
            AND (n.start_key, n.start_id) <= (OLD.sort_key, OLD.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
    UPDATE line_nodes SET items = items + 1
    WHERE connection_id = NEW.connection_id AND level = 0 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = NEW.connection_id AND n.level = 0
            AND (n.start_key, n.start_id) <= (NEW.sort_key, NEW.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
    UPDATE line_nodes SET items = items + 1
    WHERE connection_id = NEW.connection_id AND level = 1 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = NEW.connection_id AND n.level = 1
            AND (n.start_key, n.start_id) <= (NEW.sort_key, NEW.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
    UPDATE line_nodes SET items = items + 1
    WHERE connection_id = NEW.connection_id AND level = 2 AND (start_key, start_id) = (
        SELECT n.start_key, n.start_id FROM line_nodes n
        WHERE n.connection_id = NEW.connection_id AND n.level = 2
            AND (n.start_key, n.start_id) <= (NEW.sort_key, NEW.id)
        ORDER BY n.start_key DESC, n.start_id DESC LIMIT 1);
END;
