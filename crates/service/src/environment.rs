//! The two environments: tokens and keys of one open nothing in the other.

use ordersync_api::text_enum;

text_enum! {
    /// The environment of a service.
    pub enum Environment {
        /// Real users and retailers.
        Live = "live",
        /// Simulated retailers, and controls for tests.
        Sandbox = "sandbox",
    }
}

impl Environment {
    /// Whether it is a sandbox.
    pub const fn is_sandbox(self) -> bool {
        matches!(self, Self::Sandbox)
    }
}
