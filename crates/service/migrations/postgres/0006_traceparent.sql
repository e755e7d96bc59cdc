-- The trace that the request began or continued which started the sync, as a W3C `traceparent`. NULL: no request started it, or an
-- earlier version did.
ALTER TABLE retailer_sessions ADD COLUMN traceparent TEXT COLLATE "C";
