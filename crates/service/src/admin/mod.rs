//! What the operator of a service does directly on its store, and never over the network: clients, syncs and data of all
//! users, backups.

mod pauses;
mod root_keys;
mod stores;
mod syncs;
mod users;

use std::num::NonZeroU32;

use ordersync_api::Scope;
use secrecy::SecretString;
use url::Url;

pub use self::stores::{
    Compared, Content, Copied, CopyError, CopyStep, Migrated, MigrationStep, RowName, copy_store, migrate_store,
};
pub use self::users::{Deleted, ImportedAs};
use crate::clock::Clock;
use crate::database::Database;
use crate::environment::Environment;
use crate::ids::{NoRandomness, new_id, new_token};
use crate::keys::token_digest;
use crate::own_hosts::is_protected;
use crate::store::accounts::audit::Operator;
pub use crate::store::accounts::audit::{AuditFilter, Audited};
pub use crate::store::accounts::clients::Addresses;
use crate::store::accounts::clients::Client;
use crate::store::accounts::links::LinkRow;
pub use crate::store::accounts::links::Unbound;
pub use crate::store::operator::pauses::{OperatedRetailer, Paused};
pub use crate::store::operator::reseal::{KeyRefusal, Resealed, RootKey};
pub use crate::store::operator::syncs::{Listed, OperatedSync, Retried, WaitsFor};
pub use crate::store::operator::user_data::{OperatedUser, RowCounts, UserOfClient};
pub use crate::store::operator::user_export::UserManifest;
pub use crate::store::operator::user_import::{ImportRefusal, Imported, MANIFEST, ToFix, UserArchive};
use crate::store::{Store, StoreError};

/// The store, opened for its operator.
pub struct Admin<'a> {
    store: Store,
    clock: &'a dyn Clock,
    operator: String,
}

/// A client to be created.
#[derive(Debug, Clone)]
pub struct NewClient {
    /// The name that users see.
    pub name: String,
    /// The addresses that a sign-in may redirect to.
    pub redirect_uris: Vec<String>,
    /// The scopes that it may be granted.
    pub scopes: Vec<Scope>,
    /// Whether it can keep a secret, and so gets one.
    pub confidential: bool,
    /// Origins whose pages may frame the widget.
    pub frame_ancestors: Vec<String>,
    /// The addresses that the widget may lead back to.
    pub return_urls: Vec<String>,
}

/// A client that was created.
#[derive(Debug)]
pub struct Created {
    /// Identifier.
    pub client_id: String,
    /// Shown only this once: the store keeps just its digest.
    pub secret: Option<SecretString>,
}

/// A secret that was replaced.
#[derive(Debug)]
pub struct Rotated {
    /// The new secret, shown only this once.
    pub secret: SecretString,
    /// Whether the client is disabled, so that the secret cannot be used yet.
    pub is_disabled: bool,
}

