//! Answers that a sandbox loses on purpose.

/// Makes the server close the connection instead of sending this response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dropped;
