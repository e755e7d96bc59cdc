-- Which nodes may go on with the store after a newer one has changed it: those that know at least this migration. A migration that
-- an older node can work beside leaves it as it is; any other one raises it. See docs/decisions.md, Migrations.
CREATE TABLE store_compatibility (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    oldest_version BIGINT NOT NULL
);
-- Nodes from before do not look here: they refuse any newer store.
INSERT INTO store_compatibility (id, oldest_version) VALUES (1, 7);

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
