//! One-time passwords: six digits, sent to a phone, good for five minutes and five tries.
//!
//! Who asks learns nothing of whether the phone is known: every phone is sent a password, and its user is made only when
//! the password comes back. One phone is one user, whatever the client.

use std::net::IpAddr;

use chrono::TimeDelta;
use secrecy::{ExposeSecret, SecretString};

use crate::http::{App, Problem};
use crate::ids::{NoRandomness, random_bytes};
use crate::store::StoreError;
use crate::store::failures::SentPassword;
use crate::store::oauth::otp::{Limit, Tried};

/// How long a password is good.
const LIFE: TimeDelta = TimeDelta::minutes(5);
/// How often one may be tried.
const TRIES: u32 = 5;

/// How often passwords are sent.
struct Limits {
    phone: [Limit; 2],
    address: [Limit; 2],
}

/// Few, since each costs money and may annoy somebody, and since they bound how many passwords can be guessed in a day.
const LIVE: Limits = Limits {
    phone: [Limit { sends: 3, within: TimeDelta::minutes(10) }, Limit { sends: 10, within: TimeDelta::hours(24) }],
    address: [Limit { sends: 20, within: TimeDelta::minutes(10) }, Limit { sends: 100, within: TimeDelta::hours(24) }],
};

/// In a sandbox nothing is sent, and many tests sign in from one machine.
const SANDBOX: Limits = Limits {
    phone: [Limit { sends: 30, within: TimeDelta::minutes(10) }, Limit { sends: 1000, within: TimeDelta::hours(24) }],
    address: [
        Limit { sends: 1000, within: TimeDelta::minutes(10) },
        Limit { sends: 100_000, within: TimeDelta::hours(24) },
    ],
};

/// What came of a password that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verification {
    /// It is the one. The user, made where the phone had none.
    Verified {
        /// The user.
        user_id: String,
    },
    /// It is not.
    Wrong {
        /// How many tries are left.
        tries_left: u32,
    },
    /// There is none to compare it with: it expired, was used, or was tried too often. A new one has to be sent.
    Expired,
}

/// Sends a password to a phone (E.164), for somebody at that internet address.
///
/// # Errors
/// `INVALID_REQUEST` where it is no phone number, `TOO_MANY_REQUESTS` where too many were sent, `UNAVAILABLE` where it
/// could not be delivered.
pub(crate) async fn send(app: &App, phone: &str, address: &str) -> Result<(), Problem> {
    let phone = phone_number(app, phone)?;
    let now = app.clock.now();
    let phone_digest = phone_digest(app, &phone).await?;
    let place = app.keys.address(&network(address));
    let limits = if app.sandbox { &SANDBOX } else { &LIVE };
    let counted = app.store.count_send(&[(&phone_digest, &limits.phone), (&place, &limits.address)], now).await?;
    if let Err(room_at) = counted {
        let seconds = u64::try_from((room_at - now).num_milliseconds().max(1)).unwrap_or(u64::MAX).div_ceil(1000);
        return Err(Problem::too_many_passwords(seconds));
    }
    let password = match app.otp_delivery.fixed_code() {
        Some(password) => password,
        None => new_password()?,
    };
    let mac = app.keys.one_time_password(&phone, password.expose_secret());
    let expires_at = app.store.now_for_phone(&phone_digest, now).await? + LIFE;
    app.store.put_password(&phone_digest, &mac, expires_at, TRIES).await?;
    app.otp_delivery.send(&phone, &password).await.map_err(|why| {
        tracing::error!(why, "a one-time password was not delivered");
        Problem::new(
            ordersync_api::ErrorCode::Unavailable,
            "The one-time password could not be sent. Try again in a minute.",
        )
    })?;
    if app.sandbox {
        // Tests read it there: nothing was sent to a phone.
        let sent_at = expires_at - LIFE;
        let sent = SentPassword { password: password.expose_secret().to_owned(), sent_at, expires_at };
        app.store.keep_sent(&phone_digest, &sent).await?;
    }
    Ok(())
}

