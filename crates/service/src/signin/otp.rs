//! One-time passwords: digits, sent to a phone, valid for five minutes and five tries in the browser that requested
//! them.
//!
//! The caller does not learn whether the phone is known: every phone is sent a password, and its user is created only
//! when the password is entered. One phone is one user, whatever the client.

use chrono::TimeDelta;
use secrecy::{ExposeSecret, SecretString};

pub(crate) use super::otp_limits::Asker;
use super::otp_limits::{browser_of, count, places};
use super::{SignIn, SignInError};
use crate::domain::phone::is_e164;
use crate::environment::Environment;
use crate::ids::{NoRandomness, random_bytes};
use crate::store::StoreError;
use crate::store::accounts::oauth::otp::{NewPassword, Tried};
use crate::store::sandbox::failures::SentPassword;
use crate::traces;

/// How long a password is valid.
const LIFE: TimeDelta = TimeDelta::minutes(5);
/// How often one may be tried.
const TRIES: u32 = 5;
/// How many digits a password has, and how many if too many were sent to the phone and not used.
const SHORT: u32 = 6;
const LONG: u32 = 10;

/// The outcome of an entered password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verification {
    /// It is right. The user is created if the phone had none.
    Verified { user_id: String },
    /// It is wrong.
    Wrong {
        /// How many tries remain.
        tries_left: u32,
    },
    /// There is no password to compare it with: it expired, was used, or was tried too often. A new one has to be sent.
    Expired,
}

/// Sends a password to a phone (E.164), requested from that browser.
/// Fails if it is not a phone number or not one that passwords are sent to, if too many were sent, or if delivery
/// failed.
pub(crate) async fn send(signin: &SignIn<'_>, phone: &str, asker: &Asker<'_>) -> Result<(), SignInError> {
    let phone = phone_number(signin, phone)?;
    if !signin.environment.is_sandbox() && !signin.policy.reaches(&phone) {
        return Err(SignInError::OtherCountry);
    }
    let now = signin.clock.now();
    let phone_digest = phone_digest(signin, &phone).await?;
    if let Err(wait) = count(signin, &phone_digest, asker, now).await? {
        let seconds = u64::try_from(wait.num_milliseconds().max(1)).unwrap_or(u64::MAX).div_ceil(1000);
        return Err(SignInError::TooMany(seconds));
    }
    let (password, is_short) = match signin.delivery.fixed_code() {
        Some(password) => (password, false),
        None if signin.store.take_short_password(&phone_digest, now).await? => (new_password(SHORT)?, true),
        None => (new_password(LONG)?, false),
    };
    let expires_at = signin.store.now_for_phone(&phone_digest, now).await? + LIFE;
    let new = NewPassword {
        phone_digest,
        browser: browser_of(signin, asker),
        code_mac: signin.keys.one_time_password(&phone, password.expose_secret()),
        is_short,
        expires_at,
        tries: TRIES,
    };
    signin.store.put_password(&new).await?;
    signin.delivery.send(&phone, &password).await.map_err(|why| {
        tracing::error!(why, trace_id = traces::id(), "a one-time password was not delivered");
        SignInError::NotDelivered
    })?;
    if signin.environment.is_sandbox() {
        // Tests read the password from the store: nothing was sent to a phone.
        let sent_at = expires_at - LIFE;
        let sent = SentPassword { password: password.expose_secret().to_owned(), sent_at, expires_at };
        signin.store.keep_sent(&phone_digest, &sent).await?;
    }
    Ok(())
}

