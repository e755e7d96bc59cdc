-- Constraints that decide between transactions of several nodes.

-- A store belongs to one environment: the first that was claimed.
ALTER TABLE environment RENAME TO environment_17;
CREATE TABLE environment (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    name    TEXT    NOT NULL,
    since   INTEGER NOT NULL
) STRICT;
INSERT INTO environment (id, name, since) SELECT 1, name, since FROM environment_17 ORDER BY since LIMIT 1;
DROP TABLE environment_17;

-- The row that is locked while sends of one-time passwords to a place are counted.
CREATE TABLE otp_places (
    sent_to BLOB    NOT NULL PRIMARY KEY, -- as in otp_sends
    at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX otp_places_by_age ON otp_places (at);
