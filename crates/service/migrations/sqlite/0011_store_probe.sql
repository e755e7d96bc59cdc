-- What a readiness check writes, to learn whether the disk takes writes: one row, always overwritten.
CREATE TABLE store_probe (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    at      INTEGER NOT NULL,
    filler  BLOB    NOT NULL -- as large as what a usual transaction writes
) STRICT;
