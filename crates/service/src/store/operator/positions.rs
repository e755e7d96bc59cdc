//! Checks that the nodes of positions agree with the line items.

use crate::store::Write;
use crate::store::db::query_as;
use crate::store::orders::positions::{AFTER_ALL, LEVELS};

/// The items of users and the starts of their nodes, in the order of their positions: a node before the item that it starts with.
/// Of an item, the level is -1. Rows of a removed connection are being deleted.
const POSITIONS: &str = "SELECT user_id, connection, sort_key, id, -1 AS level, 0 AS items FROM line_items i
     WHERE user_id BETWEEN $1 AND $2 AND NOT EXISTS
        (SELECT 1 FROM removed_connections r WHERE r.user_id = i.user_id AND r.connection = i.connection)
     UNION ALL
     SELECT user_id, connection, start_key, start_id, level, items FROM line_nodes n
     WHERE user_id BETWEEN $1 AND $2 AND NOT EXISTS
        (SELECT 1 FROM removed_connections r WHERE r.user_id = n.user_id AND r.connection = n.connection)
     ORDER BY 1, 2, 3, 4, 5 DESC";

/// A node, and how many items came since its start.
#[derive(Clone, Copy, Default)]
struct Node {
    items: i64,
    counted: i64,
}

/// Counts the nodes of one user, or of all, that do not have as many items as there are up to the next one of their level, and the
/// levels whose first node does not start before every item. Reads all in one pass, because items may all have one date.
pub(in crate::store) async fn miscounted(tx: &mut Write, user_id: Option<&str>) -> Result<usize, sqlx::Error> {
    let (mut open, mut current, mut wrong) = ([Node::default(); LEVELS], None, 0);
    let is_wrong = |node: &Node| node.items != node.counted;
    let take = |(user, connection, _, _, level, items): (String, i64, i64, String, i64, i64)| {
        let owner = Some((user, connection));
        if current != owner {
            current = owner;
            wrong += std::mem::take(&mut open).iter().filter(|node| is_wrong(node)).count();
        }
        match usize::try_from(level).ok().and_then(|level| open.get_mut(level)) {
            Some(node) => wrong += usize::from(is_wrong(&std::mem::replace(node, Node { items, counted: 0 }))),
            None => open.iter_mut().for_each(|node| node.counted += 1),
        }
        Ok(())
    };
    let rows = query_as::<(String, i64, i64, String, i64, i64)>(POSITIONS);
    let rows = rows.bind_all((user_id.unwrap_or_default(), user_id.unwrap_or(AFTER_ALL)));
    rows.for_each(tx, |error| error, take).await?;
    Ok(wrong + open.iter().filter(|node| is_wrong(node)).count())
}
