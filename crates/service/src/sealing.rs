//! The time-based key that seals credentials: issued here, and used to open them when they arrive.
//!
//! The key is derived from the values that it is bound to, so that any node can check it and none has to store it. The
//! stamp is the time of issue; its last six digits are random, so that no two keys share one.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use ordersync_api::seal::{Credentials, DirA256Gcm, Seal};
use ordersync_api::{Timestamp, Totp};

use crate::ids::{NoRandomness, random_bytes};
use crate::keys::Keys;
use crate::store::accounts::users::Caller;
use crate::store::syncs::start::Stamp;

/// How long a key is valid.
const GOOD_FOR: TimeDelta = TimeDelta::minutes(5);
/// How far the clocks of two nodes may differ.
const SKEW: TimeDelta = TimeDelta::seconds(5);

/// The credentials were not sealed with a fresh, unused key of the caller's own. The error does not distinguish
/// expired, reused, foreign and tampered ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rejected;

/// A key for this caller.
pub(crate) fn issue(keys: &Keys, caller: &Caller) -> Result<Totp, NoRandomness> {
    let current_stamp = new_stamp(caller.now)?;
    let key = keys.totp(&caller.user_id, &caller.client_id, &current_stamp);
    Ok(Totp {
        token: URL_SAFE_NO_PAD.encode(key.as_slice()),
        current_stamp,
        expires_at: Some(Timestamp(caller.now + GOOD_FOR).into()),
    })
}

/// Opens credentials that this caller sealed with a token that is still valid, and returns the stamp that they use up.
pub(crate) fn open<'a>(
    keys: &Keys,
    caller: &Caller,
    stamp: &'a str,
    sealed: &str,
) -> Result<(Credentials, Stamp<'a>), Rejected> {
    let issued_at = stamp.parse::<Timestamp>().map_err(|_| Rejected)?.0;
    let expires_at = issued_at + GOOD_FOR;
    if expires_at <= caller.now || issued_at > caller.now + SKEW {
        return Err(Rejected);
    }
    let key = keys.totp(&caller.user_id, &caller.client_id, stamp);
    let credentials = DirA256Gcm.open(&key, stamp, sealed).map_err(|_| Rejected)?;
    Ok((credentials, Stamp { stamp, expires_at }))
}

fn new_stamp(now: DateTime<Utc>) -> Result<String, NoRandomness> {
    let random = u32::from_be_bytes(random_bytes()?) % 1_000_000;
    let millis = now.to_rfc3339_opts(SecondsFormat::Millis, false);
    // `2026-11-21T07:40:00.123+00:00`: the digits go in after the milliseconds.
    let (time, _zone) = millis.split_at(millis.len() - "+00:00".len());
    Ok(format!("{time}{random:06}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_the_moment_of_issue_and_no_two_are_alike() {
        let now = DateTime::from_timestamp_millis(1_763_710_000_123).unwrap();
        let stamps: std::collections::HashSet<String> = (0..50).map(|_| new_stamp(now).unwrap()).collect();
        assert!(stamps.len() > 45);
        for stamp in stamps {
            let issued_at = stamp.parse::<Timestamp>().unwrap().0;
            assert!(issued_at - now < TimeDelta::milliseconds(1), "{stamp}");
        }
    }
}
