-- Which nodes may go on with the store after a newer one has changed it: those that know at least this migration. A migration that
-- an older node can work beside leaves it as it is; any other one raises it. See docs/decisions.md, Migrations.
CREATE TABLE store_compatibility (
    id              INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    oldest_version  INTEGER NOT NULL
) STRICT;
-- Nodes from before do not look here: they refuse any newer store.
INSERT INTO store_compatibility (id, oldest_version) VALUES (1, 26);

-- The static files of the pages of every version that was started lately, by the names that they are served as: a page of one version
-- may ask a node of another one for its files.
CREATE TABLE page_files (
    name     TEXT    NOT NULL PRIMARY KEY,
    content  TEXT    NOT NULL,
    used_at  INTEGER NOT NULL -- when a node with it started last
) STRICT;
