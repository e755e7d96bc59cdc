//! A value that knows its origin.

use std::fmt;
use std::path::PathBuf;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Flag(&'static str),
    /// An environment variable.
    Environment(&'static str),
    File(PathBuf),
    /// The built-in default.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Environment(name) => f.write_str(name),
            Self::File(path) => path.display().fmt(f),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value and its origin.
#[derive(Debug, Clone)]
pub(crate) struct Value<T> {
    pub value: T,
    pub origin: Origin,
}

impl<T> Value<T> {
    pub(crate) const fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }
}
