//! Where line items stand in a list: a counted tree per connection, in which any offset is found in a few steps.
//!
//! A position is a sort key and an id. A node says how many items its connection has from the node's start up to the next
//! node's of its level. [`crate::store::orders::counts`] keeps the counts right and the nodes small. A connection without items may have no
//! nodes. See `docs/dev/scaling.md`.

use chrono::{DateTime, Utc};

use crate::store::db::dialect::sql;
use crate::store::db::json::list;
use crate::store::db::{Builder, Tx, query_scalar};
use crate::store::{StoreError, micros, stored};

/// A sort key and an id.
pub(in crate::store) type Position = (i64, String);

/// The sort key of an item without a date: after all others.
pub(in crate::store) const UNDATED: i64 = i64::MAX;
/// Where the first node of every level starts: before every item.
pub(in crate::store) const FIRST: i64 = -i64::MAX;
/// After every id.
pub(in crate::store) const AFTER_ALL: &str = "\u{10FFFF}";
/// Levels of the tree.
pub(in crate::store) const LEVELS: usize = 3;
/// From the leaves up: more items than this, and a node is split.
pub(in crate::store) const MOST: [i64; LEVELS] = [128, 4_096, 131_072];

/// The sort key of an item with this date: newest first.
pub(in crate::store) fn sort_key(date: Option<DateTime<Utc>>) -> i64 {
    date.map_or(UNDATED, |at| -micros(at))
}

/// Where a list goes on in one connection.
#[derive(Debug, Clone)]
pub(in crate::store) struct Floor {
    /// Its number.
    pub(in crate::store) connection: i64,
    pub(in crate::store) start: Position,
    /// Items of the connection before it.
    before: i64,
}

impl Floor {
    /// The connection from this sort key on, or from its first item.
    pub(in crate::store) fn at(connection: i64, key: Option<i64>) -> Self {
        Self { connection, start: (key.unwrap_or(FIRST), String::new()), before: 0 }
    }

    /// The connection from this position on.
    pub(in crate::store) fn from(connection: i64, start: &Position) -> Self {
        Self { connection, start: start.clone(), before: 0 }
    }
}

struct Node {
    connection: usize,
    start: Position,
    items: i64,
}

/// Where the item after the first `target` ones of all these connections stands: a floor for each of them, and how many
/// items are still to be left out from there on; these are few.
pub(in crate::store) async fn find(
    tx: &mut Tx,
    user_id: &str,
    connections: &[i64],
    target: i64,
) -> Result<(Vec<Floor>, i64), StoreError> {
    let mut floors: Vec<Floor> = connections.iter().map(|number| Floor::at(*number, None)).collect();
    let mut ceiling = (UNDATED, AFTER_ALL.to_owned());
    for level in (0..LEVELS).rev() {
        let mut nodes = nodes_between(tx, user_id, level, &floors, &ceiling).await?;
        nodes.sort_unstable_by(|one, other| one.start.cmp(&other.start));
        narrow(&mut floors, &mut ceiling, &nodes, target);
    }
    let rest = target - floors.iter().map(|floor| floor.before).sum::<i64>();
    Ok((floors, rest))
}

/// Moves each floor up to the last node that starts no later than the item in question, and the ceiling down to the first
/// that starts after it.
fn narrow(floors: &mut [Floor], ceiling: &mut Position, nodes: &[Node], target: i64) {
    let rest = target - floors.iter().map(|floor| floor.before).sum::<i64>();
    // Items of nodes that start before the present one: at least, and at most, so many stand before it.
    let (mut ended, mut started) = (0, 0);
    let mut open = vec![0; floors.len()];
    let mut reached = None;
    for same_start in nodes.chunk_by(|one, other| one.start == other.start) {
        let Some(Node { start, .. }) = same_start.first() else { continue };
        for node in same_start {
            ended += std::mem::take(&mut open[node.connection]);
        }
        if started <= rest {
            reached = Some(start.clone());
        }
        if ended > rest {
            ceiling.clone_from(start);
            break;
        }
        for node in same_start {
            started += node.items;
            open[node.connection] = node.items;
        }
    }
    let Some(reached) = reached else { return };
    let mut passed = vec![0; floors.len()];
    for node in nodes.iter().take_while(|node| node.start <= reached) {
        let floor = &mut floors[node.connection];
        floor.start.clone_from(&node.start);
        floor.before += std::mem::replace(&mut passed[node.connection], node.items);
    }
}

