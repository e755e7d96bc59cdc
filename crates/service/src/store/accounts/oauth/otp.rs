//! One-time passwords by phone number and browser, their tries, how often they were sent, and the places that are known.

use chrono::{DateTime, TimeDelta, Utc};
use subtle::ConstantTimeEq;

use crate::store::accounts::audit::{Action, Actor, Entry, Outcome};
use crate::store::db::dialect::sql;
use crate::store::db::{query, query_as, query_scalar};
use crate::store::{Store, StoreError, Write, micros, time};

/// At most so many sends in any such time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    /// How many.
    pub sends: u32,
    /// In how long.
    pub within: TimeDelta,
}

/// Something that sends are counted against: a phone, a network, or everybody.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountedPlace<'a> {
    /// What it is counted under.
    pub place: [u8; 32],
    pub limits: &'a [Limit],
    /// The time that it is counted by.
    pub now: DateTime<Utc>,
}

/// The outcome of trying a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tried {
    /// It is the one; it is used up.
    Right,
    /// It is not; so many tries are left.
    Wrong(u32),
    /// There is none to be tried: never sent, used, expired, or tried too often.
    Gone,
}

/// A password that is sent.
#[derive(Debug)]
pub(crate) struct NewPassword {
    /// What the phone is looked up by.
    pub phone_digest: [u8; 32],
    /// The browser that asked for it.
    pub browser: [u8; 32],
    /// What the password is compared by.
    pub code_mac: [u8; 32],
    /// Whether it is one of the short ones, of which few may be open to guessing.
    pub is_short: bool,
    /// When it ends, in the user's time.
    pub expires_at: DateTime<Utc>,
    /// How often it may be tried.
    pub tries: u32,
}

/// How many short passwords may have been sent and not used.
const UNUSED: i64 = 10;
/// In how long one of them is forgotten.
const FORGOTTEN_IN: TimeDelta = TimeDelta::days(3);

