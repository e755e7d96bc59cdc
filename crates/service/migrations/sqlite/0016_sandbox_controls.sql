-- Of a sandbox alone.

-- The one-time passwords that were sent, so that a test can read them.
CREATE TABLE sandbox_passwords (
    id              INTEGER NOT NULL PRIMARY KEY,
    phone_digest    BLOB    NOT NULL,
    password        TEXT    NOT NULL,
    sent_at         INTEGER NOT NULL, -- in the user's time
    expires_at      INTEGER NOT NULL  -- in the user's time
) STRICT;
CREATE INDEX sandbox_passwords_of_phone ON sandbox_passwords (phone_digest, id);

-- What is to happen to a user's next requests.
CREATE TABLE sandbox_failures (
    id              INTEGER NOT NULL PRIMARY KEY,
    user_id         TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    requests_left   INTEGER NOT NULL,
    failure         TEXT    NOT NULL  -- JSON, as it was asked for
) STRICT;
CREATE INDEX sandbox_failures_of_user ON sandbox_failures (user_id, id);
