//! Signing in with a phone: one-time passwords, and browsers that are signed in.

pub(crate) mod browser;
pub(crate) mod otp;
mod otp_limits;
pub(crate) mod passes;

use crate::clock::Clock;
use crate::config::OtpPolicy;
use crate::delivery::OtpDelivery;
use crate::environment::Environment;
use crate::ids::NoRandomness;
use crate::keys::Keys;
use crate::store::{Store, StoreError};

/// The dependencies of a sign-in.
#[derive(Clone, Copy)]
pub(crate) struct SignIn<'a> {
    pub(crate) store: &'a Store,
    pub(crate) keys: &'a Keys,
    pub(crate) clock: &'a dyn Clock,
    /// Sends one-time passwords to phones.
    pub(crate) delivery: &'a dyn OtpDelivery,
    /// How many of them are sent, and to which countries.
    pub(crate) policy: &'a OtpPolicy,
    pub(crate) environment: Environment,
    /// Whether browsers reach the service over https.
    pub(crate) is_https: bool,
}

/// Why a sign-in failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInError {
    /// The text is not a phone number.
    #[error("phone has to be a number with its country code, as in +14155550123.")]
    NoNumber,
    /// The number is not one of the sandbox's.
    #[error("phone has to be one of the sandbox's numbers, +15550100 to +15550199.")]
    NotOfTheSandbox,
    /// No passwords are sent to this country.
    #[error("No one-time passwords are sent to numbers of this country.")]
    OtherCountry,
    /// Too many passwords were requested; the next one can be sent after this many seconds.
    #[error("Too many one-time passwords were asked for. Try again in {0} s.")]
    TooMany(u64),
    /// The password could not be delivered.
    #[error("The one-time password could not be sent. Try again in a minute.")]
    NotDelivered,
    /// A cookie has characters that a header cannot contain.
    #[error("a cookie has characters that no header takes")]
    Cookie,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NoRandomness> for SignInError {
    fn from(error: NoRandomness) -> Self {
        Self::Store(error.into())
    }
}
