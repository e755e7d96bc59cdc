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
-- How many blocks come before `state`.
ALTER TABLE retailer_sessions ADD COLUMN state_blocks INTEGER NOT NULL DEFAULT 0;
