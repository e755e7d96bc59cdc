-- Adjustments as they are served: JSON lists. They have no keys of their own: they are read, replaced and removed with their
-- order or line.

-- NULL: not known, because the order was not read since this version, or its retailer does not show them.
ALTER TABLE orders ADD COLUMN adjustments TEXT;
-- NULL: none, if those of the order are known.
ALTER TABLE line_items ADD COLUMN adjustments TEXT;
