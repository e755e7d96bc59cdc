//! The permissions of a token. Scopes are set per client at onboarding (`interface.md`, Authentication 5).

use crate::text_enum::text_enum;

text_enum! {
    /// A permission.
    pub enum Scope {
        /// Read connections and sync sessions.
        AccountsRead = "accounts:read",
        /// Connect a retailer, fix a connection, answer MFA.
        AccountsConnect = "accounts:connect",
        /// Start a sync.
        AccountsSync = "accounts:sync",
        /// Read orders.
        OrdersRead = "orders:read",
        /// Read the profile of the user.
        ProfileRead = "profile:read",
        /// Create link tokens and read what a user shared.
        UsersShare = "users:share",
    }
}

/// Reads a list of scopes separated by spaces (RFC 6749 §3.3).
/// Fails at the first word that is not a scope.
pub fn parse_scopes(text: &str) -> Result<Vec<Scope>, crate::open::UnknownWord> {
    text.split_ascii_whitespace().map(str::parse).collect()
}

/// Writes scopes as a list separated by spaces (RFC 6749 §3.3).
pub fn join_scopes(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" ")
}
