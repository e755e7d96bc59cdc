//! Orders that a retailer gave another number: one that it no longer lists and one that it lists for the first time are the
//! same order if date, currency, total and lines are equal and no other order is like them, unless that may be by chance. The stored
//! lines keep their ids and take the new number.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use ordersync_api::{Open, OrderItem, Timestamp};
use sha2::{Digest as _, Sha256};

use crate::clock::Clock;
use crate::domain::matching::{Candidate, pair};
use crate::domain::rendered::{Rendered, Renderer};
use crate::store::db::dialect::sql;
use crate::store::db::json::list;
use crate::store::db::row::row;
use crate::store::db::{query, query_as, query_scalar};
use crate::store::orders::counts::Counts;
use crate::store::orders::ingest::update;
use crate::store::orders::lines::{Keys, candidate_of, parse, raise_list_version, storable};
use crate::store::syncs::lease::Guarded;
use crate::store::syncs::queue::Claim;
use crate::store::{Store, StoreError, Write};

/// Orders that are read at once.
const READ: usize = 256;
/// Orders that are joined in a transaction.
const BATCH: usize = 32;

/// What two orders have in common if they are the same one.
type Likeness = [u8; 32];

row! {
    struct LineRow {
        item: i64,
        id: String,
        line_key: Option<String>,
        line_id: Option<String>,
        sort_key: i64,
        content_digest: Vec<u8>,
        document: String,
        adjustments: Option<String>,
    }
}

/// A line of an order that may have another number now.
struct Line {
    row: LineRow,
    served: OrderItem,
}

impl Line {
    fn candidate(&self) -> Candidate<'_> {
        candidate_of(self.row.line_key.as_deref().unwrap_or(&self.row.id), &self.served)
    }
}

impl Store {
    /// Gives those of the `unseen` orders that are listed under another number now that number. Returns which these are;
    /// `None`: the claim was lost.
    pub(in crate::store) async fn join_renumbered(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        now: DateTime<Utc>,
        unseen: &[i64],
    ) -> Result<Option<HashSet<i64>>, StoreError> {
        let listed_first: Vec<i64> =
            query_scalar("SELECT number FROM orders WHERE user_id = $1 AND connection = $2 AND first_batch_id = $3")
                .bind_owner(claim.orders())
                .bind(&claim.batch_id)
                .fetch_all(&self.pool)
                .await?;
        if listed_first.is_empty() {
            return Ok(Some(HashSet::new()));
        }
        let (new, old) = (self.likenesses(claim, &listed_first).await?, self.likenesses(claim, unseen).await?);
        let mut same: Vec<(i64, i64)> = new
            .iter()
            .filter_map(|(likeness, new)| match (&new[..], &old.get(likeness)?[..]) {
                ([new], [old]) => Some((*old, *new)),
                _ => None,
            })
            .collect();
        if let [(old, _)] = same[..]
            && self.may_be_by_chance(claim, old).await?
        {
            same.clear();
        }
        same.sort_unstable();
        let mut joined = HashSet::new();
        for pairs in same.chunks(BATCH) {
            let Some(Guarded { mut tx, .. }) = self.guarded(claim, clock).await? else { return Ok(None) };
            for (old, new) in pairs {
                if join(&mut tx, claim, now, *old, *new).await? {
                    joined.insert(*old);
                }
            }
            raise_list_version(&mut tx, &claim.connection_id).await?;
            tx.commit().await?;
        }
        if !joined.is_empty() {
            tracing::info!(batch_id = claim.batch_id, orders = joined.len(), "orders have other numbers now");
        }
        Ok(Some(joined))
    }

    /// Whether one order alone that is like another may be another one all the same: the shop shows no time of day, and other orders
    /// kept their numbers. Both are reported then, one as missing and one as new.
    async fn may_be_by_chance(&self, claim: &Claim, old: i64) -> Result<bool, StoreError> {
        let kept = query(
            "SELECT 1 FROM orders WHERE user_id = $1 AND connection = $2 AND last_batch_id = $3
             AND COALESCE(first_batch_id, '') <> $3 LIMIT 1",
        )
        .bind_owner(claim.orders())
        .bind(&claim.batch_id);
        let by_day = query(
            "SELECT 1 FROM line_items WHERE user_id = $1 AND connection = $2 AND item >= $3 << 20 AND item < ($3 + 1) << 20
             AND sort_key % 3600000000 = 0 LIMIT 1",
        )
        .bind_owner(claim.orders())
        .bind(old);
        Ok(kept.exists(&self.pool).await? && by_day.exists(&self.pool).await?)
    }

    /// These orders by what they look like, but for those without a date or without lines.
    async fn likenesses(&self, claim: &Claim, numbers: &[i64]) -> Result<HashMap<Likeness, Vec<i64>>, StoreError> {
        let mut likenesses = HashMap::<_, Vec<i64>>::new();
        for numbers in numbers.chunks(READ) {
            let rows: Vec<(i64, String)> = query_as(sql!("SELECT o.value, i.document FROM ", [lines of orders]))
                .bind_owner(claim.orders())
                .bind(list(numbers)?)
                .fetch_all(&self.pool)
                .await?;
            let mut lines = HashMap::<i64, Vec<OrderItem>>::new();
            for (number, document) in rows {
                lines.entry(number).or_default().push(parse(&document)?);
            }
            for (number, lines) in lines {
                if let Some(likeness) = likeness(&lines) {
                    likenesses.entry(likeness).or_default().push(number);
                }
            }
        }
        Ok(likenesses)
    }
}

