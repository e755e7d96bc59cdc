//! Link tokens, bindings of a client's own identifiers to users, and what users share with clients.

use chrono::{DateTime, Utc};
use ordersync_api::Connection;

use crate::store::accounts::audit::{Action, Entry, Operator};
use crate::store::accounts::connections::{ConnectionRow, all_of, owns, share};
use crate::store::accounts::idempotency::KEPT;
use crate::store::accounts::oauth::access::TokenKind;
use crate::store::db::dialect::sql;
use crate::store::db::row::row;
use crate::store::db::{query, query_as, query_scalar};
use crate::store::{Store, StoreError, Write, micros, time};

/// A link token that is good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkRow {
    /// The client that made it.
    pub client_id: String,
    /// The client's own identifier of the user.
    pub external_user_id: String,
}

/// What a link token stands for, and whether it is still good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownLink {
    pub row: LinkRow,
    /// Where its user goes afterwards.
    pub return_url: Option<String>,
    /// Whether it is good no longer.
    pub has_expired: bool,
}

/// A link token to be stored.
#[derive(Debug)]
pub(crate) struct NewLinkToken<'a> {
    /// SHA-256 of the token.
    pub digest: [u8; 32],
    /// What it stands for.
    pub link: &'a LinkRow,
    /// Where its user goes afterwards.
    pub return_url: Option<&'a str>,
    /// Until when it is good.
    pub expires_at: DateTime<Utc>,
    /// The request's idempotency key, and the token sealed for [`LINK_TOKEN`] and that key.
    pub again: Option<(&'a str, &'a [u8])>,
}

/// A link token that was made before.
#[derive(Debug)]
pub(crate) struct EarlierLinkToken {
    /// The client's own identifier of the user.
    pub external_user_id: String,
    /// Where its user goes afterwards.
    pub return_url: Option<String>,
    /// The token.
    pub sealed: Vec<u8>,
    /// Until when it is good.
    pub expires_at: DateTime<Utc>,
}

/// The column in which a link token rests that may have to be given again.
pub(crate) const LINK_TOKEN: &str = "link_tokens.sealed";

/// The outcome of an attempt to bind an identifier to a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// It is bound to this user, now or since before.
    Yes,
    /// It is bound to another user, and stays so.
    AlreadyBound,
}

row! {
    /// A binding that was removed.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Unbound {
        /// The user that the identifier was bound to.
        pub user_id: String,
        /// The end of the user's phone number.
        pub phone_last4: String,
        /// How many of the user's connections are shared with the client, and stay so.
        pub shared: i64,
    }
}

row! {
    struct TokenRow {
        client_id: String,
        external_user_id: String,
        return_url: Option<String>,
        expires_at: i64,
        user_id: Option<String>,
    }
}

impl Store {
    /// Removes the binding of a client's identifier: the next sign-in with a link of that identifier binds it anew. Links
    /// that are open end, and so does what the widget was given under them. None: it is not bound.
    pub(crate) async fn unbind(&self, link: &LinkRow, by: Operator<'_>) -> Result<Option<Unbound>, StoreError> {
        let mut tx = self.write().await?;
        let unbound: Option<Unbound> = query_as(sql!(
            "SELECT u.id AS user_id, u.phone_last4,
                    (SELECT count(*) FROM connection_shares s WHERE s.user_id = u.id AND s.client_id = b.client_id) AS shared
             FROM user_bindings b JOIN users u ON u.id = b.user_id WHERE b.client_id = $1 AND b.external_user_id = $2", [lock of "b"]
        ))
        .bind_all((&link.client_id, &link.external_user_id))
        .fetch_optional(&mut tx)
        .await?;
        let Some(unbound) = unbound else { return Ok(None) };
        for statement in [
            "DELETE FROM user_bindings WHERE client_id = $1 AND external_user_id = $2",
            "DELETE FROM link_tokens WHERE client_id = $1 AND external_user_id = $2",
        ] {
            query(statement).bind_all((&link.client_id, &link.external_user_id)).execute(&mut tx).await?;
        }
        query(
            "UPDATE grants SET revoked_at = $1 WHERE client_id = $2 AND user_id = $3 AND revoked_at IS NULL
             AND EXISTS (SELECT 1 FROM access_tokens t WHERE t.grant_id = grants.id AND t.kind = $4)",
        )
        .bind_all((micros(by.now()), &link.client_id, &unbound.user_id, TokenKind::Widget.as_str()))
        .execute(&mut tx)
        .await?;
        // Without the client's own identifier, which may name the user.
        let entry = by.did(Action::UserUnbind);
        Entry { user: Some(&unbound.user_id), target: Some(&link.client_id), ..entry }.write(&mut tx).await?;
        tx.commit().await?;
        Ok(Some(unbound))
    }

