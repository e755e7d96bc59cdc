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