/// A digest of date, currency, total, and title, quantity and price of each line, in any order.
fn likeness(lines: &[OrderItem]) -> Option<Likeness> {
    let first = lines.first()?;
    let date = first.order_date.as_ref()?;
    let text = |value: Option<rust_decimal::Decimal>| value.map(|value| value.normalize().to_string());
    let mut shown: Vec<String> =
        lines.iter().map(|line| format!("{:?}", (&line.item_name, text(line.quantity), text(line.price)))).collect();
    shown.sort_unstable();
    let mut digest = Sha256::new();
    digest.update(format!("{:?}", (date.to_string(), &first.currency, text(first.order_total), shown)));
    Some(digest.finalize().into())
}

/// Gives the old order the number of the new one, and what is known of that. Returns whether they are the same order.
async fn join(tx: &mut Write, claim: &Claim, now: DateTime<Utc>, old: i64, new: i64) -> Result<bool, StoreError> {
    let (old_lines, new_lines) = (lines_of(tx, claim, old).await?, lines_of(tx, claim, new).await?);
    let before: Vec<_> = old_lines.iter().map(Line::candidate).collect();
    let read: Vec<_> = new_lines.iter().map(Line::candidate).collect();
    let Some(pairs) = pair(&before, &read).into_iter().collect::<Option<Vec<usize>>>() else { return Ok(false) };
    let are_equal = pairs.iter().zip(&read).all(|(index, read)| read.equals(&before[*index]));
    if pairs.len() != before.len() || !are_equal {
        return Ok(false);
    }
    let mut counts = Counts::new(claim.orders());
    for (line, index) in new_lines.iter().zip(&pairs) {
        let old = &old_lines[*index].row;
        counts.remove(line.row.sort_key, &line.row.id);
        counts.shift(&old.id, old.sort_key, line.row.sort_key);
    }
    let uneven = counts.apply(tx).await?;
    query(
        "DELETE FROM line_items
         WHERE user_id = $1 AND connection = $2 AND item >= $3 << 20 AND item < ($3 + 1) << 20",
    )
    .bind_owner(claim.orders())
    .bind(new)
    .execute(&mut *tx)
    .await?;
    let at = storable(now)?;
    let mut renderer = Renderer::default();
    let lines = new_lines.len();
    for (line, index) in new_lines.into_iter().zip(pairs) {
        write_joined(tx, claim, &mut renderer, &old_lines[index].row, line, &at).await?;
    }
    uneven.even_out(tx).await?;
    join_order(tx, claim, old, new).await?;
    query("UPDATE retailer_sessions SET items_new = items_new - $1 WHERE id = $2")
        .bind_all((crate::store::stored(lines), &claim.id))
        .execute(&mut *tx)
        .await?;
    Ok(true)
}

async fn lines_of(tx: &mut Write, claim: &Claim, number: i64) -> Result<Vec<Line>, StoreError> {
    let rows: Vec<LineRow> = query_as(
        "SELECT item, id, line_key, line_id, sort_key, content_digest, document, adjustments FROM line_items
         WHERE user_id = $1 AND connection = $2 AND item >= $3 << 20 AND item < ($3 + 1) << 20 ORDER BY item",
    )
    .bind_owner(claim.orders())
    .bind(number)
    .fetch_all(&mut *tx)
    .await?;
    rows.into_iter().map(|row| Ok(Line { served: parse(&row.document)?, row })).collect()
}

/// Writes what was read as the new line into the old one's row, under the old one's id.
async fn write_joined(
    tx: &mut Write,
    claim: &Claim,
    renderer: &mut Renderer,
    old: &LineRow,
    new: Line,
    at: &Open<Timestamp>,
) -> Result<(), StoreError> {
    let served = OrderItem { id: old.id.as_str().into(), updated_at: Some(at.clone()), ..new.served };
    let rendered = renderer.render(&served).map_err(|_| StoreError::Corrupt("line item"))?;
    let rendered = Rendered { adjustments: new.row.adjustments, ..rendered };
    let keys = Keys { line_key: new.row.line_key.or(Some(new.row.id)), line_id: new.row.line_id };
    update(tx, claim.orders(), old.item, &keys, new.row.sort_key, &new.row.content_digest, rendered).await
}

async fn join_order(tx: &mut Write, claim: &Claim, old: i64, new: i64) -> Result<(), StoreError> {
    type Order = (String, Option<String>, i64, Option<i64>, i64, Option<String>);
    query("UPDATE order_documents SET order_number = $1 WHERE user_id = $2 AND connection = $3 AND order_number = $4")
        .bind(old)
        .bind_owner(claim.orders())
        .bind(new)
        .execute(&mut *tx)
        .await?;
    query(
        "INSERT INTO former_order_ids (user_id, connection, order_id)
         SELECT user_id, connection, order_id FROM orders WHERE user_id = $1 AND connection = $2 AND number = $3
         ON CONFLICT (user_id, connection, order_id) DO NOTHING",
    )
    .bind_owner(claim.orders())
    .bind(old)
    .execute(&mut *tx)
    .await?;
    let (order_id, fingerprint, items, read_at, marked, adjustments): Order = query_as(
        "DELETE FROM orders WHERE user_id = $1 AND connection = $2 AND number = $3
         RETURNING order_id, fingerprint, item_count, read_at, marked, adjustments",
    )
    .bind_owner(claim.orders())
    .bind(new)
    .fetch_one(&mut *tx)
    .await?;
    query(
        "UPDATE orders SET order_id = $1, fingerprint = $2, item_count = $3, read_at = $4, marked = $5, adjustments = $6,
            last_batch_id = $7, missing_since = NULL WHERE user_id = $8 AND connection = $9 AND number = $10",
    )
    .bind_all((order_id, fingerprint, items, read_at, marked, adjustments, &claim.batch_id))
    .bind_owner(claim.orders())
    .bind(old)
    .run(&mut *tx)
    .await
}
