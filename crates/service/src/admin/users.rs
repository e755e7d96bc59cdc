//! A user's data: found, written out, deleted.

use super::{Admin, AdminError, OperatedUser, RowCounts};
use crate::keys::Keys;
use crate::store::accounts::audit::Actor;
use crate::store::accounts::links::LinkRow;
use crate::store::schema::open::LOCK_WAIT;

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

    /// Gives every row of a user to `write`, as its table and a JSON object, table by table.
    /// Fails if there is no such user, the store fails, or `write` does.
    pub async fn write_user(
        &self,
        id: &str,
        mut write: impl FnMut(&str, &str) -> std::io::Result<()>,
    ) -> Result<(), AdminError> {
        let digest = self.store.phone_digest_of(id).await?.ok_or_else(|| AdminError::NoUser(id.to_owned()))?;
        self.store.write_user(id, &digest, |table, row| write(table, row).map_err(AdminError::Write)).await
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
