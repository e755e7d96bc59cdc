//! Where line items stand in a list: a counted tree per connection, in which any offset is found in a few steps.
//!
//! A position is a sort key and an id. A node says how many items its connection has from the node's start up to the next
//! node's of its level; [`count_added`] counts what comes, triggers what goes or moves, and [`split_full`] keeps the nodes
//! small, within the same transaction. See `docs/paging.md`.

use chrono::{DateTime, Utc};
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, QueryBuilder};

use super::json::list;
use super::lines::NewLine;
use super::{StoreError, Write, micros, stored};

/// A sort key and an id.
pub(super) type Position = (i64, String);

/// The sort key of an item without a date: after all others.
pub(super) const UNDATED: i64 = i64::MAX;
/// Where the first node of every level starts: before every item.
const FIRST: i64 = -i64::MAX;
/// After every id.
const AFTER_ALL: &str = "\u{10FFFF}";
/// From the leaves up: more items than this, and a node is split. The migration's index says the same.
const MOST: [i64; 3] = [128, 4_096, 131_072];

/// The sort key of an item with this date: newest first.
pub(super) fn sort_key(date: Option<DateTime<Utc>>) -> i64 {
    date.map_or(UNDATED, |at| -micros(at))
}

/// Where a list goes on in one connection.
#[derive(Debug, Clone)]
pub(super) struct Floor {
    pub(super) connection_id: String,
    pub(super) start: Position,
    /// Items of the connection before it.
    before: i64,
}

impl Floor {
    /// The connection from this sort key on, or from its first item.
    pub(super) fn at(connection_id: String, key: Option<i64>) -> Self {
        Self { connection_id, start: (key.unwrap_or(FIRST), String::new()), before: 0 }
    }
}

struct Node {
    connection: usize,
    start: Position,
    items: i64,
}

/// Where the item after the first `target` ones of all these connections stands: a floor for each of them, and how many
/// items are still to be left out from there on; these are few.
pub(super) async fn find(
    db: &mut SqliteConnection,
    connections: &[String],
    target: i64,
) -> Result<(Vec<Floor>, i64), StoreError> {
    let mut floors: Vec<Floor> = connections.iter().map(|id| Floor::at(id.clone(), None)).collect();
    let mut ceiling = (UNDATED, AFTER_ALL.to_owned());
    for level in (0..MOST.len()).rev() {
        let mut nodes = nodes_between(db, level, &floors, &ceiling).await?;
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
    db: &mut SqliteConnection,
    level: usize,
    floors: &[Floor],
    ceiling: &Position,
) -> Result<Vec<Node>, StoreError> {
    let mut query = QueryBuilder::new("SELECT f.column1, n.start_key, n.start_id, n.items FROM (");
    query.push_values(floors.iter().enumerate(), |mut row, (index, floor)| {
        row.push_bind(stored(index)).push_bind(&floor.connection_id).push_bind(floor.start.0).push_bind(&floor.start.1);
    });
    query.push(") f CROSS JOIN line_nodes n ON n.connection_id = f.column2 AND n.level = ").push_bind(stored(level));
    query.push(" AND (n.start_key, n.start_id) >= (f.column3, f.column4) AND (n.start_key, n.start_id) < (");
    query.push_bind(ceiling.0).push(", ").push_bind(&ceiling.1).push(")");
    let rows: Vec<(i64, i64, String, i64)> = query.build_query_as().fetch_all(db).await?;
    let node =
        |(index, key, id, items)| Some(Node { connection: usize::try_from(index).ok()?, start: (key, id), items });
    Ok(rows.into_iter().filter_map(node).collect())
}

/// How many items these connections have before this sort key, all together.
pub(super) async fn count_before(
    db: &mut SqliteConnection,
    connections: &[String],
    key: i64,
) -> Result<i64, StoreError> {
    let ids = serde_json::to_string(connections).map_err(|_| StoreError::Corrupt("connection id"))?;
    // Down the tree: whole nodes of each level before the one that holds the key, and in the last one the rows.
    let counted = "WITH holding AS (
            SELECT c.value AS connection_id, n2.start_key AS key2, n2.start_id AS id2, n1.start_key AS key1,
                n1.start_id AS id1, n0.start_key AS key0, n0.start_id AS id0
            FROM json_each(?1) c
            CROSS JOIN line_nodes n2 ON n2.connection_id = c.value AND n2.level = 2
                AND (n2.start_key, n2.start_id) = (SELECT start_key, start_id FROM line_nodes WHERE connection_id = c.value
                    AND level = 2 AND start_key < ?2 ORDER BY start_key DESC, start_id DESC LIMIT 1)
            CROSS JOIN line_nodes n1 ON n1.connection_id = c.value AND n1.level = 1
                AND (n1.start_key, n1.start_id) = (SELECT start_key, start_id FROM line_nodes WHERE connection_id = c.value
                    AND level = 1 AND start_key < ?2 ORDER BY start_key DESC, start_id DESC LIMIT 1)
            CROSS JOIN line_nodes n0 ON n0.connection_id = c.value AND n0.level = 0
                AND (n0.start_key, n0.start_id) = (SELECT start_key, start_id FROM line_nodes WHERE connection_id = c.value
                    AND level = 0 AND start_key < ?2 ORDER BY start_key DESC, start_id DESC LIMIT 1))
        SELECT COALESCE(SUM(
            (SELECT COALESCE(SUM(items), 0) FROM line_nodes n WHERE n.connection_id = h.connection_id AND n.level = 2
                AND (n.start_key, n.start_id) < (h.key2, h.id2))
            + (SELECT COALESCE(SUM(items), 0) FROM line_nodes n WHERE n.connection_id = h.connection_id AND n.level = 1
                AND (n.start_key, n.start_id) >= (h.key2, h.id2) AND (n.start_key, n.start_id) < (h.key1, h.id1))
            + (SELECT COALESCE(SUM(items), 0) FROM line_nodes n WHERE n.connection_id = h.connection_id AND n.level = 0
                AND (n.start_key, n.start_id) >= (h.key1, h.id1) AND (n.start_key, n.start_id) < (h.key0, h.id0))
            + (SELECT COUNT(*) FROM line_items i WHERE i.connection_id = h.connection_id
                AND (i.sort_key, i.id) >= (h.key0, h.id0) AND i.sort_key < ?2)), 0)
        FROM holding h";
    Ok(sqlx::query_scalar(counted).bind(ids).bind(key).fetch_one(db).await?)
}

