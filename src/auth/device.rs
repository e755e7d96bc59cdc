//! Signing in on another device: this one shows a code and an address, and asks whether it was entered (RFC 8628).

use std::time::{Duration, Instant};

use oauth2::{DeviceAuthorizationUrl, StandardDeviceAuthorizationResponse};

use super::metadata;
use super::oauth::{Carrier, Server, failed, list};
use super::record::{Record, Way};
use crate::error::{Error, Result};
use crate::exit::Exit;

/// What is shown to the user.
#[derive(Debug)]
pub struct Instructions<'a> {
    /// Where to go.
    pub address: &'a str,
    /// What to enter there.
    pub code: &'a str,
    /// Where to go so that nothing has to be entered.
    pub address_with_code: Option<&'a str>,
    /// How long it may take.
    pub time: Duration,
}

/// Signs in; `show` tells the user what to do, `sleep` passes the time between two questions.
///
/// # Errors
/// Where the server cannot be reached, the user or the server says no, or nobody enters the code in time.
pub(crate) async fn sign_in<S: Future<Output = ()> + Send>(
    server: &Server,
    scopes: Option<&str>,
    show: impl FnOnce(&Instructions<'_>),
    sleep: impl Fn(Duration) -> S + Send + Sync,
) -> Result<Record> {
    let Some(endpoint) = &server.metadata.device_authorization_endpoint else {
        return Err(metadata::unknown("The authorization server does not let other devices sign in."));
    };
    let carrier = Carrier::new(&server.http, &server.base);
    let client = server.client().set_device_authorization_url(DeviceAuthorizationUrl::from_url(endpoint.clone()));
    let request = client.exchange_device_code().add_scopes(list(scopes));
    let details: StandardDeviceAuthorizationResponse = request.request_async(&carrier).await.map_err(failed)?;
    show(&Instructions {
        address: details.verification_uri().as_str(),
        code: details.user_code().secret(),
        address_with_code: details.verification_uri_complete().map(|address| address.secret().as_str()),
        time: details.expires_in(),
    });
    let asking = client.exchange_device_access_token(&details).request_async(&carrier, &sleep, None);
    let give_up = server.http.deadline().unwrap_or_else(|| Instant::now() + details.expires_in());
    let response = tokio::time::timeout_at(give_up.into(), asking).await.map_err(|_| late())?.map_err(failed)?;
    Ok(server.record(Way::Device, &response, scopes))
}

fn late() -> Error {
    Error::new(Exit::SignIn, "SIGN_IN_TIMEOUT", "Nobody entered the code in time.")
        .hint("Start again: ordersync auth login --device")
}
