//! Messages of a child to its parent beside the results, as lines of JSON on standard error.

use std::io::{self, Write as _};

use serde::{Deserialize, Serialize};

/// A message beside the results.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Said {
    /// A line that the filter prints on standard error.
    Note(String),
    /// The filter failed, for this reason.
    Failed(String),
}

/// Sends a message to the parent.
pub(super) fn say(said: &Said) {
    let line = serde_json::to_string(said).unwrap_or_default();
    // If the parent is gone, there is nowhere to report it.
    let _ = writeln!(io::stderr().lock(), "{line}");
}
