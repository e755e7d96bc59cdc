//! Counting line items that come, go or move, in the tree of [`crate::store::orders::positions`].
//!
//! Every change of rows of `line_items` is counted here, in the same transaction: [`Counts::apply`] before or after the rows
//! change, and then [`Uneven::even_out`] when they have changed.

use sqlx::AssertSqlSafe;

use crate::store::db::dialect::sql;
use crate::store::db::json::list;
use crate::store::db::{query, query_as};
use crate::store::orders::lines::NewLine;
use crate::store::orders::owner::Owner;
use crate::store::orders::positions::{AFTER_ALL, FIRST, LEVELS, MOST, Position, UNDATED};
use crate::store::{StoreError, Write, stored};

/// How many nodes are read at once when lines are counted: those of a page are mostly close together.
const NODES_AT_ONCE: usize = 32;

/// One more line, or one less, at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Change<'a> {
    key: i64,
    id: &'a str,
    items: i64,
}

/// Lines of a connection that come, go or move within a transaction.
#[derive(Debug)]
pub(in crate::store) struct Counts<'o, 'a> {
    owner: Owner<'o>,
    changes: Vec<Change<'a>>,
}

impl<'o, 'a> Counts<'o, 'a> {
    pub(in crate::store) const fn new(owner: Owner<'o>) -> Self {
        Self { owner, changes: Vec::new() }
    }

    /// Lines that are added.
    pub(in crate::store) fn of_added(owner: Owner<'o>, lines: &'a [NewLine]) -> Self {
        let added = |line: &'a NewLine| Change { key: line.sort_key, id: &line.id, items: 1 };
        Self { owner, changes: lines.iter().map(added).collect() }
    }

    pub(in crate::store) fn remove(&mut self, key: i64, id: &'a str) {
        self.changes.push(Change { key, id, items: -1 });
    }

    /// A line that gets another sort key, or keeps its own.
    pub(in crate::store) fn shift(&mut self, id: &'a str, from: i64, to: i64) {
        if from != to {
            self.remove(from, id);
            self.changes.push(Change { key: to, id, items: 1 });
        }
    }

    /// Counts them in every level.
    pub(in crate::store) async fn apply(mut self, tx: &mut Write) -> Result<Uneven<'o>, StoreError> {
        self.changes.sort_unstable();
        let mut uneven = Uneven { owner: self.owner, full: Default::default(), empty: Default::default() };
        for level in 0..LEVELS {
            let sums = sums(tx, self.owner, level, &self.changes).await?;
            uneven.add(tx, level, &sums).await?;
        }
        Ok(uneven)
    }
}

/// By how much the nodes of a level change. The changes are in the order of their positions.
async fn sums(
    tx: &mut Write,
    owner: Owner<'_>,
    level: usize,
    changes: &[Change<'_>],
) -> Result<Vec<(i64, String, i64)>, StoreError> {
    let mut left = changes;
    let mut sums = Vec::new();
    while let Some(first) = left.first() {
        let mut nodes: Vec<Position> = query_as(
            "SELECT * FROM (SELECT start_key, start_id FROM line_nodes
                WHERE user_id = $1 AND connection = $2 AND level = $3 AND (start_key, start_id) <= ($4, $5)
                ORDER BY start_key DESC, start_id DESC LIMIT 1) before
             UNION ALL
             SELECT * FROM (SELECT start_key, start_id FROM line_nodes
                WHERE user_id = $1 AND connection = $2 AND level = $3 AND (start_key, start_id) > ($4, $5)
                ORDER BY start_key, start_id LIMIT $6 - 1) after
             ORDER BY start_key, start_id",
        )
        .bind_owner(owner)
        .bind_all((stored(level), first.key, first.id, stored(NODES_AT_ONCE)))
        .fetch_all(&mut *tx)
        .await?;
        if nodes.is_empty() {
            // The connection's first line makes its first node.
            nodes.push((FIRST, String::new()));
        }
        // The end of the last node is unknown, unless there is no node after it.
        let is_all = nodes.len() < NODES_AT_ONCE;
        let starts: Vec<_> = nodes.iter().skip(1).cloned().map(Some).chain(is_all.then_some(None)).collect();
        for (node, next) in nodes.into_iter().zip(starts) {
            let within = next.map_or(left.len(), |next| {
                left.partition_point(|change| (change.key, change.id) < (next.0, next.1.as_str()))
            });
            let (inside, after) = left.split_at(within);
            let sum: i64 = inside.iter().map(|change| change.items).sum();
            if sum != 0 {
                sums.push((node.0, node.1, sum));
            }
            left = after;
        }
    }
    Ok(sums)
}

/// A node whose count changed.
#[derive(Debug)]
struct Node {
    start: Position,
    items: i64,
}

/// The nodes of a connection that hold too many items now, or none, by level.
#[must_use]
#[derive(Debug)]
pub(in crate::store) struct Uneven<'a> {
    owner: Owner<'a>,
    full: [Vec<Node>; LEVELS],
    empty: [Vec<Position>; LEVELS],
}

