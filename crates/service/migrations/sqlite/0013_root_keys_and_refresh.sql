-- Which database this is, for every tool that opens it: "OSYN". Databases without it are recognised by their migrations.
PRAGMA application_id = 1330862414;

-- The root keys that values in this store are sealed or looked up under. The newest row is the key that seals; a service
-- that lacks one of them does not start.
CREATE TABLE root_keys (
    fingerprint TEXT    NOT NULL PRIMARY KEY,
    since       INTEGER NOT NULL
) STRICT;

-- SHA-256 of the successor, so that the store sees whether it was used. NULL: not rotated, or rotated before this column.
ALTER TABLE refresh_tokens ADD COLUMN successor_digest BLOB;
