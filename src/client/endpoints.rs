//! The service's operations and their paths. What the specification fixes cannot be changed; what it leaves open can,
//! by a profile's `[endpoints]`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use reqwest::Method;
use url::Url;

use crate::errors::{Error, Result};

/// An operation of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of the table below")]
pub enum Operation {
    RetailersList,
    ConnectionsList,
    ConnectionsGet,
    ConnectionsRemove,
    ConnectionsConnect,
    ConnectionsSync,
    ConnectionsSyncAll,
    OrdersList,
    OrdersGet,
    OrdersSync,
    Completeness,
    Imports,
    DocumentsKeep,
    DocumentsList,
    DocumentsGet,
    SessionsLatest,
    SessionsGet,
    MfaSubmit,
    Totp,
    Profile,
    LinkTokenCreate,
    UsersShare,
    SandboxToken,
    SandboxReset,
    SandboxUnbind,
    SandboxBreak,
    SandboxClock,
    SandboxOtp,
    SandboxFail,
    SandboxClearFailures,
    LocalLook,
    LocalBrowser,
}

/// An operation's request line and rules.
#[derive(Debug)]
pub struct Endpoint {
    pub operation: Operation,
    /// Its key in `[endpoints]`.
    pub name: &'static str,
    pub method: Method,
    /// Its path, with `{name}` placeholders.
    pub path: &'static str,
    /// Whether the specification fixes the path.
    pub fixed: bool,
    /// Whether it needs an access token.
    pub authenticated: bool,
}

const fn entry(operation: Operation, name: &'static str, method: Method, path: &'static str) -> Endpoint {
    Endpoint { operation, name, method, path, fixed: false, authenticated: true }
}

impl Endpoint {
    const fn fixed(mut self) -> Self {
        self.fixed = true;
        self
    }

    const fn public(mut self) -> Self {
        self.authenticated = false;
        self
    }
}

use Operation as Op;

/// All operations, in the order of `Operation`.
pub static TABLE: [Endpoint; 32] = [
    entry(Op::RetailersList, "retailers_list", Method::GET, "/sync/retailers").fixed().public(),
    entry(Op::ConnectionsList, "connections_list", Method::GET, "/sync/connections"),
    entry(Op::ConnectionsGet, "connections_get", Method::GET, "/sync/connections/{connectionId}"),
    entry(Op::ConnectionsRemove, "connections_remove", Method::DELETE, "/sync/connections/{connectionId}"),
    entry(Op::ConnectionsConnect, "connections_connect", Method::POST, "/sync/connections/connect").fixed(),
    entry(Op::ConnectionsSync, "connections_sync", Method::POST, "/sync/connections/{connectionId}/sync"),
    entry(Op::ConnectionsSyncAll, "connections_sync_all", Method::POST, "/sync/connections/sync"),
    entry(Op::OrdersList, "orders_list", Method::GET, "/sync/orders"),
    entry(Op::OrdersGet, "orders_get", Method::GET, "/sync/orders/{id}"),
    entry(Op::OrdersSync, "orders_sync", Method::POST, "/sync/orders/sync"),
    entry(Op::Completeness, "completeness", Method::GET, "/sync/completeness"),
    entry(Op::Imports, "imports", Method::POST, "/sync/imports"),
    entry(Op::DocumentsKeep, "documents_keep", Method::POST, "/sync/documents"),
    entry(Op::DocumentsList, "documents_list", Method::GET, "/sync/documents"),
    entry(Op::DocumentsGet, "documents_get", Method::GET, "/sync/documents/{documentId}"),
    entry(Op::SessionsLatest, "sessions_latest", Method::GET, "/sync/sessions/latest"),
    entry(Op::SessionsGet, "sessions_get", Method::GET, "/sync/sessions/{batchId}").fixed(),
    entry(Op::MfaSubmit, "mfa_submit", Method::POST, "/sync/mfa"),
    entry(Op::Totp, "totp", Method::GET, "/sync/auth/totp").fixed(),
    entry(Op::Profile, "profile", Method::GET, "/sync/profile"),
    entry(Op::LinkTokenCreate, "link_token_create", Method::POST, "/v1/link/token").fixed(),
    entry(Op::UsersShare, "users_share", Method::GET, "/v1/users/share").fixed(),
    entry(Op::SandboxToken, "sandbox_token", Method::POST, "/sandbox/token").fixed().public(),
    entry(Op::SandboxReset, "sandbox_reset", Method::POST, "/sandbox/reset").fixed(),
    entry(Op::SandboxUnbind, "sandbox_unbind", Method::POST, "/sandbox/unbind").fixed(),
    entry(Op::SandboxBreak, "sandbox_break", Method::POST, "/sandbox/break").fixed(),
    entry(Op::SandboxClock, "sandbox_clock", Method::POST, "/sandbox/clock").fixed(),
    entry(Op::SandboxOtp, "sandbox_otp", Method::GET, "/sandbox/otp").fixed(),
    entry(Op::SandboxFail, "sandbox_fail", Method::POST, "/sandbox/fail").fixed(),
    entry(Op::SandboxClearFailures, "sandbox_clear_failures", Method::DELETE, "/sandbox/fail").fixed(),
    entry(Op::LocalLook, "local_look", Method::POST, "/local/look").fixed(),
    entry(Op::LocalBrowser, "local_browser", Method::POST, "/local/browser").fixed(),
];

