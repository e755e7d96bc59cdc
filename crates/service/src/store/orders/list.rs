//! Line items: stored once each, listed newest first, and given out as they were written when they were stored.
//!
//! A list is read in one snapshot: its length and its page belong together, whatever is stored meanwhile.

use std::collections::HashMap;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};
use sqlx::AssertSqlSafe;

use crate::connector::{Compared, Overlap};
use crate::store::accounts::connections::{Access, Window};
use crate::store::accounts::users::Caller;
use crate::store::db::dialect::sql;
use crate::store::db::json::texts;
use crate::store::db::row::row;
use crate::store::db::{Builder, Dialect, Joined, Query, Tx, query_as, query_scalar};
use crate::store::orders::adjustments::document_with;
use crate::store::orders::owner::Owner;
use crate::store::orders::positions;
use crate::store::orders::positions::{Floor, UNDATED, sort_key};
use crate::store::{Store, StoreError, count, time};

/// SQLite joins at most 500 selects into one.
const MERGED_AT_MOST: usize = 400;

row! {
    /// A connection whose items are listed.
    struct ListedConnection {
        id: String,
        number: i64,
        list_version: i64,
        items: i64,
        is_complete: bool,
        is_marked: bool,
    }
}

/// Which line items to list.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OrderFilter {
    /// Of this retailer.
    pub retailer_id: Option<i64>,
    /// Ordered at this time or later.
    pub start: Option<DateTime<Utc>>,
    /// Ordered before this time.
    pub end: Option<DateTime<Utc>>,
}

impl OrderFilter {
    /// The sort keys that match: from the first on, where it is bounded, up to and with the last.
    fn keys(&self) -> (Option<i64>, i64) {
        let first = self.end.map(|end| sort_key(Some(end)) + 1);
        let last = match (self.start, self.end) {
            (Some(start), _) => sort_key(Some(start)),
            // What has no date is neither before nor after any.
            (None, Some(_)) => UNDATED - 1,
            (None, None) => UNDATED,
        };
        (first, last)
    }
}

/// In which form to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListFormat {
    /// JSON documents, with commas between them.
    Json,
    /// JSON with their adjustments.
    JsonAdjusted,
    /// Lines of CSV, without the header.
    Csv,
    /// JSON arrays: connection, item, sort key, id, document.
    Placed,
}

impl ListFormat {
    /// All lines, of SQLite as a row each: to make one text of them would take it as long as to read them.
    const fn all_of(self, dialect: Dialect) -> &'static str {
        match (self, dialect) {
            (Self::Csv, Dialect::Sqlite) => "SELECT written, sort_key, id FROM (",
            (_, Dialect::Sqlite) => "SELECT written FROM (",
            (Self::Csv, Dialect::Postgres) => "SELECT string_agg(written, '' ORDER BY sort_key, id) FROM (",
            (_, Dialect::Postgres) => "SELECT string_agg(written, ',' ORDER BY sort_key, id) FROM (",
        }
    }

    pub(in crate::store) const fn separator(self) -> &'static str {
        match self {
            Self::Csv => "",
            _ => ",",
        }
    }

    /// The line in this form; `line` is what the query calls it.
    fn of(self, line: &str) -> String {
        match self {
            Self::Json => format!("{line}.document"),
            Self::JsonAdjusted => document_with(line),
            Self::Csv => format!("{line}.csv"),
            // An id has no character that JSON would escape.
            Self::Placed => format!(
                "'[' || {line}.connection || ',' || {line}.item || ',' || {line}.sort_key || ',\"' || {line}.id || '\",'
                    || {line}.document || ']'"
            ),
        }
    }
}

/// A page of a list.
#[derive(Debug)]
pub(crate) struct OrderPage {
    /// The items, written.
    pub text: Bytes,
    /// How many items match in all.
    pub total: u64,
    /// Changes whenever any item visible to the caller is added, removed or changed.
    pub version: String,
    /// Of how many connections it is not known that all their items are stored.
    pub incomplete: usize,
    /// How many connections have orders with `mismatch`.
    pub mismatched: usize,
    /// The last item, for CSV only: its lines have no id.
    pub last: Option<LastItem>,
}

