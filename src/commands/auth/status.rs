//! `ordersync auth status`.

use ordersync_api::{ErrorCode, Profile, Timestamp};
use serde::Serialize;
use serde_json::json;
use url::Url;

use super::remote;
use crate::auth::store::Location;
use crate::auth::{GrantType, StoredToken};
use crate::config::{LOCAL, Remote, Target};
use crate::context::Context;
use crate::env;
use crate::errors::{Error, Exit, Hint, Result, codes};
use crate::output::human;

/// Who is signed in, and what that allows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SignInStatus {
    signed_in: bool,
    base_url: Url,
    /// Null: the address is not a profile's.
    profile: Option<String>,
    user: Option<Profile>,
    way: &'static str,
    client_id: Option<String>,
    /// Null: unknown.
    scopes: Option<Vec<String>>,
    /// Null: unknown.
    expires_at: Option<Timestamp>,
    renewable: bool,
    kept_in: String,
}

impl SignInStatus {
    pub(super) fn new(
        context: &Context,
        remote: &Remote,
        record: &StoredToken,
        place: &Location,
        user: Option<Profile>,
    ) -> Self {
        Self {
            way: record.way.describe(),
            client_id: Some(record.client_id.clone()).filter(|id| !id.is_empty()),
            scopes: record.scopes.as_ref().map(|scopes| scopes.split_whitespace().map(str::to_owned).collect()),
            expires_at: record.expires_at.map(Timestamp),
            renewable: record.is_renewable(),
            kept_in: place.to_string(),
            ..Self::of_variable(context, remote, user)
        }
    }

    fn of_variable(context: &Context, remote: &Remote, user: Option<Profile>) -> Self {
        Self {
            signed_in: true,
            base_url: remote.base_url.value.clone(),
            profile: profile(context),
            user,
            way: "token of the environment",
            client_id: None,
            scopes: None,
            expires_at: None,
            renewable: false,
            kept_in: env::TOKEN.name.to_owned(),
        }
    }

    fn show(&self, context: &Context) -> Result<()> {
        let unknown = || "unknown".to_owned();
        let until = self.expires_at.as_ref().map_or_else(unknown, |at| human::full_time(at.0));
        let renewed = if self.renewable { ", then renewed" } else { "" };
        context.output.record(self, |_| {
            [
                ("Service", self.base_url.to_string()),
                ("Profile", self.profile.clone().unwrap_or_default()),
                ("Signed in as", self.user.as_ref().map_or_else(unknown, name)),
                ("Method", self.way.to_owned()),
                ("Client", self.client_id.clone().unwrap_or_else(unknown)),
                ("Scopes", self.scopes.as_ref().map_or_else(unknown, |scopes| scopes.join(" "))),
                ("Token expires", format!("{until}{renewed}")),
                ("Stored in", self.kept_in.clone()),
            ]
        })
    }
}

/// Shows who is signed in, as the service sees it. Fails with exit code 4 if no user is signed in, or the sign-in is no
/// longer valid.
pub(super) async fn run(context: &Context) -> Result<()> {
    if let Target::Local(_) = context.settings.target {
        let status = json!({ "signedIn": true, "baseUrl": null, "profile": context.settings.profile.value });
        if context.output.shown(&status)? {
            return Ok(());
        }
        return context.output.line("The service runs inside this command, and you are its one user.");
    }
    let result = ask(context).await;
    if let Err(error) = &result
        && error.exit() == Exit::SignIn
    {
        let base_url = &remote(context)?.base_url.value;
        context.output.shown(&json!({ "signedIn": false, "baseUrl": base_url, "profile": profile(context) }))?;
    }
    result?.show(context)
}

/// The profile that the address is of: `local` has none, so one that was given for this command is nobody's.
fn profile(context: &Context) -> Option<String> {
    Some(context.settings.profile.value.clone()).filter(|name| name != LOCAL)
}

async fn ask(context: &Context) -> Result<SignInStatus> {
    let remote = remote(context)?;
    if let Some(token) = &remote.token {
        let user = who(context.client_with(remote, token.value.clone())?.profile().await)?;
        return Ok(SignInStatus::of_variable(context, remote, user));
    }
    let session = context.session(remote)?;
    let Some((record, place)) = session.current().await? else { return Err(nobody(context, remote)) };
    // Through the client, so that a token that was refused is renewed, as any command would.
    let user = who(context.client().await?.profile().await)?;
    let (record, place) = session.current().await?.unwrap_or((record, place));
    Ok(SignInStatus::new(context, remote, &record, &place, user))
}

/// The user of a sign-in, if the service says; `None` if the token does not allow asking, or is a client's own.
pub(super) async fn user(context: &Context, remote: &Remote, record: &StoredToken) -> Result<Option<Profile>> {
    if record.way == GrantType::ClientCredentials {
        return Ok(None);
    }
    who(context.client_with(remote, record.access_token.clone())?.profile().await)
}

/// A valid token is valid even if it does not allow reading its user, or the service finds none.
fn who(answer: Result<Profile>) -> Result<Option<Profile>> {
    match answer {
        Ok(profile) => Ok(Some(profile)),
        Err(error) if error.is(ErrorCode::InsufficientScope) || error.exit() == Exit::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// How a user is shown: by name, or by the known digits of the phone number.
pub(super) fn name(user: &Profile) -> String {
    let phone = user.phone_last4.as_ref().map(|last4| format!("phone …{last4}"));
    match (&user.name, phone) {
        (Some(name), Some(phone)) => format!("{name} ({phone})"),
        (Some(name), None) => name.clone(),
        (None, Some(phone)) => phone,
        (None, None) => user.user_id.to_string(),
    }
}

/// The error of a service at which no user is signed in.
pub(super) fn nobody(context: &Context, remote: &Remote) -> Error {
    let message = format!("You are not signed in at {}.", remote.base_url.value);
    Error::of(&codes::service::UNAUTHORIZED, message).hint(Hint::run("Sign in", context.command("auth login")))
}
