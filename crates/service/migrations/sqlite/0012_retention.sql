-- Expired rows are found without walking through the tables.
CREATE INDEX used_stamps_by_expiry ON used_stamps (expires_at);
CREATE INDEX link_tokens_by_expiry ON link_tokens (expires_at);
CREATE INDEX authorization_codes_by_expiry ON authorization_codes (expires_at);
CREATE INDEX device_codes_by_expiry ON device_codes (expires_at);
CREATE INDEX browser_sessions_by_expiry ON browser_sessions (expires_at);
CREATE INDEX refresh_tokens_by_rotation ON refresh_tokens (rotated_at) WHERE successor IS NOT NULL;
CREATE INDEX grants_by_age ON grants (created_at);
-- Old sync sessions, and whether a session is the latest of a connection, which stays.
CREATE INDEX sessions_by_age ON sessions (updated_at, id);
CREATE INDEX connections_by_latest_session ON connections (last_batch_id);
CREATE INDEX one_time_passwords_by_expiry ON one_time_passwords (expires_at);
CREATE INDEX otp_sends_by_age ON otp_sends (at);
