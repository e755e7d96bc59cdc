//! Exchanges a device code for tokens once the user has decided (RFC 8628 §3.4).

use super::answer::TokenAnswer;
use crate::app::App;
use crate::authorization::error::{Answered, Kind, OAuthError};
use crate::authorization::form::Form;
use crate::store::accounts::clients::Client;
use crate::store::accounts::oauth::device::Polled;
use crate::token::{Pair, Prefix};

pub(super) async fn poll(app: &App, client: &Client, form: &Form) -> Answered<TokenAnswer> {
    let code = form.required("device_code", "The parameter device_code is missing.")?;
    let unknown = || OAuthError::new(Kind::InvalidGrant, "The device code is unknown or used, or another client's.");
    let digest = Prefix::DEVICE.digest(app.environment, code).ok_or_else(unknown)?;
    let pair = Pair::new(app.environment)?;
    match app.store.poll_device(&digest, &client.id, &pair.stored(), app.clock.now()).await? {
        Polled::Tokens(scopes) => Ok(TokenAnswer::of(pair, &scopes)),
        Polled::Pending => Err(OAuthError::new(Kind::AuthorizationPending, "The user has not decided yet.")),
        Polled::TooSoon => Err(OAuthError::new(
            Kind::SlowDown,
            "The user has not decided yet. Wait five seconds longer between polls.",
        )),
        Polled::Denied => Err(OAuthError::new(Kind::AccessDenied, "The user refused.")),
        Polled::Expired => Err(OAuthError::new(Kind::ExpiredToken, "The user did not decide in time. Start again.")),
        Polled::Unknown => Err(unknown()),
    }
}
