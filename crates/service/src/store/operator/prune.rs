//! Removing what has expired: in batches, each a short transaction of its own, so that nobody waits long for the writer.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::AssertSqlSafe;

use crate::store::accounts::idempotency::KEPT;
use crate::store::db::{query, query_as};
use crate::store::{Store, StoreError, count, micros};

/// Rows in one transaction.
const BATCH: i64 = 500;
/// Sync sessions in one transaction: each has parts, events and requests of its own.
const SESSIONS_BATCH: i64 = 50;

/// By whose time a row expires.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) enum Timed {
    Machine,
    /// By that of the user whom the column names, if it names one.
    User,
    /// By that of the user of its grant.
    Grant,
    /// By that of the user with the phone whose digest this column holds.
    Phone(&'static str),
    /// By that of the user whom the client's identifier is bound to.
    Binding,
}

/// The users whose time a sandbox holds back at `$2`, the machine's time: what is theirs stays until they have caught up.
macro_rules! held_back {
    ($column:literal) => {
        concat!(
            "SELECT ",
            $column,
            " FROM users WHERE (clock_offset <> 0 OR clock_frozen_at IS NOT NULL)
                AND (clock_offset < 0 OR clock_frozen_at < $2)"
        )
    };
}

impl Timed {
    /// The condition that the row's user has caught up with the machine's time, `$2`.
    fn is_up_to_date(self) -> String {
        let (who, held) = match self {
            Self::Machine => return "$2 > 0".to_owned(),
            Self::User => ("COALESCE(user_id, '')", held_back!("id").to_owned()),
            Self::Grant => ("grant_id", format!("SELECT g.id FROM grants g WHERE g.user_id IN ({})", held_back!("id"))),
            Self::Phone(column) => (column, held_back!("phone_digest").to_owned()),
            Self::Binding => (
                "(client_id, external_user_id)",
                format!(
                    "SELECT b.client_id, b.external_user_id FROM user_bindings b WHERE b.user_id IN ({})",
                    held_back!("id")
                ),
            ),
        };
        format!("{who} NOT IN ({held})")
    }
}

/// Rows that mean nothing any more at `$1`.
pub(in crate::store) struct Expired {
    pub(in crate::store) table: &'static str,
    key: &'static str,
    which: &'static str,
    timed: Timed,
}

impl Expired {
    const fn new(table: &'static str, key: &'static str, which: &'static str, timed: Timed) -> Self {
        Self { table, key, which, timed }
    }

    /// The condition; in a live service, everybody's time is the machine's.
    pub(in crate::store) fn condition(&self, is_live: bool) -> String {
        let timed = if is_live { Timed::Machine } else { self.timed };
        format!("{} AND {}", self.which, timed.is_up_to_date())
    }
}

pub(in crate::store) const EXPIRED: &[Expired] = &[
    Expired::new("access_tokens", "digest", "expires_at < $1", Timed::Grant),
    Expired::new("used_stamps", "user_id, client_id, stamp", "expires_at < $1", Timed::User),
    Expired::new("idempotency", "user_id, client_id, key", "created_at < $1", Timed::User),
    Expired::new("refresh_tokens", "digest", "expires_at < $1", Timed::Grant),
    Expired::new("authorization_codes", "digest", "expires_at < $1", Timed::User),
    Expired::new("device_codes", "digest", "expires_at < $1", Timed::User),
    Expired::new("one_time_passwords", "phone_digest, browser", "expires_at < $1", Timed::Phone("phone_digest")),
    // Another 89 days: a place is known for 90.
    Expired::new("known_places", "phone_digest, place", "used_at < $1 - 7689600000000", Timed::Phone("phone_digest")),
    Expired::new("unused_passwords", "phone_digest", "at < $1 - 7689600000000", Timed::Phone("phone_digest")),
    Expired::new("otp_sends", "sent_to, at", "at < $1", Timed::Phone("sent_to")),
    Expired::new("otp_places", "sent_to", "at < $1", Timed::Phone("sent_to")),
    Expired::new("browser_sessions", "digest", "expires_at < $1", Timed::User),
    Expired::new("link_tokens", "digest", "expires_at < $1", Timed::Binding),
    // 400 days: all but the one that has passed.
    Expired::new("audit_log", "id", "at < $1 - 34473600000000", Timed::Machine),
    // Grants that have no token any more; until a moment ago they may have been about to get one.
    Expired::new(
        "grants",
        "id",
        "created_at < $1
         AND NOT EXISTS (SELECT 1 FROM access_tokens t WHERE t.grant_id = grants.id)
         AND NOT EXISTS (SELECT 1 FROM refresh_tokens r WHERE r.grant_id = grants.id)",
        Timed::User,
    ),
];