/// Tries the password that was sent to a phone.
///
/// # Errors
/// `INVALID_REQUEST` where it is no phone number.
pub(crate) async fn verify(app: &App, phone: &str, password: &str) -> Result<Verification, Problem> {
    let phone = phone_number(app, phone)?;
    let now = app.clock.now();
    let phone_digest = phone_digest(app, &phone).await?;
    let digits: String = password.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
    let mac = app.keys.one_time_password(&phone, &digits);
    let users_now = app.store.now_for_phone(&phone_digest, now).await?;
    Ok(match app.store.try_password(&phone_digest, &mac, users_now).await? {
        Tried::Right => {
            let last4 = &phone[phone.len() - 4..];
            Verification::Verified { user_id: app.store.user_by_phone(&phone_digest, last4, now).await? }
        }
        Tried::Wrong(0) | Tried::Gone => Verification::Expired,
        Tried::Wrong(tries_left) => Verification::Wrong { tries_left },
    })
}

/// What a phone is looked up by. A user who is stored under an earlier root key is moved to the present one first.
pub(crate) async fn phone_digest(app: &App, phone: &str) -> Result<[u8; 32], StoreError> {
    let digest = app.keys.phone_digest(phone);
    let earlier = app.keys.earlier_phone_digests(phone);
    if !earlier.is_empty() {
        app.store.move_phone(&earlier, &digest).await?;
    }
    Ok(digest)
}

/// The number in E.164, without the spaces, hyphens, dots and brackets that people write.
fn phone_number(app: &App, typed: &str) -> Result<String, Problem> {
    let phone: String = typed.chars().filter(|c| !c.is_whitespace() && !"-.()/".contains(*c)).collect();
    if !is_e164(&phone) {
        let message = "phone has to be a number with its country code, as in +14155550123.";
        return Err(Problem::invalid("phone", message));
    }
    if app.sandbox && sandbox_phone(&phone).is_none() {
        let message = "phone has to be one of the sandbox's numbers, +15550100 to +15550199.";
        return Err(Problem::invalid("phone", message));
    }
    Ok(phone)
}

/// A plus sign and 7 to 15 digits, the first of which is not 0 (ITU-T E.164 §6).
fn is_e164(phone: &str) -> bool {
    phone.strip_prefix('+').is_some_and(|digits| {
        (7..=15).contains(&digits.len())
            && digits.bytes().all(|digit| digit.is_ascii_digit())
            && !digits.starts_with('0')
    })
}

/// The last four digits of one of the sandbox's numbers.
pub(crate) fn sandbox_phone(phone: &str) -> Option<&str> {
    let last2 = phone.strip_prefix("+155501")?;
    (last2.len() == 2 && last2.bytes().all(|byte| byte.is_ascii_digit())).then(|| &phone[phone.len() - 4..])
}

/// What is counted as one place: an IPv4 address, or the /64 that one household or host has in IPv6.
fn network(address: &str) -> String {
    match address.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V6(address)) => format!("{:x?}", &address.segments()[..4]),
        Ok(IpAddr::V4(address)) => address.to_string(),
        Err(_) => address.to_owned(),
    }
}

/// Six digits, all equally likely.
fn new_password() -> Result<SecretString, NoRandomness> {
    // 4,294 whole millions fit; what is left over would make some passwords likelier than others.
    loop {
        let random = u32::from_be_bytes(random_bytes()?);
        if random < 4_294_000_000 {
            return Ok(format!("{:06}", random % 1_000_000).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_country_code_and_no_more_than_fifteen_digits() {
        for good in ["+15550100", "+4930123456", "+123456789012345"] {
            assert!(is_e164(good), "{good}");
        }
        for bad in ["", "+", "15550100", "+05550100", "+123456", "+1234567890123456", "+1555\u{661}100", "+1555010a"] {
            assert!(!is_e164(bad), "{bad}");
        }
    }

    #[test]
    fn an_address_of_ipv6_is_counted_with_its_neighbours() {
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:2"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
    }

    #[test]
    fn a_password_is_six_digits() {
        for _ in 0..100 {
            let password = new_password().unwrap();
            let password = password.expose_secret();
            assert!(password.len() == 6 && password.bytes().all(|digit| digit.is_ascii_digit()));
        }
    }
}