impl Operation {
    /// The operation's row in the table.
    pub fn entry(self) -> &'static Endpoint {
        // A test checks that the table is in the order of the declaration.
        &TABLE[self as usize]
    }
}

/// The paths of a service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Endpoints(BTreeMap<Operation, String>);

impl Endpoints {
    /// The default paths with these overrides, by operation name.
    pub(crate) fn with_overrides(overrides: &BTreeMap<String, String>) -> Result<Self> {
        overrides.iter().map(|(name, path)| check(name, path)).collect::<Result<_>>().map(Self)
    }

    /// The address of an operation with its placeholders filled.
    pub(crate) fn url(&self, base: &Url, operation: Operation, parameters: &[(&str, &str)]) -> Result<Url> {
        let path =
            self.0.get(&operation).map_or(Cow::Borrowed(operation.entry().path), |path| Cow::Owned(path.clone()));
        let mut url = base.clone();
        {
            let Ok(mut segments) = url.path_segments_mut() else {
                return Err(Error::usage(format!("{base} cannot have a path.")));
            };
            segments.pop_if_empty();
            for segment in path.split('/').skip(1) {
                segments.push(&fill(segment, parameters)?);
            }
        }
        Ok(url)
    }
}

fn fill(segment: &str, parameters: &[(&str, &str)]) -> Result<String> {
    let mut filled = segment.to_owned();
    for (name, value) in parameters {
        let placeholder = format!("{{{name}}}");
        if !filled.contains(&placeholder) {
            continue;
        }
        // A segment of dots would lead to another path.
        if matches!(*value, "" | "." | "..") || value.chars().any(char::is_control) {
            return Err(Error::usage(format!("{value:?} is not an identifier.")));
        }
        filled = filled.replace(&placeholder, value);
    }
    Ok(filled)
}

fn check(name: &str, path: &str) -> Result<(Operation, String)> {
    let refuse = |why: &str| Err(Error::usage(format!("config.toml, endpoints: `{name}` {why}.")));
    let Some(entry) = TABLE.iter().find(|entry| entry.name == name) else {
        let open: Vec<&str> = TABLE.iter().filter(|entry| !entry.fixed).map(|entry| entry.name).collect();
        return refuse(&format!("is not one of {}", open.join(", ")));
    };
    if entry.fixed {
        return refuse("is fixed by the specification");
    }
    if !path.starts_with('/') || path.contains(['?', '#']) {
        return refuse("must be a path that starts with / and has no query");
    }
    if placeholders(path) != placeholders(entry.path) {
        return refuse(&format!("must have the placeholders of {}", entry.path));
    }
    Ok((entry.operation, path.to_owned()))
}

fn placeholders(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_declaration() {
        for (index, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.operation as usize, index, "{}", entry.name);
        }
    }

    #[test]
    fn values_are_encoded_into_their_segment() {
        let base = Url::parse("https://a.test/api").expect("url");
        let url = |id: &str| Endpoints::default().url(&base, Op::ConnectionsGet, &[("connectionId", id)]);
        assert_eq!(url("a/b ?#ü").expect("url").as_str(), "https://a.test/api/sync/connections/a%2Fb%20%3F%23%C3%BC");
        for bad in ["", ".", "..", "a\nb"] {
            assert!(url(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn only_what_the_specification_leaves_open_is_overridden() {
        let with = |name: &str, path: &str| Endpoints::with_overrides(&BTreeMap::from([(name.into(), path.into())]));
        assert!(with("connections_get", "/v2/connection/{connectionId}/view").is_ok());
        for (name, path) in [
            ("retailers_list", "/v2/retailers"),
            ("connections_get", "/v2/connection"),
            ("connections_get", "/v2/{id}"),
            ("orders_list", "v2/orders"),
            ("orders_list", "/v2/orders?x=1"),
            ("nothing", "/"),
        ] {
            assert!(with(name, path).is_err(), "{name} {path}");
        }
    }
}
