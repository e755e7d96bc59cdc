//! Clients and their permissions, set at onboarding.

use std::num::NonZeroU32;

use chrono::{DateTime, Utc};
use ordersync_api::Scope;
use ordersync_api::scope::{join_scopes, parse_scopes};
use subtle::ConstantTimeEq;

use crate::keys::token_digest;
use crate::store::accounts::audit::{Action, Entry, Operator};
use crate::store::db::dialect::sql;
use crate::store::db::row::row;
use crate::store::db::{query, query_as};
use crate::store::{Store, StoreError, Write, micros, time};

/// A program that acts for users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Identifier.
    pub id: String,
    /// What users are shown.
    pub name: String,
    /// SHA-256 of the secret; none for a public client.
    pub secret_digest: Option<Vec<u8>>,
    /// What it may be permitted.
    pub scopes: Vec<Scope>,
    /// Where sign-in may lead back to.
    pub redirect_uris: Vec<String>,
    /// Where the widget may lead back to.
    pub return_urls: Vec<String>,
    /// Origins whose pages may hold the widget in a frame.
    pub frame_ancestors: Vec<String>,
    /// How many requests it may make in a minute; none: as many as every client of the service.
    pub requests_per_minute: Option<NonZeroU32>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Since when it may do nothing any more.
    pub disabled_at: Option<DateTime<Utc>>,
}

impl Client {
    /// A public client that may be permitted everything, and is named as it is identified: the local one, and those of a
    /// sandbox.
    pub fn open(id: &str, now: DateTime<Utc>) -> Self {
        Self {
            id: id.to_owned(),
            name: id.to_owned(),
            secret_digest: None,
            scopes: Scope::ALL.to_vec(),
            redirect_uris: Vec::new(),
            return_urls: Vec::new(),
            frame_ancestors: Vec::new(),
            requests_per_minute: None,
            created_at: now,
            disabled_at: None,
        }
    }

    /// Whether it has a secret, and this is it. Takes the same time for every wrong one.
    pub fn has_secret(&self, secret: &str) -> bool {
        self.secret_digest.as_ref().is_some_and(|digest| bool::from(digest.ct_eq(&token_digest(secret)[..])))
    }
}

/// The addresses of a client that are to be replaced; none: they stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Addresses {
    /// Where sign-in may lead back to.
    pub redirect_uris: Option<Vec<String>>,
    /// Where the widget may lead back to.
    pub return_urls: Option<Vec<String>>,
    /// Origins whose pages may hold the widget in a frame.
    pub frame_ancestors: Option<Vec<String>>,
}

row! {
    struct ClientRow {
        id: String,
        name: String,
        secret_digest: Option<Vec<u8>>,
        scopes: String,
        redirect_uris: String,
        return_urls: String,
        frame_ancestors: String,
        requests_per_minute: Option<i64>,
        created_at: i64,
        disabled_at: Option<i64>,
    }
}

impl ClientRow {
    fn into_client(self) -> Result<Client, StoreError> {
        let list = |json: &str| serde_json::from_str(json).map_err(|_| StoreError::Corrupt("list of addresses"));
        Ok(Client {
            secret_digest: self.secret_digest,
            scopes: parse_scopes(&self.scopes)?,
            redirect_uris: list(&self.redirect_uris)?,
            return_urls: list(&self.return_urls)?,
            frame_ancestors: list(&self.frame_ancestors)?,
            requests_per_minute: self.requests_per_minute.map(limit).transpose()?,
            created_at: time(self.created_at)?,
            disabled_at: self.disabled_at.map(time).transpose()?,
            id: self.id,
            name: self.name,
        })
    }
}

