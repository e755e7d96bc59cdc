//! Which tables and columns hold a user's data, and what an import restores of them.

use sqlx::AssertSqlSafe;

use crate::store::StoreError;
use crate::store::db::{Sql, Tx, query_as, query_scalar};

/// Of tables whose rows belong to a user by something else than `user_id`: which they are. `$1` is the user, `$2` the digest of
/// the phone number.
pub(super) const BY_OTHER_COLUMNS: &[(&str, &str)] = &[
    ("users", "id = $1"),
    ("access_tokens", "grant_id IN (SELECT id FROM grants WHERE user_id = $1)"),
    ("refresh_tokens", "grant_id IN (SELECT id FROM grants WHERE user_id = $1)"),
    (
        "link_tokens",
        "(client_id, external_user_id) IN (SELECT client_id, external_user_id FROM user_bindings WHERE user_id = $1)",
    ),
    ("one_time_passwords", "phone_digest = $2"),
    ("known_places", "phone_digest = $2"),
    ("unused_passwords", "phone_digest = $2"),
    ("sandbox_passwords", "phone_digest = $2"),
    ("otp_sends", "sent_to = $2"),
    ("otp_places", "sent_to = $2"),
];

/// The tables that an import restores, rows before those that refer to them, each with the key that its rows are exported in the
/// order of. Every other table of a user is one of [`LEFT`]: a test asks for the place of a new one.
pub(crate) const RESTORED: &[(&str, &[&str])] = &[
    ("users", &["id"]),
    ("connections", &["id"]),
    ("sessions", &["id"]),
    ("retailer_sessions", &["id"]),
    ("used_stamps", &["client_id", "stamp"]),
    ("grants", &["id"]),
    ("user_bindings", &["client_id", "external_user_id"]),
    ("connection_shares", &["connection_id", "client_id"]),
    ("events", &["batch_id", "seq"]),
    ("mfa_requests", &["id"]),
    ("kept_back_orders", &["connection_id", "order_id"]),
    ("former_order_ids", &["connection", "order_id"]),
    ("removed_connections", &["connection"]),
    ("orders", &["connection", "number"]),
    ("line_items", &["connection", "item"]),
    ("line_nodes", &["connection", "level", "start_key", "start_id"]),
];

/// The tables that an import leaves: their rows are nothing without what only the service can read, or end within a day.
pub(crate) const LEFT: &[&str] = &[
    "order_documents",
    "document_blocks",
    "access_tokens",
    "refresh_tokens",
    "authorization_codes",
    "device_codes",
    "browser_sessions",
    "link_tokens",
    "state_blocks",
    "idempotency",
    "sandbox_failures",
    "one_time_passwords",
    "known_places",
    "unused_passwords",
    "sandbox_passwords",
    "otp_sends",
    "otp_places",
];

/// Columns of octets that are exported: digests of data that is exported, too.
const OPEN_DIGESTS: &[(&str, &str)] = &[("line_items", "content_digest")];

const TABLES_WITH_USERS: Sql = Sql::both(
    "SELECT m.name FROM sqlite_master m
     WHERE m.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) c WHERE c.name = 'user_id')
     ORDER BY m.name",
    "SELECT table_name::text FROM information_schema.columns
     WHERE table_schema = current_schema() AND column_name = 'user_id' ORDER BY table_name COLLATE \"C\"",
);
const COLUMNS: Sql = Sql::both(
    "SELECT name, type FROM pragma_table_info($1) ORDER BY name",
    "SELECT column_name::text, data_type::text FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 ORDER BY column_name COLLATE \"C\"",
);

/// A table with rows of users, and the condition of one user's rows.
pub(in crate::store) struct UserTable {
    pub(in crate::store) name: String,
    which: String,
}

impl UserTable {
    /// A condition that names both parameters, as each statement has both.
    pub(super) fn condition(&self) -> String {
        condition(&self.which)
    }

    /// Its rows of a user, with these columns.
    pub(super) fn select(&self, columns: &[Column]) -> AssertSqlSafe<String> {
        let names: Vec<String> = columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
        let key = RESTORED.iter().find(|(name, _)| *name == self.name);
        let order = key.map(|(_, key)| format!(" ORDER BY {}", key.join(", "))).unwrap_or_default();
        AssertSqlSafe(format!("SELECT {} FROM {} WHERE {}{order}", names.join(", "), self.name, self.condition()))
    }
}

pub(super) fn condition(which: &str) -> String {
    format!("({which}) AND $1 IS NOT NULL AND $2 IS NOT NULL")
}

/// The tables that have rows of users, in the order of [`RESTORED`] and [`LEFT`]. Every table with a column `user_id` is among
/// them, whichever version made it.
pub(in crate::store) async fn user_tables(tx: &mut Tx) -> Result<Vec<UserTable>, StoreError> {
    let by_id: Vec<String> = query_scalar(TABLES_WITH_USERS).fetch_all(tx).await?;
    let by_id = by_id.into_iter().map(|name| UserTable { name, which: "user_id = $1".to_owned() });
    let others = BY_OTHER_COLUMNS.iter();
    let others = others.map(|(name, which)| UserTable { name: (*name).to_owned(), which: (*which).to_owned() });
    let mut tables: Vec<UserTable> = by_id.chain(others).collect();
    let known = RESTORED.iter().map(|(name, _)| *name).chain(LEFT.iter().copied());
    tables.sort_by_key(|table| known.clone().position(|name| name == table.name).unwrap_or(usize::MAX));
    Ok(tables)
}

/// How the values of a column are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    /// Microseconds; exported as RFC 3339.
    Time,
    Text,
    /// A text that holds JSON; exported as a part of the row's.
    Json,
    /// Octets; exported in hexadecimal.
    Digest,
}

/// A column that is exported.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// The columns of a table that are exported: those that are neither sealed values nor digests of secrets.
pub(in crate::store) async fn exported_columns(tx: &mut Tx, table: &str) -> Result<Vec<Column>, StoreError> {
    let columns: Vec<(String, String)> = query_as(COLUMNS).bind(table).fetch_all(tx).await?;
    let kind = |name: &str, declared: &str| match declared {
        "BLOB" | "bytea" => OPEN_DIGESTS.contains(&(table, name)).then_some(Kind::Digest),
        "INTEGER" | "bigint" if is_time(name) => Some(Kind::Time),
        "INTEGER" | "bigint" => Some(Kind::Integer),
        _ if ["document", "adjustments", "mfa", "options", "failure", "sources"].contains(&name) => Some(Kind::Json),
        _ => Some(Kind::Text),
    };
    let exported =
        columns.into_iter().filter_map(|(name, declared)| Some(Column { kind: kind(&name, &declared)?, name }));
    Ok(exported.collect())
}

fn is_time(name: &str) -> bool {
    ["at", "not_before"].contains(&name) || ["_at", "_until", "_since"].iter().any(|end| name.ends_with(end))
}
