//! What a sandbox may do to a user's data and time.

use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::{ConnectionStatus, Id, SyncErrorCode};
use sqlx::AssertSqlSafe;

use crate::store::accounts::connections::{lock, set_status};
use crate::store::accounts::users::user_time;
use crate::store::db::dialect::sql;
use crate::store::db::{Sql, query, query_as, query_scalar};
use crate::store::syncs::start::running;
use crate::store::{Store, StoreError, micros, span};

/// The outcome of breaking a connection.
#[derive(Debug)]
pub(crate) enum Broken {
    /// It is `invalid` now.
    Yes,
    /// It is syncing: its end decides.
    InProgress(Id),
}

/// What to do with a user's clock.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ClockChange {
    /// Forward.
    Advance(Duration),
    /// Stop it where it is.
    Freeze,
    /// Let it run on from where it is.
    Unfreeze,
}

/// Moves the syncs of user `$3` along with a clock that jumps by `$1` from `$2`: by as much as it moves past the moment at which
/// each is due. One that waits for a person stays.
const MOVE_ALONG: Sql = sql!(
    "UPDATE retailer_sessions
     SET behind = behind + ",
    [greatest],
    "(0, $1 - ",
    [greatest],
    "(0, due_at - $2)),
        deadline_at = deadline_at + ",
    [greatest],
    "(0, $1 - ",
    [greatest],
    "(0, due_at - $2)),
        due_at = due_at + ",
    [greatest],
    "(0, $1 - ",
    [greatest],
    "(0, due_at - $2))
     WHERE user_id = $3 AND active = 1 AND due_at IS NOT NULL"
);

/// The syncs of user `$2` do not wait any more at `$1`, where the clock stops: their waits are simulated work, which goes on
/// while it stands. What is left of their phases stays.
const WAIT_NO_MORE: &str = "UPDATE retailer_sessions SET deadline_at = deadline_at - (due_at - $1), due_at = $1
     WHERE user_id = $2 AND active = 1 AND due_at > $1 AND by_clock = 0 AND deadline_at IS NOT NULL";

/// What a reset deletes at once: the table, and which of its rows are the user `$1`'s.
const RESET: &[(&str, &str)] = &[
    ("sessions", "user_id = $1"),
    ("connections", "user_id = $1"),
    ("used_stamps", "user_id = $1"),
    ("idempotency", "user_id = $1"),
    ("sandbox_failures", "user_id = $1"),
    (
        "link_tokens",
        "(client_id, external_user_id) IN (SELECT client_id, external_user_id FROM user_bindings WHERE user_id = $1)",
    ),
    ("user_bindings", "user_id = $1"),
    ("sandbox_passwords", "phone_digest = (SELECT phone_digest FROM users WHERE id = $1)"),
];

/// The statements of a reset, of the user `$1` or of everybody. One user's are found by an index, however much others have.
pub(in crate::store) fn reset_statements(of_one: bool) -> Vec<String> {
    let only = |which: &str| if of_one { format!(" WHERE {which}") } else { String::new() };
    let note = "INSERT INTO removed_connections (user_id, connection) SELECT user_id, number FROM connections";
    let mut statements = vec![note.to_owned() + &only("user_id = $1")];
    statements.extend(RESET.iter().map(|(table, which)| format!("DELETE FROM {table}{}", only(which))));
    if !of_one {
        statements.push("DELETE FROM sandbox_client_failures".to_owned());
    }
    statements.push(format!("UPDATE users SET clock_offset = 0, clock_frozen_at = NULL{}", only("id = $1")));
    statements
}

