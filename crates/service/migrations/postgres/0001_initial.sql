-- The store on PostgreSQL: the same tables as on SQLite, after its migrations up to 21.
--
-- Identifiers and keys compare as bytes, as they do there: a page of a list begins where the one before ended. Times are
-- microseconds since 1970, flags are 0 or 1, and documents are texts, so that what is served is what was written, to the byte.
-- Rows that change often leave room beside them, so that a change need not touch their indexes.

CREATE TABLE users (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    phone_digest BYTEA NOT NULL UNIQUE, -- HMAC under the service's key: a number is looked up, never read back
    phone_last4 TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    -- A sandbox moves or stops one user's time: see `Store::now_for`.
    clock_offset BIGINT NOT NULL DEFAULT 0,
    clock_frozen_at BIGINT,
    name TEXT COLLATE "C",
    email TEXT COLLATE "C",
    connections_made BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE clients (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    secret_digest BYTEA,
    scopes TEXT COLLATE "C" NOT NULL DEFAULT '',
    redirect_uris TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    frame_ancestors TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    disabled_at BIGINT
);

CREATE TABLE connections (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    retailer_id BIGINT NOT NULL,
    display_name TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    status_reason TEXT COLLATE "C",
    credentials BYTEA NOT NULL, -- sealed
    session BYTEA, -- sealed: what the connector remembers from sync to sync
    created_at BIGINT NOT NULL,
    last_sync_at BIGINT,
    last_batch_id TEXT COLLATE "C",
    list_version BIGINT NOT NULL DEFAULT 0,
    not_before BIGINT,
    number BIGINT NOT NULL DEFAULT 0,
    orders_made BIGINT NOT NULL DEFAULT 0,
    UNIQUE (user_id, retailer_id)
);

CREATE UNIQUE INDEX connections_of_user ON connections (user_id, id);

CREATE TABLE connection_shares (
    user_id TEXT COLLATE "C" NOT NULL,
    connection_id TEXT COLLATE "C" NOT NULL,
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    shared_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, connection_id, client_id),
    FOREIGN KEY (user_id, connection_id) REFERENCES connections (user_id, id) ON DELETE CASCADE
);

CREATE TABLE sessions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    completed_at BIGINT,
    last_seq BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX sessions_of_user ON sessions (user_id, id);

CREATE TABLE retailer_sessions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    batch_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    connection_id TEXT COLLATE "C" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    position BIGINT NOT NULL, -- among the session's parts
    sync_status TEXT COLLATE "C" NOT NULL,
    resume_status TEXT COLLATE "C", -- where a part in `userintervention` goes back to
    active BIGINT NOT NULL, -- 0 once the status is final
    items_found BIGINT NOT NULL DEFAULT 0,
    items_new BIGINT NOT NULL DEFAULT 0,
    error_code TEXT COLLATE "C",
    error_message TEXT COLLATE "C",
    started_at BIGINT,
    updated_at BIGINT NOT NULL,
    due_at BIGINT, -- in the user's time; NULL: nothing to do until somebody answers
    deadline_at BIGINT, -- in the user's time
    attempt BIGINT NOT NULL DEFAULT 0, -- repetitions of the present step
    state BYTEA, -- sealed: the connector's
    answer BYTEA, -- sealed: what the user answered to MFA
    codes_left BIGINT NOT NULL DEFAULT 3,
    lease_owner TEXT COLLATE "C",
    lease_until BIGINT, -- in the machine's time
    epoch BIGINT NOT NULL DEFAULT 0,
    items_marked BIGINT NOT NULL DEFAULT 0,
    orders_kept_back BIGINT NOT NULL DEFAULT 0,
    "full" BIGINT NOT NULL DEFAULT 0,
    retailer_id BIGINT NOT NULL DEFAULT 0,
    claims_without_commit BIGINT NOT NULL DEFAULT 0,
    panics BIGINT NOT NULL DEFAULT 0,
    behind BIGINT NOT NULL DEFAULT 0,
    worked BIGINT NOT NULL DEFAULT 0,
    staged_credentials BYTEA,
    staged_session BYTEA
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX parts_of_user ON retailer_sessions (user_id, id);

CREATE TABLE used_stamps (
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id TEXT COLLATE "C" NOT NULL,
    stamp TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, client_id, stamp)
);

