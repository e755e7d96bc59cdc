//! A user's rows from an archive of `users export`, in one transaction: all of them, exactly as they were exported, or none.
//!
//! The archive may be anybody's: every row is checked to be the user's own, and to be one that the service could have made.
//! Connections come without their credentials, and syncs without their state: they are marked so that the user signs in again.

mod check;
mod lines;
mod refusal;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use ordersync_api::connection::IMPORT_ONLY;
use ordersync_api::{ConnectionStatus, SyncErrorCode, hex};

use self::check::Named;
pub use self::lines::UserArchive;
pub(crate) use self::lines::file_of;
use self::lines::{Lines, unreadable};
pub(crate) use self::refusal::ImportError;
pub use self::refusal::ImportRefusal;
use self::write::Writer;
use crate::domain::rendered::Renderer;
use crate::store::accounts::audit::{Action, Entry, Operator};
use crate::store::db::row::row;
use crate::store::db::{Argument, query, query_as, query_scalar};
use crate::store::operator::user_export::{FORMAT, UserManifest, phone_fingerprints, time_text};
use crate::store::operator::user_tables::{Column, LEFT, RESTORED, exported_columns, user_tables};
use crate::store::syncs::finish::End;
use crate::store::{Store, StoreError, Write, time};

/// The file of an archive that says what it is.
pub const MANIFEST: &str = "manifest.json";
/// The longest manifest, in bytes.
const MAX_MANIFEST: u64 = 1 << 20;
/// How many clients an archive may name.
const MAX_CLIENTS: usize = 10_000;
/// How many lines one renderer writes, for comparison.
const RENDERED: u64 = 256;
/// The reason of a connection without credentials: its user is asked to sign in again.
const UNSEALED: SyncErrorCode = SyncErrorCode::RetailerSessionExpired;

/// How a user is imported.
#[derive(Debug)]
pub(crate) struct Import<'a> {
    /// By what the user is looked up at a sign-in, with the end of the number that it is of. None: as in the archive.
    pub(crate) phone: Option<([u8; 32], &'a str)>,
    /// Clients of the archive, and those of the store that take their places.
    pub(crate) clients: &'a BTreeMap<String, String>,
    /// Whether a user is imported who was deleted from this store.
    pub(crate) restore_deleted: bool,
    /// Whether nothing is stored in the end.
    pub(crate) dry_run: bool,
}

/// A user that was imported.
#[derive(Debug)]
pub struct Imported {
    /// Identifier.
    pub user_id: String,
    /// The rows that were stored, by table.
    pub rows: BTreeMap<String, u64>,
    /// The rows of the archive that are not restored, by table.
    pub left: BTreeMap<String, u64>,
    /// The connections that their user has to sign in to again.
    pub to_fix: Vec<ToFix>,
    /// Syncs that were under way, and were ended.
    pub ended_syncs: u64,
}

row! {
    /// A connection whose credentials are missing.
    #[derive(Debug)]
    pub struct ToFix {
        /// Identifier.
        pub id: String,
        /// The retailer: the same shop in the store's service, as the operator has to make sure.
        pub retailer_id: i64,
        /// Its name.
        pub display_name: String,
    }
}

/// Reads what an archive says of itself.
/// Fails if it is not of this format, or has files that are not known.
pub(crate) fn manifest_of(archive: &dyn UserArchive) -> Result<UserManifest, ImportRefusal> {
    let refused = |why: String| ImportRefusal::Archive { file: MANIFEST.to_owned(), row: None, why };
    let mut text = Vec::new();
    let reader = archive.open(MANIFEST).map_err(|why| unreadable(MANIFEST, &why))?;
    reader.take(MAX_MANIFEST).read_to_end(&mut text).map_err(|why| unreadable(MANIFEST, &why))?;
    /// Of any format.
    #[derive(serde::Deserialize)]
    struct Known {
        format: u32,
    }
    let known: Known = serde_json::from_slice(&text).map_err(|why| refused(why.to_string()))?;
    if known.format != FORMAT {
        return Err(ImportRefusal::Format { found: known.format, known: FORMAT });
    }
    let manifest: UserManifest = serde_json::from_slice(&text).map_err(|why| refused(why.to_string()))?;
    let tables = || RESTORED.iter().map(|(name, _)| *name).chain(LEFT.iter().copied());
    let files = archive.files();
    let is_known = |file: &str| file == MANIFEST || tables().any(|table| file_of(table) == file);
    if let Some(other) = files.iter().find(|file| !is_known(file)) {
        return Err(ImportRefusal::Archive {
            file: lines::shown(other),
            row: None,
            why: "this file is not known".to_owned(),
        });
    }
    if let Some(other) = manifest.rows.keys().find(|name| !tables().any(|table| table == *name)) {
        return Err(refused(format!("the table {} is not known", lines::shown(other))));
    }
    // So that each file is read, and no table is forgotten.
    for table in tables() {
        let (has_file, has_rows) = (files.contains(&file_of(table)), manifest.rows.contains_key(table));
        if has_file != has_rows {
            return Err(refused(format!(
                "{} and the rows of {table} that the manifest counts are not both there",
                file_of(table)
            )));
        }
    }
    Ok(manifest)
}