impl Store {
    /// Adds a client. False: there is one of that id, which stays as it is.
    pub(crate) async fn add_client(&self, client: &Client) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let added = insert(&mut tx, client).await?;
        tx.commit().await?;
        Ok(added)
    }

    /// Adds a client in an operator's name.
    pub(crate) async fn create_client(&self, client: &Client, by: Operator<'_>) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        insert(&mut tx, client).await?;
        Entry { target: Some(&client.id), ..by.did(Action::ClientCreate) }.write(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Makes sure that there is a client of that id, as given where it has to be made. Returns whether it was made.
    pub(crate) async fn ensure_client(&self, client: &Client) -> Result<bool, StoreError> {
        let known = query("SELECT 1 FROM clients WHERE id = $1").bind(&client.id).exists(&self.pool).await?;
        if known { Ok(false) } else { self.add_client(client).await }
    }

    /// The client of that id, disabled or not.
    pub(crate) async fn client(&self, id: &str) -> Result<Option<Client>, StoreError> {
        let row: Option<ClientRow> = query_as(sql!("SELECT ", [client], " FROM clients WHERE id = $1"))
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        row.map(ClientRow::into_client).transpose()
    }

    /// All clients, oldest first.
    pub(crate) async fn clients(&self) -> Result<Vec<Client>, StoreError> {
        let rows: Vec<ClientRow> =
            query_as(sql!("SELECT ", [client], " FROM clients ORDER BY created_at, id")).fetch_all(&self.pool).await?;
        rows.into_iter().map(ClientRow::into_client).collect()
    }

    /// Gives a confidential client another secret. False: there is no such client.
    pub(crate) async fn set_client_secret(
        &self,
        id: &str,
        digest: &[u8; 32],
        by: Operator<'_>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let set = query("UPDATE clients SET secret_digest = $1 WHERE id = $2 AND secret_digest IS NOT NULL")
            .bind_all((&digest[..], id))
            .execute(&mut tx)
            .await?;
        Entry { target: Some(id), ..by.did(Action::ClientRotateSecret) }.commit(tx, set).await
    }

    /// Sets how many requests a client may make in a minute; none: as many as every client. False: there is no such client.
    pub(crate) async fn set_client_limit(
        &self,
        id: &str,
        requests_per_minute: Option<NonZeroU32>,
        by: Operator<'_>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let set = query("UPDATE clients SET requests_per_minute = $1 WHERE id = $2")
            .bind_all((requests_per_minute.map(NonZeroU32::get), id))
            .execute(&mut tx)
            .await?;
        Entry { target: Some(id), ..by.did(Action::ClientLimit) }.commit(tx, set).await
    }

    /// Replaces a client's addresses: each list that is given, whole. False: there is no such client.
    pub(crate) async fn set_client_addresses(
        &self,
        id: &str,
        addresses: &Addresses,
        by: Operator<'_>,
    ) -> Result<bool, StoreError> {
        let list = |list: &Option<Vec<String>>| list.as_deref().map(json).transpose();
        let mut tx = self.write().await?;
        let set = query(
            "UPDATE clients SET redirect_uris = COALESCE($1, redirect_uris), return_urls = COALESCE($2, return_urls),
                frame_ancestors = COALESCE($3, frame_ancestors) WHERE id = $4",
        )
        .bind_all((
            list(&addresses.redirect_uris)?,
            list(&addresses.return_urls)?,
            list(&addresses.frame_ancestors)?,
            id,
        ))
        .execute(&mut tx)
        .await?;
        Entry { target: Some(id), ..by.did(Action::ClientUpdate) }.commit(tx, set).await
    }

    /// Disables a client: its tokens are refused from now on, and it gets no more. False: there is no such client.
    pub(crate) async fn disable_client(&self, id: &str, by: Operator<'_>) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let disabled = query("UPDATE clients SET disabled_at = COALESCE(disabled_at, $1) WHERE id = $2")
            .bind_all((micros(by.now()), id))
            .execute(&mut tx)
            .await?;
        Entry { target: Some(id), ..by.did(Action::ClientDisable) }.commit(tx, disabled).await
    }

    /// Lets a disabled client in again. What it was given before stays ended: its users sign in once more. False: it is not
    /// disabled, or there is no such client.
    pub(crate) async fn enable_client(&self, id: &str, by: Operator<'_>) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let enabled = query("UPDATE clients SET disabled_at = NULL WHERE id = $1 AND disabled_at IS NOT NULL")
            .bind(id)
            .execute(&mut tx)
            .await?;
        if enabled == 0 {
            return Ok(false);
        }
        query("UPDATE grants SET revoked_at = $1 WHERE client_id = $2 AND revoked_at IS NULL")
            .bind_all((micros(by.now()), id))
            .execute(&mut tx)
            .await?;
        for statement in [
            "DELETE FROM authorization_codes WHERE client_id = $1",
            "DELETE FROM device_codes WHERE client_id = $1",
            "DELETE FROM link_tokens WHERE client_id = $1",
        ] {
            query(statement).bind(id).execute(&mut tx).await?;
        }
        Entry { target: Some(id), ..by.did(Action::ClientEnable) }.write(&mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// A stored limit on requests.
pub(in crate::store) fn limit(stored: i64) -> Result<NonZeroU32, StoreError> {
    u32::try_from(stored).ok().and_then(NonZeroU32::new).ok_or(StoreError::Corrupt("limit of a client"))
}

fn json(list: &[String]) -> Result<String, StoreError> {
    serde_json::to_string(list).map_err(|_| StoreError::Corrupt("list of addresses"))
}

async fn insert(tx: &mut Write, client: &Client) -> Result<bool, StoreError> {
    let added = query(
        "INSERT INTO clients (id, name, secret_digest, scopes, redirect_uris, return_urls, frame_ancestors, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING",
    )
    .bind_all((
        &client.id,
        &client.name,
        client.secret_digest.as_deref(),
        join_scopes(&client.scopes),
        json(&client.redirect_uris)?,
        json(&client.return_urls)?,
        json(&client.frame_ancestors)?,
        micros(client.created_at),
    ))
    .execute(tx)
    .await?;
    Ok(added == 1)
}
