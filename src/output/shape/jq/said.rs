//! What a child says to its parent beside its results, as lines of JSON on standard error.

use std::io::{self, Write as _};

use serde::{Deserialize, Serialize};

/// What a child says beside its results.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Said {
    /// A line for standard error, which the filter wants to be printed.
    Note(String),
    /// The filter failed, for this reason.
    Failed(String),
}

/// Says it to the parent.
pub(super) fn say(said: &Said) {
    let line = serde_json::to_string(said).unwrap_or_default();
    // If the parent is gone, there is nowhere to report it.
    let _ = writeln!(io::stderr().lock(), "{line}");
}