impl Store {
    /// Stores a user from an archive.
    /// Fails, with nothing stored, if the store has the user or anything with an id of theirs, if it is another one than the
    /// archive's in what cannot be changed, or if the archive is not as an export writes it.
    pub(crate) async fn import_user(
        &self,
        archive: &dyn UserArchive,
        manifest: &UserManifest,
        how: &Import<'_>,
        by: Operator<'_>,
    ) -> Result<Imported, ImportError> {
        let version = self.version().await?;
        let mut tx = self.write().await?;
        if version.store != manifest.store_version {
            let (found, by) = (manifest.store_version, manifest.written_by.clone());
            return Err(ImportRefusal::StoreVersion { found, by, known: version.store }.into());
        }
        fits(&mut tx, manifest, how).await?;
        let clients = clients(&mut tx, archive, manifest, how.clients).await?;
        let mut reading = Reading { archive, manifest, how, clients, rows: BTreeMap::new(), left: BTreeMap::new() };
        for (table, key) in RESTORED {
            reading.restore(&mut tx, table, key).await?;
        }
        for table in LEFT {
            reading.count(&mut tx, table).await?;
        }
        check::whole(&mut tx, &manifest.user_id).await?;
        let ended_syncs = self.end_syncs(&mut tx, &manifest.user_id, by).await?;
        let to_fix = ask_for_credentials(&mut tx, &manifest.user_id).await?;
        Entry { user: Some(&manifest.user_id), ..by.did(Action::UserImport) }.write(&mut tx).await?;
        let Reading { rows, left, .. } = reading;
        if !how.dry_run {
            tx.commit().await?;
        }
        // The service deletes the rows of removed connections.
        if !how.dry_run && rows.contains_key("removed_connections") {
            self.note_deletion();
        }
        Ok(Imported { user_id: manifest.user_id.clone(), rows, left, to_fix, ended_syncs })
    }

    /// Ends the syncs that were under way: their state was sealed.
    async fn end_syncs(&self, tx: &mut Write, user_id: &str, by: Operator<'_>) -> Result<u64, StoreError> {
        let active = "SELECT id FROM retailer_sessions WHERE user_id = $1 AND active = 1 ORDER BY id";
        let parts: Vec<String> = query_scalar(active).bind(user_id).fetch_all(&mut *tx).await?;
        let mut ended = 0;
        for part in parts {
            ended += u64::from(self.end_part_in(tx, &part, by.clock, End::cancelled()).await?);
        }
        Ok(ended)
    }
}

/// Fails if the store is not one that the user can be in, or has the user.
async fn fits(tx: &mut Write, manifest: &UserManifest, how: &Import<'_>) -> Result<(), ImportError> {
    let environment: Option<String> = query_scalar("SELECT name FROM environment").fetch_optional(&mut *tx).await?;
    let known = environment.ok_or(ImportRefusal::NotServed)?;
    if manifest.environment.as_ref() != Some(&known) {
        let found = manifest.environment.clone().unwrap_or_else(|| "new".to_owned());
        return Err(ImportRefusal::Environment { found, known }.into());
    }
    let user_id = &manifest.user_id;
    for table in user_tables(&mut *tx).await? {
        let found = format!("SELECT 1 FROM {} WHERE {} LIMIT 1", table.name, table.condition());
        let found = query(sqlx::AssertSqlSafe(found)).bind_all((user_id, &[][..]));
        if found.exists(&mut *tx).await? {
            return Err(match &*table.name {
                "users" => ImportRefusal::Exists(format!("the user {user_id}")),
                _ => ImportRefusal::BeingDeleted { user_id: user_id.clone(), table: table.name },
            }
            .into());
        }
    }
    let phone = digest(manifest, how)?;
    let taken: Option<String> =
        query_scalar("SELECT id FROM users WHERE phone_digest = $1").bind(phone).fetch_optional(&mut *tx).await?;
    if let Some(taken) = taken {
        return Err(ImportRefusal::PhoneTaken(taken).into());
    }
    let known = phone_fingerprints(&mut *tx).await?;
    let foreign: Vec<String> = manifest.root_keys.iter().filter(|key| !known.contains(key)).cloned().collect();
    if how.phone.is_none() && (manifest.root_keys.is_empty() || !foreign.is_empty()) {
        return Err(ImportRefusal::PhoneKey(foreign).into());
    }
    if how.restore_deleted { Ok(()) } else { was_not_deleted(tx, user_id).await }
}

