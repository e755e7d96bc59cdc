//! Opening a store and bringing it to this version's form, in SQLite and in PostgreSQL.

pub(in crate::store) mod half_copied;
pub(in crate::store) mod identity;
pub(crate) mod inspect;
pub(crate) mod inspect_postgres;
pub(crate) mod migrate;
pub(in crate::store) mod migrations;
pub(crate) mod open;
pub(in crate::store) mod postgres;
pub(in crate::store) mod read_only;
pub(in crate::store) mod statistics;
pub(crate) mod version;