/// The item at the end of a page.
#[derive(Debug)]
pub(crate) struct LastItem {
    /// Its id.
    pub id: String,
    /// When it was ordered.
    pub order_date: Option<DateTime<Utc>>,
}

impl LastItem {
    fn at(sort_key: i64, id: String) -> Result<Self, StoreError> {
        Ok(Self { id, order_date: (sort_key != UNDATED).then(|| time(-sort_key)).transpose()? })
    }
}

/// The item `$2` of the user `$1` with its adjustments, and whether its connection is shared with the client `$3`. It is looked up in
/// each run of the index of each connection: there are few.
pub(in crate::store) fn item_by_id(dialect: Dialect) -> String {
    let document = document_with("i");
    let (each, end) = (sql!([each "line_items" "i"]).of(dialect), sql!([end of each "i"]).of(dialect));
    format!(
        "WITH RECURSIVE runs (id, number, run) AS (
            SELECT id, number, orders_made >> 12 FROM connections WHERE user_id = $1
            UNION ALL SELECT id, number, run - 1 FROM runs WHERE run > 0)
        SELECT EXISTS (SELECT 1 FROM connection_shares s
                WHERE s.user_id = $1 AND s.connection_id = r.id AND s.client_id = $3), {document} FROM runs r
        {each}i.user_id = $1 AND i.connection = r.number AND i.item >> 32 = r.run AND i.id = $2{end}
        LIMIT 1"
    )
}