/// Why the operation failed.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The client's description is invalid.
    #[error("{0}")]
    Invalid(String),
    /// There is no client with that id.
    #[error("there is no client \"{0}\"")]
    Unknown(String),
    /// A public client has no secret to rotate.
    #[error("client \"{0}\" is public: it has no secret")]
    Public(String),
    /// The client is not disabled.
    #[error("client \"{0}\" is enabled already")]
    Enabled(String),
    /// There is no session with that id.
    #[error("there is no sync session \"{0}\"")]
    NoSession(String),
    /// There is no user with that id.
    #[error("there is no user \"{0}\"")]
    NoUser(String),
    /// There is no row with that id in the audit log.
    #[error("the audit log has no entry \"{0}\"")]
    NotAudited(String),
    /// The store is in PostgreSQL, which has backups of its own.
    #[error("a store in PostgreSQL is backed up with PostgreSQL's own tools, such as pg_dump")]
    OwnBackups,
    /// Something of a user is left after the deletion.
    #[error("the user was deleted, but {0} rows are left")]
    NotDeleted(u64),
    /// What was written cannot be put into its file.
    #[error("{0}")]
    Write(std::io::Error),
    /// The client has bound no user to that identifier.
    #[error("no user of client \"{client_id}\" is bound to \"{external_user_id}\"")]
    NotBound {
        /// The client.
        client_id: String,
        /// The client's own identifier of the user.
        external_user_id: String,
    },
    /// The archive is not imported.
    #[error(transparent)]
    Import(#[from] ImportRefusal),
    /// The root keys do not allow it.
    #[error(transparent)]
    Key(#[from] KeyRefusal),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system provides no randomness.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

impl<'a> Admin<'a> {
    /// Opens the store of a service, whether it is running or not. Never creates or upgrades one. `operator` is the name that the
    /// audit log gets.
    pub async fn open(database: &Database, clock: &'a dyn Clock, operator: String) -> Result<Self, AdminError> {
        Ok(Self { store: Store::open_existing_database(database).await?, clock, operator })
    }

    /// Opens it read-only: nothing on the disk changes.
    pub async fn open_read_only(database: &Database, clock: &'a dyn Clock) -> Result<Self, AdminError> {
        Ok(Self { store: Store::open_database_read_only(database).await?, clock, operator: String::new() })
    }

    /// Creates a client.
    /// Fails if its description is invalid or the store fails.
    pub async fn create(&self, new: &NewClient) -> Result<Created, AdminError> {
        check(new)?;
        let secret = if new.confidential { Some(self.new_secret().await?) } else { None };
        let client = Client {
            id: new_id("client")?,
            name: new.name.trim().to_owned(),
            secret_digest: secret.as_ref().map(|secret| token_digest(secret).to_vec()),
            scopes: new.scopes.clone(),
            redirect_uris: new.redirect_uris.clone(),
            return_urls: new.return_urls.clone(),
            frame_ancestors: new.frame_ancestors.clone(),
            requests_per_minute: None,
            created_at: self.clock.now(),
            disabled_at: None,
        };
        self.store.create_client(&client, self.by()).await?;
        Ok(Created { client_id: client.id, secret: secret.map(SecretString::from) })
    }

    /// All clients, oldest first.
    pub async fn list(&self) -> Result<Vec<Client>, AdminError> {
        Ok(self.store.clients().await?)
    }

    /// Gives a client a new secret; the previous one is invalid from then on. This works for a disabled client as well,
    /// so that a leaked secret is gone before the client is enabled again.
    /// Fails if there is no such client, it is public, or the store fails.
    pub async fn rotate_secret(&self, client_id: &str) -> Result<Rotated, AdminError> {
        let client = self.known(client_id).await?;
        if client.secret_digest.is_none() {
            return Err(AdminError::Public(client_id.to_owned()));
        }
        let secret = self.new_secret().await?;
        self.store.set_client_secret(client_id, &token_digest(&secret), self.by()).await?;
        Ok(Rotated { secret: SecretString::from(secret), is_disabled: client.disabled_at.is_some() })
    }

    /// Enables a disabled client. Tokens that it got before stay ended.
    /// Fails if there is no such client, it is not disabled, or the store fails.
    pub async fn enable(&self, client_id: &str) -> Result<(), AdminError> {
        self.known(client_id).await?;
        if self.store.enable_client(client_id, self.by()).await? {
            return Ok(());
        }
        Err(AdminError::Enabled(client_id.to_owned()))
    }

    /// Sets how many requests a client may make in a minute; `None`: as many as every client of the service. A running service
    /// takes it over with the next request.
    /// Fails if there is no such client, or the store fails.
    pub async fn limit(&self, client_id: &str, requests_per_minute: Option<NonZeroU32>) -> Result<(), AdminError> {
        self.known(client_id).await?;
        self.store.set_client_limit(client_id, requests_per_minute, self.by()).await?;
        Ok(())
    }

    /// Replaces a client's addresses: each list that is given, whole. A running service takes it over with the next request.
    /// Fails if there is no such client, an address is invalid, or the store fails.
    pub async fn update(&self, client_id: &str, addresses: &Addresses) -> Result<Client, AdminError> {
        self.known(client_id).await?;
        check_addresses(addresses)?;
        self.store.set_client_addresses(client_id, addresses, self.by()).await?;
        self.known(client_id).await
    }

    /// Removes the binding of a client's own identifier to a user, so that it can be bound to another.
    /// Fails if there is no such client or binding, or the store fails.
    pub async fn unbind(&self, client_id: &str, external_user_id: &str) -> Result<Unbound, AdminError> {
        let client = self.known(client_id).await?;
        let link = LinkRow { client_id: client.id, external_user_id: external_user_id.to_owned() };
        self.store.unbind(&link, self.by()).await?.ok_or_else(|| AdminError::NotBound {
            client_id: client_id.to_owned(),
            external_user_id: external_user_id.to_owned(),
        })
    }

    /// The ids of all users' connections to a retailer.
    pub async fn connections_of(&self, retailer_id: i64) -> Result<Vec<String>, AdminError> {
        Ok(self.store.connections_of(retailer_id).await?)
    }

    /// Disables a client and all of its tokens.
    /// Fails if there is no such client or the store fails.
    pub async fn disable(&self, client_id: &str) -> Result<(), AdminError> {
        self.known(client_id).await?;
        self.store.disable_client(client_id, self.by()).await?;
        Ok(())
    }

    /// Rows of the audit log, newest first.
    /// Fails if there is no row that the list is to continue after, or the store fails.
    pub async fn audited(&self, filter: AuditFilter<'_>) -> Result<Vec<Audited>, AdminError> {
        let rows = self.store.audited(filter).await?;
        rows.ok_or_else(|| AdminError::NotAudited(filter.before.unwrap_or_default().to_owned()))
    }

    /// Closes the store.
    pub async fn close(self) {
        self.store.close().await;
    }

    /// Who changes something.
    fn by(&self) -> Operator<'_> {
        Operator { name: &self.operator, clock: self.clock }
    }

    /// A secret whose prefix names its environment.
    async fn new_secret(&self) -> Result<String, AdminError> {
        let sandbox = self.store.environment().await?.as_deref() == Some(Environment::Sandbox.as_str());
        Ok(new_token(if sandbox { "ordersync_sandbox_cs" } else { "ordersync_cs" })?)
    }

    async fn known(&self, client_id: &str) -> Result<Client, AdminError> {
        self.store.client(client_id).await?.ok_or_else(|| AdminError::Unknown(client_id.to_owned()))
    }
}

fn check(new: &NewClient) -> Result<(), AdminError> {
    let invalid = |message: String| Err(AdminError::Invalid(message));
    if !(1..=100).contains(&new.name.trim().chars().count()) {
        return invalid("a client's name has 1 to 100 characters".into());
    }
    if new.scopes.is_empty() {
        return invalid("a client needs at least one scope".into());
    }
    check_addresses(&Addresses {
        redirect_uris: Some(new.redirect_uris.clone()),
        return_urls: Some(new.return_urls.clone()),
        frame_ancestors: Some(new.frame_ancestors.clone()),
    })
}

fn check_addresses(addresses: &Addresses) -> Result<(), AdminError> {
    let invalid = |message: String| Err(AdminError::Invalid(message));
    for (kind, list) in [("redirect", &addresses.redirect_uris), ("return", &addresses.return_urls)] {
        for address in list.iter().flatten() {
            // RFC 6749 §3.1.2: absolute, and without a fragment.
            let sound = Url::parse(address).is_ok_and(|url| url.fragment().is_none() && is_protected(&url));
            if !sound {
                return invalid(format!(
                    "\"{address}\" is no {kind} address: it has to be https, or http on 127.0.0.1 or [::1]"
                ));
            }
        }
    }
    for origin in addresses.frame_ancestors.iter().flatten() {
        let sound =
            Url::parse(origin).is_ok_and(|url| is_protected(&url) && url.origin().ascii_serialization() == *origin);
        if !sound {
            return invalid(format!("\"{origin}\" is no origin: write it as https://app.example"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(redirect_uri: &str, frame_ancestor: &str) -> NewClient {
        NewClient {
            name: "App".into(),
            redirect_uris: vec![redirect_uri.into()],
            scopes: vec![Scope::OrdersRead],
            confidential: true,
            frame_ancestors: vec![frame_ancestor.into()],
            return_urls: vec![redirect_uri.into()],
        }
    }

    #[test]
    fn addresses_are_https_or_loopback_and_origins_have_no_path() {
        let origin = "https://app.example";
        for good in ["https://app.example/back?x=1", "http://127.0.0.1:3000/back", "http://[::1]/back"] {
            assert!(check(&client(good, origin)).is_ok(), "{good}");
        }
        for bad in ["", "/back", "http://app.example/back", "https://app.example/#f", "http://localhost/", "app:back"] {
            assert!(check(&client(bad, origin)).is_err(), "{bad}");
        }
        for bad in ["*", "https://app.example/", "http://app.example", "https://app.example; script-src *"] {
            assert!(check(&client("https://app.example/back", bad)).is_err(), "{bad}");
        }
    }
}