    /// Stores a link token: its digest and, if the request had an idempotency key, the token sealed. False: that key
    /// stands for a token that is still good.
    pub(crate) async fn add_link_token(&self, new: &NewLinkToken<'_>, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        query(
            "UPDATE link_tokens SET idempotency_key = NULL, sealed = NULL
             WHERE client_id = $1 AND idempotency_key = $2 AND (created_at <= $3 OR expires_at <= $4)",
        )
        .bind_all((&new.link.client_id, new.again.map(|(key, _)| key), micros(now - KEPT), micros(now)))
        .execute(&mut tx)
        .await?;
        let added = query(
            "INSERT INTO link_tokens (digest, client_id, external_user_id, created_at, expires_at, idempotency_key, sealed,
                return_url)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
        )
        .bind_all((
            &new.digest[..],
            &new.link.client_id,
            &new.link.external_user_id,
            micros(now),
            micros(new.expires_at),
            new.again.map(|(key, _)| key),
            new.again.map(|(_, sealed)| sealed),
            new.return_url,
        ))
        .execute(&mut tx)
        .await?;
        tx.commit().await?;
        Ok(added == 1)
    }

    /// The link token that was made for an idempotency key within a day.
    pub(crate) async fn earlier_link_token(
        &self,
        client_id: &str,
        key: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<EarlierLinkToken>, StoreError> {
        let row: Option<(String, Option<String>, Vec<u8>, i64)> = query_as(
            "SELECT external_user_id, return_url, sealed, expires_at FROM link_tokens
             WHERE client_id = $1 AND idempotency_key = $2 AND created_at > $3",
        )
        .bind_all((client_id, key, micros(now - KEPT)))
        .fetch_optional(&self.pool)
        .await?;
        row.map(|(external_user_id, return_url, sealed, expires_at)| {
            Ok(EarlierLinkToken { external_user_id, return_url, sealed, expires_at: time(expires_at)? })
        })
        .transpose()
    }

    /// The time by which the link tokens of a client's identifier expire: that of the user whom it is bound to, or the
    /// machine's, `now`, as long as it is bound to nobody.
    pub(crate) async fn now_for_link(&self, link: &LinkRow, now: DateTime<Utc>) -> Result<DateTime<Utc>, StoreError> {
        match self.bound_user(link).await? {
            Some(user_id) => self.now_for(&user_id, now).await,
            None => Ok(now),
        }
    }

    /// What a link token stands for, unless it is unknown or expired, or its client is disabled. `now` is the machine's time.
    pub(crate) async fn link(&self, digest: &[u8; 32], now: DateTime<Utc>) -> Result<Option<LinkRow>, StoreError> {
        Ok(self.known_link(digest, now).await?.filter(|link| !link.has_expired).map(|link| link.row))
    }

    /// What a link token stands for, even if it has expired, unless it is unknown or its client is disabled. `now` is the
    /// machine's time.
    pub(crate) async fn known_link(
        &self,
        digest: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<KnownLink>, StoreError> {
        let row: Option<TokenRow> = query_as(
            "SELECT l.client_id, l.external_user_id, l.return_url, l.expires_at, b.user_id
             FROM link_tokens l JOIN clients c ON c.id = l.client_id
             LEFT JOIN user_bindings b ON b.client_id = l.client_id AND b.external_user_id = l.external_user_id
             WHERE l.digest = $1 AND c.disabled_at IS NULL",
        )
        .bind(&digest[..])
        .fetch_optional(&self.pool)
        .await?;
        let Some(TokenRow { client_id, external_user_id, return_url, expires_at, user_id }) = row else {
            return Ok(None);
        };
        let now = self.clock_of_any(user_id.as_deref(), &self.pool).await?.time(now)?;
        let row = LinkRow { client_id, external_user_id };
        Ok(Some(KnownLink { row, return_url, has_expired: expires_at <= micros(now) }))
    }

    /// Binds a client's identifier to a user, unless it is bound to another already.
    pub(crate) async fn bind(&self, link: &LinkRow, user_id: &str, now: DateTime<Utc>) -> Result<Bound, StoreError> {
        let mut tx = self.write().await?;
        let made = query(
            "INSERT INTO user_bindings (client_id, external_user_id, user_id, bound_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (client_id, external_user_id) DO NOTHING",
        )
        .bind_all((&link.client_id, &link.external_user_id, user_id, micros(now)))
        .execute(&mut tx)
        .await?;
        if made == 1 {
            let ahead = micros(self.clock_of(user_id, &mut tx).await?.time(now)?) - micros(now);
            move_tokens(&mut tx, link, ahead).await?;
        }
        let bound: String =
            query_scalar("SELECT user_id FROM user_bindings WHERE client_id = $1 AND external_user_id = $2")
                .bind_all((&link.client_id, &link.external_user_id))
                .fetch_one(&mut tx)
                .await?;
        tx.commit().await?;
        Ok(if bound == user_id { Bound::Yes } else { Bound::AlreadyBound })
    }

    /// The user that a client's identifier is bound to.
    pub(crate) async fn bound_user(&self, link: &LinkRow) -> Result<Option<String>, StoreError> {
        Ok(query_scalar("SELECT user_id FROM user_bindings WHERE client_id = $1 AND external_user_id = $2")
            .bind_all((&link.client_id, &link.external_user_id))
            .fetch_optional(&self.pool)
            .await?)
    }

    /// All connections of a user, oldest first, each with whether it is shared with the client.
    pub(crate) async fn connections_with_sharing(
        &self,
        user_id: &str,
        client_id: &str,
    ) -> Result<Vec<(Connection, bool)>, StoreError> {
        let rows = all_of(user_id, &self.pool).await?;
        let shared: Vec<String> =
            query_scalar("SELECT connection_id FROM connection_shares WHERE user_id = $1 AND client_id = $2")
                .bind_all((user_id, client_id))
                .fetch_all(&self.pool)
                .await?;
        let with_sharing = |row: ConnectionRow| {
            let connection = row.into_connection()?;
            let is_shared = shared.iter().any(|id| id == connection.connection_id.as_str());
            Ok((connection, is_shared))
        };
        rows.into_iter().map(with_sharing).collect()
    }

    /// Shares one of the user's connections with a client, or takes it back. False: the user has no such connection.
    pub(crate) async fn set_shared(
        &self,
        user_id: &str,
        client_id: &str,
        connection_id: &str,
        shared: bool,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        if !owns(&mut tx, user_id, connection_id).await? {
            return Ok(false);
        }
        if shared {
            share(&mut tx, user_id, connection_id, client_id, now).await?;
        } else {
            query("DELETE FROM connection_shares WHERE user_id = $1 AND connection_id = $2 AND client_id = $3")
                .bind_all((user_id, connection_id, client_id))
                .execute(&mut tx)
                .await?;
        }
        tx.commit().await?;
        Ok(true)
    }
}

/// The link tokens of an identifier that was just bound expire by the clock of its user from now on, which a sandbox may have
/// moved.
async fn move_tokens(tx: &mut Write, link: &LinkRow, ahead: i64) -> Result<(), StoreError> {
    if ahead == 0 {
        return Ok(());
    }
    query(
        "UPDATE link_tokens SET created_at = created_at + $1, expires_at = expires_at + $2
         WHERE client_id = $3 AND external_user_id = $4",
    )
    .bind_all((ahead, ahead, &link.client_id, &link.external_user_id))
    .run(&mut *tx)
    .await
}
