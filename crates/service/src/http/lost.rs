//! Answers that a sandbox loses on purpose.

/// Tells the server to close the connection instead of sending this response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dropped;
