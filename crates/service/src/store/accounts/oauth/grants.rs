//! Grants: what a user, or the operator, permitted to a client. All tokens of a grant end with it.

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::Scope;
use ordersync_api::scope::join_scopes;

use crate::ids::new_id;
use crate::store::accounts::oauth::access::TokenKind;
use crate::store::db::query;
use crate::store::{Store, StoreError, Write, micros};

#[derive(Debug)]
pub(crate) struct NewGrant<'a> {
    /// Who permits it; none where the client asks for itself.
    pub user_id: Option<&'a str>,
    /// Who is permitted.
    pub client_id: &'a str,
    /// What.
    pub scopes: &'a [Scope],
}

/// A new access token. Only its digest is stored.
#[derive(Debug)]
pub(crate) struct NewAccess<'a> {
    /// SHA-256 of the token.
    pub digest: [u8; 32],
    /// What it is made for.
    pub kind: TokenKind,
    /// What it allows.
    pub scopes: &'a [Scope],
    /// How long.
    pub life: TimeDelta,
}

/// A new refresh token. Only its digest is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewRefresh {
    /// SHA-256 of the token.
    pub digest: [u8; 32],
    /// How long it waits to be used.
    pub life: TimeDelta,
}

/// What a code is exchanged for, where all goes well.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewPair {
    /// SHA-256 of the access token.
    pub access_digest: [u8; 32],
    /// How long that one is good.
    pub access_life: TimeDelta,
    /// The refresh token.
    pub refresh: NewRefresh,
}

impl Store {
    /// Stores a grant with its one access token, and no refresh token. `now` is the time by which the token expires.
    pub(crate) async fn add_grant(
        &self,
        grant: &NewGrant<'_>,
        access: &NewAccess<'_>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        let grant_id = insert_grant(&mut tx, grant, now).await?;
        insert_access(&mut tx, &grant_id, access, now).await?;
        Ok(tx.commit().await?)
    }
}

/// Stores a grant with an access and a refresh token, as part of a larger change. Returns the grant's identifier.
pub(super) async fn insert_with_pair(
    tx: &mut Write,
    grant: &NewGrant<'_>,
    pair: &NewPair,
    now: DateTime<Utc>,
) -> Result<String, StoreError> {
    let grant_id = insert_grant(tx, grant, now).await?;
    let access =
        NewAccess { digest: pair.access_digest, kind: TokenKind::Client, scopes: grant.scopes, life: pair.access_life };
    insert_access(tx, &grant_id, &access, now).await?;
    insert_refresh(tx, &grant_id, &pair.refresh, now).await?;
    Ok(grant_id)
}

async fn insert_grant(tx: &mut Write, grant: &NewGrant<'_>, now: DateTime<Utc>) -> Result<String, StoreError> {
    let id = new_id("grant")?;
    query("INSERT INTO grants (id, user_id, client_id, scopes, created_at) VALUES ($1, $2, $3, $4, $5)")
        .bind_all((&id, grant.user_id, grant.client_id, join_scopes(grant.scopes), micros(now)))
        .execute(&mut *tx)
        .await?;
    Ok(id)
}

pub(super) async fn insert_access(
    tx: &mut Write,
    grant_id: &str,
    access: &NewAccess<'_>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO access_tokens (digest, grant_id, kind, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind_all((
        &access.digest[..],
        grant_id,
        access.kind.as_str(),
        join_scopes(access.scopes),
        micros(now),
        micros(now + access.life),
    ))
    .run(&mut *tx)
    .await
}

pub(super) async fn insert_refresh(
    tx: &mut Write,
    grant_id: &str,
    refresh: &NewRefresh,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    query("INSERT INTO refresh_tokens (digest, grant_id, created_at, expires_at) VALUES ($1, $2, $3, $4)")
        .bind_all((&refresh.digest[..], grant_id, micros(now), micros(now + refresh.life)))
        .run(&mut *tx)
        .await
}

/// Ends a grant, and with it every token that came from it.
pub(super) async fn revoke(tx: &mut Write, grant_id: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    query("UPDATE grants SET revoked_at = COALESCE(revoked_at, $1) WHERE id = $2")
        .bind_all((micros(now), grant_id))
        .run(&mut *tx)
        .await
}
