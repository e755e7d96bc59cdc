-- The service counts line items that come, go or move, and finds full and empty nodes while it counts.

DROP TRIGGER line_items_removed;
DROP TRIGGER line_items_moved;
DROP TRIGGER line_counts_added;
DROP VIEW line_counts;
DROP TRIGGER connections_have_nodes;
DROP INDEX line_nodes_full;
DROP INDEX line_nodes_empty;
