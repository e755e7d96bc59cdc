//! Device authorization (RFC 8628): a machine without a browser shows a short code, and its user types that code into a
//! browser elsewhere.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::TimeDelta;
use serde::Serialize;

use super::client_auth::ClientForm;
use crate::app::App;
use crate::authorization::device::new_user_code;
use crate::authorization::error::{Answered, OAuthError};
use crate::authorization::scopes::requested;
use crate::http::Problem;
use crate::keys::token_digest;
use crate::store::accounts::oauth::device::NewDevice;
use crate::token::Prefix;

pub(super) const PATH: &str = "/oauth/device_authorization";
/// How long the user has to decide.
const LIFE: TimeDelta = TimeDelta::minutes(15);
/// Seconds between two polls (RFC 8628 §3.2).
const INTERVAL: i64 = 5;
/// Two identical codes at the same time happen once in 25 billion.
const ATTEMPTS: usize = 3;

/// The response (RFC 8628 §3.2).
#[derive(Serialize)]
pub(super) struct DeviceAuthorization {
    device_code: String,
    user_code: String,
    verification_uri: String,
    verification_uri_complete: String,
    expires_in: i64,
    interval: i64,
}

/// POST /oauth/device_authorization
pub(super) async fn start(
    State(app): State<Arc<App>>,
    ClientForm { client, form }: ClientForm,
) -> Answered<Json<DeviceAuthorization>> {
    let scopes = requested(form.text("scope")?, &client.scopes)?;
    let device_code = Prefix::DEVICE.new_token(app.environment)?;
    for _ in 0..ATTEMPTS {
        let user_code = new_user_code()?;
        let device = NewDevice {
            digest: token_digest(&device_code),
            user_code: app.keys.user_code(&user_code),
            client_id: &client.id,
            scopes: &scopes,
            expires_at: app.clock.now() + LIFE,
            interval: INTERVAL,
        };
        if app.store.add_device(&device).await? {
            let user_code = format!("{}-{}", &user_code[..4], &user_code[4..]);
            return Ok(Json(DeviceAuthorization {
                device_code,
                verification_uri: format!("{}/device", app.issuer),
                verification_uri_complete: format!("{}/device?user_code={user_code}", app.issuer),
                user_code,
                expires_in: LIFE.num_seconds(),
                interval: INTERVAL,
            }));
        }
    }
    Err(OAuthError::from(Problem::internal("no user code was free")))
}
