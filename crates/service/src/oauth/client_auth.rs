//! Authenticates the client of a request to the token, revocation and device endpoints: reads the form in its body, and
//! the client's credentials (RFC 6749 §2.3): a secret in the header or in the form, none for a public client.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::header::{AUTHORIZATION, HeaderMap};
use secrecy::{ExposeSecret, SecretString};

use crate::app::App;
use crate::authorization::error::{Answered, Kind, OAuthError};
use crate::authorization::form::Form;
use crate::http::body::{BODY_LIMIT, is_form, read_body};
use crate::http::fields::Params;
use crate::http::{Shown, basic_credentials};
use crate::store::accounts::clients::Client;

/// A form whose sender has authenticated as this client.
pub(super) struct ClientForm {
    pub(super) client: Client,
    pub(super) form: Form,
}

impl FromRequest<Arc<App>> for ClientForm {
    type Rejection = OAuthError;

    async fn from_request(request: Request, app: &Arc<App>) -> Answered<Self> {
        let (parts, body) = request.into_parts();
        if !is_form(&parts.headers) {
            return Err(OAuthError::invalid_request(
                "The body has to be a form, with Content-Type: application/x-www-form-urlencoded.",
            ));
        }
        let form = Form::new(Params::of_form(&read_body(body, BODY_LIMIT).await?));
        let client = authenticate(app, &parts.headers, &form).await?;
        Ok(Self { client, form })
    }
}

async fn authenticate(app: &App, headers: &HeaderMap, form: &Form) -> Answered<Client> {
    let shown = shown(headers, form)?;
    let known = app.store.client(&shown.client_id).await?;
    let unproven = || OAuthError::new(Kind::InvalidClient, "The client is unknown, or its secret is wrong.");
    let client = known.ok_or_else(unproven)?;
    match (&client.secret_digest, &shown.secret) {
        (None, None) => {}
        (Some(_), Some(secret)) if client.has_secret(secret.expose_secret()) => {}
        (Some(_), None) => return Err(OAuthError::new(Kind::InvalidClient, "This client has to show its secret.")),
        _ => return Err(unproven()),
    }
    if client.disabled_at.is_some() {
        return Err(OAuthError::new(Kind::InvalidClient, "This client is disabled."));
    }
    Ok(client)
}

fn shown(headers: &HeaderMap, form: &Form) -> Answered<Shown> {
    let in_form = form.text("client_id")?;
    let secret_in_form = form.text("client_secret")?;
    if !headers.contains_key(AUTHORIZATION) {
        let missing = OAuthError::new(Kind::InvalidClient, "The request does not say which client it comes from.");
        let client_id = in_form.ok_or(missing)?.to_owned();
        return Ok(Shown { client_id, secret: secret_in_form.map(SecretString::from) });
    }
    if secret_in_form.is_some() {
        return Err(OAuthError::invalid_request("The client shows its secret in two places: one is enough."));
    }
    let shown = basic_credentials(headers)
        .ok_or(OAuthError::new(Kind::InvalidClient, "The header Authorization cannot be read as Basic credentials."))?;
    if in_form.is_some_and(|client_id| client_id != shown.client_id) {
        return Err(OAuthError::invalid_request("The header and the form name two different clients."));
    }
    Ok(shown)
}
