-- How many requests a client may make in a minute. NULL: as many as the service lets every client make.
ALTER TABLE clients ADD COLUMN requests_per_minute BIGINT;