impl Store {
    /// A page of the line items that match, newest first (order date, then id; those without a date last).
    pub(crate) async fn order_page(
        &self,
        caller: &Caller,
        filter: &OrderFilter,
        window: Window,
        form: ListFormat,
    ) -> Result<OrderPage, StoreError> {
        let mut tx = self.pool.begin().await?;
        let listed: Vec<ListedConnection> = query_as(sql!(
            "SELECT c.id, c.number, c.list_version, (SELECT CAST(COALESCE(SUM(n.items), 0) AS BIGINT) FROM line_nodes n
                WHERE n.user_id = c.user_id AND n.connection = c.number AND n.level = 2) AS items, ",
            [complete],
            " AS is_complete, EXISTS (SELECT 1 FROM ",
            [marked orders],
            " WHERE o.user_id = c.user_id AND o.connection = c.number AND o.marked <> 0) AS is_marked
             FROM connections c JOIN connection_shares s ON s.user_id = c.user_id AND s.connection_id = c.id AND s.client_id = $1
             WHERE c.user_id = $2 AND ($3 IS NULL OR c.retailer_id = $3) ORDER BY c.id",
        ))
        .bind_all((&caller.client_id, &caller.user_id, filter.retailer_id))
        .fetch_all(&mut tx)
        .await?;
        let version = version_of(&listed);
        let incomplete = listed.iter().filter(|connection| !connection.is_complete).count();
        let mismatched = listed.iter().filter(|connection| connection.is_marked).count();
        let all = listed.iter().map(|connection| connection.items).sum();
        let connections: Vec<i64> = listed.into_iter().map(|connection| connection.number).collect();
        let user_id = caller.user_id.as_str();
        let (first, last) = filter.keys();
        let before = match first {
            None => 0,
            Some(first) => positions::count_before(&mut tx, user_id, &connections, first).await?,
        };
        let upto = match last {
            UNDATED => all,
            last => positions::count_before(&mut tx, user_id, &connections, last + 1).await?,
        };
        let total = count(upto - before);
        let rows = total.saturating_sub(window.offset).min(u64::from(window.limit));
        let (floors, skipped) = if rows == 0 {
            (Vec::new(), 0)
        } else if window.offset == 0 {
            (connections.into_iter().map(|number| Floor::at(number, first)).collect(), 0)
        } else {
            positions::find(&mut tx, user_id, &connections, before.saturating_add_unsigned(window.offset)).await?
        };
        let slice = Slice { user_id, floors: &floors, last, dialect: tx.dialect(), search: None };
        let query = page_query(&slice, window.limit, skipped, form);
        let Joined { text, last } = match rows {
            0 => Joined::default(),
            _ => query.fetch_joined(form.separator(), window.limit, &mut tx).await?,
        };
        let last = match (form, last) {
            (ListFormat::Csv, Some((key, id))) => Some(LastItem::at(key, id)?),
            (ListFormat::Csv, None) if rows > 0 => {
                Some(item_at(&mut tx, &slice, skipped.saturating_add_unsigned(rows - 1)).await?)
            }
            _ => None,
        };
        // Nothing was written: the snapshot is let go of, and nobody waits for that.
        drop(tx);
        Ok(OrderPage { text, total, version, incomplete, mismatched, last })
    }

    /// One line item with its adjustments, as JSON.
    pub(crate) async fn order_item(&self, caller: &Caller, id: &str) -> Result<Access<String>, StoreError> {
        let item = query_as(AssertSqlSafe(item_by_id(self.pool.dialect()))).bind_all((&caller.user_id, id));
        let item: Option<(bool, String)> = item.bind(&caller.client_id).fetch_optional(&self.pool).await?;
        Ok(match item {
            Some((true, document)) => Access::Granted(document),
            Some((false, _)) => Access::NotShared,
            None => Access::Absent,
        })
    }

    /// The fingerprints of those of the orders that are stored.
    pub(crate) async fn fingerprints(
        &self,
        owner: Owner<'_>,
        order_ids: &[String],
    ) -> Result<HashMap<String, String>, StoreError> {
        let rows: Vec<(String, String)> = query_as(sql!(
            "SELECT order_id, fingerprint FROM ",
            [listed "orders"],
            "fingerprint IS NOT NULL"
        ))
        .bind_owner(owner)
        .bind(texts(order_ids)?)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().collect())
    }

    /// The settled orders that were read longest ago. Missing ones cannot be read.
    pub(crate) async fn longest_unread(&self, owner: Owner<'_>, limit: u32) -> Result<Vec<String>, StoreError> {
        let ids = query_scalar(
            "SELECT order_id FROM orders WHERE user_id = $1 AND connection = $2 AND fingerprint IS NOT NULL
                AND missing_since IS NULL ORDER BY read_at NULLS FIRST, number LIMIT $3",
        )
        .bind_owner(owner)
        .bind(limit)
        .fetch_all(&self.pool)
        .await?;
        Ok(ids)
    }

    /// Whether any of these orders is stored.
    pub(crate) async fn overlap(&self, owner: Owner<'_>, order_ids: &[String]) -> Result<Overlap, StoreError> {
        let (any, shared): (bool, bool) = query_as(sql!(
            "SELECT EXISTS (SELECT 1 FROM orders WHERE user_id = $1 AND connection = $2),
                EXISTS (SELECT 1 FROM ",
            [listed "orders"],
            "TRUE)"
        ))
        .bind_owner(owner)
        .bind(texts(order_ids)?)
        .fetch_one(&self.pool)
        .await?;
        Ok(match (any, shared) {
            (false, _) => Overlap::NothingStored,
            (true, false) => Overlap::Disjoint,
            (true, true) => Overlap::Shared,
        })
    }

    /// The orders that are not marked as missing, compared with these.
    pub(crate) async fn compared(&self, owner: Owner<'_>, order_ids: &[String]) -> Result<Compared, StoreError> {
        let (all, listed, not_proven): (i64, i64, i64) = query_as(sql!(
            "SELECT (SELECT COUNT(*) FROM orders WHERE user_id = $1 AND connection = $2 AND missing_since IS NULL
                    AND (sources IS NULL OR sources LIKE '_\"account\"%')),
                (SELECT COUNT(*) FROM ",
            [listed "orders"],
            "missing_since IS NULL AND (sources IS NULL OR sources LIKE '_\"account\"%')),
                (SELECT end_not_proven FROM connections WHERE user_id = $1 AND number = $2)"
        ))
        .bind_owner(owner)
        .bind(texts(order_ids)?)
        .fetch_one(&self.pool)
        .await?;
        let count = |orders: i64| usize::try_from(orders).unwrap_or_default();
        let was_not_proven = not_proven != 0;
        Ok(Compared { listed: count(listed), unlisted: count(all - listed), was_not_proven })
    }
}