/// By what the user is looked up at a sign-in.
fn digest(manifest: &UserManifest, how: &Import<'_>) -> Result<Vec<u8>, ImportRefusal> {
    if let Some((digest, _)) = how.phone {
        return Ok(digest.to_vec());
    }
    hex::decode(&manifest.phone_digest).filter(|octets| octets.len() == 32).ok_or_else(|| ImportRefusal::Archive {
        file: MANIFEST.to_owned(),
        row: None,
        why: "phoneDigest is no digest".to_owned(),
    })
}

/// Fails if the user was deleted, and was not imported since.
async fn was_not_deleted(tx: &mut Write, user_id: &str) -> Result<(), ImportError> {
    let last: Option<(i64, String, String)> = query_as(
        "SELECT at, actor_kind, action FROM audit_log WHERE subject = $1 AND action IN ($2, $3)
         ORDER BY at DESC, CASE action WHEN $2 THEN 0 ELSE 1 END LIMIT 1",
    )
    .bind_all((user_id, Action::UserDelete.as_str(), Action::UserImport.as_str()))
    .fetch_optional(&mut *tx)
    .await?;
    match last {
        Some((at, by, action)) if action == Action::UserDelete.as_str() => {
            Err(ImportRefusal::Deleted { user_id: user_id.to_owned(), at: time_text(time(at)?), by }.into())
        }
        _ => Ok(()),
    }
}

/// The clients that the archive names, each with the one of the store that takes its place.
/// Fails if the store does not have one.
async fn clients(
    tx: &mut Write,
    archive: &dyn UserArchive,
    manifest: &UserManifest,
    replaced: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, ImportError> {
    let mut named = BTreeSet::new();
    for (table, _) in RESTORED.iter().filter(|(table, _)| manifest.rows.contains_key(*table)) {
        let columns = exported_columns(&mut *tx, table).await?;
        let Some(index) = columns.iter().position(|column| column.name == "client_id") else { continue };
        let mut lines = Lines::open(archive, table)?;
        while let Some(values) = lines.next(&columns)? {
            match values.into_iter().nth(index) {
                Some(Argument::Text(Some(id))) if named.len() < MAX_CLIENTS => named.insert(id),
                _ => return Err(lines.refused("names no client, or one too many").into()),
            };
        }
    }
    if let Some(unused) = replaced.keys().find(|id| !named.contains(*id)) {
        return Err(ImportRefusal::UnusedClient(unused.clone()).into());
    }
    let (mut clients, mut missing) = (BTreeMap::new(), Vec::new());
    for id in named {
        let own = replaced.get(&id).unwrap_or(&id).clone();
        if !query("SELECT 1 FROM clients WHERE id = $1").bind(&own).exists(&mut *tx).await? {
            missing.push(own.clone());
        }
        clients.insert(id, own);
    }
    if missing.is_empty() { Ok(clients) } else { Err(ImportRefusal::Clients(missing).into()) }
}

/// An archive that is being read.
struct Reading<'a> {
    archive: &'a dyn UserArchive,
    manifest: &'a UserManifest,
    how: &'a Import<'a>,
    clients: BTreeMap<String, String>,
    rows: BTreeMap<String, u64>,
    left: BTreeMap<String, u64>,
}

