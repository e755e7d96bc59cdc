//! Signing in at a service, and staying signed in: OAuth 2.0 as a public client (RFC 8252, RFC 8628) or as a back end.
//!
//! What holds: secrets are in the system's keyring or in a private file, and the user learns which; a token is sent
//! only to the address that it was issued for; of several concurrent commands, one renews.

pub(crate) mod browser;
pub(crate) mod device;
pub(crate) mod lock;
pub(crate) mod loopback;
pub(crate) mod metadata;
pub(crate) mod oauth;
mod page;
pub(crate) mod store;
pub(crate) mod stored_token;
pub(crate) mod token_provider;

pub(crate) use store::SignInStore;
pub(crate) use stored_token::{GrantType, StoredToken};
pub(crate) use token_provider::TokenProvider;