/// Tries the password that was sent to a phone for this browser. If it is right, browser and network are known from
/// then on.
/// Fails if it is not a phone number.
pub(crate) async fn verify(
    signin: &SignIn<'_>,
    phone: &str,
    asker: &Asker<'_>,
    password: &str,
) -> Result<Verification, SignInError> {
    let phone = phone_number(signin, phone)?;
    let now = signin.clock.now();
    let phone_digest = phone_digest(signin, &phone).await?;
    let digits: String = password.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
    let mac = signin.keys.one_time_password(&phone, &digits);
    let users_now = signin.store.now_for_phone(&phone_digest, now).await?;
    Ok(match signin.store.try_password(&phone_digest, &browser_of(signin, asker), &mac, users_now, now).await? {
        Tried::Right => {
            signin.store.remember_places(&phone_digest, &places(signin, asker), users_now).await?;
            let last4 = &phone[phone.len() - 4..];
            let user_id = match signin.environment {
                Environment::Live => signin.store.user_by_phone(&phone_digest, last4, now).await?,
                Environment::Sandbox => signin.store.sandbox_user(&phone, &phone_digest, last4, now).await?,
            };
            Verification::Verified { user_id }
        }
        Tried::Wrong(0) | Tried::Gone => Verification::Expired,
        Tried::Wrong(tries_left) => Verification::Wrong { tries_left },
    })
}

/// The digest by which a phone is looked up. A user who is stored under an earlier root key is first moved to the
/// current one.
pub(crate) async fn phone_digest(signin: &SignIn<'_>, phone: &str) -> Result<[u8; 32], StoreError> {
    let digest = signin.keys.phone_digest(phone);
    let earlier = signin.keys.earlier_phone_digests(phone);
    if !earlier.is_empty() {
        signin.store.move_phone(&earlier, &digest).await?;
    }
    Ok(digest)
}

/// The number in E.164, without the spaces, hyphens, dots and brackets that people write.
fn phone_number(signin: &SignIn<'_>, typed: &str) -> Result<String, SignInError> {
    let phone: String = typed.chars().filter(|c| !c.is_whitespace() && !"-.()/".contains(*c)).collect();
    if !is_e164(&phone) {
        return Err(SignInError::NoNumber);
    }
    if signin.environment.is_sandbox() && sandbox_phone(&phone).is_none() {
        return Err(SignInError::NotOfTheSandbox);
    }
    Ok(phone)
}

/// The last four digits of one of the sandbox's numbers: 555-0100 to 555-0199, which no area code of North America gives to anybody, of
/// none or any of them.
pub(crate) fn sandbox_phone(phone: &str) -> Option<&str> {
    let number = phone.strip_prefix("+1").filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))?;
    let local = match number.len() {
        7 => number,
        10 if !number.starts_with(['0', '1']) => &number[3..],
        _ => return None,
    };
    local.starts_with("55501").then(|| &local[3..])
}

/// This many digits, at most 19; every number is equally likely.
fn new_password(digits: u32) -> Result<SecretString, NoRandomness> {
    let all = 10_u64.pow(digits);
    // Values above the last whole multiple would make some passwords likelier than others.
    let fair = u64::MAX / all * all;
    loop {
        let random = u64::from_be_bytes(random_bytes()?);
        if random < fair {
            return Ok(format!("{:0width$}", random % all, width = digits as usize).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_six_digits() {
        for _ in 0..100 {
            let password = new_password(SHORT).unwrap();
            let password = password.expose_secret();
            assert!(password.len() == 6 && password.bytes().all(|digit| digit.is_ascii_digit()));
        }
    }

    #[test]
    fn a_sandbox_knows_the_numbers_that_belong_to_nobody() {
        for (phone, last4) in [("+15550100", Some("0100")), ("+15550199", Some("0199")), ("+12125550142", Some("0142"))]
        {
            assert_eq!(sandbox_phone(phone), last4);
        }
        for phone in [
            "+15550200",
            "+155501000",
            "+1555010",
            "+11125550100",
            "+12125560100",
            "+2125550100",
            "15550100",
            "+1212555010x",
        ] {
            assert_eq!(sandbox_phone(phone), None, "{phone}");
        }
    }

    #[test]
    fn a_long_password_is_ten_digits_and_they_vary() {
        let passwords: std::collections::BTreeSet<String> =
            (0..100).map(|_| new_password(LONG).unwrap().expose_secret().to_owned()).collect();
        assert_eq!(passwords.len(), 100);
        assert!(passwords.iter().all(|password| password.len() == 10 && password.parse::<u64>().is_ok()));
    }
}
