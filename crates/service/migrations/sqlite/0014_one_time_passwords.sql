-- A one-time password belongs to the browser that asked for it: wrong tries elsewhere do not touch it. Those of before were
-- good for five minutes.
DROP TABLE one_time_passwords;
CREATE TABLE one_time_passwords (
    phone_digest    BLOB    NOT NULL,
    browser         BLOB    NOT NULL, -- HMAC of what only that browser has
    code_mac        BLOB    NOT NULL, -- HMAC under the service's key, bound to the number
    is_short        INTEGER NOT NULL, -- six digits, not ten
    expires_at      INTEGER NOT NULL,
    tries_left      INTEGER NOT NULL,
    PRIMARY KEY (phone_digest, browser)
) STRICT, WITHOUT ROWID;
CREATE INDEX one_time_passwords_by_expiry ON one_time_passwords (expires_at);

-- Where the owner of a phone has signed in: networks and browsers, as HMACs. Strangers cannot use up their limits.
CREATE TABLE known_places (
    phone_digest    BLOB    NOT NULL,
    place           BLOB    NOT NULL,
    used_at         INTEGER NOT NULL,
    PRIMARY KEY (phone_digest, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX known_places_by_age ON known_places (used_at);

-- How many short passwords were sent to a phone and not used: one less for each that is used, and for every three days.
-- Above a limit they get longer, so that guessing at many of them is hopeless.
CREATE TABLE unused_passwords (
    phone_digest    BLOB    NOT NULL PRIMARY KEY,
    level           INTEGER NOT NULL,
    at              INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX unused_passwords_by_age ON unused_passwords (at);
