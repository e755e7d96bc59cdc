//! Lists as queries take them: JSON, which the database takes apart.

use crate::store::StoreError;

/// A list of numbers or positions.
pub(in crate::store) fn list<T: serde::Serialize>(items: &[T]) -> Result<String, StoreError> {
    serde_json::to_string(items).map_err(|_| StoreError::Corrupt("identifier"))
}

/// A list of texts that are looked for. Those with a NUL character are left out: no stored text has one, and PostgreSQL reads
/// none.
pub(in crate::store) fn texts<T: AsRef<str>>(items: &[T]) -> Result<String, StoreError> {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).filter(|text| !text.contains('\0')).collect();
    list(&items)
}