/// Which state of these connections' items this is. Numbers alone would tell a client how often others sync.
fn version_of(listed: &[ListedConnection]) -> String {
    let mut digest = Sha256::new();
    for ListedConnection { id, list_version, .. } in listed {
        digest.update(format!("{id} {list_version}\n"));
    }
    format!("{:032x}", digest.finalize().first_chunk().copied().map_or(0, u128::from_be_bytes))
}

/// Items of several connections, in the order of the list.
pub(in crate::store) struct Slice<'a> {
    pub(in crate::store) user_id: &'a str,
    /// Where each connection's items begin.
    pub(in crate::store) floors: &'a [Floor],
    /// The last sort key.
    pub(in crate::store) last: i64,
    pub(in crate::store) dialect: Dialect,
    pub(in crate::store) search: Option<&'a Search>,
}

/// Only lines that hold all of these texts, in which the case of ASCII letters does not matter. Each is letters and digits.
#[derive(Debug)]
pub(crate) struct Search {
    pub texts: Vec<String>,
    /// Whether few lines are expected: to read them as they are stored and to sort those takes a third of the time.
    pub is_rare: bool,
}

/// The item that stands so many items after the floors; there is one.
async fn item_at(tx: &mut Tx, slice: &Slice<'_>, skipped: i64) -> Result<LastItem, StoreError> {
    let mut query = Builder::new("SELECT sort_key, id FROM (");
    among(&mut query, "sort_key, id", slice, 1, skipped);
    query.push(") item");
    let (key, id): (i64, String) = query.build_as().fetch_one(tx).await?;
    LastItem::at(key, id)
}

pub(in crate::store) fn page_query(slice: &Slice<'_>, limit: u32, skipped: i64, form: ListFormat) -> Query {
    let mut query = Builder::new(form.all_of(slice.dialect));
    match (slice.dialect, slice.floors) {
        (Dialect::Postgres, _) => {
            among(&mut query, &format!("{} AS written, sort_key, id", form.of("line_items")), slice, limit, skipped);
        }
        // In SQLite the order of the rows is that of the subquery, which its limit keeps.
        (Dialect::Sqlite, [floor]) => {
            query.push("SELECT ").push(&form.of("line_items")).push(" AS written, sort_key, id");
            among_one(&mut query, slice, floor);
            window(&mut query, limit, skipped);
        }
        // The rows are found on the index alone, and only those of the page are read. The connections' parts are merged as
        // long as order and limit stand right behind them; around them, everything would be sorted.
        (Dialect::Sqlite, _) => {
            query.push("SELECT ").push(&form.of("i")).push(" AS written, i.sort_key, i.id FROM (SELECT row FROM (");
            among(&mut query, "rowid AS row, sort_key, id", slice, limit, skipped);
            query.push(")) k CROSS JOIN line_items i ON i.rowid = k.row");
        }
    }
    query.push(") page");
    query.build()
}

/// So many items of several connections, each from its floor on, after those that are skipped.
fn among(query: &mut Builder, columns: &str, slice: &Slice<'_>, limit: u32, skipped: i64) {
    if slice.floors.is_empty() {
        query.push("SELECT ").push(columns).push(" FROM line_items WHERE FALSE");
    } else if slice.floors.len() <= MERGED_AT_MOST {
        // PostgreSQL merges parts that are in order themselves. It would read and sort each part to its end otherwise.
        let is_in_order = slice.dialect == Dialect::Postgres && slice.floors.len() > 1;
        for (index, floor) in slice.floors.iter().enumerate() {
            query.push(if index == 0 { "" } else { " UNION ALL " });
            query.push(if is_in_order { "(SELECT " } else { "SELECT " }).push(columns);
            among_one(query, slice, floor);
            if is_in_order {
                query.push(" ORDER BY sort_key, id LIMIT ").push_bind(skipped.saturating_add(i64::from(limit)));
                query.push(")");
            }
        }
    } else {
        among_very_many(query, columns, slice);
    }
    window(query, limit, skipped);
}

