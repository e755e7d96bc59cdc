-- Times are microseconds since 1970-01-01T00:00:00Z. Money and quantities are decimals as text. Flags are 0 or 1.

CREATE TABLE users (
    id                TEXT    NOT NULL PRIMARY KEY,
    phone_digest      BLOB    NOT NULL UNIQUE, -- HMAC under the service's key: a number is looked up, never read back
    phone_last4       TEXT    NOT NULL,
    created_at        INTEGER NOT NULL,
    -- A sandbox moves or stops one user's time: see `Store::now_for`.
    clock_offset      INTEGER NOT NULL DEFAULT 0,
    clock_frozen_at   INTEGER
) STRICT;

CREATE TABLE clients (
    id          TEXT    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE access_tokens (
    digest      BLOB    NOT NULL PRIMARY KEY, -- SHA-256 of the token
    user_id     TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id   TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scopes      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);

CREATE TABLE connections (
    id              TEXT    NOT NULL PRIMARY KEY,
    user_id         TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    retailer_id     INTEGER NOT NULL,
    display_name    TEXT    NOT NULL,
    status          TEXT    NOT NULL,
    status_reason   TEXT,
    credentials     BLOB    NOT NULL, -- sealed
    session         BLOB,             -- sealed: what the connector remembers from sync to sync
    created_at      INTEGER NOT NULL,
    last_sync_at    INTEGER,
    last_batch_id   TEXT,
    UNIQUE (user_id, retailer_id)
) STRICT;

CREATE TABLE connection_shares (
    connection_id   TEXT    NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    client_id       TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    shared_at       INTEGER NOT NULL,
    PRIMARY KEY (connection_id, client_id)
) STRICT, WITHOUT ROWID;

-- A sync session (batch).
CREATE TABLE sessions (
    id              TEXT    NOT NULL PRIMARY KEY,
    user_id         TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id       TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    completed_at    INTEGER,
    last_seq        INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_latest ON sessions (user_id, created_at DESC, id DESC);

-- One connection's part in a session: the unit of work that a node claims.
CREATE TABLE retailer_sessions (
    id              TEXT    NOT NULL PRIMARY KEY,
    batch_id        TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    user_id         TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    connection_id   TEXT    NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL, -- among the session's parts
    sync_status     TEXT    NOT NULL,
    resume_status   TEXT,             -- where a part in `userintervention` goes back to
    active          INTEGER NOT NULL, -- 0 once the status is final
    items_found     INTEGER NOT NULL DEFAULT 0,
    items_new       INTEGER NOT NULL DEFAULT 0,
    error_code      TEXT,
    error_message   TEXT,
    started_at      INTEGER,
    updated_at      INTEGER NOT NULL,
    due_at          INTEGER,          -- in the user's time; NULL: nothing to do until somebody answers
    deadline_at     INTEGER,          -- in the user's time
    attempt         INTEGER NOT NULL DEFAULT 0, -- repetitions of the present step
    state           BLOB,             -- sealed: the connector's
    answer          BLOB,             -- sealed: what the user answered to MFA
    codes_left      INTEGER NOT NULL DEFAULT 3,
    lease_owner     TEXT,
    lease_until     INTEGER,          -- in the machine's time
    epoch           INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX one_active_sync_per_connection ON retailer_sessions (connection_id) WHERE active = 1;
CREATE INDEX retailer_sessions_of_batch ON retailer_sessions (batch_id, position);
CREATE INDEX retailer_sessions_due ON retailer_sessions (due_at) WHERE active = 1;

CREATE TABLE events (
    batch_id        TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq             INTEGER NOT NULL,
    at              INTEGER NOT NULL,
    type            TEXT    NOT NULL,
    connection_id   TEXT    NOT NULL,
    retailer_id     INTEGER NOT NULL,
    sync_status     TEXT,
    message         TEXT,
    req_id          TEXT,
    mfa             TEXT,             -- JSON, as it is served
    PRIMARY KEY (batch_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE mfa_requests (
    id                  TEXT    NOT NULL PRIMARY KEY,
    retailer_session_id TEXT    NOT NULL REFERENCES retailer_sessions (id) ON DELETE CASCADE,
    kind                TEXT    NOT NULL,
    options             TEXT    NOT NULL, -- JSON: the ids that may be chosen
    expires_at          INTEGER NOT NULL, -- in the user's time
    answered_at         INTEGER
) STRICT;
CREATE INDEX mfa_requests_of_retailer_session ON mfa_requests (retailer_session_id);

-- Which orders are stored, and how they looked when they were read.
CREATE TABLE orders (
    connection_id   TEXT    NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    order_id        TEXT    NOT NULL,
    fingerprint     TEXT,
    item_count      INTEGER NOT NULL,
    last_batch_id   TEXT    NOT NULL, -- the session that saw it last, so that a repeated page counts it once
    PRIMARY KEY (connection_id, order_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE order_items (
    id              TEXT    NOT NULL PRIMARY KEY, -- made from connection, order and line key
    user_id         TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    connection_id   TEXT    NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    retailer_id     INTEGER NOT NULL,
    retailer_name   TEXT    NOT NULL,
    order_id        TEXT    NOT NULL,
    order_date      INTEGER,
    item_name       TEXT,
    brand_name      TEXT,
    department      TEXT,
    category        TEXT,
    sub_category    TEXT,
    retailer_sku    TEXT,
    quantity        TEXT,
    price           TEXT,
    currency        TEXT,
    shipment_status TEXT,
    shipment_text   TEXT,
    order_total     TEXT,
    content_digest  BLOB    NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX order_items_newest ON order_items (user_id, order_date DESC, id);
CREATE INDEX order_items_of_order ON order_items (connection_id, order_id);

-- A TOTP stamp is good for one accepted connect or fix.
CREATE TABLE used_stamps (
    user_id         TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id       TEXT    NOT NULL,
    stamp           TEXT    NOT NULL,
    expires_at      INTEGER NOT NULL,
    PRIMARY KEY (user_id, client_id, stamp)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
    client_id       TEXT    NOT NULL,
    user_id         TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key             TEXT    NOT NULL,
    request_digest  BLOB    NOT NULL,
    status          INTEGER NOT NULL,
    body            BLOB    NOT NULL,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (client_id, user_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
