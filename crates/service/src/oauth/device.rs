//! Device authorization (RFC 8628): a machine without a browser shows a short code, and its user types that code into a
//! browser elsewhere.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::TimeDelta;
use ordersync_api::Scope;
use serde::Serialize;

use super::client_auth::ClientForm;
use super::error::{Answered, OAuthError};
use super::scopes::requested;
use super::tokens::Prefix;
use crate::http::{App, Problem};
use crate::ids::{NoRandomness, random_bytes};
use crate::keys::token_digest;
use crate::store::oauth::device::NewDevice;

pub(super) const PATH: &str = "/oauth/device_authorization";
/// How long the user has.
const LIFE: TimeDelta = TimeDelta::minutes(15);
/// Seconds between two polls (RFC 8628 §3.2).
const INTERVAL: i64 = 5;
/// Without vowels, and so without words (RFC 8628 §6.1).
const ALPHABET: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_LENGTH: usize = 8;
/// Two codes at the same time that are alike happen once in 25 billion.
const ATTEMPTS: usize = 3;

/// RFC 8628 §3.2.
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
    let device_code = Prefix::DEVICE.new_token(&app)?;
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

/// What waits for a user's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceRequest {
    /// What users are shown of the client.
    pub(crate) client_name: String,
    /// What it asks for.
    pub(crate) scopes: Vec<Scope>,
}

/// What waits under a user code, however it is typed; none where there is no such code, or it is decided or expired.
pub(crate) async fn pending(app: &App, user_code: &str) -> Result<Option<DeviceRequest>, Problem> {
    let Some(user_code) = read_user_code(user_code) else { return Ok(None) };
    let waiting = app.store.pending_device(&app.keys.user_code(&user_code), app.clock.now()).await?;
    Ok(waiting.map(|device| DeviceRequest { client_name: device.client_name, scopes: device.scopes }))
}

/// Notes the user's decision. False: there was nothing to decide any more.
pub(crate) async fn decide(app: &App, user_code: &str, user_id: &str, approve: bool) -> Result<bool, Problem> {
    let Some(user_code) = read_user_code(user_code) else { return Ok(false) };
    Ok(app.store.decide_device(&app.keys.user_code(&user_code), user_id, approve, app.clock.now()).await?)
}

fn new_user_code() -> Result<String, NoRandomness> {
    let mut code = String::with_capacity(USER_CODE_LENGTH);
    while code.len() < USER_CODE_LENGTH {
        // Octets from 240 would make some letters likelier than others.
        let fair = random_bytes::<16>()?.into_iter().filter(|octet| *octet < 240);
        let letters = fair.map(|octet| char::from(ALPHABET[usize::from(octet % 20)]));
        code.extend(letters.take(USER_CODE_LENGTH - code.len()));
    }
    Ok(code)
}

/// A user code as people type it: in small letters, with or without the hyphen, with spaces (RFC 8628 §6.1).
fn read_user_code(typed: &str) -> Option<String> {
    let typed = typed.chars().filter(|letter| letter.is_alphanumeric());
    let code: String = typed.take(USER_CODE_LENGTH + 1).map(|letter| letter.to_ascii_uppercase()).collect();
    let good = code.len() == USER_CODE_LENGTH && code.bytes().all(|letter| ALPHABET.contains(&letter));
    good.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_code_is_read_however_it_is_typed() {
        let code = new_user_code().unwrap();
        assert_eq!(read_user_code(&code).as_ref(), Some(&code));
        for typed in ["WDJB-MJHT", "wdjbmjht", " wdjb mjht ", "W.D.J.B_mjht", "WDJB\u{2013}MJHT"] {
            assert_eq!(read_user_code(typed).as_deref(), Some("WDJBMJHT"), "{typed}");
        }
        for wrong in ["", "WDJB-MJH", "WDJB-MJHTX", "WDJB-MJHA", "WDJB-MJH1", "\u{fb01}WDJBMJH", &"-W".repeat(9)] {
            assert_eq!(read_user_code(wrong), None, "{wrong}");
        }
    }
}
