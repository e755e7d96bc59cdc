//! Access tokens: who a bearer is.

use std::num::NonZeroU32;

use chrono::{DateTime, Utc};
use ordersync_api::scope::parse_scopes;
use ordersync_api::{Scope, text_enum};

use crate::store::accounts::clients::limit;
use crate::store::accounts::users::{Caller, UserClock};
use crate::store::db::dialect::by_environment;
use crate::store::db::row::row;
use crate::store::db::{ByEnvironment, query, query_as, query_scalar};
use crate::store::{Store, StoreError, micros};

text_enum! {
    /// The purpose of an access token.
    pub(crate) enum TokenKind {
        /// For a client: by the authorization server. It allows at most what the client is permitted now.
        Client = "client",
        /// For the widget's own script, which acts for the user while a client's page holds it.
        Widget = "widget",
        /// By the sandbox's controls. Moving its user's clock does not end it, since it is what moves the clock.
        Sandbox = "sandbox",
    }
}

/// A client that asks for itself, with no user behind it (RFC 6749 §4.4).
#[derive(Debug, Clone)]
pub(crate) struct ClientCaller {
    pub client_id: String,
    /// What the token allows.
    pub scopes: Vec<Scope>,
}

/// Who an access token stands for, and how many requests the client may make.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub bearer: Bearer,
    /// Requests in a minute; none: as many as every client.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Whether failures that a sandbox was asked for wait for anybody's requests.
    pub failures_wait: bool,
}

/// Who an access token stands for.
#[derive(Debug, Clone)]
pub(crate) enum Bearer {
    /// A client, acting for a user.
    User {
        /// Who.
        caller: Caller,
        /// Whether the client has a secret; one without is shared by all who have the program.
        has_secret: bool,
    },
    /// A client alone.
    Client(ClientCaller),
}

row! {
    struct TokenRow {
        kind: String,
        scopes: String,
        client_scopes: String,
        has_secret: bool,
        requests_per_minute: Option<i64>,
        expires_at: i64,
        client_id: String,
        user_id: Option<String>,
        clock_offset: i64,
        clock_frozen_at: Option<i64>,
        failures_wait: bool,
    }
}

/// The token of a digest, with its user's clock, and whether failures wait.
const TOKEN: ByEnvironment = by_environment!(
    "SELECT t.kind, t.scopes, c.scopes AS client_scopes, c.secret_digest IS NOT NULL AS has_secret, c.requests_per_minute,
        t.expires_at, g.client_id, g.user_id",
    [sandbox clock],
    [sandbox failures wait],
    " FROM access_tokens t JOIN grants g ON g.id = t.grant_id JOIN clients c ON c.id = g.client_id",
    [sandbox anybody of "g"],
    " WHERE t.digest = $1 AND g.revoked_at IS NULL AND c.disabled_at IS NULL",
);

impl Store {
    /// Who a token stands for, unless it is unknown or expired, its grant was revoked, or its client disabled. `now` is the
    /// machine's time.
    pub(crate) async fn bearer(&self, digest: &[u8; 32], now: DateTime<Utc>) -> Result<Option<Known>, StoreError> {
        let row: Option<TokenRow> = query_as(self.sql(TOKEN)).bind(&digest[..]).fetch_optional(&self.pool).await?;
        match row {
            None => Ok(None),
            Some(row) => row.into_bearer(now),
        }
    }

    /// Ends an access token of this client. Nothing happens if there is none.
    pub(crate) async fn revoke_access_token(&self, digest: &[u8; 32], client_id: &str) -> Result<Revoked, StoreError> {
        let mut tx = self.write().await?;
        let owner: Option<String> = query_scalar(
            "SELECT g.client_id FROM access_tokens t JOIN grants g ON g.id = t.grant_id WHERE t.digest = $1",
        )
        .bind(&digest[..])
        .fetch_optional(&mut tx)
        .await?;
        match owner {
            None => Ok(Revoked::Nothing),
            Some(owner) if owner != client_id => Ok(Revoked::AnotherClients),
            Some(_) => {
                query("DELETE FROM access_tokens WHERE digest = $1").bind(&digest[..]).execute(&mut tx).await?;
                tx.commit().await?;
                Ok(Revoked::Yes)
            }
        }
    }
}

/// The outcome of a revocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Revoked {
    /// The token means nothing any more.
    Yes,
    /// There is no such token.
    Nothing,
    /// It is another client's, and stays as it is.
    AnotherClients,
}

impl TokenRow {
    fn into_bearer(self, now: DateTime<Utc>) -> Result<Option<Known>, StoreError> {
        let kind: TokenKind = self.kind.parse()?;
        let clock = UserClock { clock_offset: self.clock_offset, clock_frozen_at: self.clock_frozen_at };
        let users_now = clock.time(now)?;
        let clock = if kind == TokenKind::Sandbox { now } else { users_now };
        if self.expires_at <= micros(clock) {
            return Ok(None);
        }
        let mut scopes = parse_scopes(&self.scopes)?;
        if kind != TokenKind::Widget {
            // What was taken from the client since is gone from its tokens as well.
            let permitted = parse_scopes(&self.client_scopes)?;
            scopes.retain(|scope| permitted.contains(scope));
        }
        let (client_id, widget, has_secret) = (self.client_id, kind == TokenKind::Widget, self.has_secret);
        let requests_per_minute = self.requests_per_minute.map(limit).transpose()?;
        let bearer = match self.user_id {
            Some(user_id) => {
                let caller = Caller { user_id, client_id, scopes, now: users_now, widget };
                Bearer::User { caller, has_secret }
            }
            None => Bearer::Client(ClientCaller { client_id, scopes }),
        };
        Ok(Some(Known { bearer, requests_per_minute, failures_wait: self.failures_wait }))
    }
}
