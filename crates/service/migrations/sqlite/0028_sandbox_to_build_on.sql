-- Of sessions that were made at the same time, the one with the higher number was made later: a sandbox can stop a user's clock.
ALTER TABLE sessions ADD COLUMN number INTEGER NOT NULL DEFAULT 0;

-- Of a sandbox alone.

-- Whether a sync's wait stands still while its user's clock does.
ALTER TABLE retailer_sessions ADD COLUMN by_clock INTEGER NOT NULL DEFAULT 0;

-- The day, in days since 1970-01-01, on which the simulated history of this connection ends: that on which it was made. NULL:
-- it was made by a version whose histories ended on a fixed day, and stays so.
ALTER TABLE connections ADD COLUMN history_end INTEGER;

-- What is to happen to a client's next requests, whoever they are for.
CREATE TABLE sandbox_client_failures (
    id              INTEGER NOT NULL PRIMARY KEY,
    client_id       TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    requests_left   INTEGER NOT NULL,
    failure         TEXT    NOT NULL  -- JSON, as it was asked for
) STRICT;
CREATE INDEX sandbox_client_failures_of_client ON sandbox_client_failures (client_id, id);

-- Accounts at simulated retailers with orders of their own, from a seed file.
CREATE TABLE sandbox_accounts (
    retailer_id     INTEGER NOT NULL,
    username        TEXT    NOT NULL, -- in lower case
    orders          TEXT    NOT NULL, -- JSON
    PRIMARY KEY (retailer_id, username)
) STRICT;

-- The seed file that was applied, if one was.
CREATE TABLE sandbox_seed (
    id              INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    digest          BLOB    NOT NULL, -- SHA-256 of what it says
    applied_at      INTEGER NOT NULL
) STRICT;
