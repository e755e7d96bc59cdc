-- When the file that an order's status is from stated it: the date of a mail or of a saved page. NULL: it has no time of its own,
-- or the status is the account's.
ALTER TABLE orders ADD COLUMN stated_at BIGINT;
