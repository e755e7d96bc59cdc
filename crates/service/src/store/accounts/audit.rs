//! The audit log: what operators changed, who signed in, and what was deleted.
//!
//! It holds ids only: no phone number, name, address or secret. A row is written in the transaction of what it records. If that
//! takes several transactions, there are two rows: `begun` in the first or before it, `done` in the last or after it.

use chrono::{DateTime, Utc};
use ordersync_api::text_enum;
use serde::Serialize;

use crate::clock::Clock;
use crate::ids::new_id;
use crate::store::db::dialect::sql;
use crate::store::db::row::row;
use crate::store::db::{query, query_as};
use crate::store::{Store, StoreError, Write, micros, time};

/// Who did something.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Actor<'a> {
    /// An operator, by the name of their account on the machine.
    Operator(&'a str),
    /// The user whom the row is about, or somebody who tried to sign in as them.
    User,
    /// A client, in the name of the user.
    Client(&'a str),
}

impl<'a> Actor<'a> {
    const fn words(self) -> (&'static str, Option<&'a str>) {
        match self {
            Self::Operator(name) => ("operator", Some(name)),
            Self::User => ("user", None),
            Self::Client(id) => ("client", Some(id)),
        }
    }
}

text_enum! {
    /// The action of an entry.
    pub(crate) enum Action {
        /// A client was created.
        ClientCreate = "client.create",
        /// A client got another secret.
        ClientRotateSecret = "client.rotate_secret",
        /// A client was enabled.
        ClientEnable = "client.enable",
        /// A client was disabled.
        ClientDisable = "client.disable",
        /// A client's limit on requests was changed.
        ClientLimit = "client.limit",
        /// A client's addresses were changed.
        ClientUpdate = "client.update",
        /// The syncs of a session were ended.
        SessionCancel = "session.cancel",
        /// The syncs of a session were started again.
        SessionRetry = "session.retry",
        /// A client's identifier of a user was unbound.
        UserUnbind = "user.unbind",
        /// A user was deleted.
        UserDelete = "user.delete",
        /// A user was imported from an archive.
        UserImport = "user.import",
        /// The syncs of a retailer wait.
        RetailerPause = "retailer.pause",
        /// The syncs of a retailer go on.
        RetailerResume = "retailer.resume",
        /// A shop was added to the file of retailers.
        RetailerAdd = "retailer.add",
        /// A shop was removed from the file of retailers.
        RetailerRemove = "retailer.remove",
        /// A copy of the store was made.
        StoreBackup = "store.backup",
        /// Everything sealed was sealed again under the current root key.
        KeyRotate = "key.rotate",
        /// A root key is not needed any more.
        KeyRetire = "key.retire",
        /// A one-time password was entered.
        SignIn = "sign_in",
        /// A connection was deleted.
        ConnectionDelete = "connection.delete",
    }
}

text_enum! {
    /// How it ended.
    pub(crate) enum Outcome {
        /// It takes several transactions; another row says when it was done.
        Begun = "begun",
        Done = "done",
        /// A one-time password was wrong.
        Refused = "refused",
        /// A one-time password was wrong too often, and cannot be tried again.
        Locked = "locked",
    }
}

/// A row to be written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub at: DateTime<Utc>,
    pub actor: Actor<'a>,
    pub action: Action,
    pub outcome: Outcome,
    /// The user whom it is about.
    pub user: Option<&'a str>,
    /// The id of what it was done to, besides the user.
    pub target: Option<&'a str>,
}

impl Entry<'_> {
    /// Writes it in the transaction of what it records.
    pub(in crate::store) async fn write(&self, tx: &mut Write) -> Result<(), StoreError> {
        let (kind, actor) = self.actor.words();
        query(
            "INSERT INTO audit_log (id, at, actor_kind, actor, action, outcome, subject, target)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind_all((
            new_id("audit")?,
            micros(self.at),
            kind,
            actor,
            self.action.as_str(),
            self.outcome.as_str(),
            self.user,
            self.target,
        ))
        .run(tx)
        .await
    }

    /// Commits what changed so many rows, and writes the entry if that was one. Returns whether it was.
    pub(in crate::store) async fn commit(&self, mut tx: Write, rows: u64) -> Result<bool, StoreError> {
        if rows == 1 {
            self.write(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(rows == 1)
    }
}

/// An operator who is about to change something.
#[derive(Clone, Copy)]
pub(crate) struct Operator<'a> {
    /// The name of their account on the machine.
    pub name: &'a str,
    pub clock: &'a dyn Clock,
}