CREATE TABLE grants (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE, -- NULL: the client's own (client credentials)
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scopes TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE TABLE access_tokens (
    digest BYTEA NOT NULL PRIMARY KEY, -- SHA-256 of the token
    grant_id TEXT COLLATE "C" NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    kind TEXT COLLATE "C" NOT NULL, -- client, widget, sandbox
    scopes TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL -- in the user's time; of a sandbox's own token and of a client's own, in the machine's
);

CREATE TABLE refresh_tokens (
    digest BYTEA NOT NULL PRIMARY KEY, -- SHA-256 of the token
    grant_id TEXT COLLATE "C" NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    rotated_at BIGINT,
    successor BYTEA, -- sealed: the one next token, given again within a short grace
    successor_digest BYTEA
);

CREATE TABLE authorization_codes (
    digest BYTEA NOT NULL PRIMARY KEY,
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    scopes TEXT COLLATE "C" NOT NULL,
    redirect_uri TEXT COLLATE "C" NOT NULL,
    code_challenge TEXT COLLATE "C" NOT NULL, -- S256
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    grant_id TEXT COLLATE "C" REFERENCES grants (id) ON DELETE CASCADE -- what it was exchanged for: ended if it comes again
);

CREATE TABLE device_codes (
    digest BYTEA NOT NULL PRIMARY KEY,
    user_code BYTEA NOT NULL UNIQUE, -- HMAC under the service's key: a code is looked up, never read back
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scopes TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    poll_interval BIGINT NOT NULL, -- seconds
    polled_at BIGINT,
    decision TEXT COLLATE "C", -- approved, denied; NULL: not yet
    user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
    used_at BIGINT
);

CREATE TABLE otp_sends (
    sent_to BYTEA NOT NULL, -- digest of the number, or of the address that asked
    at BIGINT NOT NULL
);

CREATE TABLE browser_sessions (
    digest BYTEA NOT NULL PRIMARY KEY, -- SHA-256 of the cookie
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE TABLE link_tokens (
    digest BYTEA NOT NULL PRIMARY KEY,
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    external_user_id TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    idempotency_key TEXT COLLATE "C",
    sealed BYTEA -- with a key: the token, to be given again
);

CREATE TABLE user_bindings (
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    external_user_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    bound_at BIGINT NOT NULL,
    PRIMARY KEY (client_id, external_user_id)
);

CREATE TABLE store_probe (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    at BIGINT NOT NULL,
    filler BYTEA NOT NULL -- as large as what a usual transaction writes
);

CREATE TABLE root_keys (
    fingerprint TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    since BIGINT NOT NULL
);

CREATE TABLE one_time_passwords (
    phone_digest BYTEA NOT NULL,
    browser BYTEA NOT NULL, -- HMAC of what only that browser has
    code_mac BYTEA NOT NULL, -- HMAC under the service's key, bound to the number
    is_short BIGINT NOT NULL, -- six digits, not ten
    expires_at BIGINT NOT NULL,
    tries_left BIGINT NOT NULL,
    PRIMARY KEY (phone_digest, browser)
);

CREATE TABLE known_places (
    phone_digest BYTEA NOT NULL,
    place BYTEA NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (phone_digest, place)
);

CREATE TABLE unused_passwords (
    phone_digest BYTEA NOT NULL PRIMARY KEY,
    level BIGINT NOT NULL,
    at BIGINT NOT NULL
);

CREATE TABLE sandbox_passwords (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    phone_digest BYTEA NOT NULL,
    password TEXT COLLATE "C" NOT NULL,
    sent_at BIGINT NOT NULL, -- in the user's time
    expires_at BIGINT NOT NULL -- in the user's time
);

CREATE TABLE sandbox_failures (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    requests_left BIGINT NOT NULL,
    failure TEXT COLLATE "C" NOT NULL -- JSON, as it was asked for
);

CREATE TABLE environment (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    name TEXT COLLATE "C" NOT NULL,
    since BIGINT NOT NULL
);

CREATE TABLE otp_places (
    sent_to BYTEA NOT NULL PRIMARY KEY, -- as in otp_sends
    at BIGINT NOT NULL
);

CREATE TABLE orders (
    user_id TEXT COLLATE "C" NOT NULL,
    connection BIGINT NOT NULL, -- its number
    number BIGINT NOT NULL, -- in the order in which the connection's orders were stored first
    order_id TEXT COLLATE "C" NOT NULL,
    fingerprint TEXT COLLATE "C",
    item_count BIGINT NOT NULL,
    last_batch_id TEXT COLLATE "C" NOT NULL, -- the session that saw it last, so that a repeated page counts it once
    first_batch_id TEXT COLLATE "C", -- the session that stored it first; NULL: one before version 8
    read_at BIGINT, -- when its page was last read; NULL: before version 8
    missing_since BIGINT, -- since when the retailer no longer lists it
    marked BIGINT NOT NULL DEFAULT 0, -- 1: its figures do not agree
    adjustments TEXT COLLATE "C",
    PRIMARY KEY (user_id, connection, number),
    UNIQUE (user_id, connection, order_id)
);

CREATE TABLE line_items (
    user_id TEXT COLLATE "C" NOT NULL,
    connection BIGINT NOT NULL, -- its number
    item BIGINT NOT NULL, -- the order's number times 2^20, and which of its lines
    id TEXT COLLATE "C" NOT NULL, -- made from connection, order and line key
    sort_key BIGINT NOT NULL, -- the order's date, negated; the largest number where there is none
    content_digest BYTEA NOT NULL,
    line_key TEXT COLLATE "C", -- what the retailer's page made the line's id when it was read last; NULL: the id itself
    document TEXT COLLATE "C" NOT NULL, -- the item's JSON
    csv TEXT COLLATE "C" NOT NULL, -- its line, with the line's end
    adjustments TEXT COLLATE "C",
    PRIMARY KEY (user_id, connection, item)
);

CREATE TABLE line_nodes (
    user_id TEXT COLLATE "C" NOT NULL,
    connection BIGINT NOT NULL, -- its number
    level BIGINT NOT NULL, -- 0 to 2
    start_key BIGINT NOT NULL,
    start_id TEXT COLLATE "C" NOT NULL,
    items BIGINT NOT NULL,
    PRIMARY KEY (user_id, connection, level, start_key, start_id)
) WITH (fillfactor = 70);

CREATE TABLE former_order_ids (
    user_id TEXT COLLATE "C" NOT NULL,
    connection BIGINT NOT NULL, -- its number
    order_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, connection, order_id)
);

CREATE TABLE removed_connections (
    user_id TEXT COLLATE "C" NOT NULL,
    connection BIGINT NOT NULL, -- its number
    PRIMARY KEY (user_id, connection)
);

CREATE TABLE idempotency (
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    request_digest BYTEA NOT NULL,
    status BIGINT NOT NULL,
    body BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, client_id, key)
);

