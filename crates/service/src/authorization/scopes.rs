//! The scopes that a client gets: those that it requests, within those that it is permitted.

use ordersync_api::Scope;
use ordersync_api::scope::parse_scopes;

use super::error::{Answered, Kind, OAuthError};

/// The scopes of a request (RFC 6749 §3.3): those named, all of which have to be permitted; if none are named, all
/// permitted ones.
pub(crate) fn requested(named: Option<&str>, permitted: &[Scope]) -> Answered<Vec<Scope>> {
    let mut scopes = match named {
        None => permitted.to_vec(),
        Some(named) => named_scopes(named)?,
    };
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() {
        return Err(OAuthError::new(Kind::InvalidScope, "The client is not permitted anything of this kind."));
    }
    if scopes.iter().any(|scope| !permitted.contains(scope)) {
        return Err(OAuthError::new(Kind::InvalidScope, "The client is not permitted one of these scopes."));
    }
    Ok(scopes)
}

/// Parses the names of scopes.
pub(crate) fn named_scopes(named: &str) -> Answered<Vec<Scope>> {
    parse_scopes(named).map_err(|_| OAuthError::new(Kind::InvalidScope, "One of these scopes does not exist."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_what_it_names_if_permitted_and_everything_permitted_if_it_names_nothing() {
        let permitted = [Scope::OrdersRead, Scope::AccountsRead];
        assert_eq!(requested(None, &permitted).unwrap(), [Scope::AccountsRead, Scope::OrdersRead]);
        assert_eq!(requested(Some("orders:read orders:read"), &permitted).unwrap(), [Scope::OrdersRead]);
        for beyond in ["users:share", "orders:read users:share", "orders:write", " "] {
            assert!(requested(Some(beyond), &permitted).is_err(), "{beyond}");
        }
        assert!(requested(None, &[]).is_err());
    }
}
