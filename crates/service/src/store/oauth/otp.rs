//! One-time passwords by phone number: one at a time, its tries counted, and how often one was sent.

use chrono::{DateTime, TimeDelta, Utc};
use subtle::ConstantTimeEq;

use super::super::{Store, StoreError, Write, micros, time};

/// At most so many sends in any such time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// How many.
    pub sends: u32,
    /// In how long.
    pub within: TimeDelta,
}

/// What came of trying a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    /// It is the one; it is used up.
    Right,
    /// It is not; so many tries are left.
    Wrong(u32),
    /// There is none to be tried: never sent, used, expired, or tried too often.
    Gone,
}

impl Store {
    /// Counts a send against each of the places (a phone, an address), or says when there will be room for one. A send
    /// that is refused is not counted.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn count_send(
        &self,
        places: &[(&[u8; 32], &[Limit])],
        now: DateTime<Utc>,
    ) -> Result<Result<(), DateTime<Utc>>, StoreError> {
        let mut tx = self.write().await?;
        let mut room_at = None;
        for (place, limits) in places {
            for limit in *limits {
                room_at = room_at.max(room(&mut tx, place, limit, now).await?);
            }
        }
        if let Some(room_at) = room_at {
            return Ok(Err(room_at));
        }
        for (place, _) in places {
            sqlx::query("INSERT INTO otp_sends (sent_to, at) VALUES (?, ?)")
                .bind(&place[..])
                .bind(micros(now))
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(Ok(()))
    }

    /// Stores a phone's password in place of the one before.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn put_password(
        &self,
        phone_digest: &[u8; 32],
        code_mac: &[u8; 32],
        expires_at: DateTime<Utc>,
        tries: u32,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO one_time_passwords (phone_digest, code_mac, expires_at, tries_left) VALUES (?, ?, ?, ?)
             ON CONFLICT (phone_digest) DO UPDATE SET
             code_mac = excluded.code_mac, expires_at = excluded.expires_at, tries_left = excluded.tries_left",
        )
        .bind(&phone_digest[..])
        .bind(&code_mac[..])
        .bind(micros(expires_at))
        .bind(tries)
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// Tries a phone's password. `now` is the user's time.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn try_password(
        &self,
        phone_digest: &[u8; 32],
        code_mac: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Tried, StoreError> {
        let mut tx = self.write().await?;
        let row: Option<(Vec<u8>, u32)> = sqlx::query_as(
            "SELECT code_mac, tries_left FROM one_time_passwords
             WHERE phone_digest = ? AND expires_at > ? AND tries_left > 0",
        )
        .bind(&phone_digest[..])
        .bind(micros(now))
        .fetch_optional(&mut *tx)
        .await?;
        let Some((stored, tries_left)) = row else { return Ok(Tried::Gone) };
        let right = bool::from(stored.ct_eq(&code_mac[..]));
        let left = if right { 0 } else { tries_left.saturating_sub(1) };
        sqlx::query("UPDATE one_time_passwords SET tries_left = ? WHERE phone_digest = ?")
            .bind(left)
            .bind(&phone_digest[..])
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(if right { Tried::Right } else { Tried::Wrong(left) })
    }
}

/// When there is room under a limit; none: now.
async fn room(
    tx: &mut Write,
    place: &[u8; 32],
    limit: &Limit,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, StoreError> {
    // The send that has to leave the window before another fits in.
    let blocking: Option<i64> =
        sqlx::query_scalar("SELECT at FROM otp_sends WHERE sent_to = ? AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?")
            .bind(&place[..])
            .bind(micros(now - limit.within))
            .bind(limit.sends.saturating_sub(1))
            .fetch_optional(&mut **tx)
            .await?;
    blocking.map(|at| Ok(time(at)? + limit.within)).transpose()
}
