//! The two environments: what belongs to one opens nothing in the other.

/// Which environment a service serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    /// Real users and retailers.
    Live,
    /// Simulated retailers, and controls for tests.
    Sandbox,
}

impl Environment {
    /// As it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Sandbox => "sandbox",
        }
    }

    /// Whether it is a sandbox.
    #[must_use]
    pub const fn is_sandbox(self) -> bool {
        matches!(self, Self::Sandbox)
    }
}
