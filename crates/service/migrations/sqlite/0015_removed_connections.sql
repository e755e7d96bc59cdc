-- A connection that is removed belongs to this user, as whom nobody can sign in, until its rows are deleted in batches. Every
-- query asks for a user's own connections, so none can see it any more.
INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('removed', x'', '', 0);

-- To find the sessions of a connection that is removed.
CREATE INDEX retailer_sessions_of_connection ON retailer_sessions (connection_id);
