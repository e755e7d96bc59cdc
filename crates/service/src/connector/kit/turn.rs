//! What the requests of one step share: the cookies, and how often a sign-in that ended was renewed.

use ordersync_api::SyncErrorCode;
use serde::{Deserialize, Serialize};

use crate::connector::egress::CookieJar;
use crate::connector::{ConnectorError, StepContext};

/// How often a sign-in that ended is renewed before anything more was read, and in all.
const MAX_IDLE_RENEWALS: u8 = 5;
const MAX_RENEWALS: u8 = 50;

/// What a request of a step needs and changes.
pub(in crate::connector) struct Turn<'a, 'c> {
    pub(in crate::connector) context: &'a StepContext<'c>,
    pub(in crate::connector) cookies: &'a mut CookieJar,
    pub(in crate::connector) renewals: &'a mut Renewals,
    /// Whether this step has read anything that must not be lost.
    pub(in crate::connector) has_read: &'a mut bool,
}

impl Turn<'_, '_> {
    /// A page was read that needs the sign-in, and is in the state.
    pub(in crate::connector) const fn read_on(&mut self) {
        *self.has_read = true;
        self.renewals.read_on();
    }
}

/// How often the sign-in ended in the middle of the scan and was renewed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::connector) struct Renewals {
    all: u8,
    /// Since anything was read.
    idle: u8,
}

impl Renewals {
    /// Counts one more.
    ///
    /// # Errors
    /// `retailer_unavailable` if there were too many.
    pub(in crate::connector) fn count(&mut self) -> Result<(), ConnectorError> {
        if self.idle >= MAX_IDLE_RENEWALS || self.all >= MAX_RENEWALS {
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
    }

    /// Whether nothing was read since the last one.
    pub(in crate::connector) const fn is_idle(&self) -> bool {
        self.idle > 0
    }
}
