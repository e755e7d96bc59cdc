//! The client with which a command signs in, and where the sign-in is stored.

use std::path::PathBuf;

use secrecy::SecretString;

use super::file::Profile;
pub(crate) use super::token_store::TokenStore;
use super::value::{Origin, Value};
use crate::env::{self, Environment};
use crate::errors::{Error, Result};
use crate::files::private;

/// The command line's own client, a public client (RFC 8252 §8.4) that every service of ours knows.
pub(crate) const CLIENT_ID: &str = "ordersync-cli";

/// Where a client's secret comes from. The secret is read when it is needed.
#[derive(Debug, Clone)]
pub(crate) enum SecretSource {
    /// The secret itself.
    Known(SecretString),
    /// A file that must be private to the user.
    File(PathBuf),
}

impl SecretSource {
    /// Returns the secret.
    pub(crate) fn read(&self) -> Result<SecretString> {
        match self {
            Self::Known(secret) => Ok(secret.clone()),
            Self::File(path) => match private::read(path)?.trim() {
                "" => Err(Error::usage(format!("{} holds no client secret.", path.display()))),
                secret => Ok(SecretString::from(secret)),
            },
        }
    }
}

/// The client with which a command signs in, and where the sign-in is stored.
#[derive(Debug, Clone)]
pub(crate) struct SignIn {
    /// The OAuth client.
    pub client_id: Value<String>,
    /// Its secret, if it has one.
    pub client_secret: Option<Value<SecretSource>>,
    /// The scopes to request; `None` requests the service's default.
    pub scopes: Option<Value<String>>,
    /// Where the sign-in is stored.
    pub token_store: Value<TokenStore>,
}

impl Default for SignIn {
    fn default() -> Self {
        Self {
            client_id: Value::new(CLIENT_ID.to_owned(), Origin::Default),
            client_secret: None,
            scopes: None,
            token_store: Value::new(TokenStore::Auto, Origin::Default),
        }
    }
}

impl SignIn {
    /// From the environment, else from the profile.
    pub(super) fn resolve(environment: &Environment, entry: Option<&Profile>, file: &Origin) -> Result<Self> {
        let variable = |variable: &env::Variable| {
            let value = environment.get(variable)?;
            Some(Value::new(value.to_owned(), Origin::Environment(variable.name)))
        };
        let stored = |value: Option<&String>| Some(Value::new(value?.clone(), file.clone()));
        let default = Self::default();
        Ok(Self {
            client_id: variable(&env::CLIENT_ID)
                .or_else(|| stored(entry.and_then(|entry| entry.client_id.as_ref())))
                .unwrap_or(default.client_id),
            client_secret: variable(&env::CLIENT_SECRET)
                .map(|value| Value::new(SecretSource::Known(value.value.into()), value.origin))
                .or_else(|| {
                    let path = entry?.client_secret_file.clone()?;
                    Some(Value::new(SecretSource::File(path), file.clone()))
                }),
            scopes: stored(entry.and_then(|entry| entry.scopes.as_ref())),
            token_store: token_store(environment, entry, file)?,
        })
    }
}

/// Where the sign-in is stored. If the environment names one folder for all files, the sign-in belongs there too: tests
/// and containers have no keyring of their own, and must not use the user's.
fn token_store(environment: &Environment, entry: Option<&Profile>, file: &Origin) -> Result<Value<TokenStore>> {
    if let Some(text) = environment.get(&env::TOKEN_STORE) {
        let name = env::TOKEN_STORE.name;
        let store = text.parse().map_err(|why| Error::usage(format!("{name}: {why}.")))?;
        return Ok(Value::new(store, Origin::Environment(name)));
    }
    if let Some(store) = entry.and_then(|entry| entry.token_store) {
        return Ok(Value::new(store, file.clone()));
    }
    if environment.path(&env::HOME).is_some() {
        return Ok(Value::new(TokenStore::File, Origin::Environment(env::HOME.name)));
    }
    Ok(Value::new(TokenStore::Auto, Origin::Default))
}
