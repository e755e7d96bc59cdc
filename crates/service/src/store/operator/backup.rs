//! A copy of the store while the service runs, and whether a store is sound.

use std::path::Path;

use super::super::db::{Dialect, query, query_as, query_scalar};
use super::super::{Store, StoreError, count};
use crate::store::accounts::audit::{Action, Operator};
use crate::store::operator::positions::miscounted;

/// The most problems that are reported; further ones say nothing new.
const MOST: u32 = 20;

impl Store {
    /// Writes a copy of the store as it is at one moment into an empty file. What was deleted is not in it.
    pub(crate) async fn back_up(&self, to: &Path, by: Operator<'_>) -> Result<(), StoreError> {
        let to = to.to_str().ok_or(StoreError::Corrupt("name of the backup"))?;
        self.finish_removals(None).await?;
        query("VACUUM INTO $1").bind(to).execute(&self.writer).await?;
        self.audit(&by.did(Action::StoreBackup)).await
    }

    pub(crate) const fn is_in_postgres(&self) -> bool {
        matches!(self.writer.dialect(), Dialect::Postgres)
    }

    /// Everything that is wrong in the store: in the file, in references, and in counts that are kept.
    pub(crate) async fn problems(&self) -> Result<Vec<String>, StoreError> {
        let mut problems = match self.pool.dialect() {
            Dialect::Sqlite => self.problems_of_the_file().await?,
            // Its server keeps references whole, and checks its pages where the cluster has checksums.
            Dialect::Postgres => Vec::new(),
        };
        // All of it at one moment, and however long it takes.
        let mut tx = self.pool.begin().await?;
        if tx.dialect() == Dialect::Postgres {
            query("SET LOCAL statement_timeout = 0").execute(&mut tx).await?;
        }
        let wrong = miscounted(&mut tx, None).await?;
        if wrong > 0 {
            problems.push(format!("{wrong}: positions that do not agree with the line items"));
        }
        for (sql, what) in [
            (
                "SELECT COUNT(*) FROM (
                    SELECT o.item_count, (SELECT COUNT(*) FROM line_items i WHERE i.user_id = o.user_id
                        AND i.connection = o.connection AND i.item >= o.number << 20 AND i.item < (o.number + 1) << 20) AS stored
                    FROM orders o
                    WHERE NOT EXISTS (SELECT 1 FROM removed_connections d WHERE d.user_id = o.user_id AND d.connection = o.connection)
                 ) counted
                 WHERE item_count <> stored",
                "orders that do not have as many line items as they say",
            ),
            (
                "SELECT COUNT(*) FROM (SELECT DISTINCT user_id, connection FROM orders) o
                 WHERE NOT EXISTS (SELECT 1 FROM connections c WHERE c.user_id = o.user_id AND c.number = o.connection)
                    AND NOT EXISTS (SELECT 1 FROM removed_connections r WHERE r.user_id = o.user_id AND r.connection = o.connection)",
                "removed connections that still have orders",
            ),
        ] {
            let wrong: i64 = query_scalar(sql).fetch_one(&mut tx).await?;
            if wrong > 0 {
                problems.push(format!("{}: {what}", count(wrong)));
            }
        }
        Ok(problems)
    }

    async fn problems_of_the_file(&self) -> Result<Vec<String>, StoreError> {
        let check = sqlx::AssertSqlSafe(format!("PRAGMA integrity_check({MOST})"));
        let mut problems: Vec<String> = query_scalar(check).fetch_all(&self.pool).await?;
        problems.retain(|problem| problem != "ok");
        let orphans: Vec<(String, Option<i64>, String, i64)> =
            query_as("PRAGMA foreign_key_check").fetch_all(&self.pool).await?;
        for (table, _, parent, _) in orphans.into_iter().take(20) {
            problems.push(format!("a row of {table} refers to none of {parent}"));
        }
        Ok(problems)
    }
}