/// How many nodes are looked at at once when lines are counted: those of a page stand close together mostly.
const NODES_AT_ONCE: usize = 32;

/// Counts lines that are about to be added.
pub(super) async fn count_added(tx: &mut Write, lines: &[NewLine]) -> Result<(), StoreError> {
    let mut added: Vec<(&str, i64, &str)> =
        lines.iter().map(|line| (&*line.connection_id, line.sort_key, line.id.as_str())).collect();
    added.sort_unstable();
    for of_connection in added.chunk_by(|one, other| one.0 == other.0) {
        for level in 0..MOST.len() {
            count_added_to(tx, level, of_connection).await?;
        }
    }
    Ok(())
}

/// Counts lines of one connection in one level, in the order of their positions.
async fn count_added_to(tx: &mut Write, level: usize, added: &[(&str, i64, &str)]) -> Result<(), StoreError> {
    let mut left = added;
    let mut counts: Vec<(i64, String, usize)> = Vec::new();
    while let Some((connection_id, key, id)) = left.first() {
        let nodes: Vec<Position> = sqlx::query_as(
            "SELECT * FROM (SELECT start_key, start_id FROM line_nodes WHERE connection_id = ?1 AND level = ?2
                AND (start_key, start_id) <= (?3, ?4) ORDER BY start_key DESC, start_id DESC LIMIT 1)
             UNION ALL
             SELECT * FROM (SELECT start_key, start_id FROM line_nodes WHERE connection_id = ?1 AND level = ?2
                AND (start_key, start_id) > (?3, ?4) ORDER BY start_key, start_id LIMIT ?5 - 1)
             ORDER BY start_key, start_id",
        )
        .bind(*connection_id)
        .bind(stored(level))
        .bind(key)
        .bind(*id)
        .bind(stored(NODES_AT_ONCE))
        .fetch_all(&mut **tx)
        .await?;
        // Where the last of them ends is not known, unless it is the last of all.
        let is_all = nodes.len() < NODES_AT_ONCE;
        for (index, node) in nodes.iter().enumerate() {
            let next = nodes.get(index + 1);
            if next.is_none() && !is_all {
                break;
            }
            let within = next.map_or(left.len(), |next| {
                left.partition_point(|(_, key, id)| (*key, *id) < (next.0, next.1.as_str()))
            });
            if within > 0 {
                counts.push((node.0, node.1.clone(), within));
                left = &left[within..];
            }
        }
        if nodes.is_empty() {
            return Err(StoreError::Corrupt("count of line items"));
        }
    }
    let Some((connection_id, ..)) = added.first() else { return Ok(()) };
    sqlx::query(
        "INSERT INTO line_nodes (start_key, start_id, items, connection_id, level)
         SELECT value ->> 0, value ->> 1, value ->> 2, ?2, ?3 FROM json_each(?1) WHERE TRUE
         ON CONFLICT DO UPDATE SET items = items + excluded.items",
    )
    .bind(list(&counts)?)
    .bind(*connection_id)
    .bind(stored(level))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Splits the nodes that hold too many items. Belongs at the end of every transaction that adds or moves items.