impl Store {
    /// Forgets what a user has: connections, sessions, orders, and to which identifiers of clients the user is bound. `None`: what
    /// all users have. Orders and line items are out of sight at once, and deleted afterwards, like those of removed connections.
    pub(crate) async fn reset(&self, user_id: Option<&str>) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        // The syncs first, as in every change of one: none stores anything more while its rows go.
        match user_id {
            Some(user_id) => {
                let own = sql!("SELECT 1 FROM retailer_sessions WHERE user_id = $1 ORDER BY id", [lock]);
                query(own).bind(user_id).execute(&mut tx).await?;
            }
            None => drop(query(sql!("SELECT 1 FROM retailer_sessions ORDER BY id", [lock])).execute(&mut tx).await?),
        }
        for statement in reset_statements(user_id.is_some()) {
            let statement = query(AssertSqlSafe(statement));
            let statement = if let Some(user_id) = user_id { statement.bind(user_id) } else { statement };
            statement.execute(&mut tx).await?;
        }
        tx.commit().await?;
        self.note_deletion();
        Ok(())
    }

    /// The orders (JSON) of an account at a simulated retailer, if a seed file gave it its own. `username` is in lower case.
    pub(crate) async fn own_orders(&self, retailer_id: i64, username: &str) -> Result<Option<String>, StoreError> {
        Ok(query_scalar("SELECT orders FROM sandbox_accounts WHERE retailer_id = $1 AND username = $2")
            .bind_all((retailer_id, username))
            .fetch_optional(&self.pool)
            .await?)
    }

    /// Makes a user's connection `invalid`, as if the retailer had ended the sign-in; `now` is the user's time.
    pub(crate) async fn break_connection(
        &self,
        user_id: &str,
        connection_id: &str,
        now: DateTime<Utc>,
    ) -> Result<Broken, StoreError> {
        let mut tx = self.write().await?;
        lock(&mut tx, connection_id).await?;
        if let Some(batch_id) = running(&mut tx, user_id, connection_id).await? {
            return Ok(Broken::InProgress(batch_id));
        }
        let reason = SyncErrorCode::RetailerSessionExpired.as_str();
        set_status(&mut tx, connection_id, ConnectionStatus::Invalid, Some(reason)).await?;
        query("UPDATE connections SET session = NULL, incomplete_since = COALESCE(incomplete_since, $1) WHERE id = $2")
            .bind_all((micros(now), connection_id))
            .execute(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(Broken::Yes)
    }

    /// Moves a user's clock. Returns the user's time and whether it stands still. Syncs in progress, or that fall due
    /// on the way, go along: their deadlines move with the clock, and their waits are over as far as it moved past them. Under a
    /// clock that stands still, they do not wait, unless their connector says so.
    pub(crate) async fn change_clock(
        &self,
        user_id: &str,
        change: ClockChange,
        now: DateTime<Utc>,
    ) -> Result<(DateTime<Utc>, bool), StoreError> {
        let mut tx = self.write().await?;
        let (offset, frozen_at): (i64, Option<i64>) =
            query_as(sql!("SELECT clock_offset, clock_frozen_at FROM users WHERE id = $1", [lock]))
                .bind(user_id)
                .fetch_one(&mut tx)
                .await?;
        let present = micros(user_time(now, offset, frozen_at)?);
        let (offset, frozen_at) = match change {
            ClockChange::Advance(by) => {
                (offset.saturating_add(span(by)), frozen_at.map(|at| at.saturating_add(span(by))))
            }
            ClockChange::Freeze => (offset, Some(present)),
            // It runs on from where it stood, however long that was.
            ClockChange::Unfreeze => (present - micros(now), None),
        };
        let moved = user_time(now, offset, frozen_at)?;
        query("UPDATE users SET clock_offset = $1, clock_frozen_at = $2 WHERE id = $3")
            .bind_all((offset, frozen_at, user_id))
            .execute(&mut tx)
            .await?;
        if let ClockChange::Advance(by) = change {
            query(MOVE_ALONG).bind_all((span(by), present, user_id)).execute(&mut tx).await?;
        }
        if frozen_at.is_some() {
            query(WAIT_NO_MORE).bind_all((micros(moved), user_id)).execute(&mut tx).await?;
        }
        tx.commit().await?;
        Ok((moved, frozen_at.is_some()))
    }
}
