//! Refresh tokens: each can be used once and yields its successor. If one comes again later, or after its successor was
//! used, two parties hold it: that ends the whole family (RFC 9700 §4.14).

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::Scope;
use ordersync_api::scope::parse_scopes;

use crate::store::accounts::oauth::access::{Revoked, TokenKind};
use crate::store::accounts::oauth::grants::{NewAccess, NewPair, insert_access, insert_refresh, revoke};
use crate::store::db::dialect::sql;
use crate::store::db::row::row;
use crate::store::db::{query, query_as};
use crate::store::{Store, StoreError, Write, micros, time};

/// How long a rotated token still gives its first answer again: for an answer that was lost on the way, and for two
/// commands at the same moment.
const GRACE: TimeDelta = TimeDelta::seconds(30);

/// A client's attempt to refresh.
#[derive(Debug)]
pub(crate) struct RefreshAttempt<'a> {
    /// SHA-256 of the refresh token.
    pub digest: [u8; 32],
    /// Who tries.
    pub client_id: &'a str,
    /// What the access token should allow; none: what was granted.
    pub scopes: Option<&'a [Scope]>,
    /// What is answered, sealed, to be answered again within the grace.
    pub sealed_answer: &'a [u8],
}

/// The outcome of an attempt to refresh.
#[derive(Debug)]
pub(crate) enum Refreshed {
    /// The new tokens are stored; the access token allows this.
    New(Vec<Scope>),
    /// The token was rotated a moment ago. Nothing is stored: the first answer is to be given again.
    Again {
        /// What the access token should allow.
        scopes: Vec<Scope>,
        /// The first answer, sealed.
        sealed_answer: Vec<u8>,
        /// How old it is.
        age: TimeDelta,
    },
    /// More was asked for than was granted. Nothing changed.
    BeyondGrant,
    /// The token is no good. If it was used before, its family has ended.
    Refused,
}

row! {
    struct RefreshRow {
        grant_id: String,
        client_id: String,
        scopes: String,
        expires_at: i64,
        rotated_at: Option<i64>,
        successor: Option<Vec<u8>>,
        successor_rotated_at: Option<i64>,
        revoked_at: Option<i64>,
        user_id: Option<String>,
    }
}

impl Store {
    /// Exchanges a refresh token for an access token and the next refresh token.
    pub(crate) async fn refresh(
        &self,
        attempt: &RefreshAttempt<'_>,
        pair: &NewPair,
        now: DateTime<Utc>,
    ) -> Result<Refreshed, StoreError> {
        let mut tx = self.write().await?;
        let row = find(&mut tx, &attempt.digest).await?;
        let row = row.filter(|row| row.client_id == attempt.client_id && row.revoked_at.is_none());
        let Some(row) = row else { return Ok(Refreshed::Refused) };
        let now = self.clock_of_any(row.user_id.as_deref(), &mut tx).await?.time(now)?;
        let in_grace = row.rotated_at.is_some_and(|at| micros(now - GRACE) <= at);
        let has_answer = row.successor.is_some() && row.successor_rotated_at.is_none();
        if row.rotated_at.is_some() && !(in_grace && has_answer) {
            revoke(&mut tx, &row.grant_id, now).await?;
            tx.commit().await?;
            return Ok(Refreshed::Refused);
        }
        if row.expires_at <= micros(now) {
            return Ok(Refreshed::Refused);
        }
        let granted = parse_scopes(&row.scopes)?;
        let scopes = attempt.scopes.map_or_else(|| granted.clone(), <[Scope]>::to_vec);
        if scopes.iter().any(|scope| !granted.contains(scope)) {
            return Ok(Refreshed::BeyondGrant);
        }
        if let (Some(sealed_answer), Some(rotated_at)) = (row.successor, row.rotated_at) {
            return Ok(Refreshed::Again { scopes, sealed_answer, age: now - time(rotated_at)? });
        }
        let (digest, life) = (pair.access_digest, pair.access_life);
        let access = NewAccess { digest, kind: TokenKind::Client, scopes: &scopes, life };
        insert_access(&mut tx, &row.grant_id, &access, now).await?;
        insert_refresh(&mut tx, &row.grant_id, &pair.refresh, now).await?;
        query("UPDATE refresh_tokens SET rotated_at = $1, successor = $2, successor_digest = $3 WHERE digest = $4")
            .bind_all((micros(now), attempt.sealed_answer, &pair.refresh.digest[..], &attempt.digest[..]))
            .execute(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(Refreshed::New(scopes))
    }

    /// Ends the grant of a refresh token of this client, and all of its tokens (RFC 7009 §2.1).
    pub(crate) async fn revoke_refresh_token(
        &self,
        digest: &[u8; 32],
        client_id: &str,
        now: DateTime<Utc>,
    ) -> Result<Revoked, StoreError> {
        let mut tx = self.write().await?;
        match find(&mut tx, digest).await? {
            None => Ok(Revoked::Nothing),
            Some(row) if row.client_id != client_id => Ok(Revoked::AnotherClients),
            Some(row) => {
                revoke(&mut tx, &row.grant_id, now).await?;
                tx.commit().await?;
                Ok(Revoked::Yes)
            }
        }
    }
}

async fn find(tx: &mut Write, digest: &[u8; 32]) -> Result<Option<RefreshRow>, StoreError> {
    Ok(query_as(sql!(
        "SELECT r.grant_id, g.client_id, g.scopes, r.expires_at, r.rotated_at, r.successor, g.revoked_at,
                s.rotated_at AS successor_rotated_at, g.user_id
         FROM refresh_tokens r JOIN grants g ON g.id = r.grant_id
         LEFT JOIN refresh_tokens s ON s.digest = r.successor_digest
         WHERE r.digest = $1", [lock of "r"]
    ))
    .bind(&digest[..])
    .fetch_optional(&mut *tx)
    .await?)
}
