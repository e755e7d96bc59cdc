-- Sign-in, clients and their permissions, what users share with whom.

-- A profile; what is not known is NULL.
ALTER TABLE users ADD COLUMN name TEXT;
ALTER TABLE users ADD COLUMN email TEXT;

-- Permissions of a client, set at onboarding.
ALTER TABLE clients ADD COLUMN secret_digest BLOB;               -- SHA-256; NULL: a public client
ALTER TABLE clients ADD COLUMN scopes TEXT NOT NULL DEFAULT '';  -- separated by spaces
ALTER TABLE clients ADD COLUMN redirect_uris TEXT NOT NULL DEFAULT '[]';   -- JSON
ALTER TABLE clients ADD COLUMN frame_ancestors TEXT NOT NULL DEFAULT '[]'; -- JSON: origins that may frame the widget
ALTER TABLE clients ADD COLUMN disabled_at INTEGER;
-- The clients that are there already are those of sandboxes.
UPDATE clients SET scopes = 'accounts:read accounts:connect accounts:sync orders:read profile:read users:share';

-- A user's permission to a client, from sign-in to revocation: the family of all tokens that come from it.
CREATE TABLE grants (
    id          TEXT    NOT NULL PRIMARY KEY,
    user_id     TEXT    REFERENCES users (id) ON DELETE CASCADE, -- NULL: the client's own (client credentials)
    client_id   TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scopes      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    revoked_at  INTEGER
) STRICT;
CREATE INDEX grants_of_user ON grants (user_id, client_id);

-- Every token belongs to a grant now, and ends with it. Those of before lived an hour.
DROP TABLE access_tokens;
CREATE TABLE access_tokens (
    digest      BLOB    NOT NULL PRIMARY KEY, -- SHA-256 of the token
    grant_id    TEXT    NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL, -- client, widget, sandbox
    scopes      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL  -- in the user's time; of a sandbox's own token and of a client's own, in the machine's
) STRICT;
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);
CREATE INDEX access_tokens_of_grant ON access_tokens (grant_id);

CREATE TABLE refresh_tokens (
    digest          BLOB    NOT NULL PRIMARY KEY, -- SHA-256 of the token
    grant_id        TEXT    NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    rotated_at      INTEGER,
    successor       BLOB    -- sealed: the one next token, given again within a short grace
) STRICT;
CREATE INDEX refresh_tokens_of_grant ON refresh_tokens (grant_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

CREATE TABLE authorization_codes (
    digest          BLOB    NOT NULL PRIMARY KEY,
    client_id       TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id         TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    scopes          TEXT    NOT NULL,
    redirect_uri    TEXT    NOT NULL,
    code_challenge  TEXT    NOT NULL, -- S256
    expires_at      INTEGER NOT NULL,
    used_at         INTEGER,
    grant_id        TEXT    REFERENCES grants (id) ON DELETE CASCADE -- what it was exchanged for: ended if it comes again
) STRICT;

CREATE TABLE device_codes (
    digest          BLOB    NOT NULL PRIMARY KEY,
    user_code       BLOB    NOT NULL UNIQUE, -- HMAC under the service's key: a code is looked up, never read back
    client_id       TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scopes          TEXT    NOT NULL,
    expires_at      INTEGER NOT NULL,
    poll_interval   INTEGER NOT NULL, -- seconds
    polled_at       INTEGER,
    decision        TEXT,             -- approved, denied; NULL: not yet
    user_id         TEXT    REFERENCES users (id) ON DELETE CASCADE,
    used_at         INTEGER
) STRICT;

-- One-time passwords by phone number. Sends and tries are counted here, so that any node sees them.
CREATE TABLE one_time_passwords (
    phone_digest    BLOB    NOT NULL PRIMARY KEY,
    code_mac        BLOB    NOT NULL, -- HMAC under the service's key, bound to the number
    expires_at      INTEGER NOT NULL,
    tries_left      INTEGER NOT NULL
) STRICT;
CREATE TABLE otp_sends (
    sent_to         BLOB    NOT NULL, -- digest of the number, or of the address that asked
    at              INTEGER NOT NULL
) STRICT;
CREATE INDEX otp_sends_by_place ON otp_sends (sent_to, at);

-- A browser that is signed in.
CREATE TABLE browser_sessions (
    digest          BLOB    NOT NULL PRIMARY KEY, -- SHA-256 of the cookie
    user_id         TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL
) STRICT;

-- What opens the widget for one user of a client.
CREATE TABLE link_tokens (
    digest              BLOB    NOT NULL PRIMARY KEY,
    client_id           TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    external_user_id    TEXT    NOT NULL,
    created_at          INTEGER NOT NULL,
    expires_at          INTEGER NOT NULL,
    idempotency_key     TEXT,
    sealed              BLOB    -- with a key: the token, to be given again
) STRICT;
CREATE UNIQUE INDEX link_tokens_by_key ON link_tokens (client_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- A client's own identifier of a user, bound to one user for good.
CREATE TABLE user_bindings (
    client_id           TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    external_user_id    TEXT    NOT NULL,
    user_id             TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    bound_at            INTEGER NOT NULL,
    PRIMARY KEY (client_id, external_user_id)
) STRICT, WITHOUT ROWID;