impl Reading<'_> {
    /// Stores the rows of a table.
    async fn restore(&mut self, tx: &mut Write, table: &str, key: &[&str]) -> Result<(), ImportError> {
        if !self.manifest.rows.contains_key(table) {
            return if table == "users" { Err(self.miscounted(table, 0).into()) } else { Ok(()) };
        }
        let columns = exported_columns(tx, table).await?;
        let added = match table {
            "users" => Some(("phone_digest", Argument::from(digest(self.manifest, self.how)?))),
            "connections" => Some(("credentials", Argument::from(&[][..]))),
            _ => None,
        };
        let mut writer = Writer::new(table, &columns, added.as_ref().map(|(name, _)| *name));
        let (mut lines, mut renderer) = (Lines::open(self.archive, table)?, Renderer::default());
        let mut last: Option<Vec<Argument>> = None;
        while let Some(mut values) = lines.next(&columns)? {
            self.is_counted(table, &lines)?;
            // It keeps what it writes.
            if lines.row.is_multiple_of(RENDERED) {
                renderer = Renderer::default();
            }
            self.is_of_the_user(table, &columns, &values).map_err(|why| lines.refused(why))?;
            let named = Named { columns: &columns, values: &values };
            check::row(table, &named, &mut renderer).map_err(|why| lines.refused(why))?;
            let position: Vec<Argument> = key.iter().filter_map(|name| named.get(name).cloned()).collect();
            if last.as_ref().is_some_and(|last| !write::is_before(last, &position)) {
                return Err(lines.refused("the row is there twice, or not in the order of the export").into());
            }
            write::is_new(tx, table, &named).await?;
            last = Some(position);
            self.own_client(&columns, &mut values);
            values.extend(added.as_ref().map(|(_, value)| value.clone()));
            writer.push(tx, values, &lines).await?;
        }
        writer.end(tx, &lines).await?;
        self.has_counted(table, lines.row)?;
        self.rows.insert(table.to_owned(), lines.row);
        Ok(())
    }

    /// Counts the rows of a table that is not restored.
    async fn count(&mut self, tx: &mut Write, table: &str) -> Result<(), ImportError> {
        if self.manifest.rows.contains_key(table) {
            let columns = exported_columns(tx, table).await?;
            let mut lines = Lines::open(self.archive, table)?;
            while lines.next(&columns)?.is_some() {
                self.is_counted(table, &lines)?;
            }
            self.has_counted(table, lines.row)?;
            self.left.insert(table.to_owned(), lines.row);
        }
        Ok(())
    }

    fn is_of_the_user(&self, table: &str, columns: &[Column], values: &[Argument]) -> Result<(), String> {
        let named = Named { columns, values };
        let (column, id) = (if table == "users" { "id" } else { "user_id" }, &self.manifest.user_id);
        if named.text(column) != Some(id) {
            return Err(format!("the row is not of the user {id}"));
        }
        let last4 = named.text("phone_last4").filter(|_| table == "users");
        match (self.how.phone, last4) {
            (Some((_, given)), Some(last4)) if given != last4 => {
                Err(format!("the phone number of {id} ends in {}", lines::shown(last4)))
            }
            _ => Ok(()),
        }
    }

    fn own_client(&self, columns: &[Column], values: &mut [Argument]) {
        let value = columns.iter().zip(values).find(|(column, _)| column.name == "client_id");
        if let Some((_, Argument::Text(Some(id)))) = value
            && let Some(own) = self.clients.get(id)
        {
            own.clone_into(id);
        }
    }

    /// Fails with the first row that is one too many, so that no file is read for longer than the manifest says.
    fn is_counted(&self, table: &str, lines: &Lines<'_>) -> Result<(), ImportRefusal> {
        let counted = self.manifest.rows.get(table).copied().unwrap_or_default();
        let many = || lines.refused(format!("{MANIFEST} counts only {counted} rows"));
        if lines.row > counted { Err(many()) } else { Ok(()) }
    }

    fn has_counted(&self, table: &str, found: u64) -> Result<(), ImportRefusal> {
        if self.manifest.rows.get(table) == Some(&found) { Ok(()) } else { Err(self.miscounted(table, found)) }
    }

    fn miscounted(&self, table: &str, found: u64) -> ImportRefusal {
        let counted = self.manifest.rows.get(table).copied().unwrap_or_default();
        let why = format!("it has {found} rows, and {MANIFEST} counts {counted}");
        ImportRefusal::Archive { file: file_of(table), row: None, why }
    }
}

/// Marks the connections whose credentials are missing, so that their user is asked for them. One that was invalid before keeps its
/// reason; one with orders of files alone has no account.
async fn ask_for_credentials(tx: &mut Write, user_id: &str) -> Result<Vec<ToFix>, StoreError> {
    query(
        "UPDATE connections SET status = $1, status_reason = $2
         WHERE user_id = $3 AND status <> $1 AND COALESCE(status_reason, '') <> $4",
    )
    .bind_all((ConnectionStatus::Invalid.as_str(), UNSEALED.as_str(), user_id, IMPORT_ONLY))
    .execute(&mut *tx)
    .await?;
    let to_fix = "SELECT id, retailer_id, display_name FROM connections
         WHERE user_id = $1 AND COALESCE(status_reason, '') <> $2 ORDER BY created_at, id";
    Ok(query_as(to_fix).bind_all((user_id, IMPORT_ONLY)).fetch_all(&mut *tx).await?)
}
