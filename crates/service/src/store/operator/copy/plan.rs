//! What is copied, read from the schemas of both databases: no list in the program can forget a table or a column.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;

use crate::store::operator::copy::error::CopyError;
use crate::store::schema::half_copied;

/// What each database has of its own: which migrations it has seen, who may use it, the queues that its nodes share, and the mark of
/// the copy.
pub(super) const OWN: [&str; 4] = ["_sqlx_migrations", "store_compatibility", "retailer_queues", half_copied::TABLE];
/// The table that a service claims before it serves a store. It is copied last: a service that looked at the empty store before
/// the copy began finds no row, and notices the copy when it writes one.
const CLAIMED: &str = "environment";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Text,
    Blob,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    /// The columns of its primary key, which name a row.
    pub(super) key: Vec<String>,
    /// Whether the file has its rows in the order of numbers, which is the order in which they were made.
    has_rowid: bool,
    /// Its column that the database numbers, if it has one.
    pub(super) identity: Option<String>,
}

impl Kind {
    const fn of_server(self) -> &'static str {
        match self {
            Self::Integer => "bigint",
            Self::Text => "text",
            Self::Blob => "bytea",
        }
    }
}

impl Table {
    fn column_list(&self) -> String {
        self.columns.iter().map(|column| quoted(&column.name)).collect::<Vec<_>>().join(", ")
    }

    /// All its rows but the first `$1`, in an order that does not change.
    pub(super) fn select(&self) -> String {
        let order = if self.has_rowid {
            "rowid".to_owned()
        } else {
            self.key.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
        };
        let (columns, name) = (self.column_list(), quoted(&self.name));
        format!("SELECT {columns} FROM {name} ORDER BY {order} LIMIT -1 OFFSET $1")
    }

    /// Inserts rows, of which each parameter has the values of a column. Numbers that the database would give are kept.
    pub(super) fn insert(&self) -> String {
        let values =
            (1..).zip(&self.columns).map(|(number, column)| format!("${number}::{}[]", column.kind.of_server()));
        let (name, columns, values) = (quoted(&self.name), self.column_list(), values.collect::<Vec<_>>().join(", "));
        format!("INSERT INTO {name} ({columns}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest({values})")
    }

    pub(super) fn select_all(&self) -> String {
        format!("SELECT {} FROM {}", self.column_list(), quoted(&self.name))
    }
}

/// A name as both databases take it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The tables of the file, by name.
type Tables = BTreeMap<String, Table>;

/// The tables of both, in an order in which rows that are referred to come first.
/// Fails with [`CopyError::Schema`] if they do not have the same tables and columns.
pub(super) async fn plan(file: &mut SqliteConnection, server: &mut PgConnection) -> Result<Vec<Table>, CopyError> {
    let mut tables = tables_of_file(file).await?;
    let there = tables_of_server(server).await?;
    for (name, table) in &mut tables {
        let columns = there.get(name).ok_or_else(|| schema(format!("PostgreSQL has no table {name}")))?;
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for (column, kind, is_identity) in columns {
            names.insert(column);
            if !table.columns.iter().any(|known| known.name == *column && known.kind.of_server() == kind) {
                return Err(schema(format!("the file has no column {name}.{column} of the type {kind}")));
            }
            if *is_identity {
                table.identity = Some(column.clone());
            }
        }
        if let Some(more) = table.columns.iter().find(|column| !names.contains(&*column.name)) {
            return Err(schema(format!("PostgreSQL has no column {name}.{}", more.name)));
        }
    }
    if let Some(more) = there.keys().find(|name| !tables.contains_key(*name)) {
        return Err(schema(format!("the file has no table {more}")));
    }
    ordered(tables, &references(server).await?)
}

const fn schema(what: String) -> CopyError {
    CopyError::Schema(what)
}

async fn tables_of_file(file: &mut SqliteConnection) -> Result<Tables, CopyError> {
    let rows: Vec<(String, bool, bool, String, String, i64)> = sqlx::query_as(
        "SELECT t.name, t.wr, t.strict, c.name, c.type, c.pk FROM pragma_table_list t JOIN pragma_table_info(t.name) c
         WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         ORDER BY t.name, c.cid",
    )
    .fetch_all(file)
    .await
    .map_err(CopyError::source)?;
    let (mut tables, mut keys) = (Tables::new(), BTreeMap::<String, BTreeMap<i64, String>>::new());
    for (table, without_rowid, is_strict, column, kind, key) in rows {
        if OWN.contains(&&*table) {
            continue;
        }
        let kind = match &*kind {
            "INTEGER" => Kind::Integer,
            "TEXT" => Kind::Text,
            "BLOB" => Kind::Blob,
            other => return Err(schema(format!("{table}.{column} is of the type {other}, which cannot be copied"))),
        };
        if !is_strict {
            return Err(schema(format!("the table {table} is not STRICT")));
        }
        if key > 0 {
            keys.entry(table.clone()).or_default().insert(key, column.clone());
        }
        let entry = tables.entry(table.clone()).or_insert_with(|| Table {
            name: table,
            columns: Vec::new(),
            key: Vec::new(),
            has_rowid: !without_rowid,
            identity: None,
        });
        entry.columns.push(Column { name: column, kind });
    }
    for (table, key) in keys {
        if let Some(table) = tables.get_mut(&table) {
            table.key = key.into_values().collect();
        }
    }
    Ok(tables)
}

/// The columns of each table: name, type, and whether the database numbers it. Unlogged tables are left out: the server empties
/// them after a crash, so that nothing in them has to be kept.
async fn tables_of_server(
    server: &mut PgConnection,
) -> Result<BTreeMap<String, Vec<(String, String, bool)>>, CopyError> {
    let rows: Vec<(String, String, String, bool)> = sqlx::query_as(
        "SELECT c.relname::text, a.attname::text, format_type(a.atttypid, NULL), a.attidentity <> ''
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relpersistence = 'p'
            AND c.relname::text <> ALL ($1)
         ORDER BY 1, a.attnum",
    )
    .bind(&OWN[..])
    .fetch_all(server)
    .await
    .map_err(CopyError::target)?;
    let mut tables = BTreeMap::<_, Vec<_>>::new();
    for (table, column, kind, is_identity) in rows {
        tables.entry(table).or_default().push((column, kind, is_identity));
    }
    Ok(tables)
}

/// Which table refers to rows of which other one.
async fn references(server: &mut PgConnection) -> Result<Vec<(String, String)>, CopyError> {
    sqlx::query_as(
        "SELECT DISTINCT c.relname::text, p.relname::text
         FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
         WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace AND k.conrelid <> k.confrelid",
    )
    .fetch_all(server)
    .await
    .map_err(CopyError::target)
}

fn ordered(mut tables: Tables, references: &[(String, String)]) -> Result<Vec<Table>, CopyError> {
    let claimed = tables.remove(CLAIMED);
    let mut ordered = Vec::new();
    while !tables.is_empty() {
        let ready = tables
            .keys()
            .find(|name| !references.iter().any(|(child, parent)| child == *name && tables.contains_key(parent)));
        let ready = ready.cloned().ok_or_else(|| schema("its tables refer to each other in a circle".to_owned()))?;
        ordered.extend(tables.remove(&ready));
    }
    ordered.extend(claimed);
    Ok(ordered)
}