impl Uneven<'_> {
    /// Splits full nodes and removes empty ones. Belongs after the change of the rows that were counted.
    pub(in crate::store) async fn even_out(self, tx: &mut Write) -> Result<(), StoreError> {
        for (level, nodes) in self.full.iter().enumerate() {
            for node in nodes {
                self.split(tx, level, node).await?;
            }
        }
        self.remove_empty(tx).await
    }

    async fn add(&mut self, tx: &mut Write, level: usize, sums: &[(i64, String, i64)]) -> Result<(), StoreError> {
        if sums.is_empty() {
            return Ok(());
        }
        let changed: Vec<(i64, String, i64)> = query_as(sql!(
            "INSERT INTO line_nodes (start_key, start_id, items, user_id, connection, level)
             SELECT start_key, start_id, items, $2, $3, $4 FROM (",
            [positions "$1"],
            ") changed WHERE TRUE
             ON CONFLICT (user_id, connection, level, start_key, start_id)
                DO UPDATE SET items = line_nodes.items + excluded.items
             RETURNING start_key, start_id, items"
        ))
        .bind(list(sums)?)
        .bind_owner(self.owner)
        .bind(stored(level))
        .fetch_all(&mut *tx)
        .await?;
        for (key, id, items) in changed {
            match items {
                ..0 => return Err(StoreError::Corrupt("count of line items")),
                0 => self.empty[level].push((key, id)),
                _ if items > MOST[level] => self.full[level].push(Node { start: (key, id), items }),
                _ => {}
            }
        }
        Ok(())
    }

    async fn split(&self, tx: &mut Write, level: usize, node: &Node) -> Result<(), StoreError> {
        let end = self.end_of(tx, level, node).await?;
        let cuts = self.cuts(tx, level, node, &end).await?;
        let mut left = node.items;
        for (start, before) in cuts.iter().rev() {
            self.insert_node(tx, level, start, left - before).await?;
            left = *before;
        }
        if left == node.items {
            return Err(StoreError::Corrupt("count of line items"));
        }
        query(
            "UPDATE line_nodes SET items = $1
             WHERE user_id = $2 AND connection = $3 AND level = $4 AND start_key = $5 AND start_id = $6",
        )
        .bind(left)
        .bind_owner(self.owner)
        .bind_all((stored(level), node.start.0, &node.start.1))
        .run(&mut *tx)
        .await
    }

    async fn end_of(&self, tx: &mut Write, level: usize, node: &Node) -> Result<Position, StoreError> {
        let next: Option<Position> = query_as(
            "SELECT start_key, start_id FROM line_nodes WHERE user_id = $1 AND connection = $2 AND level = $3
                AND (start_key, start_id) > ($4, $5) ORDER BY start_key, start_id LIMIT 1",
        )
        .bind_owner(self.owner)
        .bind_all((stored(level), node.start.0, &node.start.1))
        .fetch_optional(&mut *tx)
        .await?;
        Ok(next.unwrap_or_else(|| (UNDATED, AFTER_ALL.to_owned())))
    }

    /// Where to cut a node so that each piece is three quarters full, and how many of its items are before each cut. A leaf is
    /// cut between items, any other node between those of the level below.
    async fn cuts(
        &self,
        tx: &mut Write,
        level: usize,
        node: &Node,
        end: &Position,
    ) -> Result<Vec<(Position, i64)>, StoreError> {
        let (columns, table, parts) = match level {
            0 => ("sort_key, id", "line_items", "1"),
            _ => ("start_key, start_id", "line_nodes", "items"),
        };
        let below = if level == 0 { String::new() } else { format!("AND level = {}", level - 1) };
        // The last part before which a multiple of `piece` is full: parts are numbered by the pieces that they begin in.
        let query = format!(
            "WITH parts AS (
                SELECT {columns}, CAST(COALESCE(SUM({parts}) OVER (ORDER BY {columns} ROWS BETWEEN UNBOUNDED PRECEDING
                    AND 1 PRECEDING), 0) AS BIGINT) AS before
                FROM {table} WHERE user_id = $1 AND connection = $2 {below} AND ({columns}) >= ($3, $4)
                    AND ({columns}) < ($5, $6)),
             numbered AS (
                SELECT {columns}, before, before / $7 AS number, LAG(before / $7, 1, 0) OVER (ORDER BY {columns}) AS last
                FROM parts)
             SELECT {columns}, before FROM numbered WHERE number > last AND before < $8 ORDER BY {columns}"
        );
        let rows: Vec<(i64, String, i64)> = query_as(AssertSqlSafe(query))
            .bind_owner(self.owner)
            .bind_all((node.start.0, &node.start.1, end.0, &end.1, MOST[level] / 4 * 3, node.items))
            .fetch_all(&mut *tx)
            .await?;
        Ok(rows.into_iter().map(|(key, id, before)| ((key, id), before)).collect())
    }

    async fn insert_node(&self, tx: &mut Write, level: usize, start: &Position, items: i64) -> Result<(), StoreError> {
        query(
            "INSERT INTO line_nodes (user_id, connection, level, start_key, start_id, items) VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind_owner(self.owner)
        .bind_all((stored(level), start.0, &start.1, items))
        .run(&mut *tx)
        .await
    }

    /// Removes the nodes that lost all their items, except for the first of each level, and for those at whose start a node of
    /// the level above starts as well: these go with that one.
    async fn remove_empty(self, tx: &mut Write) -> Result<(), StoreError> {
        let mut above: Vec<Position> = Vec::new();
        for (level, mut starts) in self.empty.into_iter().enumerate().rev() {
            starts.append(&mut above);
            if starts.is_empty() {
                continue;
            }
            above = query_as(sql!(
                "DELETE FROM line_nodes WHERE user_id = $1 AND connection = $2 AND level = $3 AND items = 0
                    AND start_key <> $4
                    AND (start_key, start_id) IN (SELECT start_key, start_id FROM (",
                [positions "$5"],
                ") emptied)
                    AND NOT EXISTS (SELECT 1 FROM line_nodes above WHERE above.user_id = $1 AND above.connection = $2
                        AND above.level = $3 + 1 AND above.start_key = line_nodes.start_key
                        AND above.start_id = line_nodes.start_id)
                 RETURNING start_key, start_id"
            ))
            .bind_owner(self.owner)
            .bind_all((stored(level), FIRST, list(&starts)?))
            .fetch_all(&mut *tx)
            .await?;
        }
        Ok(())
    }
}
