//! The metadata of the authorization server (RFC 8414), so that a client needs the issuer's address only.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ordersync_api::Scope;
use serde_json::{Value, json};

use super::{device, revoke, token};
use crate::app::App;
use crate::authorization::pkce;

/// RFC 8414 §3.
pub(super) const PATH: &str = "/.well-known/oauth-authorization-server";
/// The page that asks for the user's consent.
const AUTHORIZE: &str = "/oauth/authorize";
/// How clients authenticate.
const CLIENT_AUTHENTICATION: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];

/// GET /.well-known/oauth-authorization-server
pub(super) async fn read(State(app): State<Arc<App>>) -> Json<Value> {
    let at = |path: &str| format!("{}{path}", app.issuer);
    let grants: Vec<&str> = token::GrantType::ALL.iter().map(|grant| grant.as_str()).collect();
    Json(json!({
        "issuer": app.issuer,
        "authorization_endpoint": at(AUTHORIZE),
        "token_endpoint": at(token::PATH),
        "device_authorization_endpoint": at(device::PATH),
        "revocation_endpoint": at(revoke::PATH),
        "scopes_supported": Scope::ALL,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": grants,
        "code_challenge_methods_supported": [pkce::METHOD],
        "token_endpoint_auth_methods_supported": CLIENT_AUTHENTICATION,
        "revocation_endpoint_auth_methods_supported": CLIENT_AUTHENTICATION,
        "authorization_response_iss_parameter_supported": true,
    }))
}
