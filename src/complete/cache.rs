//! The candidates that completions offer without a request: a file per profile and address in the cache folder, written
//! by the commands that fetch the lists anyway. It holds ids, names and states and nothing else, and only the user can
//! read it. A lost, outdated or corrupt file costs a completion, never a command.

use std::path::PathBuf;

use ordersync_api::{Connection, Retailer, RetailerSyncSession, Session, SessionStatus, SyncStatus, hex};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::config::{Settings, Target};
use crate::files::{atomic, private};
use crate::output::human;

/// The most batches to keep; longer lists are of no use.
const MAX_BATCHES: usize = 20;
/// The most line items to keep; longer lists are of no use.
const MAX_ORDERS: usize = 100;
/// Larger files are not read, in bytes.
const MAX_FILE: u64 = 8 << 20;

/// The cache file of one profile at one address.
#[derive(Debug, Clone)]
pub(crate) struct Cache(PathBuf);

/// The contents of the file.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(crate) struct KnownNames {
    #[serde(default)]
    pub retailers: Fetched,
    #[serde(default)]
    pub connections: Fetched,
    /// The user's sessions, latest first.
    #[serde(default)]
    pub batches: Fetched,
    /// The line items of the last list.
    #[serde(default)]
    pub orders: Fetched,
}

/// A list, and when it was fetched.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fetched {
    /// Seconds since 1970; 0: never.
    pub at: i64,
    pub entries: Vec<KnownName>,
}

/// Something that can be named on a command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownName {
    /// The id, which is typed.
    pub id: String,
    /// The name that users know.
    pub name: String,
    /// The state, in a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

impl Cache {
    /// The file for the current profile and address.
    pub(crate) fn of(settings: &Settings) -> Self {
        let address = match &settings.target {
            Target::Local(_) => "",
            Target::Remote(remote) => remote.base_url.value.as_str(),
        };
        let hash = Sha256::digest(format!("{} {address}", settings.profile.value));
        let name = hex::encode(&hash[..12]);
        Self(settings.folders.cache.join("completions").join(name).with_extension("json"))
    }

    /// What is known; empty if the file cannot be read.
    pub(crate) fn load(&self) -> KnownNames {
        let is_small = std::fs::metadata(&self.0).is_ok_and(|file| file.len() <= MAX_FILE);
        let text = is_small.then(|| std::fs::read(&self.0).ok()).flatten();
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    /// Changes what is known. A failure to write the file is not reported.
    pub(crate) fn change(&self, change: impl FnOnce(&mut KnownNames)) {
        let mut known = self.load();
        change(&mut known);
        let _ = self.write(&known);
    }

    fn write(&self, known: &KnownNames) -> crate::errors::Result<()> {
        private::create_private_folder(atomic::folder(&self.0))?;
        let failed = |why: std::io::Error| crate::errors::Error::file("write", &self.0, &why);
        let text = serde_json::to_vec(known).map_err(|why| failed(why.into()))?;
        atomic::replace_recoverable(&self.0, &text).map_err(failed)
    }
}

impl Fetched {
    /// A list that was fetched now.
    fn now(entries: Vec<KnownName>) -> Self {
        Self { at: crate::clock::now().timestamp(), entries }
    }

    /// Puts entries first, in place of those with the same id.
    fn put_first(&mut self, entries: Vec<KnownName>) {
        self.entries.retain(|known| entries.iter().all(|entry| entry.id != known.id));
        self.entries.splice(0..0, entries);
    }
}

impl KnownNames {
    pub(crate) fn set_retailers(&mut self, retailers: &[Retailer]) {
        let entries = retailers.iter().map(|retailer| KnownName {
            id: retailer.retailer_id.to_string(),
            name: retailer.display_name.clone(),
            status: None,
        });
        self.retailers = Fetched::now(entries.collect());
    }

    /// Replaces all of the user's connections.
    pub(crate) fn set_connections(&mut self, connections: &[Connection]) {
        self.connections = Fetched::now(connections.iter().map(connection).collect());
    }

