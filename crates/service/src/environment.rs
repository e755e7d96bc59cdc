//! The two environments: tokens and keys of one open nothing in the other.

/// The environment of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    /// Real users and retailers.
    Live,
    /// Simulated retailers, and controls for tests.
    Sandbox,
}

impl Environment {
    /// The word in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Sandbox => "sandbox",
        }
    }

    /// Whether it is a sandbox.
    pub const fn is_sandbox(self) -> bool {
        matches!(self, Self::Sandbox)
    }
}
