-- The store on PostgreSQL: the same tables as on SQLite.
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
    secret_digest BYTEA, -- SHA-256; NULL: a public client
    scopes TEXT COLLATE "C" NOT NULL DEFAULT '', -- separated by spaces
    redirect_uris TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON
    frame_ancestors TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON: origins that may frame the widget
    disabled_at BIGINT,
    -- How many requests a client may make in a minute. NULL: as many as the service lets every client make.
    requests_per_minute BIGINT,
    -- Addresses that a link token may name as its way back.
    return_urls TEXT COLLATE "C" NOT NULL DEFAULT '[]'
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
    -- How often its line items were written: what a client reads page by page is one list as long as this stays.
    list_version BIGINT NOT NULL DEFAULT 0,
    -- In the user's time: until then the retailer asked for no requests.
    not_before BIGINT,
    number BIGINT NOT NULL DEFAULT 0, -- among the user's connections, from 1
    orders_made BIGINT NOT NULL DEFAULT 0, -- the number of the last order
    -- The day, in days since 1970-01-01, on which the simulated history of this connection ends: that on which it was made. NULL:
    -- its retailer is not simulated.
    history_end BIGINT,
    -- Whether what is stored of a connection is complete. Of the last sync that ended, if it did not complete: when it ended, why
    -- (NULL: not known), and its session, which may be gone.
    failed_at BIGINT,
    failure_code TEXT COLLATE "C",
    failed_batch_id TEXT COLLATE "C",
    -- Since when it is not complete: when something failed for the first time since a complete sync.
    incomplete_since BIGINT,
    -- 1: the last sync that completed read a list of orders whose end nothing proves.
    end_not_proven BIGINT NOT NULL DEFAULT 0,
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
    last_seq BIGINT NOT NULL DEFAULT 0,
    -- Of sessions that were made at the same time, the one with the higher number was made later: a sandbox can stop a user's clock.
    number BIGINT NOT NULL DEFAULT 0
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
    -- What a sync has proven; and whether it reads settled orders again.
    items_marked BIGINT NOT NULL DEFAULT 0,
    orders_kept_back BIGINT NOT NULL DEFAULT 0,
    "full" BIGINT NOT NULL DEFAULT 0,
    -- The connection's, so that due parts can be found by retailer.
    retailer_id BIGINT NOT NULL DEFAULT 0,
    -- How many leases ran out in a row without a commit; how often the present step panicked.
    claims_without_commit BIGINT NOT NULL DEFAULT 0,
    panics BIGINT NOT NULL DEFAULT 0,
    -- Microseconds. By how much a sandbox moved the user's clock past what this part has done: waits are taken from it.
    behind BIGINT NOT NULL DEFAULT 0,
    -- Microseconds: steps and the waits that they asked for.
    worked BIGINT NOT NULL DEFAULT 0,
    -- Sealed: credentials of another user name and what the connector remembers of them, until the account is verified.
    staged_credentials BYTEA,
    staged_session BYTEA,
    -- What changed at the retailer since the sync before: orders that it no longer lists, and lines that have another name.
    orders_missing BIGINT NOT NULL DEFAULT 0,
    items_renamed BIGINT NOT NULL DEFAULT 0,
    -- Whether a sync's wait stands still while its user's clock does.
    by_clock BIGINT NOT NULL DEFAULT 0,
    -- Orders of a sync that have no line, such as cancelled ones: no list of lines shows them.
    orders_without_items BIGINT NOT NULL DEFAULT 0,
    -- How many blocks come before `state`.
    state_blocks BIGINT NOT NULL DEFAULT 0,
    -- How many forms with a password or a code a sync has sent: a crash must not make it send one too many.
    sent_forms BIGINT NOT NULL DEFAULT 0
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
    -- SHA-256 of the successor, so that the store sees whether it was used. NULL: not rotated.
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
    expires_at BIGINT NOT NULL,
    -- The clients that the user allowed access, or bound an identifier of, in this session.
    clients TEXT COLLATE "C" NOT NULL DEFAULT '[]'
);