pub(super) async fn split_full(tx: &mut Write) -> Result<(), StoreError> {
    for (level, most) in MOST.into_iter().enumerate() {
        while let Some(node) = full_node(tx, level).await? {
            let end = end_of(tx, level, &node).await?;
            let cuts = cuts(tx, level, &node, &end, most / 4 * 3).await?;
            let mut left = node.items;
            for (start, items) in cuts.iter().rev() {
                insert_node(tx, level, &node.connection_id, start, left - items).await?;
                left = *items;
            }
            if left == node.items {
                return Err(StoreError::Corrupt("count of line items"));
            }
            sqlx::query(
                "UPDATE line_nodes SET items = ?
                 WHERE connection_id = ? AND level = ? AND start_key = ? AND start_id = ?",
            )
            .bind(left)
            .bind(&node.connection_id)
            .bind(stored(level))
            .bind(node.start.0)
            .bind(&node.start.1)
            .execute(&mut **tx)
            .await?;
        }
    }
    Ok(())
}

/// Removes the nodes of a connection that lost all their items, but for the first of each level, and for those at whose start
/// a node of the level above starts as well.
pub(super) async fn remove_empty(tx: &mut Write, connection_id: &str) -> Result<(), StoreError> {
    for level in (0..MOST.len()).rev() {
        sqlx::query(
            "DELETE FROM line_nodes WHERE connection_id = ?1 AND level = ?2 AND items = 0 AND start_key <> ?3
                AND NOT EXISTS (SELECT 1 FROM line_nodes above WHERE above.connection_id = ?1 AND above.level = ?2 + 1
                    AND above.start_key = line_nodes.start_key AND above.start_id = line_nodes.start_id)",
        )
        .bind(connection_id)
        .bind(stored(level))
        .bind(FIRST)
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

struct Full {
    connection_id: String,
    start: Position,
    items: i64,
}

async fn full_node(tx: &mut Write, level: usize) -> Result<Option<Full>, StoreError> {
    let row: Option<(String, i64, String, i64)> = sqlx::query_as(
        "SELECT connection_id, start_key, start_id, items FROM line_nodes INDEXED BY line_nodes_full
         WHERE level = ? AND items > CASE level WHEN 0 THEN 128 WHEN 1 THEN 4096 ELSE 131072 END LIMIT 1",
    )
    .bind(stored(level))
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.map(|(connection_id, key, id, items)| Full { connection_id, start: (key, id), items }))
}

async fn end_of(tx: &mut Write, level: usize, node: &Full) -> Result<Position, StoreError> {
    let next: Option<Position> = sqlx::query_as(
        "SELECT start_key, start_id FROM line_nodes WHERE connection_id = ? AND level = ?
            AND (start_key, start_id) > (?, ?) ORDER BY start_key, start_id LIMIT 1",
    )
    .bind(&node.connection_id)
    .bind(stored(level))
    .bind(node.start.0)
    .bind(&node.start.1)
    .fetch_optional(&mut **tx)
    .await?;
    Ok(next.unwrap_or_else(|| (UNDATED, AFTER_ALL.to_owned())))
}

/// Where to cut a node such that each piece holds about `piece` items, and how many of its items stand before each cut. A
/// leaf is cut between items, any other node between those of the level below.
async fn cuts(
    tx: &mut Write,
    level: usize,
    node: &Full,
    end: &Position,
    piece: i64,
) -> Result<Vec<(Position, i64)>, StoreError> {
    let (columns, table, parts) = match level {
        0 => ("sort_key, id", "line_items", "1"),
        _ => ("start_key, start_id", "line_nodes", "items"),
    };
    let below = if level == 0 { String::new() } else { format!("AND level = {}", level - 1) };
    // The last part before which a multiple of `piece` is full: parts are numbered by the pieces that they begin in.
    let query = format!(
        "WITH parts AS (
            SELECT {columns}, COALESCE(SUM({parts}) OVER (ORDER BY {columns} ROWS BETWEEN UNBOUNDED PRECEDING
                AND 1 PRECEDING), 0) AS before
            FROM {table} WHERE connection_id = ?1 {below} AND ({columns}) >= (?2, ?3) AND ({columns}) < (?4, ?5)),
         numbered AS (
            SELECT {columns}, before, before / ?6 AS number, LAG(before / ?6, 1, 0) OVER (ORDER BY {columns}) AS last
            FROM parts)
         SELECT {columns}, before FROM numbered WHERE number > last AND before < ?7 ORDER BY {columns}"
    );
    let rows: Vec<(i64, String, i64)> = sqlx::query_as(AssertSqlSafe(query))
        .bind(&node.connection_id)
        .bind(node.start.0)
        .bind(&node.start.1)
        .bind(end.0)
        .bind(&end.1)
        .bind(piece)
        .bind(node.items)
        .fetch_all(&mut **tx)
        .await?;
    Ok(rows.into_iter().map(|(key, id, before)| ((key, id), before)).collect())
}

async fn insert_node(
    tx: &mut Write,
    level: usize,
    connection_id: &str,
    start: &Position,
    items: i64,
) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO line_nodes (connection_id, level, start_key, start_id, items) VALUES (?, ?, ?, ?, ?)")
        .bind(connection_id)
        .bind(stored(level))
        .bind(start.0)
        .bind(&start.1)
        .bind(items)
        .execute(&mut **tx)
        .await?;
    Ok(())
}
