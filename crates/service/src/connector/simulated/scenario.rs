//! The user name given to a simulated retailer chooses what happens.
//!
//! The table of user names in docs/retailers.md is made from [`SCENARIOS`]; a test checks that [`Scenario::of`] knows each.

use std::str::FromStr;

use ordersync_api::SyncErrorCode;

use super::prng::Prng;

/// The password of every simulated account.
pub(super) const PASSWORD: &str = "pass_good";
/// The MFA code of every simulated account but [`LAST_RESORT_CODE`]'s.
pub(super) const MFA_CODE: &str = "123456";
/// The only code that `user_mfa_wrong` takes.
pub(super) const LAST_RESORT_CODE: &str = "000000";
/// The largest N of `user_items_N`.
pub(super) const MAX_ITEMS: u32 = 10_000_000;

/// The user names that a simulated retailer knows, and what each does. In a name, `N` stands for a number and `<CODE>`
/// for a sync error code; case does not matter. The password is [`PASSWORD`]; any other is refused.
pub const SCENARIOS: &[(&str, &str)] = &[
    ("user_good", "Signs in; about a hundred line items over two years"),
    ("user_mfa_enter", "Asks for a code at the first sign-in"),
    ("user_mfa_choose", "Offers `sms`, `email` and `app`, then asks for a code"),
    ("user_mfa_wrong", "Rejects every code except `000000`"),
    ("user_bad", "The sign-in is refused"),
    ("user_locked", "The account is locked"),
    ("user_timeout", "The retailer never answers the sign-in"),
    ("user_slow", "Reading takes half a minute"),
    ("user_flaky", "Fails temporarily, then works"),
    ("user_expired", "Works once; at the next sync the retailer has ended the sign-in"),
    ("user_empty", "No orders"),
    ("user_adjustments", "Orders with discounts, shipping, taxes, fees, returns, refunds and other amounts"),
    ("user_parcels", "Orders with parcels, for `orders list --undelivered`"),
    ("user_items_N", "Exactly N line items, 0 to 10000000; for example `user_items_5000`"),
    ("error_<CODE>", "Ends in that sync error code, for example `error_retailer_changed`"),
];

/// Some credentials to try, in words.
pub(crate) fn some_to_try() -> String {
    format!(
        "Sandbox: try user_good, user_mfa_choose or user_bad with the password {PASSWORD}. Verification codes are {MFA_CODE}."
    )
}

/// What happens with an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scenario {
    Good,
    MfaEnter,
    MfaChoose,
    MfaWrong,
    Timeout,
    Slow,
    Flaky,
    Expired,
    Empty,
    Adjustments,
    Parcels,
    Items(u32),
    Fails(SyncErrorCode),
}

/// How a retailer meets a sign-in with the right password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reception {
    Admit,
    /// Asks for this code.
    AskCode(&'static str),
    /// Lets the user choose a method, then asks for this code.
    OfferMethods(&'static str),
    /// Gives no answer.
    Stall,
    Refuse(SyncErrorCode),
}

impl Scenario {
    /// What the user name (in lower case) chooses; `None` where no account has that name.
    pub(super) fn of(user: &str) -> Option<Self> {
        Some(match user {
            "user_good" => Self::Good,
            "user_mfa_enter" => Self::MfaEnter,
            "user_mfa_choose" => Self::MfaChoose,
            "user_mfa_wrong" => Self::MfaWrong,
            "user_bad" => Self::Fails(SyncErrorCode::CredentialsRefused),
            "user_locked" => Self::Fails(SyncErrorCode::AccountLocked),
            "user_timeout" => Self::Timeout,
            "user_slow" => Self::Slow,
            "user_flaky" => Self::Flaky,
            "user_expired" => Self::Expired,
            "user_empty" => Self::Empty,
            "user_adjustments" => Self::Adjustments,
            "user_parcels" => Self::Parcels,
            other => match other.strip_prefix("error_") {
                Some(code) => Self::Fails(SyncErrorCode::from_str(code).ok()?),
                None => Self::Items(number(other.strip_prefix("user_items_")?)?),
            },
        })
    }

    /// How the sign-in is met.
    pub(super) const fn reception(self) -> Reception {
        match self {
            Self::MfaEnter => Reception::AskCode(MFA_CODE),
            Self::MfaChoose => Reception::OfferMethods(MFA_CODE),
            Self::MfaWrong => Reception::AskCode(LAST_RESORT_CODE),
            Self::Timeout => Reception::Stall,
            Self::Fails(code) => Reception::Refuse(code),
            Self::Good
            | Self::Slow
            | Self::Flaky
            | Self::Expired
            | Self::Empty
            | Self::Adjustments
            | Self::Parcels
            | Self::Items(_) => Reception::Admit,
        }
    }

    /// How many line items the account with this seed has.
    pub(super) fn items(self, seed: u64) -> u32 {
        match self {
            Self::Empty => 0,
            Self::Items(number) => number,
            Self::Slow => 640,
            // With the sizes that orders have, these are 26 to 44 of them.
            _ => 70 + Prng::new(seed).below(46),
        }
    }
}

/// Digits alone: the signs that integers parse with are no part of a user name.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten().filter(|n| *n <= MAX_ITEMS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_user_name_is_known() {
        for (name, _) in SCENARIOS {
            let name = name.replace("N", "17").replace("<CODE>", "retailer_changed");
            assert!(Scenario::of(&name).is_some(), "{name}");
        }
    }

    #[test]
    fn names_that_are_not_listed_are_not_known() {
        for name in ["", "user", "user_items_", "user_items_-1", "user_items_+1", "user_items_10000001", "error_", "x"]
        {
            assert_eq!(Scenario::of(name), None, "{name}");
        }
        assert_eq!(Scenario::of("user_items_99999999999999999999"), None);
    }
}
