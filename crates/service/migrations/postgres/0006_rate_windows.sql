-- When the requests of each client were accepted that are not older than the window of the rate limit, for all nodes. Unlogged: after a
-- crash of the server, or when a replica takes over, the counting begins again.
CREATE UNLOGGED TABLE rate_windows (
    caller TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    times BIGINT[] NOT NULL, -- in the database's time, oldest first
    used_at BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX rate_windows_by_age ON rate_windows (used_at);

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
