//! Whose orders and line items are meant.

/// A connection of a user: what the keys of its orders and line items begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner<'a> {
    pub(crate) user_id: &'a str,
    /// The connection's number among the user's.
    pub(crate) connection: i64,
}