CREATE TABLE link_tokens (
    digest BYTEA NOT NULL PRIMARY KEY,
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    external_user_id TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    idempotency_key TEXT COLLATE "C",
    sealed BYTEA, -- with a key: the token, to be given again
    -- One of the client's `return_urls`.
    return_url TEXT COLLATE "C"
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
    first_batch_id TEXT COLLATE "C", -- the session that stored it first
    read_at BIGINT, -- when its page was last read
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

-- Orders of a connection that failed a check and have not passed it since.
CREATE TABLE kept_back_orders (
    user_id TEXT COLLATE "C" NOT NULL,
    connection_id TEXT COLLATE "C" NOT NULL,
    order_id TEXT COLLATE "C" NOT NULL,
    batch_id TEXT COLLATE "C" NOT NULL, -- the last session that kept it back
    reason TEXT COLLATE "C", -- which check failed, and how; NULL: not known
    PRIMARY KEY (user_id, connection_id, order_id),
    FOREIGN KEY (user_id, connection_id) REFERENCES connections (user_id, id) ON DELETE CASCADE
);

CREATE TABLE paused_retailers (
    retailer_id BIGINT NOT NULL PRIMARY KEY,
    since BIGINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL -- the operator's own words, may be empty
);

-- What operators changed, who signed in, and what was deleted. Ids only: no phone number, name, address or secret.
CREATE TABLE audit_log (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL, -- in the machine's time
    actor_kind TEXT COLLATE "C" NOT NULL, -- operator, user, client
    actor TEXT COLLATE "C", -- the operator's account on the machine, or the client's id
    action TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL, -- begun, done, refused, locked
    -- The user whom it is about. Not named `user_id`, and no reference: the row outlives its user, as the proof of the deletion.
    subject TEXT COLLATE "C",
    target TEXT COLLATE "C" -- the id of the client, session, connection, retailer or key
);

-- By what users are looked up whose phone numbers were stored under a root key that is no longer the first, so that the root key
-- itself can be retired. Sealed under the root key that sealed everything last.
CREATE TABLE phone_keys (
    fingerprint TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- of the root key that it was derived from
    sealed BYTEA NOT NULL
);

-- When the requests of each client were accepted that are not older than the window of the rate limit, for all nodes. Unlogged: after a
-- crash of the server, or when a replica takes over, the counting begins again.
CREATE UNLOGGED TABLE rate_windows (
    caller TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    times BIGINT[] NOT NULL, -- in the database's time, oldest first
    used_at BIGINT NOT NULL
) WITH (fillfactor = 50);

-- Counts a request of a caller, if fewer than `most` were accepted within the last `span` microseconds: whether it was accepted, how
-- many are counted now, and in how many microseconds there is room for one more.
CREATE FUNCTION count_request(who TEXT, most BIGINT, span BIGINT, OUT accepted BIGINT, OUT counted BIGINT, OUT wait BIGINT)
LANGUAGE plpgsql AS $$
DECLARE
    live BIGINT[];
    at BIGINT;
BEGIN
    INSERT INTO rate_windows AS w (caller, times, used_at) VALUES (who, '{}', 0) ON CONFLICT (caller) DO NOTHING;
    SELECT w.times INTO live FROM rate_windows w WHERE w.caller = who FOR UPDATE;
    -- Read when the row is locked, so that the times of one caller are in order.
    at := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
    SELECT coalesce(array_agg(t ORDER BY t), '{}') INTO live FROM unnest(live) t WHERE t > at - span AND t <= at;
    accepted := CASE WHEN cardinality(live) < most THEN 1 ELSE 0 END;
    IF accepted = 1 THEN
        live := live || at;
        UPDATE rate_windows w SET times = live, used_at = at WHERE w.caller = who;
    END IF;
    counted := cardinality(live);
    -- A limit that was lowered since may have let more pass: these have to leave the window, too.
    wait := live[greatest(counted - most + 1, 1)] + span - at;
END
$$;

-- Which nodes may go on with the store after a newer one has changed it: those that know at least this migration. A migration that
-- an older node can work beside leaves it as it is; any other one raises it. See docs/dev/decisions.md, Migrations.
CREATE TABLE store_compatibility (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    oldest_version BIGINT NOT NULL
);

INSERT INTO store_compatibility (id, oldest_version) VALUES (1, 1);

-- What a node begins each transaction with that may write. One that may no longer use the store cannot write in it. Until the
-- transaction ends, no migration raises the number. It never fails: a connection whose BEGIN failed would be of no use any more.
CREATE FUNCTION admit_node(version BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    lock CONSTANT BIGINT := (20307::bigint << 32) | 'store_compatibility'::regclass::oid::bigint;
    tries INT := 0;
BEGIN
    WHILE NOT pg_try_advisory_xact_lock_shared(lock) LOOP
        tries := tries + 1;
        IF tries > 1000 THEN
            PERFORM set_config('transaction_read_only', 'on', true);
            RETURN;
        END IF;
        PERFORM pg_sleep(0.005);
    END LOOP;
    IF version < (SELECT c.oldest_version FROM store_compatibility c) THEN
        PERFORM set_config('transaction_read_only', 'on', true);
    END IF;
END $$;

-- What a migration calls first that older nodes cannot work beside. It waits for the transactions under way that may write; those
-- that begin later wait for the migration.
CREATE FUNCTION admit_from(version BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock((20307::bigint << 32) | 'store_compatibility'::regclass::oid::bigint);
    UPDATE store_compatibility SET oldest_version = version WHERE oldest_version < version;
END $$;

-- The static files of the pages of every version that was started lately, by the names that they are served as: a page of one version
-- may ask a node of another one for its files.
CREATE TABLE page_files (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    content TEXT NOT NULL,
    used_at BIGINT NOT NULL -- when a node with it started last
);

-- Who may send a request to a retailer next, and when, for all nodes: JSON that the nodes read and write (connector/egress/queue.rs).
CREATE TABLE retailer_queues (
    retailer_id BIGINT NOT NULL PRIMARY KEY,
    queue TEXT NOT NULL
) WITH (fillfactor = 50);

-- The queue at a retailer, locked until the transaction ends, and the time. The transaction does not wait for its commit to be on disk:
-- after a crash of the server, a request may follow another too soon, once.
CREATE FUNCTION lock_retailer_queue(retailer BIGINT, OUT queue TEXT, OUT now BIGINT) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT q.queue INTO queue FROM retailer_queues q WHERE q.retailer_id = retailer FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        INSERT INTO retailer_queues (retailer_id, queue) VALUES (retailer, '{}') ON CONFLICT (retailer_id) DO NOTHING;
        SELECT q.queue INTO queue FROM retailer_queues q WHERE q.retailer_id = retailer FOR NO KEY UPDATE;
    END IF;
    -- Read when the row is locked, so that it never goes back for those who take turns.
    now := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
END
$$;

-- What is to happen to a client's next requests, whoever they are for.
CREATE TABLE sandbox_client_failures (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    requests_left BIGINT NOT NULL,
    failure TEXT COLLATE "C" NOT NULL -- JSON, as it was asked for
);

-- Accounts at simulated retailers with orders of their own, from a seed file.
CREATE TABLE sandbox_accounts (
    retailer_id BIGINT NOT NULL,
    username TEXT COLLATE "C" NOT NULL, -- in lower case
    orders TEXT COLLATE "C" NOT NULL, -- JSON
    PRIMARY KEY (retailer_id, username)
);

-- The seed file that was applied, if one was.
CREATE TABLE sandbox_seed (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    digest BYTEA NOT NULL, -- SHA-256 of what it says
    applied_at BIGINT NOT NULL
);

-- The state of a sync that is large, in blocks, so that a step writes those that changed. What follows the last block is in the part's
-- row. They go when the part ends.
CREATE TABLE state_blocks (
    user_id TEXT COLLATE "C" NOT NULL,
    retailer_session_id TEXT COLLATE "C" NOT NULL,
    block BIGINT NOT NULL, -- from 0
    content BYTEA NOT NULL, -- sealed
    PRIMARY KEY (user_id, retailer_session_id, block),
    FOREIGN KEY (user_id, retailer_session_id) REFERENCES retailer_sessions (user_id, id) ON DELETE CASCADE
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
CREATE INDEX audit_log_by_time ON audit_log (at, id);
CREATE INDEX audit_log_of_user ON audit_log (subject, at, id) WHERE subject IS NOT NULL;
CREATE INDEX rate_windows_by_age ON rate_windows (used_at);
CREATE INDEX sandbox_client_failures_of_client ON sandbox_client_failures (client_id, id);
-- What changes in one transaction is found by an index: whoever else writes waits for it.
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
-- Orders whose figures do not agree.
CREATE INDEX marked_orders ON orders (user_id, connection) WHERE marked <> 0;
