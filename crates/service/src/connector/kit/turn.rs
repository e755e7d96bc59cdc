//! What the requests of one step share: the cookies, and how often the customer was signed in.

use std::time::Duration;

use ordersync_api::SyncErrorCode;
use serde::{Deserialize, Serialize};

use crate::connector::egress::CookieJar;
use crate::connector::{ConnectorError, StepContext};

/// How often a sign-in that ended is renewed in all.
const MAX_RENEWALS: u8 = 50;
/// How often the password is sent before anything is read that needs the sign-in.
const MAX_PASSWORDS: u32 = 3;
/// How many codes in a row may be left without an answer that can be read.
const MAX_CODES: u32 = 3;
/// How long the shop is left alone after the first and the second password that it gave no such answer to.
const RESTS: [Duration; 2] = if cfg!(test) {
    [Duration::from_millis(1), Duration::from_millis(3)]
} else {
    [Duration::from_secs(5), Duration::from_secs(15)]
};

/// What a request of a step needs and changes.
pub(in crate::connector) struct Turn<'a, 'c> {
    pub(in crate::connector) context: &'a StepContext<'c>,
    pub(in crate::connector) cookies: &'a mut CookieJar,
    pub(in crate::connector) renewals: &'a mut Renewals,
    /// Whether this step has read a page. It stays set when an error ends the step.
    pub(in crate::connector) has_read: &'a mut bool,
}

impl Turn<'_, '_> {
    /// A page was read that needs the sign-in, and is in the state.
    pub(in crate::connector) const fn read_on(&mut self) {
        *self.has_read = true;
        self.renewals.read_on();
    }
}

/// How often the sign-in ended in the middle of the scan and was renewed, and what was sent for it. Nothing of it is sent
/// again and again to a shop that gives no answer, whatever happens to the steps in between.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::connector) struct Renewals {
    all: u8,
    /// Since anything was read.
    idle: u8,
    /// The forms with a password or a code that this sync has sent, as far as this state knows of them.
    #[serde(default)]
    sent: u32,
    /// Passwords since anything was read.
    #[serde(default)]
    passwords: u32,
    /// Codes in a row without an answer that can be read.
    #[serde(default)]
    codes: u32,
}

impl Renewals {
    /// Counts one more.
    /// Fails with `retailer_unavailable` if there were too many.
    pub(in crate::connector) fn count(&mut self) -> Result<(), ConnectorError> {
        if self.passwords >= MAX_PASSWORDS || self.all >= MAX_RENEWALS {
            return Err(ConnectorError::new(SyncErrorCode::RetailerUnavailable).with_message(
                "The retailer takes the sign-in, but ends it again before everything is read. Sync again later.",
            ));
        }
        self.all += 1;
        self.idle += 1;
        Ok(())
    }

    /// A page was read that needs the sign-in.
    pub(super) const fn read_on(&mut self) {
        self.idle = 0;
        self.passwords = 0;
    }

    /// A password is about to be sent: with it, the sync has sent `sent` forms. Those that the state knows nothing of were
    /// sent by steps that came to no end.
    /// Fails with `retailer_unavailable` if it would be one too many.
    pub(super) fn send_password(&mut self, sent: u32) -> Result<(), ConnectorError> {
        self.passwords = self.passwords.saturating_add(sent.saturating_sub(self.sent));
        self.sent = sent;
        if self.passwords > MAX_PASSWORDS {
            return Err(ConnectorError::new(SyncErrorCode::RetailerUnavailable).with_message(format!(
                "The retailer was sent the password {MAX_PASSWORDS} times, and nothing could be read after it. Sync again later.",
            )));
        }
        Ok(())
    }

    /// How long to rest after a password without an answer that can be read; `None`: it was the last one.
    pub(super) fn rest(&self) -> Option<Duration> {
        RESTS.get(self.passwords.saturating_sub(1) as usize).copied()
    }

    /// A code is about to be sent: with it, the sync has sent `sent` forms. False: a step that came to no end may have
    /// sent this very code.
    pub(super) const fn send_code(&mut self, sent: u32) -> bool {
        let is_first = sent == self.sent + 1;
        self.sent = sent;
        is_first
    }

    /// Whether another code may be asked for after one without an answer that can be read.
    pub(super) const fn is_code_left(&mut self) -> bool {
        self.codes += 1;
        self.codes < MAX_CODES
    }

    /// The shop answered a code.
    pub(super) const fn code_answered(&mut self) {
        self.codes = 0;
    }

    /// Whether nothing was read since the last one.
    pub(in crate::connector) const fn is_idle(&self) -> bool {
        self.idle > 0
    }
}
