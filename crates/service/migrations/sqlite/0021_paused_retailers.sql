-- Retailers whose syncs wait until the operator of the service lets them go on.
CREATE TABLE paused_retailers (
    retailer_id INTEGER NOT NULL PRIMARY KEY,
    since       INTEGER NOT NULL,
    reason      TEXT    NOT NULL -- the operator's own words, may be empty
) STRICT;
