//! How a one-time password reaches the phone.

mod gateway;
mod log;

use async_trait::async_trait;
use secrecy::SecretString;

pub(crate) use gateway::{BadGateway, Gateway};
pub(crate) use log::Log;

/// Delivers one-time passwords to phones.
#[async_trait]
pub(crate) trait OtpDelivery: Send + Sync {
    /// Sends `code` to `phone` (E.164).
    /// Fails if delivery failed; the text is for the log and contains neither code nor number.
    async fn send(&self, phone: &str, code: &SecretString) -> Result<(), String>;

    /// The password that every phone gets, if it is fixed (in a sandbox): it is checked like any other.
    fn fixed_code(&self) -> Option<SecretString> {
        None
    }
}

/// A sandbox: nothing is sent, and every password is 424242.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sandbox;

#[async_trait]
impl OtpDelivery for Sandbox {
    async fn send(&self, _phone: &str, _code: &SecretString) -> Result<(), String> {
        Ok(())
    }

    fn fixed_code(&self) -> Option<SecretString> {
        Some("424242".into())
    }
}