async fn nodes_between(
    tx: &mut Tx,
    user_id: &str,
    level: usize,
    floors: &[Floor],
    ceiling: &Position,
) -> Result<Vec<Node>, StoreError> {
    let mut query = Builder::new("SELECT f.column1, n.start_key, n.start_id, n.items FROM (");
    query.push_values(floors.iter().enumerate().map(|(index, floor)| {
        [stored(index).into(), floor.connection.into(), floor.start.0.into(), (&floor.start.1).into()]
    }));
    query.push(") f ").push(sql!([each "line_nodes" "n"]).of(tx.dialect())).push("n.user_id = ").push_bind(user_id);
    query.push(" AND n.connection = f.column2 AND n.level = ").push_bind(stored(level));
    query.push(" AND (n.start_key, n.start_id) >= (f.column3, f.column4) AND (n.start_key, n.start_id) < (");
    query.push_bind(ceiling.0).push(", ").push_bind(&ceiling.1).push(")");
    query.push(sql!([end of each "n"]).of(tx.dialect()));
    let rows: Vec<(i64, i64, String, i64)> = query.build_as().fetch_all(tx).await?;
    let node =
        |(index, key, id, items)| Some(Node { connection: usize::try_from(index).ok()?, start: (key, id), items });
    Ok(rows.into_iter().filter_map(node).collect())
}

/// How many items these connections have before this sort key, all together.
pub(in crate::store) async fn count_before(
    tx: &mut Tx,
    user_id: &str,
    connections: &[i64],
    key: i64,
) -> Result<i64, StoreError> {
    let numbers = list(connections)?;
    // Down the tree: whole nodes of each level before the one that holds the key, and in the last one the rows.
    let counted = sql!(
        "WITH holding AS (
            SELECT c.value AS connection, n2.start_key AS key2, n2.start_id AS id2, n1.start_key AS key1,
                n1.start_id AS id1, n0.start_key AS key0, n0.start_id AS id0
            FROM (",
        [numbers "$1"],
        ") c ",
        [node before key "2" "n2"],
        [node before key "1" "n1"],
        [node before key "0" "n0"],
        ")
        SELECT CAST(COALESCE(SUM(
            (SELECT COALESCE(SUM(items), 0) FROM line_nodes n WHERE n.user_id = $3 AND n.connection = h.connection AND n.level = 2
                AND (n.start_key, n.start_id) < (h.key2, h.id2))
            + (SELECT COALESCE(SUM(items), 0) FROM line_nodes n WHERE n.user_id = $3 AND n.connection = h.connection AND n.level = 1
                AND (n.start_key, n.start_id) >= (h.key2, h.id2) AND (n.start_key, n.start_id) < (h.key1, h.id1))
            + (SELECT COALESCE(SUM(items), 0) FROM line_nodes n WHERE n.user_id = $3 AND n.connection = h.connection AND n.level = 0
                AND (n.start_key, n.start_id) >= (h.key1, h.id1) AND (n.start_key, n.start_id) < (h.key0, h.id0))
            + (SELECT COUNT(*) FROM line_items i WHERE i.user_id = $3 AND i.connection = h.connection
                AND (i.sort_key, i.id) >= (h.key0, h.id0) AND i.sort_key < $2)), 0) AS BIGINT)
        FROM holding h"
    );
    Ok(query_scalar(counted).bind_all((numbers, key, user_id)).fetch_one(tx).await?)
}