impl<'a> Operator<'a> {
    pub(crate) fn now(self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// The row that says that they have done it.
    pub(crate) fn did(self, action: Action) -> Entry<'a> {
        let (at, actor) = (self.now(), Actor::Operator(self.name));
        Entry { at, actor, action, outcome: Outcome::Done, user: None, target: None }
    }

    /// The row that says that they are about to do it.
    pub(crate) fn begins(self, action: Action) -> Entry<'a> {
        Entry { outcome: Outcome::Begun, ..self.did(action) }
    }
}

row! {
    struct AuditRow {
        id: String,
        at: i64,
        actor_kind: String,
        actor: Option<String>,
        action: String,
        outcome: String,
        subject: Option<String>,
        target: Option<String>,
    }
}

/// A row of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Audited {
    /// Identifier.
    pub audit_id: String,
    /// When, in the machine's time.
    pub at: DateTime<Utc>,
    /// `operator`, `user` or `client`.
    pub actor_kind: String,
    /// The operator's account on the machine, or the client's id.
    pub actor: Option<String>,
    /// What was done, such as `user.delete`.
    pub action: String,
    /// `begun`, `done`, `refused` or `locked`.
    pub outcome: String,
    /// The user whom it is about.
    pub user_id: Option<String>,
    /// The id of what it was done to, besides the user.
    pub target: Option<String>,
}

/// Which rows of the audit log are listed.
#[derive(Debug, Clone, Copy)]
pub struct AuditFilter<'a> {
    /// From this moment on.
    pub since: Option<DateTime<Utc>>,
    /// About this user.
    pub user: Option<&'a str>,
    /// Older than the row with this id.
    pub before: Option<&'a str>,
    /// How many at most.
    pub limit: u32,
}

impl Store {
    /// Writes a row that no other change belongs to.
    pub(crate) async fn audit(&self, entry: &Entry<'_>) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        entry.write(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Rows of the audit log, newest first. None: there is no row with the id in `before`.
    pub(crate) async fn audited(&self, filter: AuditFilter<'_>) -> Result<Option<Vec<Audited>>, StoreError> {
        let AuditFilter { since, user, before, limit } = filter;
        let (at, id) = match before {
            None => (i64::MAX, String::new()),
            Some(before) => {
                let find = query_as::<(i64, String)>("SELECT at, id FROM audit_log WHERE id = $1");
                match find.bind(before).fetch_optional(&self.pool).await? {
                    Some(position) => position,
                    None => return Ok(None),
                }
            }
        };
        let since = since.map_or(i64::MIN, micros);
        let rows = match user {
            None => query_as::<AuditRow>(sql!(
                "SELECT ",
                [audit],
                " FROM audit_log WHERE at >= $1 AND (at, id) < ($2, $3) ORDER BY at DESC, id DESC LIMIT $4",
            )),
            Some(_) => query_as::<AuditRow>(sql!(
                "SELECT ",
                [audit],
                " FROM audit_log WHERE at >= $1 AND (at, id) < ($2, $3) AND subject = $5
                 ORDER BY at DESC, id DESC LIMIT $4",
            )),
        };
        let rows = rows.bind_all((since, at, id, limit));
        let rows = if let Some(user) = user { rows.bind(user) } else { rows };
        let rows = rows.fetch_all(&self.pool).await?;
        rows.into_iter().map(AuditRow::into_audited).collect::<Result<_, _>>().map(Some)
    }
}

/// Leaves of the rows about a user who is deleted what proves the deletion: the bare id, what was done, and when.
pub(in crate::store) async fn bare(tx: &mut Write, user_id: &str) -> Result<(), StoreError> {
    query(
        "UPDATE audit_log SET target = NULL, actor = CASE actor_kind WHEN 'client' THEN NULL ELSE actor END WHERE subject = $1",
    )
    .bind(user_id)
    .run(tx)
    .await
}

impl AuditRow {
    fn into_audited(self) -> Result<Audited, StoreError> {
        Ok(Audited {
            audit_id: self.id,
            at: time(self.at)?,
            actor_kind: self.actor_kind,
            actor: self.actor,
            action: self.action,
            outcome: self.outcome,
            user_id: self.subject,
            target: self.target,
        })
    }
}
