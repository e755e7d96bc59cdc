-- What the engine needs to be fair, bounded and honest: see docs/sync-engine.md.

-- The connection's, so that due parts can be found by retailer.
ALTER TABLE retailer_sessions ADD COLUMN retailer_id INTEGER NOT NULL DEFAULT 0;
UPDATE retailer_sessions
    SET retailer_id = COALESCE((SELECT c.retailer_id FROM connections c WHERE c.id = connection_id), 0);
-- How many leases ran out in a row without a commit; how often the present step panicked.
ALTER TABLE retailer_sessions ADD COLUMN claims_without_commit INTEGER NOT NULL DEFAULT 0;
ALTER TABLE retailer_sessions ADD COLUMN panics INTEGER NOT NULL DEFAULT 0;
-- Microseconds. By how much a sandbox moved the user's clock past what this part has done: waits are taken from it.
ALTER TABLE retailer_sessions ADD COLUMN behind INTEGER NOT NULL DEFAULT 0;
-- Microseconds: steps and the waits that they asked for.
ALTER TABLE retailer_sessions ADD COLUMN worked INTEGER NOT NULL DEFAULT 0;
-- Sealed: credentials of another user name and what the connector remembers of them, until the account is verified.
ALTER TABLE retailer_sessions ADD COLUMN staged_credentials BLOB;
ALTER TABLE retailer_sessions ADD COLUMN staged_session BLOB;
-- In the user's time: until then the retailer asked for no requests.
ALTER TABLE connections ADD COLUMN not_before INTEGER;

CREATE INDEX retailer_sessions_by_retailer ON retailer_sessions (retailer_id, due_at) WHERE active = 1;
CREATE INDEX retailer_sessions_by_deadline ON retailer_sessions (deadline_at) WHERE active = 1;
CREATE INDEX retailer_sessions_by_lease ON retailer_sessions (lease_until) WHERE active = 1;
CREATE INDEX retailer_sessions_of_user ON retailer_sessions (user_id) WHERE active = 1;
-- The users of a sandbox whose clock was moved: none in a live service.
CREATE INDEX users_with_moved_clock ON users (clock_offset) WHERE clock_offset <> 0 OR clock_frozen_at IS NOT NULL;
