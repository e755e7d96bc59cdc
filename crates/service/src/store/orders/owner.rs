//! Whose orders and line items are meant, and where they are stored.

use crate::store::db::Query;

/// A connection of a user: what the keys of its orders and line items begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner<'a> {
    pub(crate) user_id: &'a str,
    /// The connection's number among the user's.
    pub(crate) connection: i64,
}

/// Where orders that were read are stored.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Destination<'a> {
    pub(in crate::store) user_id: &'a str,
    pub(in crate::store) connection_id: &'a str,
    /// The connection's number among the user's.
    pub(in crate::store) connection: i64,
    pub(in crate::store) retailer_id: i64,
    pub(in crate::store) retailer_name: &'a str,
    /// The sync session, or the import, that read them.
    pub(in crate::store) batch_id: &'a str,
}

impl<'a> Destination<'a> {
    pub(in crate::store) fn owner(&self) -> Owner<'a> {
        Owner { user_id: self.user_id, connection: self.connection }
    }
}

impl<R> Query<R> {
    /// Binds the user and the connection's number, in this order.
    pub(in crate::store) fn bind_owner(self, owner: Owner<'_>) -> Self {
        self.bind(owner.user_id).bind(owner.connection)
    }
}
