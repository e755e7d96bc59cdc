-- What this store serves: `sandbox` or `live`. Never both: what a sandbox hands out must open nothing else.
CREATE TABLE environment (
    name    TEXT    NOT NULL PRIMARY KEY,
    since   INTEGER NOT NULL
) STRICT;
