//! A user's rows as JSON lines, equal to the byte from either database, with a manifest that says what an import has to know.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use ordersync_api::hex;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::user_tables::{Column, Kind, exported_columns, user_tables};
use crate::store::db::{Argument, Tx, Values, query_as, query_scalar};
use crate::store::{Store, StoreError, time};

/// The form of the archive. Version 1 had no manifest, and times in milliseconds.
pub(crate) const FORMAT: u32 = 2;

/// The manifest of an archive.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserManifest {
    /// The form of the archive.
    pub format: u32,
    /// The program that wrote it.
    pub written_by: String,
    /// The version of the store's tables.
    pub store_version: i64,
    /// `sandbox` or `live`; none if no service has used the store.
    pub environment: Option<String>,
    /// The user.
    pub user_id: String,
    /// When it was written.
    pub exported_at: DateTime<Utc>,
    /// By what the user is looked up at a sign-in: of use only with the root key that it was made with.
    pub phone_digest: String,
    /// The fingerprints of the root keys of which it may have been one.
    pub root_keys: Vec<String>,
    /// The number of rows of each table.
    pub rows: BTreeMap<String, u64>,
}

impl Store {
    /// Gives every row of a user to `write`, as the table and a JSON object. Values that only the service can read, such as
    /// sealed credentials and digests of tokens, are left out.
    /// Fails if the store fails, or `write` does.
    pub(crate) async fn write_user<E: From<StoreError>>(
        &self,
        user_id: &str,
        phone_digest: &[u8],
        now: DateTime<Utc>,
        mut write: impl FnMut(&str, &str) -> Result<(), E>,
    ) -> Result<UserManifest, E> {
        self.finish_removals(Some(user_id)).await?;
        let (version, environment) = (self.version().await?, self.environment().await?);
        // One snapshot, so that connections, orders and items belong together.
        let mut tx = self.pool.begin().await.map_err(StoreError::from)?;
        let mut counts = BTreeMap::new();
        for table in user_tables(&mut tx).await? {
            let columns = exported_columns(&mut tx, &table.name).await?;
            let rows = query_as::<Values>(table.select(&columns)).bind_all((user_id, phone_digest));
            let mut count = 0;
            let failed = |error| E::from(StoreError::from(error));
            let each = |Values(values): Values| {
                count += 1;
                write(&table.name, &object(&columns, &values)?)
            };
            rows.for_each(&mut tx, failed, each).await?;
            if count > 0 {
                counts.insert(table.name, count);
            }
        }
        Ok(UserManifest {
            format: FORMAT,
            written_by: format!("ordersync {}", env!("CARGO_PKG_VERSION")),
            store_version: version.store,
            environment,
            user_id: user_id.to_owned(),
            exported_at: now,
            phone_digest: hex::encode(phone_digest),
            root_keys: phone_fingerprints(&mut tx).await?,
            rows: counts,
        })
    }
}

/// The fingerprints of the root keys by which the store looks phone numbers up.
pub(super) async fn phone_fingerprints(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    let all = "SELECT fingerprint FROM root_keys UNION SELECT fingerprint FROM phone_keys ORDER BY 1";
    Ok(query_scalar(all).fetch_all(tx).await?)
}

/// A row as a JSON object.
fn object(columns: &[Column], values: &[Argument]) -> Result<String, StoreError> {
    let mut object = String::from("{");
    for (column, value) in columns.iter().zip(values) {
        let comma = if object.len() > 1 { "," } else { "" };
        object.push_str(&format!("{comma}\"{}\":{}", column.name, member(column.kind, value)?));
    }
    object.push('}');
    Ok(object)
}

fn member(kind: Kind, value: &Argument) -> Result<String, StoreError> {
    Ok(match value {
        Argument::Integer(Some(micros)) if kind == Kind::Time => format!("\"{}\"", time_text(time(*micros)?)),
        Argument::Integer(Some(number)) => number.to_string(),
        Argument::Text(Some(text)) if kind == Kind::Json && is_embeddable(text) => text.clone(),
        Argument::Text(Some(text)) => serde_json::to_string(text).map_err(|_| StoreError::Corrupt("text"))?,
        Argument::Blob(Some(octets)) => format!("\"{}\"", hex::encode(octets)),
        _ => "null".to_owned(),
    })
}

pub(super) fn time_text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// Whether a text can be a part of a line of JSON, and be read from there as it is: an object or a list, on one line.
pub(super) fn is_embeddable(text: &str) -> bool {
    text.starts_with(['{', '['])
        && text.ends_with(['}', ']'])
        && !text.contains(['\n', '\r'])
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_a_part_of_its_row_only_if_it_can_be_read_as_it_was() {
        for (text, member_text) in [
            (r#"{"a": 1.10}"#, r#"{"a": 1.10}"#),
            ("[]", "[]"),
            ("{\"a\":\n1}", r#""{\"a\":\n1}""#),
            ("{", r#""{""#),
            ("\"x\"", r#""\"x\"""#),
            (" {}", r#"" {}""#),
        ] {
            assert_eq!(member(Kind::Json, &text.into()).unwrap(), member_text);
        }
    }
}