CREATE TABLE events (
    user_id TEXT COLLATE "C" NOT NULL,
    batch_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    connection_id TEXT COLLATE "C" NOT NULL,
    retailer_id BIGINT NOT NULL,
    sync_status TEXT COLLATE "C",
    message TEXT COLLATE "C",
    req_id TEXT COLLATE "C",
    mfa TEXT COLLATE "C", -- JSON, as it is served
    PRIMARY KEY (user_id, batch_id, seq),
    FOREIGN KEY (user_id, batch_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
);

CREATE TABLE mfa_requests (
    user_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    retailer_session_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    options TEXT COLLATE "C" NOT NULL, -- JSON: the ids that may be chosen
    expires_at BIGINT NOT NULL, -- in the user's time
    answered_at BIGINT,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, retailer_session_id) REFERENCES retailer_sessions (user_id, id) ON DELETE CASCADE
);

CREATE TABLE kept_back_orders (
    user_id TEXT COLLATE "C" NOT NULL,
    retailer_session_id TEXT COLLATE "C" NOT NULL,
    order_id TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C", -- why the store refused it; NULL: the connector knows
    PRIMARY KEY (user_id, retailer_session_id, order_id),
    FOREIGN KEY (user_id, retailer_session_id) REFERENCES retailer_sessions (user_id, id) ON DELETE CASCADE
);

CREATE TABLE paused_retailers (
    retailer_id BIGINT NOT NULL PRIMARY KEY,
    since BIGINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL -- the operator's own words, may be empty
);

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
CREATE INDEX orders_by_reading ON orders (user_id, connection, read_at NULLS FIRST, number) WHERE fingerprint IS NOT NULL;
CREATE INDEX line_items_newest ON line_items (user_id, connection, sort_key, id);
CREATE INDEX line_items_by_id ON line_items (user_id, connection, (item >> 32), id);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE UNIQUE INDEX one_active_sync_per_connection ON retailer_sessions (user_id, connection_id) WHERE active = 1;
CREATE INDEX mfa_requests_of_retailer_session ON mfa_requests (user_id, retailer_session_id);