    /// Replaces the line items with those of a list.
    pub(crate) fn set_orders(&mut self, rows: &[Value]) {
        let entry = |row: &Value| {
            let id = match row.get("id")? {
                Value::String(id) => id.clone(),
                Value::Number(id) => id.to_string(),
                _ => return None,
            };
            let name = row.get("itemName").and_then(Value::as_str).unwrap_or_default().to_owned();
            Some(KnownName { id, name, status: None })
        };
        self.orders = Fetched::now(rows.iter().filter_map(entry).take(MAX_ORDERS).collect());
    }

    /// Adds or updates a session and the connections that it syncs.
    pub(crate) fn add_session(&mut self, session: &Session) {
        let started = human::time(session.created_at.as_ref());
        let names: Vec<String> = session
            .retailer_sync_sessions
            .iter()
            .map(|part| retailer_name(part.display_name.as_ref(), part.retailer_id))
            .collect();
        let entry = KnownName {
            id: session.batch_id.to_string(),
            name: [names.join(", "), started]
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
            // The words of `sessions list`.
            status: Some(if session.status.is(&SessionStatus::Normal) { "ended" } else { "running" }.to_owned()),
        };
        self.batches.put_first(vec![entry]);
        self.batches.entries.truncate(MAX_BATCHES);
        self.batches.at = crate::clock::now().timestamp();
        for part in &session.retailer_sync_sessions {
            let Some(id) = &part.connection_id else { continue };
            if self.connections.entries.iter().all(|known| known.id != id.as_str()) {
                let name = retailer_name(part.display_name.as_ref(), part.retailer_id);
                self.connections.entries.push(KnownName { id: id.to_string(), name, status: None });
            }
            if let Some(status) = status_after(part) {
                self.set_status(id.as_str(), status);
            }
        }
    }

    /// Adds a session that was started and is not followed.
    pub(crate) fn add_batch(&mut self, id: &str) {
        if self.batches.entries.iter().all(|known| known.id != id) {
            self.batches.entries.insert(0, KnownName { id: id.to_owned(), name: "started".to_owned(), status: None });
            self.batches.entries.truncate(MAX_BATCHES);
        }
    }

    /// Sets the state of a connection.
    pub(crate) fn set_status(&mut self, connection: &str, status: &str) {
        if let Some(known) = self.connections.entries.iter_mut().find(|known| known.id == connection) {
            known.status = Some(status.to_owned());
        }
    }
}

/// The state of a connection after its part in a session, if that determines it.
fn status_after(part: &RetailerSyncSession) -> Option<&'static str> {
    let code = part.error.as_ref().and_then(|error| error.code.known());
    match part.sync_status.known()? {
        SyncStatus::Completed => Some("valid"),
        SyncStatus::Error if code.is_some_and(|code| code.invalidates_connection()) => Some("invalid"),
        _ => None,
    }
}

fn connection(connection: &Connection) -> KnownName {
    KnownName {
        id: connection.connection_id.to_string(),
        name: retailer_name(connection.display_name.as_ref(), connection.retailer_id),
        status: Some(connection.status.to_string()),
    }
}

fn retailer_name(name: Option<&String>, id: i64) -> String {
    name.cloned().unwrap_or_else(|| format!("Retailer {id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_described_in_words_and_local_time() {
        let mut known = KnownNames::default();
        let session = r#"{"batchId":"b1","status":"normal","createdAt":"2026-11-21T23:06:27.063773Z",
            "retailerSyncSessions":[{"retailerId":1,"displayName":"Harbor","syncStatus":"completed"}]}"#;
        known.add_session(&serde_json::from_str(session).expect("a session"));
        let entry = &known.batches.entries[0];
        assert_eq!(entry.status.as_deref(), Some("ended"));
        assert!(entry.name.starts_with("Harbor, 2026-11-2") && !entry.name.contains(['T', 'Z', '.']), "{}", entry.name);
    }
}
