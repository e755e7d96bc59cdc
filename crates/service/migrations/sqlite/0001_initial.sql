-- Times are microseconds since 1970-01-01T00:00:00Z. Money and quantities are decimals as text. Flags are 0 or 1.

-- Which database this is, for every tool that opens it: "OSYN".
PRAGMA application_id = 1330862414;

CREATE TABLE users (
    id               TEXT    NOT NULL PRIMARY KEY,
    phone_digest     BLOB    NOT NULL UNIQUE, -- HMAC under the service's key: a number is looked up, never read back
    phone_last4      TEXT    NOT NULL,
    created_at       INTEGER NOT NULL,
    -- A sandbox moves or stops one user's time: see `Store::now_for`.
    clock_offset     INTEGER NOT NULL DEFAULT 0,
    clock_frozen_at  INTEGER,
    name             TEXT,
    email            TEXT,
    connections_made INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE clients (
    id                  TEXT    NOT NULL PRIMARY KEY,
    name                TEXT    NOT NULL,
    created_at          INTEGER NOT NULL,
    secret_digest       BLOB, -- SHA-256; NULL: a public client
    scopes              TEXT    NOT NULL DEFAULT '', -- separated by spaces
    redirect_uris       TEXT    NOT NULL DEFAULT '[]', -- JSON
    frame_ancestors     TEXT    NOT NULL DEFAULT '[]', -- JSON: origins that may frame the widget
    disabled_at         INTEGER,
    -- How many requests a client may make in a minute. NULL: as many as the service lets every client make.
    requests_per_minute INTEGER,
    -- Addresses that a link token may name as its way back.
    return_urls         TEXT    NOT NULL DEFAULT '[]'
) STRICT;

CREATE TABLE connections (
    id               TEXT    NOT NULL PRIMARY KEY,
    user_id          TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    retailer_id      INTEGER NOT NULL,
    display_name     TEXT    NOT NULL,
    status           TEXT    NOT NULL,
    status_reason    TEXT,
    credentials      BLOB    NOT NULL, -- sealed
    session          BLOB, -- sealed: what the connector remembers from sync to sync
    created_at       INTEGER NOT NULL,
    last_sync_at     INTEGER,
    last_batch_id    TEXT,
    -- How often its line items were written: what a client reads page by page is one list as long as this stays.
    list_version     INTEGER NOT NULL DEFAULT 0,
    -- In the user's time: until then the retailer asked for no requests.
    not_before       INTEGER,
    number           INTEGER NOT NULL DEFAULT 0, -- among the user's connections, from 1
    orders_made      INTEGER NOT NULL DEFAULT 0, -- the number of the last order
    -- The day, in days since 1970-01-01, on which the simulated history of this connection ends: that on which it was made. NULL:
    -- its retailer is not simulated.
    history_end      INTEGER,
    -- Whether what is stored of a connection is complete. Of the last sync that ended, if it did not complete: when it ended, why
    -- (NULL: not known), and its session, which may be gone.
    failed_at        INTEGER,
    failure_code     TEXT,
    failed_batch_id  TEXT,
    -- Since when it is not complete: when something failed for the first time since a complete sync.
    incomplete_since INTEGER,
    -- 1: the last sync that completed read a list of orders whose end nothing proves.
    end_not_proven   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (user_id, retailer_id)
) STRICT;

-- A sync session (batch).
CREATE TABLE sessions (
    id           TEXT    NOT NULL PRIMARY KEY,
    user_id      TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id    TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    completed_at INTEGER,
    last_seq     INTEGER NOT NULL DEFAULT 0,
    -- Of sessions that were made at the same time, the one with the higher number was made later: a sandbox can stop a user's clock.
    number       INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One connection's part in a session: the unit of work that a node claims.
CREATE TABLE retailer_sessions (
    id                    TEXT    NOT NULL PRIMARY KEY,
    batch_id              TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    user_id               TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    connection_id         TEXT    NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    position              INTEGER NOT NULL, -- among the session's parts
    sync_status           TEXT    NOT NULL,
    resume_status         TEXT, -- where a part in `userintervention` goes back to
    active                INTEGER NOT NULL, -- 0 once the status is final
    items_found           INTEGER NOT NULL DEFAULT 0,
    items_new             INTEGER NOT NULL DEFAULT 0,
    error_code            TEXT,
    error_message         TEXT,
    started_at            INTEGER,
    updated_at            INTEGER NOT NULL,
    due_at                INTEGER, -- in the user's time; NULL: nothing to do until somebody answers
    deadline_at           INTEGER, -- in the user's time
    attempt               INTEGER NOT NULL DEFAULT 0, -- repetitions of the present step
    state                 BLOB, -- sealed: the connector's
    answer                BLOB, -- sealed: what the user answered to MFA
    codes_left            INTEGER NOT NULL DEFAULT 3,
    lease_owner           TEXT,
    lease_until           INTEGER, -- in the machine's time
    epoch                 INTEGER NOT NULL DEFAULT 0,
    -- What a sync has proven; and whether it reads settled orders again.
    items_marked          INTEGER NOT NULL DEFAULT 0,
    orders_kept_back      INTEGER NOT NULL DEFAULT 0,
    full                  INTEGER NOT NULL DEFAULT 0,
    -- The connection's, so that due parts can be found by retailer.
    retailer_id           INTEGER NOT NULL DEFAULT 0,
    -- How many leases ran out in a row without a commit; how often the present step panicked.
    claims_without_commit INTEGER NOT NULL DEFAULT 0,
    panics                INTEGER NOT NULL DEFAULT 0,
    -- Microseconds. By how much a sandbox moved the user's clock past what this part has done: waits are taken from it.
    behind                INTEGER NOT NULL DEFAULT 0,
    -- Microseconds: steps and the waits that they asked for.
    worked                INTEGER NOT NULL DEFAULT 0,
    -- Sealed: credentials of another user name and what the connector remembers of them, until the account is verified.
    staged_credentials    BLOB,
    staged_session        BLOB,
    -- What changed at the retailer since the sync before: orders that it no longer lists, and lines that have another name.
    orders_missing        INTEGER NOT NULL DEFAULT 0,
    items_renamed         INTEGER NOT NULL DEFAULT 0,
    -- Whether a sync's wait stands still while its user's clock does.
    by_clock              INTEGER NOT NULL DEFAULT 0,
    -- Orders of a sync that have no line, such as cancelled ones: no list of lines shows them.
    orders_without_items  INTEGER NOT NULL DEFAULT 0,
    -- How many blocks come before `state`.
    state_blocks          INTEGER NOT NULL DEFAULT 0,
    -- How many forms with a password or a code a sync has sent: a crash must not make it send one too many.
    sent_forms            INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A TOTP stamp is good for one accepted connect or fix.
CREATE TABLE used_stamps (
    user_id    TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id  TEXT    NOT NULL,
    stamp      TEXT    NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, client_id, stamp)
) STRICT, WITHOUT ROWID;

-- A user's permission to a client, from sign-in to revocation: the family of all tokens that come from it.
CREATE TABLE grants (
    id         TEXT    NOT NULL PRIMARY KEY,
    user_id    TEXT    REFERENCES users (id) ON DELETE CASCADE, -- NULL: the client's own (client credentials)
    client_id  TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scopes     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

CREATE TABLE access_tokens (
    digest     BLOB    NOT NULL PRIMARY KEY, -- SHA-256 of the token
    grant_id   TEXT    NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL, -- client, widget, sandbox
    scopes     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL -- in the user's time; of a sandbox's own token and of a client's own, in the machine's
) STRICT;

CREATE TABLE refresh_tokens (
    digest           BLOB    NOT NULL PRIMARY KEY, -- SHA-256 of the token
    grant_id         TEXT    NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    created_at       INTEGER NOT NULL,
    expires_at       INTEGER NOT NULL,
    rotated_at       INTEGER,
    successor        BLOB, -- sealed: the one next token, given again within a short grace
    -- SHA-256 of the successor, so that the store sees whether it was used. NULL: not rotated.
    successor_digest BLOB
) STRICT;

CREATE TABLE authorization_codes (
    digest         BLOB    NOT NULL PRIMARY KEY,
    client_id      TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id        TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    scopes         TEXT    NOT NULL,
    redirect_uri   TEXT    NOT NULL,
    code_challenge TEXT    NOT NULL, -- S256
    expires_at     INTEGER NOT NULL,
    used_at        INTEGER,
    grant_id       TEXT    REFERENCES grants (id) ON DELETE CASCADE -- what it was exchanged for: ended if it comes again
) STRICT;

CREATE TABLE device_codes (
    digest        BLOB    NOT NULL PRIMARY KEY,
    user_code     BLOB    NOT NULL UNIQUE, -- HMAC under the service's key: a code is looked up, never read back
    client_id     TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scopes        TEXT    NOT NULL,
    expires_at    INTEGER NOT NULL,
    poll_interval INTEGER NOT NULL, -- seconds
    polled_at     INTEGER,
    decision      TEXT, -- approved, denied; NULL: not yet
    user_id       TEXT    REFERENCES users (id) ON DELETE CASCADE,
    used_at       INTEGER
) STRICT;

CREATE TABLE otp_sends (
    sent_to BLOB    NOT NULL, -- digest of the number, or of the address that asked
    at      INTEGER NOT NULL
) STRICT;

-- A browser that is signed in.
CREATE TABLE browser_sessions (
    digest     BLOB    NOT NULL PRIMARY KEY, -- SHA-256 of the cookie
    user_id    TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- The clients that the user allowed access, or bound an identifier of, in this session.
    clients    TEXT    NOT NULL DEFAULT '[]'
) STRICT;

-- What opens the widget for one user of a client.
CREATE TABLE link_tokens (
    digest           BLOB    NOT NULL PRIMARY KEY,
    client_id        TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    external_user_id TEXT    NOT NULL,
    created_at       INTEGER NOT NULL,
    expires_at       INTEGER NOT NULL,
    idempotency_key  TEXT,
    sealed           BLOB, -- with a key: the token, to be given again
    -- One of the client's `return_urls`.
    return_url       TEXT
) STRICT;

-- A client's own identifier of a user, bound to one user for good.
CREATE TABLE user_bindings (
    client_id        TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    external_user_id TEXT    NOT NULL,
    user_id          TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    bound_at         INTEGER NOT NULL,
    PRIMARY KEY (client_id, external_user_id)
) STRICT, WITHOUT ROWID;

-- What a readiness check writes, to learn whether the disk takes writes: one row, always overwritten.
CREATE TABLE store_probe (
    id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    at     INTEGER NOT NULL,
    filler BLOB    NOT NULL -- as large as what a usual transaction writes
) STRICT;

-- The root keys that values in this store are sealed or looked up under. The newest row is the key that seals; a service
-- that lacks one of them does not start.
CREATE TABLE root_keys (
    fingerprint TEXT    NOT NULL PRIMARY KEY,
    since       INTEGER NOT NULL
) STRICT;

-- One-time passwords by phone number. Sends and tries are counted here, so that any node sees them.
CREATE TABLE one_time_passwords (
    phone_digest BLOB    NOT NULL,
    browser      BLOB    NOT NULL, -- HMAC of what only that browser has
    code_mac     BLOB    NOT NULL, -- HMAC under the service's key, bound to the number
    is_short     INTEGER NOT NULL, -- six digits, not ten
    expires_at   INTEGER NOT NULL,
    tries_left   INTEGER NOT NULL,
    PRIMARY KEY (phone_digest, browser)
) STRICT, WITHOUT ROWID;

-- Where the owner of a phone has signed in: networks and browsers, as HMACs. Strangers cannot use up their limits.
CREATE TABLE known_places (
    phone_digest BLOB    NOT NULL,
    place        BLOB    NOT NULL,
    used_at      INTEGER NOT NULL,
    PRIMARY KEY (phone_digest, place)
) STRICT, WITHOUT ROWID;

-- How many short passwords were sent to a phone and not used: one less for each that is used, and for every three days.
-- Above a limit they get longer, so that guessing at many of them is hopeless.
CREATE TABLE unused_passwords (
    phone_digest BLOB    NOT NULL PRIMARY KEY,
    level        INTEGER NOT NULL,
    at           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The one-time passwords that were sent, so that a test can read them.
CREATE TABLE sandbox_passwords (
    id           INTEGER NOT NULL PRIMARY KEY,
    phone_digest BLOB    NOT NULL,
    password     TEXT    NOT NULL,
    sent_at      INTEGER NOT NULL, -- in the user's time
    expires_at   INTEGER NOT NULL -- in the user's time
) STRICT;

-- What is to happen to a user's next requests.
CREATE TABLE sandbox_failures (
    id            INTEGER NOT NULL PRIMARY KEY,
    user_id       TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    requests_left INTEGER NOT NULL,
    failure       TEXT    NOT NULL -- JSON, as it was asked for
) STRICT;

-- What this store serves: `sandbox` or `live`. Never both: what a sandbox hands out must open nothing else.
CREATE TABLE environment (
    id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    name  TEXT    NOT NULL,
    since INTEGER NOT NULL
) STRICT;

-- The row that is locked while sends of one-time passwords to a place are counted.
CREATE TABLE otp_places (
    sent_to BLOB    NOT NULL PRIMARY KEY, -- as in otp_sends
    at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which orders are stored, and how they looked when they were read.
CREATE TABLE orders (
    user_id        TEXT    NOT NULL,
    connection     INTEGER NOT NULL, -- its number
    number         INTEGER NOT NULL, -- in the order in which the connection's orders were stored first
    order_id       TEXT    NOT NULL,
    fingerprint    TEXT,
    item_count     INTEGER NOT NULL,
    last_batch_id  TEXT    NOT NULL, -- the session that saw it last, so that a repeated page counts it once
    first_batch_id TEXT, -- the session that stored it first
    read_at        INTEGER, -- when its page was last read
    missing_since  INTEGER, -- since when the retailer no longer lists it
    marked         INTEGER NOT NULL DEFAULT 0, -- 1: its figures do not agree
    adjustments    TEXT,
    PRIMARY KEY (user_id, connection, number),
    UNIQUE (user_id, connection, order_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE line_items (
    user_id        TEXT    NOT NULL,
    connection     INTEGER NOT NULL, -- its number
    item           INTEGER NOT NULL, -- the order's number times 2^20, and which of its lines
    id             TEXT    NOT NULL, -- made from connection, order and line key
    sort_key       INTEGER NOT NULL, -- the order's date, negated; the largest number where there is none
    content_digest BLOB    NOT NULL,
    line_key       TEXT, -- what the retailer's page made the line's id when it was read last; NULL: the id itself
    document       TEXT    NOT NULL, -- the item's JSON
    csv            TEXT    NOT NULL, -- its line, with the line's end
    adjustments    TEXT
) STRICT;

-- How many items a connection has from a position (`sort_key`, `id`) up to the next node's of the same level. Every start
-- of a level is a start of the level below as well.
CREATE TABLE line_nodes (
    user_id    TEXT    NOT NULL,
    connection INTEGER NOT NULL, -- its number
    level      INTEGER NOT NULL, -- 0 to 2
    start_key  INTEGER NOT NULL,
    start_id   TEXT    NOT NULL,
    items      INTEGER NOT NULL,
    PRIMARY KEY (user_id, connection, level, start_key, start_id)
) STRICT, WITHOUT ROWID;

-- Numbers that orders had before the retailer renumbered them.
CREATE TABLE former_order_ids (
    user_id    TEXT    NOT NULL,
    connection INTEGER NOT NULL, -- its number
    order_id   TEXT    NOT NULL,
    PRIMARY KEY (user_id, connection, order_id)
) STRICT, WITHOUT ROWID;

-- Connections that were removed, whose orders and line items are still to be deleted.
CREATE TABLE removed_connections (
    user_id    TEXT    NOT NULL,
    connection INTEGER NOT NULL, -- its number
    PRIMARY KEY (user_id, connection)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
    user_id        TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id      TEXT    NOT NULL,
    key            TEXT    NOT NULL,
    request_digest BLOB    NOT NULL,
    status         INTEGER NOT NULL,
    body           BLOB    NOT NULL,
    created_at     INTEGER NOT NULL,
    PRIMARY KEY (user_id, client_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE connection_shares (
    user_id       TEXT    NOT NULL,
    connection_id TEXT    NOT NULL,
    client_id     TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    shared_at     INTEGER NOT NULL,
    PRIMARY KEY (user_id, connection_id, client_id),
    FOREIGN KEY (user_id, connection_id) REFERENCES connections (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    user_id       TEXT    NOT NULL,
    batch_id      TEXT    NOT NULL,
    seq           INTEGER NOT NULL,
    at            INTEGER NOT NULL,
    type          TEXT    NOT NULL,
    connection_id TEXT    NOT NULL,
    retailer_id   INTEGER NOT NULL,
    sync_status   TEXT,
    message       TEXT,
    req_id        TEXT,
    mfa           TEXT, -- JSON, as it is served
    PRIMARY KEY (user_id, batch_id, seq),
    FOREIGN KEY (user_id, batch_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE mfa_requests (
    user_id             TEXT    NOT NULL,
    id                  TEXT    NOT NULL,
    retailer_session_id TEXT    NOT NULL,
    kind                TEXT    NOT NULL,
    options             TEXT    NOT NULL, -- JSON: the ids that may be chosen
    expires_at          INTEGER NOT NULL, -- in the user's time
    answered_at         INTEGER,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, retailer_session_id) REFERENCES retailer_sessions (user_id, id) ON DELETE CASCADE
) STRICT;

-- Retailers whose syncs wait until the operator of the service lets them go on.
CREATE TABLE paused_retailers (
    retailer_id INTEGER NOT NULL PRIMARY KEY,
    since       INTEGER NOT NULL,
    reason      TEXT    NOT NULL -- the operator's own words, may be empty
) STRICT;

-- What operators changed, who signed in, and what was deleted. Ids only: no phone number, name, address or secret.
CREATE TABLE audit_log (
    id         TEXT    NOT NULL PRIMARY KEY,
    at         INTEGER NOT NULL, -- in the machine's time
    actor_kind TEXT    NOT NULL, -- operator, user, client
    actor      TEXT, -- the operator's account on the machine, or the client's id
    action     TEXT    NOT NULL,
    outcome    TEXT    NOT NULL, -- begun, done, refused, locked
    -- The user whom it is about. Not named `user_id`, and no reference: the row outlives its user, as the proof of the deletion.
    subject    TEXT,
    target     TEXT -- the id of the client, session, connection, retailer or key
) STRICT;

-- By what users are looked up whose phone numbers were stored under a root key that is no longer the first, so that the root key
-- itself can be retired. Sealed under the root key that sealed everything last.
CREATE TABLE phone_keys (
    fingerprint TEXT    NOT NULL PRIMARY KEY, -- of the root key that it was derived from
    sealed      BLOB    NOT NULL
) STRICT;

-- Which nodes may go on with the store after a newer one has changed it: those that know at least this migration. A migration that
-- an older node can work beside leaves it as it is; any other one raises it. See docs/dev/decisions.md, Migrations.
CREATE TABLE store_compatibility (
    id             INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    oldest_version INTEGER NOT NULL
) STRICT;

-- The static files of the pages of every version that was started lately, by the names that they are served as: a page of one version
-- may ask a node of another one for its files.
CREATE TABLE page_files (
    name    TEXT    NOT NULL PRIMARY KEY,
    content TEXT    NOT NULL,
    used_at INTEGER NOT NULL -- when a node with it started last
) STRICT;

-- What is to happen to a client's next requests, whoever they are for.
CREATE TABLE sandbox_client_failures (
    id            INTEGER NOT NULL PRIMARY KEY,
    client_id     TEXT    NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    requests_left INTEGER NOT NULL,
    failure       TEXT    NOT NULL -- JSON, as it was asked for
) STRICT;

-- Accounts at simulated retailers with orders of their own, from a seed file.
CREATE TABLE sandbox_accounts (
    retailer_id INTEGER NOT NULL,
    username    TEXT    NOT NULL, -- in lower case
    orders      TEXT    NOT NULL, -- JSON
    PRIMARY KEY (retailer_id, username)
) STRICT;

-- The seed file that was applied, if one was.
CREATE TABLE sandbox_seed (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    digest     BLOB    NOT NULL, -- SHA-256 of what it says
    applied_at INTEGER NOT NULL
) STRICT;

-- Orders of a connection that failed a check and have not passed it since.
CREATE TABLE kept_back_orders (
    user_id       TEXT    NOT NULL,
    connection_id TEXT    NOT NULL,
    order_id      TEXT    NOT NULL,
    batch_id      TEXT    NOT NULL, -- the last session that kept it back
    reason        TEXT, -- which check failed, and how; NULL: not known
    PRIMARY KEY (user_id, connection_id, order_id),
    FOREIGN KEY (user_id, connection_id) REFERENCES connections (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The state of a sync that is large, in blocks, so that a step writes those that changed. What follows the last block is in the part's
-- row. They go when the part ends.
CREATE TABLE state_blocks (
    user_id             TEXT    NOT NULL,
    retailer_session_id TEXT    NOT NULL,
    block               INTEGER NOT NULL, -- from 0
    content             BLOB    NOT NULL, -- sealed
    PRIMARY KEY (user_id, retailer_session_id, block),
    FOREIGN KEY (user_id, retailer_session_id) REFERENCES retailer_sessions (user_id, id) ON DELETE CASCADE
) STRICT;

INSERT INTO store_compatibility (id, oldest_version) VALUES (1, 1);

CREATE INDEX sessions_latest ON sessions (user_id, created_at DESC, id DESC);
CREATE INDEX retailer_sessions_of_batch ON retailer_sessions (batch_id, position);
CREATE INDEX retailer_sessions_due ON retailer_sessions (due_at) WHERE active = 1;
CREATE INDEX grants_of_user ON grants (user_id, client_id);
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);
CREATE INDEX access_tokens_of_grant ON access_tokens (grant_id);
CREATE INDEX refresh_tokens_of_grant ON refresh_tokens (grant_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);
CREATE INDEX otp_sends_by_place ON otp_sends (sent_to, at);
CREATE UNIQUE INDEX link_tokens_by_key ON link_tokens (client_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX retailer_sessions_by_retailer ON retailer_sessions (retailer_id, due_at) WHERE active = 1;
CREATE INDEX retailer_sessions_by_deadline ON retailer_sessions (deadline_at) WHERE active = 1;
CREATE INDEX retailer_sessions_by_lease ON retailer_sessions (lease_until) WHERE active = 1;
CREATE INDEX users_with_moved_clock ON users (clock_offset) WHERE clock_offset <> 0 OR clock_frozen_at IS NOT NULL;
CREATE INDEX used_stamps_by_expiry ON used_stamps (expires_at);
CREATE INDEX link_tokens_by_expiry ON link_tokens (expires_at);
CREATE INDEX authorization_codes_by_expiry ON authorization_codes (expires_at);
CREATE INDEX device_codes_by_expiry ON device_codes (expires_at);
CREATE INDEX browser_sessions_by_expiry ON browser_sessions (expires_at);
CREATE INDEX refresh_tokens_by_rotation ON refresh_tokens (rotated_at) WHERE successor IS NOT NULL;
CREATE INDEX grants_by_age ON grants (created_at);
CREATE INDEX sessions_by_age ON sessions (updated_at, id);
CREATE INDEX connections_by_latest_session ON connections (last_batch_id);
CREATE INDEX otp_sends_by_age ON otp_sends (at);
CREATE INDEX one_time_passwords_by_expiry ON one_time_passwords (expires_at);
CREATE INDEX known_places_by_age ON known_places (used_at);
CREATE INDEX unused_passwords_by_age ON unused_passwords (at);
CREATE INDEX retailer_sessions_of_connection ON retailer_sessions (connection_id);
CREATE INDEX sandbox_passwords_of_phone ON sandbox_passwords (phone_digest, id);
CREATE INDEX sandbox_failures_of_user ON sandbox_failures (user_id, id);
CREATE INDEX otp_places_by_age ON otp_places (at);
CREATE UNIQUE INDEX connections_by_number ON connections (user_id, number);
CREATE INDEX orders_by_reading ON orders (user_id, connection, read_at, number) WHERE fingerprint IS NOT NULL;
CREATE UNIQUE INDEX line_items_of_orders ON line_items (user_id, connection, item);
CREATE INDEX line_items_newest ON line_items (user_id, connection, sort_key, id);
CREATE INDEX line_items_by_id ON line_items (user_id, connection, item >> 32, id);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE UNIQUE INDEX connections_of_user ON connections (user_id, id);
CREATE UNIQUE INDEX sessions_of_user ON sessions (user_id, id);
CREATE UNIQUE INDEX parts_of_user ON retailer_sessions (user_id, id);
CREATE UNIQUE INDEX one_active_sync_per_connection ON retailer_sessions (user_id, connection_id) WHERE active = 1;
CREATE INDEX mfa_requests_of_retailer_session ON mfa_requests (user_id, retailer_session_id);
CREATE INDEX audit_log_by_time ON audit_log (at, id);
CREATE INDEX audit_log_of_user ON audit_log (subject, at, id) WHERE subject IS NOT NULL;
CREATE INDEX sandbox_client_failures_of_client ON sandbox_client_failures (client_id, id);
CREATE INDEX link_tokens_of_identifier ON link_tokens (client_id, external_user_id);
CREATE INDEX user_bindings_of_user ON user_bindings (user_id);
CREATE INDEX connection_shares_of_client ON connection_shares (client_id);
CREATE INDEX grants_of_client ON grants (client_id);
CREATE INDEX authorization_codes_of_client ON authorization_codes (client_id);
CREATE INDEX authorization_codes_of_user ON authorization_codes (user_id);
CREATE INDEX authorization_codes_of_grant ON authorization_codes (grant_id);
CREATE INDEX device_codes_of_client ON device_codes (client_id);
CREATE INDEX device_codes_of_user ON device_codes (user_id);
CREATE INDEX browser_sessions_of_user ON browser_sessions (user_id);
CREATE INDEX marked_orders ON orders (user_id, connection) WHERE marked <> 0;
