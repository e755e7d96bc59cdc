-- The retailer's own id of a line, in an order that a file has: a later file may tell of its other lines alone.
ALTER TABLE line_items ADD COLUMN line_id TEXT;
