//! Queries that are put together from pieces.

use std::fmt::Write as _;

use sqlx::AssertSqlSafe;

use super::argument::Argument;
use super::query::{Query, Row, Whole};

/// A query in the making. Its pieces are texts of the program; everything else is an argument.
pub(crate) struct Builder {
    sql: String,
    arguments: Vec<Argument>,
}

impl Builder {
    pub(crate) fn new(sql: &str) -> Self {
        Self { sql: sql.to_owned(), arguments: Vec::new() }
    }

    pub(crate) fn push(&mut self, sql: &str) -> &mut Self {
        self.sql.push_str(sql);
        self
    }

    pub(crate) fn push_bind(&mut self, argument: impl Into<Argument>) -> &mut Self {
        self.arguments.push(argument.into());
        // Writing to a string does not fail.
        let _ = write!(self.sql, "${}", self.arguments.len());
        self
    }

    /// `VALUES` with these rows; its columns are named `column1` and so on.
    pub(crate) fn push_values<const N: usize>(&mut self, rows: impl IntoIterator<Item = [Argument; N]>) -> &mut Self {
        let mut before = "VALUES (";
        for row in rows {
            for argument in row {
                self.push(before).push_bind(argument);
                before = ", ";
            }
            before = "), (";
        }
        self.push(")")
    }

    pub(crate) fn build(self) -> Query {
        Query::new(AssertSqlSafe(self.sql).into(), self.arguments)
    }

    pub(crate) fn build_as<R: Row>(self) -> Query<Whole<R>> {
        Query::new(AssertSqlSafe(self.sql).into(), self.arguments)
    }
}