impl Store {
    /// Counts a send against each of the places (a phone, an address), or says how long it takes until there is room for one. A send
    /// that is refused is not counted.
    pub(crate) async fn count_send(&self, places: &[CountedPlace<'_>]) -> Result<Result<(), TimeDelta>, StoreError> {
        let mut tx = self.write().await?;
        lock_places(&mut tx, places.to_vec()).await?;
        let mut wait = None;
        for CountedPlace { place, limits, now } in places {
            for limit in *limits {
                wait = wait.max(room(&mut tx, place, limit, *now).await?.map(|room_at| room_at - *now));
            }
        }
        if let Some(wait) = wait {
            return Ok(Err(wait));
        }
        for CountedPlace { place, now, .. } in places {
            query("INSERT INTO otp_sends (sent_to, at) VALUES ($1, $2)")
                .bind_all((&place[..], micros(*now)))
                .execute(&mut tx)
                .await?;
        }
        tx.commit().await?;
        Ok(Ok(()))
    }

    /// Whether the next password of a phone may be a short one. If so, it counts as one that is not used yet.
    pub(crate) async fn take_short_password(
        &self,
        phone_digest: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        // A row that is there can be locked.
        query(
            "INSERT INTO unused_passwords (phone_digest, level, at) VALUES ($1, 0, $2) ON CONFLICT (phone_digest) DO NOTHING",
        )
        .bind_all((&phone_digest[..], micros(now)))
        .execute(&mut tx)
        .await?;
        let (level, at): (i64, i64) =
            query_as(sql!("SELECT level, at FROM unused_passwords WHERE phone_digest = $1", [lock]))
                .bind(&phone_digest[..])
                .fetch_one(&mut tx)
                .await?;
        let forgotten = (micros(now).saturating_sub(at) / span_of(FORGOTTEN_IN)).clamp(0, level);
        // An empty level begins to be forgotten when it is filled.
        let (level, at) = match level - forgotten {
            0 => (0, micros(now)),
            left => (left, at + forgotten * span_of(FORGOTTEN_IN)),
        };
        if level >= UNUSED {
            return Ok(false);
        }
        query("UPDATE unused_passwords SET level = $1, at = $2 WHERE phone_digest = $3")
            .bind_all((level + 1, at, &phone_digest[..]))
            .execute(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Stores a password in place of the one that this browser asked for before.
    pub(crate) async fn put_password(&self, new: &NewPassword) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        query(
            "INSERT INTO one_time_passwords (phone_digest, browser, code_mac, is_short, expires_at, tries_left)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (phone_digest, browser) DO UPDATE SET
             code_mac = excluded.code_mac, is_short = excluded.is_short, expires_at = excluded.expires_at,
             tries_left = excluded.tries_left",
        )
        .bind_all((
            &new.phone_digest[..],
            &new.browser[..],
            &new.code_mac[..],
            new.is_short,
            micros(new.expires_at),
            new.tries,
        ))
        .execute(&mut tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// Tries the password that a browser asked for. `now` is the user's time, `at` the machine's. A wrong one is audited; without
    /// a password that can be tried nothing is, because anybody could fill the log with that.
    pub(crate) async fn try_password(
        &self,
        phone_digest: &[u8; 32],
        browser: &[u8; 32],
        code_mac: &[u8; 32],
        now: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<Tried, StoreError> {
        let mut tx = self.write().await?;
        let row: Option<(Vec<u8>, i64, bool)> = query_as(sql!(
            "SELECT code_mac, tries_left, is_short <> 0 FROM one_time_passwords
             WHERE phone_digest = $1 AND browser = $2 AND expires_at > $3 AND tries_left > 0",
            [lock]
        ))
        .bind_all((&phone_digest[..], &browser[..], micros(now)))
        .fetch_optional(&mut tx)
        .await?;
        let Some((stored, tries_left, is_short)) = row else { return Ok(Tried::Gone) };
        let right = bool::from(stored.ct_eq(&code_mac[..]));
        let left = if right { 0 } else { u32::try_from(tries_left - 1).unwrap_or(0) };
        query("UPDATE one_time_passwords SET tries_left = $1 WHERE phone_digest = $2 AND browser = $3")
            .bind_all((left, &phone_digest[..], &browser[..]))
            .execute(&mut tx)
            .await?;
        if right && is_short {
            query("UPDATE unused_passwords SET level = level - 1 WHERE phone_digest = $1 AND level > 0")
                .bind(&phone_digest[..])
                .execute(&mut tx)
                .await?;
        }
        if !right {
            let user: Option<String> = query_scalar("SELECT id FROM users WHERE phone_digest = $1")
                .bind(&phone_digest[..])
                .fetch_optional(&mut tx)
                .await?;
            let outcome = if left == 0 { Outcome::Locked } else { Outcome::Refused };
            let (actor, action, user) = (Actor::User, Action::SignIn, user.as_deref());
            Entry { at, actor, action, outcome, user, target: None }.write(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(if right { Tried::Right } else { Tried::Wrong(left) })
    }

    /// The first of these places in which the phone's owner has signed in since then.
    pub(crate) async fn known_place(
        &self,
        phone_digest: &[u8; 32],
        places: &[[u8; 32]],
        since: DateTime<Utc>,
    ) -> Result<Option<[u8; 32]>, StoreError> {
        for place in places {
            let known = query("SELECT 1 FROM known_places WHERE phone_digest = $1 AND place = $2 AND used_at > $3")
                .bind_all((&phone_digest[..], &place[..], micros(since)))
                .exists(&self.pool)
                .await?;
            if known {
                return Ok(Some(*place));
            }
        }
        Ok(None)
    }

    /// Remembers where the phone's owner has signed in.
    pub(crate) async fn remember_places(
        &self,
        phone_digest: &[u8; 32],
        places: &[[u8; 32]],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        for place in places {
            query(
                "INSERT INTO known_places (phone_digest, place, used_at) VALUES ($1, $2, $3)
                 ON CONFLICT (phone_digest, place) DO UPDATE SET used_at = excluded.used_at",
            )
            .bind_all((&phone_digest[..], &place[..], micros(now)))
            .execute(&mut tx)
            .await?;
        }
        Ok(tx.commit().await?)
    }
}

fn span_of(time: TimeDelta) -> i64 {
    time.num_microseconds().unwrap_or(i64::MAX)
}

/// Writes a row per place, in the order of the places, so that sends to the same place are counted one after the other.
async fn lock_places(tx: &mut Write, mut places: Vec<CountedPlace<'_>>) -> Result<(), StoreError> {
    places.sort_unstable_by_key(|counted| counted.place);
    for CountedPlace { place, now, .. } in places {
        query(
            "INSERT INTO otp_places (sent_to, at) VALUES ($1, $2) ON CONFLICT (sent_to) DO UPDATE SET at = excluded.at",
        )
        .bind_all((&place[..], micros(now)))
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
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
        query_scalar("SELECT at FROM otp_sends WHERE sent_to = $1 AND at > $2 ORDER BY at DESC LIMIT 1 OFFSET $3")
            .bind_all((&place[..], micros(now - limit.within), limit.sends.saturating_sub(1)))
            .fetch_optional(&mut *tx)
            .await?;
    blocking.map(|at| Ok(time(at)? + limit.within)).transpose()
}
