//! The text of a statement: one for every database, or one for each.

use sqlx::{AssertSqlSafe, SqlSafeStr as _, SqlStr};

/// What kind of database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// A statement whose text differs between the databases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sql {
    sqlite: &'static str,
    postgres: &'static str,
}

impl Sql {
    pub(crate) const fn both(sqlite: &'static str, postgres: &'static str) -> Self {
        Self { sqlite, postgres }
    }

    /// Its text for one database.
    pub(crate) const fn of(self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => self.sqlite,
            Dialect::Postgres => self.postgres,
        }
    }
}

/// A query as a sandbox runs it, and as a live service does, where nobody's clock is ever moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByEnvironment {
    pub(crate) sandbox: Sql,
    pub(crate) live: Sql,
}

/// A statement.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    /// One text for every database, or one made for the database that it runs on.
    Same(SqlStr),
    Each(Sql),
}

impl Statement {
    pub(super) fn of(self, dialect: Dialect) -> SqlStr {
        match self {
            Self::Same(sql) => sql,
            Self::Each(sql) => sql.of(dialect).into_sql_str(),
        }
    }
}

impl From<&'static str> for Statement {
    fn from(sql: &'static str) -> Self {
        Self::Same(sql.into_sql_str())
    }
}

/// The text is made by the program, and of nothing that came from outside.
impl From<AssertSqlSafe<String>> for Statement {
    fn from(sql: AssertSqlSafe<String>) -> Self {
        Self::Same(sql.into_sql_str())
    }
}

impl From<Sql> for Statement {
    fn from(sql: Sql) -> Self {
        Self::Each(sql)
    }
}
