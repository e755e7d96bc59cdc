//! Device codes (RFC 8628): asked for by a device, decided by a user elsewhere, polled for by the device. All in the
//! machine's time, since no user is known when they are made.

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::Scope;
use ordersync_api::scope::{join_scopes, parse_scopes};

use crate::store::accounts::oauth::grants::{NewGrant, NewPair, insert_with_pair};
use crate::store::db::dialect::sql;
use crate::store::db::row::row;
use crate::store::db::{query, query_as};
use crate::store::{Store, StoreError, Write, micros, time};

/// By how much a device that polls too soon has to slow down (RFC 8628 §3.5).
const SLOWER: i64 = 5;
/// So much earlier than told is not too soon: requests do not take equally long on the way.
const JITTER: TimeDelta = TimeDelta::milliseconds(500);

/// A new device code. Only digests are stored.
#[derive(Debug)]
pub(crate) struct NewDevice<'a> {
    /// SHA-256 of the device code.
    pub digest: [u8; 32],
    /// Keyed digest of the user code.
    pub user_code: [u8; 32],
    /// The client that makes the request.
    pub client_id: &'a str,
    /// What for.
    pub scopes: &'a [Scope],
    /// Until when.
    pub expires_at: DateTime<Utc>,
    /// Seconds between two polls.
    pub interval: i64,
}

/// What waits for a user's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingDevice {
    /// The client that makes the request.
    pub client_id: String,
    /// What users are shown of the client.
    pub client_name: String,
    /// What for.
    pub scopes: Vec<Scope>,
}

/// The answer to a device that polls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Polled {
    /// The tokens are stored; they allow this.
    Tokens(Vec<Scope>),
    /// The user has not decided.
    Pending,
    /// The user has not decided, and the device asks too often.
    TooSoon,
    /// The user refused.
    Denied,
    /// The user was too late.
    Expired,
    /// There is no such code, it is another client's, or it was used.
    Unknown,
}

row! {
    struct DeviceRow {
        client_id: String,
        scopes: String,
        expires_at: i64,
        poll_interval: i64,
        polled_at: Option<i64>,
        decision: Option<String>,
        user_id: Option<String>,
        used_at: Option<i64>,
    }
}

const APPROVED: &str = "approved";
const DENIED: &str = "denied";

impl Store {
    /// Stores a device code. False: its user code is taken.
    pub(crate) async fn add_device(&self, device: &NewDevice<'_>) -> Result<bool, StoreError> {
        let added = query(
            "INSERT INTO device_codes (digest, user_code, client_id, scopes, expires_at, poll_interval)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_code) DO NOTHING",
        )
        .bind_all((
            &device.digest[..],
            &device.user_code[..],
            device.client_id,
            join_scopes(device.scopes),
            micros(device.expires_at),
            device.interval,
        ))
        .execute(&self.writer)
        .await?;
        Ok(added == 1)
    }

    /// What waits under that user code, unless it is unknown, decided or expired, or its client disabled.
    pub(crate) async fn pending_device(
        &self,
        user_code: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<PendingDevice>, StoreError> {
        let row: Option<(String, String, String)> = query_as(
            "SELECT d.client_id, c.name, d.scopes FROM device_codes d JOIN clients c ON c.id = d.client_id
             WHERE d.user_code = $1 AND d.decision IS NULL AND d.expires_at > $2 AND c.disabled_at IS NULL",
        )
        .bind_all((&user_code[..], micros(now)))
        .fetch_optional(&self.pool)
        .await?;
        row.map(|(client_id, client_name, scopes)| {
            Ok(PendingDevice { client_id, client_name, scopes: parse_scopes(&scopes)? })
        })
        .transpose()
    }

    /// Notes a user's decision. False: there is nothing to decide, or it was decided already.
    pub(crate) async fn decide_device(
        &self,
        user_code: &[u8; 32],
        user_id: &str,
        approve: bool,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        // From here on, the code has a user, and expires by that user's clock.
        let ahead = micros(self.clock_of(user_id, &mut tx).await?.time(now)?) - micros(now);
        let decided = query(
            "UPDATE device_codes SET decision = $1, user_id = $2, expires_at = expires_at + $3
             WHERE user_code = $4 AND decision IS NULL AND expires_at > $5",
        )
        .bind_all((if approve { APPROVED } else { DENIED }, user_id, ahead, &user_code[..], micros(now)))
        .execute(&mut tx)
        .await?;
        tx.commit().await?;
        Ok(decided == 1)
    }

    /// Answers a device that polls; where its user approved, exchanges the code for a grant with its tokens.
    pub(crate) async fn poll_device(
        &self,
        digest: &[u8; 32],
        client_id: &str,
        pair: &NewPair,
        now: DateTime<Utc>,
    ) -> Result<Polled, StoreError> {
        let mut tx = self.write().await?;
        let row: Option<DeviceRow> = query_as(sql!(
            "SELECT client_id, scopes, expires_at, poll_interval, polled_at, decision, user_id, used_at
             FROM device_codes WHERE digest = $1",
            [lock]
        ))
        .bind(&digest[..])
        .fetch_optional(&mut tx)
        .await?;
        let row = row.filter(|row| row.client_id == client_id && row.used_at.is_none());
        let Some(row) = row else { return Ok(Polled::Unknown) };
        let users_now = match &row.user_id {
            Some(user_id) => self.clock_of(user_id, &mut tx).await?.time(now)?,
            None => now,
        };
        if row.expires_at <= micros(users_now) {
            return Ok(Polled::Expired);
        }
        let polled = match (row.decision.as_deref(), &row.user_id) {
            (None, _) => row.too_soon_or_pending(&mut tx, digest, now).await?,
            (Some(APPROVED), Some(user_id)) => {
                let scopes = parse_scopes(&row.scopes)?;
                let grant = NewGrant { user_id: Some(user_id), client_id, scopes: &scopes };
                insert_with_pair(&mut tx, &grant, pair, users_now).await?;
                use_up(&mut tx, digest, now).await?;
                Polled::Tokens(scopes)
            }
            (Some(_), _) => {
                use_up(&mut tx, digest, now).await?;
                Polled::Denied
            }
        };
        tx.commit().await?;
        Ok(polled)
    }
}

impl DeviceRow {
    async fn too_soon_or_pending(
        &self,
        tx: &mut Write,
        digest: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Polled, StoreError> {
        let polled_at = self.polled_at.map(time).transpose()?;
        let interval = TimeDelta::seconds(self.poll_interval);
        let too_soon = polled_at.is_some_and(|at| now + JITTER < at + interval);
        query("UPDATE device_codes SET polled_at = $1, poll_interval = $2 WHERE digest = $3")
            .bind_all((micros(now), self.poll_interval + if too_soon { SLOWER } else { 0 }, &digest[..]))
            .execute(&mut *tx)
            .await?;
        Ok(if too_soon { Polled::TooSoon } else { Polled::Pending })
    }
}

async fn use_up(tx: &mut Write, digest: &[u8; 32], now: DateTime<Utc>) -> Result<(), StoreError> {
    query("UPDATE device_codes SET used_at = $1 WHERE digest = $2")
        .bind_all((micros(now), &digest[..]))
        .run(&mut *tx)
        .await
}
