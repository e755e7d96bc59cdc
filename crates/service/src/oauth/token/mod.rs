//! The token endpoint (RFC 6749 §3.2): one file per grant.

mod answer;
mod authorization_code;
mod client_credentials;
mod device_code;
mod refresh_token;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ordersync_api::text_enum;

use self::answer::TokenAnswer;
use super::client_auth::ClientForm;
use crate::app::App;
use crate::authorization::error::{Answered, Kind, OAuthError};
use crate::authorization::form::Form;

pub(super) const PATH: &str = "/oauth/token";

text_enum! {
    /// The supported grants.
    pub(super) enum GrantType {
        AuthorizationCode = "authorization_code",
        RefreshToken = "refresh_token",
        ClientCredentials = "client_credentials",
        DeviceCode = "urn:ietf:params:oauth:grant-type:device_code",
    }
}

impl GrantType {
    fn of(form: &Form) -> Answered<Self> {
        let named = form.required("grant_type", "The parameter grant_type is missing.")?;
        named.parse().map_err(|_| {
            OAuthError::new(Kind::UnsupportedGrantType, "The grant_type is none of those that the metadata lists.")
        })
    }
}

/// POST /oauth/token
pub(super) async fn issue(
    State(app): State<Arc<App>>,
    ClientForm { client, form }: ClientForm,
) -> Answered<Json<TokenAnswer>> {
    let answer = match GrantType::of(&form)? {
        GrantType::AuthorizationCode => authorization_code::exchange(&app, &client, &form).await?,
        GrantType::RefreshToken => refresh_token::refresh(&app, &client, &form).await?,
        GrantType::ClientCredentials => client_credentials::issue(&app, &client, &form).await?,
        GrantType::DeviceCode => device_code::poll(&app, &client, &form).await?,
    };
    Ok(Json(answer))
}
