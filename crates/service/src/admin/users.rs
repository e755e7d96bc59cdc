//! A user's data: found, written out, imported, deleted.

use std::collections::BTreeMap;

use super::{Admin, AdminError, ImportRefusal, Imported, OperatedUser, RowCounts, UserArchive, UserManifest};
use crate::keys::Keys;
use crate::store::accounts::audit::Actor;
use crate::store::accounts::links::LinkRow;
use crate::store::operator::user_import::{Import, ImportError, file_of, manifest_of};
use crate::store::schema::open::LOCK_WAIT;

/// How a user is imported.
pub struct ImportedAs<'a> {
    /// Their phone number, with the root keys of the store's service. None: the store's service has the root key of the archive's.
    pub phone: Option<(&'a Keys, &'a str)>,
    /// Clients of the archive, and those of the store that take their places.
    pub clients: &'a BTreeMap<String, String>,
    /// Whether a user is imported who was deleted from this store.
    pub restore_deleted: bool,
    /// Whether nothing is stored in the end.
    pub dry_run: bool,
}

/// What was deleted of a user.
#[derive(Debug)]
pub struct Deleted {
    /// Rows by table.
    pub rows: RowCounts,
    /// Whether the write-ahead log is empty, too. If somebody reads from it, it is emptied later.
    pub is_log_empty: bool,
}

impl Admin<'_> {
    /// A user by id.
    /// Fails if there is none, or the store fails.
    pub async fn user(&self, id: &str) -> Result<OperatedUser, AdminError> {
        self.store.operated_user(id).await?.ok_or_else(|| AdminError::NoUser(id.to_owned()))
    }

    /// The users with this phone number: one at most, unless root keys were changed.
    /// Fails if the keys are not all of the store's, or the store fails.
    pub async fn users_by_phone(&self, keys: &Keys, phone: &str) -> Result<Vec<OperatedUser>, AdminError> {
        self.store.check_root_keys(keys).await??;
        let mut digests = keys.earlier_phone_digests(phone);
        digests.extend(self.store.phone_keys(keys).await?.iter().map(|key| key.digest(phone)));
        digests.push(keys.phone_digest(phone));
        digests.sort_unstable();
        digests.dedup();
        let mut users = Vec::new();
        for id in self.store.users_by_phone(&digests).await? {
            users.extend(self.store.operated_user(&id).await?);
        }
        Ok(users)
    }

    /// The user that a client has bound to its own identifier.
    /// Fails if there is no such client or user, or the store fails.
    pub async fn user_of_client(&self, client_id: &str, external_user_id: &str) -> Result<OperatedUser, AdminError> {
        let client = self.known(client_id).await?;
        let not_bound =
            || AdminError::NotBound { client_id: client_id.to_owned(), external_user_id: external_user_id.to_owned() };
        let link = LinkRow { client_id: client.id, external_user_id: external_user_id.to_owned() };
        let id = self.store.bound_user(&link).await?.ok_or_else(not_bound)?;
        self.user(&id).await
    }

    /// Gives every row of a user to `write`, as its table and a JSON object, table by table. Returns what the archive says of itself.
    /// Fails if there is no such user, the store fails, or `write` does.
    pub async fn write_user(
        &self,
        id: &str,
        mut write: impl FnMut(&str, &str) -> std::io::Result<()>,
    ) -> Result<UserManifest, AdminError> {
        let digest = self.store.phone_digest_of(id).await?.ok_or_else(|| AdminError::NoUser(id.to_owned()))?;
        let write = |table: &str, row: &str| write(&file_of(table), row).map_err(AdminError::Write);
        self.store.write_user(id, &digest, self.clock.now(), write).await
    }

    /// Stores a user from an archive of `users export`, without their credentials, sign-ins and documents.
    /// Fails, with nothing stored, if the archive is refused, or the store fails.
    pub async fn import_user(&self, archive: &dyn UserArchive, asked: &ImportedAs<'_>) -> Result<Imported, AdminError> {
        let manifest = manifest_of(archive)?;
        let phone = match asked.phone {
            Some((keys, number)) => {
                let known = self.users_by_phone(keys, number).await?;
                if let Some(other) = known.iter().find(|known| known.user_id != manifest.user_id) {
                    return Err(ImportRefusal::PhoneTaken(other.user_id.clone()).into());
                }
                Some((keys.phone_digest(number), number.get(number.len().saturating_sub(4)..).unwrap_or_default()))
            }
            None => None,
        };
        let how =
            Import { phone, clients: asked.clients, restore_deleted: asked.restore_deleted, dry_run: asked.dry_run };
        self.store.import_user(archive, &manifest, &how, self.by()).await.map_err(|error| match error {
            ImportError::Refused(refusal) => refusal.into(),
            ImportError::Store(error) => error.into(),
        })
    }

    /// Deletes a user with everything that belongs to them, and makes sure that nothing is left.
    /// Fails if there is no such user, the store fails, or something is left.
    pub async fn delete_user(&self, id: &str) -> Result<Deleted, AdminError> {
        let digest = self.store.phone_digest_of(id).await?.ok_or_else(|| AdminError::NoUser(id.to_owned()))?;
        let rows = self.store.rows_of_user(id, &digest).await?;
        self.store.delete_user(id, &digest, Actor::Operator(&self.operator), self.clock).await?;
        let left = self.store.rows_of_user(id, &digest).await?;
        match left.iter().map(|(_, rows)| rows).sum() {
            // Meanwhile the service cannot write: it must not give up.
            0 => Ok(Deleted { rows, is_log_empty: self.store.empty_log(LOCK_WAIT / 5).await? }),
            left => Err(AdminError::NotDeleted(left)),
        }
    }
}