fn among_one(query: &mut Builder, slice: &Slice<'_>, floor: &Floor) {
    let is_rare = slice.search.is_some_and(|search| search.is_rare);
    query.push(" FROM line_items");
    query.push(if is_rare && slice.dialect == Dialect::Sqlite { " INDEXED BY line_items_of_orders" } else { "" });
    query.push(" WHERE user_id = ").push_bind(slice.user_id);
    query.push(" AND connection = ").push_bind(floor.connection);
    query.push(" AND (sort_key, id) >= (").push_bind(floor.start.0).push(", ").push_bind(&floor.start.1);
    query.push(") AND sort_key <= ").push_bind(slice.last);
    holding(query, slice);
}

/// CSV has the texts of a line without names of fields between them.
fn holding(query: &mut Builder, slice: &Slice<'_>) {
    for text in slice.search.iter().flat_map(|search| &search.texts) {
        query.push(match slice.dialect {
            Dialect::Sqlite => " AND csv LIKE ",
            // In no language: in Turkish, "I" is no capital of "i".
            Dialect::Postgres => " AND csv COLLATE \"C\" ILIKE ",
        });
        query.push_bind(format!("%{text}%"));
    }
}

/// Slower, since it sorts; nobody is known to have so many connections.
fn among_very_many(query: &mut Builder, columns: &str, slice: &Slice<'_>) {
    query.push("SELECT ").push(columns).push(" FROM (");
    query.push_values(
        slice.floors.iter().map(|floor| [floor.connection.into(), floor.start.0.into(), (&floor.start.1).into()]),
    );
    query.push(") f ").push(sql!([each "line_items" "line_items"]).of(slice.dialect));
    query.push("user_id = ").push_bind(slice.user_id);
    query
        .push(" AND connection = f.column1 AND (sort_key, id) >= (f.column2, f.column3) AND sort_key <= ")
        .push_bind(slice.last);
    holding(query, slice);
    query.push(sql!([end of each "line_items"]).of(slice.dialect));
}

/// A sum, because SQLite plans a query anew for each value of a limit that is an argument alone.
fn window(query: &mut Builder, limit: u32, skipped: i64) {
    query.push(" ORDER BY sort_key, id LIMIT ").push_bind(i64::from(limit)).push(" + 0");
    query.push(" OFFSET ").push_bind(skipped).push(" + 0");
}

/// The orders of one connection, as its connector may ask for them.
pub(crate) struct StoredOrders<'a> {
    pub(crate) store: &'a Store,
    pub(crate) owner: Owner<'a>,
}

#[async_trait::async_trait]
impl crate::connector::KnownOrders for StoredOrders<'_> {
    async fn fingerprints(
        &self,
        order_ids: &[String],
    ) -> Result<HashMap<String, String>, crate::connector::ConnectorError> {
        self.store.fingerprints(self.owner, order_ids).await.map_err(unreadable)
    }

    async fn longest_unread(&self, limit: u32) -> Result<Vec<String>, crate::connector::ConnectorError> {
        self.store.longest_unread(self.owner, limit).await.map_err(unreadable)
    }

    async fn overlap(&self, order_ids: &[String]) -> Result<Overlap, crate::connector::ConnectorError> {
        self.store.overlap(self.owner, order_ids).await.map_err(unreadable)
    }

    async fn compared(&self, order_ids: &[String]) -> Result<Compared, crate::connector::ConnectorError> {
        self.store.compared(self.owner, order_ids).await.map_err(unreadable)
    }
}

fn unreadable(error: StoreError) -> crate::connector::ConnectorError {
    tracing::error!(%error, "cannot look up stored orders");
    crate::connector::ConnectorError::new(ordersync_api::SyncErrorCode::InternalError).transient()
}
