//! Authorization codes: each valid for one use, with the client, the address and the verifier that they were made for.

use chrono::{DateTime, Utc};
use ordersync_api::Scope;
use ordersync_api::scope::{join_scopes, parse_scopes};
use subtle::ConstantTimeEq;

use crate::store::accounts::oauth::grants::{NewGrant, NewPair, insert_with_pair, revoke};
use crate::store::db::dialect::sql;
use crate::store::db::row::row;
use crate::store::db::{query, query_as};
use crate::store::{Store, StoreError, micros};

/// A new authorization code. Only its digest is stored.
#[derive(Debug)]
pub(crate) struct NewCode<'a> {
    /// SHA-256 of the code.
    pub digest: [u8; 32],
    /// Who asked.
    pub client_id: &'a str,
    /// Who approved.
    pub user_id: &'a str,
    /// What.
    pub scopes: &'a [Scope],
    /// Where the code is sent.
    pub redirect_uri: &'a str,
    /// RFC 7636 §4.2, S256.
    pub code_challenge: &'a str,
    /// Until when, in the user's time.
    pub expires_at: DateTime<Utc>,
}

/// A client's attempt to exchange a code.
#[derive(Debug)]
pub(crate) struct CodeAttempt<'a> {
    /// SHA-256 of the code.
    pub digest: [u8; 32],
    /// Who tries.
    pub client_id: &'a str,
    /// Where the client says that it got the code.
    pub redirect_uri: &'a str,
    /// The challenge that belongs to the client's verifier.
    pub code_challenge: &'a str,
}

row! {
    struct CodeRow {
        client_id: String,
        user_id: String,
        scopes: String,
        redirect_uri: String,
        code_challenge: String,
        expires_at: i64,
        used_at: Option<i64>,
        grant_id: Option<String>,
    }
}

impl Store {
    /// Stores an authorization code.
    pub(crate) async fn add_code(&self, code: &NewCode<'_>) -> Result<(), StoreError> {
        query(
            "INSERT INTO authorization_codes
             (digest, client_id, user_id, scopes, redirect_uri, code_challenge, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind_all((
            &code.digest[..],
            code.client_id,
            code.user_id,
            join_scopes(code.scopes),
            code.redirect_uri,
            code.code_challenge,
            micros(code.expires_at),
        ))
        .run(&self.writer)
        .await
    }

    /// Exchanges a code for a grant with its tokens; returns what they allow, or none where the code is no good. A code
    /// that was exchanged before ends what it was exchanged for (RFC 6749 §4.1.2). The first attempt of its own client
    /// uses a code up, right or wrong.
    pub(crate) async fn exchange_code(
        &self,
        attempt: &CodeAttempt<'_>,
        pair: &NewPair,
        now: DateTime<Utc>,
    ) -> Result<Option<Vec<Scope>>, StoreError> {
        let mut tx = self.write().await?;
        let row: Option<CodeRow> = query_as(sql!(
            "SELECT client_id, user_id, scopes, redirect_uri, code_challenge, expires_at, used_at, grant_id
             FROM authorization_codes WHERE digest = $1",
            [lock]
        ))
        .bind(&attempt.digest[..])
        .fetch_optional(&mut tx)
        .await?;
        let Some(row) = row.filter(|row| row.client_id == attempt.client_id) else { return Ok(None) };
        let now = self.clock_of(&row.user_id, &mut tx).await?.time(now)?;
        if row.used_at.is_some() {
            if let Some(grant_id) = &row.grant_id {
                revoke(&mut tx, grant_id, now).await?;
                tx.commit().await?;
            }
            return Ok(None);
        }
        let scopes = parse_scopes(&row.scopes)?;
        let good = row.expires_at > micros(now) && row.belongs_to(attempt);
        let grant_id = if good {
            let grant = NewGrant { user_id: Some(&row.user_id), client_id: &row.client_id, scopes: &scopes };
            Some(insert_with_pair(&mut tx, &grant, pair, now).await?)
        } else {
            None
        };
        query("UPDATE authorization_codes SET used_at = $1, grant_id = $2 WHERE digest = $3")
            .bind_all((micros(now), grant_id, &attempt.digest[..]))
            .execute(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(good.then_some(scopes))
    }
}

impl CodeRow {
    fn belongs_to(&self, attempt: &CodeAttempt<'_>) -> bool {
        let challenge = self.code_challenge.as_bytes().ct_eq(attempt.code_challenge.as_bytes());
        bool::from(challenge) && self.redirect_uri == attempt.redirect_uri
    }
}
