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
CREATE INDEX audit_log_by_time ON audit_log (at, id);
CREATE INDEX audit_log_of_user ON audit_log (subject, at, id) WHERE subject IS NOT NULL;
