//! The token endpoint (RFC 6749 §3.2): one file per grant.

mod answer;
mod authorization_code;
mod client_credentials;
mod device_code;
mod refresh_token;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use self::answer::TokenAnswer;
use super::client_auth::ClientForm;
use crate::app::App;
use crate::authorization::error::{Answered, Kind, OAuthError};
use crate::authorization::form::Form;

pub(super) const PATH: &str = "/oauth/token";

/// The supported grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GrantType {
    AuthorizationCode,
    RefreshToken,
    ClientCredentials,
    DeviceCode,
}

impl GrantType {
    pub(super) const ALL: [Self; 4] =
        [Self::AuthorizationCode, Self::RefreshToken, Self::ClientCredentials, Self::DeviceCode];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorization_code",
            Self::RefreshToken => "refresh_token",
            Self::ClientCredentials => "client_credentials",
            Self::DeviceCode => "urn:ietf:params:oauth:grant-type:device_code",
        }
    }

    fn of(form: &Form) -> Answered<Self> {
        let named = form.required("grant_type", "The parameter grant_type is missing.")?;
        Self::ALL.into_iter().find(|grant| grant.as_str() == named).ok_or(OAuthError::new(
            Kind::UnsupportedGrantType,
            "The grant_type is none of those that the metadata lists.",
        ))
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
