//! Signing in at a service, and staying signed in: OAuth 2.0 as a public client (RFC 8252, RFC 8628) or as a back end.
//!
//! What holds: secrets are in the system's keyring or in a private file, and the user learns which; a token is sent to
//! the address that it was issued for, and nowhere else; of several commands at once, one renews.

pub mod browser;
pub mod device;
pub mod lock;
pub mod loopback;
pub mod metadata;
pub mod oauth;
mod page;
pub mod record;
pub mod session;
pub mod store;

pub use metadata::Metadata;
pub use record::{Record, Way};
pub use session::Session;
pub use store::Vault;
