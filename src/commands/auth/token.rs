//! `ordersync auth token`.

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use super::{remote, status};
use crate::context::Context;
use crate::errors::Result;

/// Prints the access token alone, so that `$(…)` takes it.
pub(super) async fn run(context: &Context) -> Result<()> {
    let remote = remote(context)?;
    let (token, expires_at) = match &remote.token {
        Some(token) => (token.value.clone(), None),
        None => match context.session(remote)?.current().await? {
            Some((record, _)) => (record.access_token, record.expires_at),
            None => return Err(status::nobody(context, remote)),
        },
    };
    print(context, &token, expires_at)
}

fn print(context: &Context, token: &SecretString, expires_at: Option<chrono::DateTime<chrono::Utc>>) -> Result<()> {
    let expires_at = expires_at.map(ordersync_api::Timestamp);
    if context.output.shown(&json!({ "accessToken": token.expose_secret(), "expiresAt": expires_at }))? {
        return Ok(());
    }
    context.output.line(token.expose_secret())
}
