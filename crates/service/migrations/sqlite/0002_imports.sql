-- Orders that come from files. Their connection has empty credentials until it gets an account.

-- Nodes of earlier versions would say of such orders that the retailer no longer lists them.
UPDATE store_compatibility SET oldest_version = 2;

-- JSON: the kinds of the files that an order comes from; first `account` if its retailer's account shows it, too. NULL: the
-- account alone.
ALTER TABLE orders ADD COLUMN sources TEXT;
