//! Lists as SQLite takes them: JSON, for `json_each`.

use super::StoreError;

/// A list for `json_each`.
pub(super) fn list<T: serde::Serialize>(items: &[T]) -> Result<String, StoreError> {
    serde_json::to_string(items).map_err(|_| StoreError::Corrupt("identifier"))
}
