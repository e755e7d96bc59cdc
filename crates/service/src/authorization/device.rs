//! User codes of devices (RFC 8628), and the users' decisions about them.

use ordersync_api::Scope;

use crate::app::App;
use crate::http::Problem;
use crate::ids::{NoRandomness, random_bytes};

/// Without vowels, and so without words (RFC 8628 §6.1).
const ALPHABET: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_LENGTH: usize = 8;

/// A device's request that waits for a user's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceRequest {
    /// The client's name, as users see it.
    pub(crate) client_name: String,
    /// The scopes that it requests.
    pub(crate) scopes: Vec<Scope>,
}

/// The request that waits under a user code, however the code is typed; `None` if there is no such code, or it is
/// decided or expired.
pub(crate) async fn pending(app: &App, user_code: &str) -> Result<Option<DeviceRequest>, Problem> {
    let Some(user_code) = read_user_code(user_code) else { return Ok(None) };
    let waiting = app.store.pending_device(&app.keys.user_code(&user_code), app.clock.now()).await?;
    Ok(waiting.map(|device| DeviceRequest { client_name: device.client_name, scopes: device.scopes }))
}

/// Records the user's decision. False: there was nothing left to decide.
pub(crate) async fn decide(app: &App, user_code: &str, user_id: &str, approve: bool) -> Result<bool, Problem> {
    let Some(user_code) = read_user_code(user_code) else { return Ok(false) };
    Ok(app.store.decide_device(&app.keys.user_code(&user_code), user_id, approve, app.clock.now()).await?)
}

/// A new user code, without its hyphen.
pub(crate) fn new_user_code() -> Result<String, NoRandomness> {
    let mut code = String::with_capacity(USER_CODE_LENGTH);
    while code.len() < USER_CODE_LENGTH {
        // Octets from 240 up would make some letters likelier than others.
        let fair = random_bytes::<16>()?.into_iter().filter(|octet| *octet < 240);
        let letters = fair.map(|octet| char::from(ALPHABET[usize::from(octet % 20)]));
        code.extend(letters.take(USER_CODE_LENGTH - code.len()));
    }
    Ok(code)
}

/// A user code as people type it: in lower case, with or without the hyphen, with spaces (RFC 8628 §6.1).
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
