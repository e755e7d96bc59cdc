-- By what users are looked up whose phone numbers were stored under a root key that is no longer the first, so that the root key
-- itself can be retired. Sealed under the root key that sealed everything last.
CREATE TABLE phone_keys (
    fingerprint TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- of the root key that it was derived from
    sealed BYTEA NOT NULL
);
