//! A sign-in that is remembered for later syncs.

use serde::{Deserialize, Serialize};

use crate::connector::ConnectorState;
use crate::connector::egress::CookieJar;

#[derive(Serialize, Deserialize)]
struct Remembered {
    /// Whose it is: after a repair with another account's credentials it must not be used.
    #[serde(rename = "username")]
    whose: String,
    cookies: CookieJar,
}

/// The sign-in of this account, as it is remembered.
pub(in crate::connector) fn remember(whose: &str, cookies: &CookieJar) -> Option<ConnectorState> {
    let remembered = Remembered { whose: whose.to_owned(), cookies: cookies.clone() };
    serde_json::to_vec(&remembered).ok().map(ConnectorState::new)
}

/// The cookies of the sign-in that an earlier sync left, if it is this account's.
pub(in crate::connector) fn recall(session: Option<&[u8]>, whose: &str) -> Option<CookieJar> {
    let remembered: Remembered = serde_json::from_slice(session?).ok()?;
    (remembered.whose == whose && !remembered.cookies.is_empty()).then_some(remembered.cookies)
}