/// Successors of refresh tokens are given again for a moment only.
const SPENT_SUCCESSORS: Expired =
    Expired::new("refresh_tokens", "digest", "rotated_at < $1 AND successor IS NOT NULL", Timed::Grant);

/// Sync sessions that ended before `$1`, of which no connection has it as its latest; from a position on.
pub(in crate::store) fn old_sessions(is_live: bool) -> String {
    let timed = if is_live { Timed::Machine } else { Timed::User };
    format!(
        "SELECT s.updated_at, s.id FROM sessions s
         WHERE (s.updated_at, s.id) > ($3, $4) AND s.updated_at < $1
           AND NOT EXISTS (SELECT 1 FROM connections c WHERE c.last_batch_id = s.id)
           AND NOT EXISTS (SELECT 1 FROM retailer_sessions r WHERE r.batch_id = s.id AND r.active = 1)
           AND {} ORDER BY s.updated_at, s.id LIMIT $5",
        timed.is_up_to_date()
    )
}

impl Store {
    /// Removes tokens, codes, stamps and first answers that mean nothing any more, and sync sessions that ended longer ago
    /// than `history`. `now` is the machine's time; of users whose time a sandbox holds back, everything stays. Returns how many rows and sessions it removed.
    /// Fails if the store fails. What was removed until then stays removed.
    pub(crate) async fn prune(&self, now: DateTime<Utc>, history: TimeDelta) -> Result<u64, StoreError> {
        let mut removed = 0;
        for expired in EXPIRED {
            let Expired { table, key, .. } = expired;
            let which = expired.condition(self.is_live());
            let delete =
                format!("DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {which} LIMIT {BATCH})");
            removed += self.in_batches(expired, &delete, now).await?;
        }
        let which = SPENT_SUCCESSORS.condition(self.is_live());
        let forget = format!(
            "UPDATE refresh_tokens SET successor = NULL
             WHERE digest IN (SELECT digest FROM refresh_tokens WHERE {which} LIMIT {BATCH})"
        );
        self.in_batches(&SPENT_SUCCESSORS, &forget, now).await?;
        self.forget_callers(now - KEPT).await?;
        Ok(removed + self.prune_sessions(now, history).await?)
    }

    /// Repeats a change until it finds nothing more. It is not begun at all if a reader finds nothing: mostly so.
    async fn in_batches(&self, expired: &Expired, change: &str, now: DateTime<Utc>) -> Result<u64, StoreError> {
        let any = format!("SELECT 1 FROM {} WHERE {} LIMIT 1", expired.table, expired.condition(self.is_live()));
        let (before, now) = (micros(now - KEPT), micros(now));
        if !query(AssertSqlSafe(any)).bind_all((before, now)).exists(&self.pool).await? {
            return Ok(0);
        }
        let mut changed = 0;
        loop {
            let batch = query(AssertSqlSafe(change.to_owned())).bind_all((before, now)).execute(&self.writer).await?;
            changed += batch;
            if batch < count(BATCH) {
                return Ok(changed);
            }
        }
    }

    /// Removes sync sessions, with their parts, events and MFA requests.
    async fn prune_sessions(&self, now: DateTime<Utc>, history: TimeDelta) -> Result<u64, StoreError> {
        let (mut after, mut removed) = ((i64::MIN, String::new()), 0);
        loop {
            let old: Vec<(i64, String)> = query_as(AssertSqlSafe(old_sessions(self.is_live())))
                .bind_all((micros(now - history), micros(now), after.0, &after.1, SESSIONS_BATCH))
                .fetch_all(&self.pool)
                .await?;
            let Some(last) = old.last().cloned() else { return Ok(removed) };
            let mut tx = self.write().await?;
            for (_, id) in &old {
                // A session that ended does not begin again, and is not made a connection's latest again.
                removed += query("DELETE FROM sessions WHERE id = $1").bind(id).execute(&mut tx).await?;
            }
            tx.commit().await?;
            after = last;
        }
    }
}
