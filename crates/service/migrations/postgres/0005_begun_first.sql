-- Parts of syncs that have begun, which are claimed before those that have not.
CREATE INDEX retailer_sessions_begun ON retailer_sessions (retailer_id, due_at) WHERE active = 1 AND sync_status <> 'queued';
