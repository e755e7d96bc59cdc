//! Applies a checked seed file: through the same changes of the store as requests make, and through the sync engine. Users'
//! clocks stand still at the beginning of the day meanwhile, so that two runs store the same times.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::sandbox::CLIENT;
use ordersync_api::{Connection, ConnectionStatus, MfaEventType, Scope};

use super::check::midnight;
use super::{Seed, SeedConnection, SeedError, SeedUser, State, read};
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::connector::simulated::{code_of, credentials_for};
use crate::ids::derived_id;
use crate::keys::Keys;
use crate::known_clients::COMMAND_LINE;
use crate::signin::otp::sandbox_phone;
use crate::store::accounts::audit::Operator;
use crate::store::accounts::clients::Client;
use crate::store::accounts::connections::Access;
use crate::store::accounts::idempotency::Answer;
use crate::store::accounts::links::LinkRow;
use crate::store::accounts::users::Caller;
use crate::store::sandbox::seed::Seeded;
use crate::store::syncs::mfa::MfaLookup;
use crate::store::syncs::start::{NewConnection, Stamp, StartOutcome};
use crate::store::{Store, StoreError};
use crate::sync::{Engine, MfaAnswer, seal_credentials};

/// How long the syncs of one user may take. Five million items take half of it.
const PATIENCE: Duration = Duration::from_mins(10);
/// The method by which codes are asked for, if there are several.
const METHOD: &str = "sms";
/// The clients of every sandbox.
const ALWAYS_THERE: [&str; 2] = [CLIENT, COMMAND_LINE];
const SECONDS_A_DAY: i64 = 24 * 3600;

/// What a seed is applied to.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) store: &'a Store,
    pub(crate) keys: &'a Keys,
    pub(crate) catalog: &'a Catalog,
    pub(crate) clock: &'a dyn Clock,
}

/// A connection that the file wants, and whose it is.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    user: &'a SeedUser,
    user_id: &'a str,
    connection: &'a SeedConnection,
}

/// A file that is to be applied.
pub(crate) struct Prepared {
    path: PathBuf,
    seed: Seed,
    /// The moment at which everything happens.
    moment: DateTime<Utc>,
}

/// A file that is being applied: its syncs are queued.
pub(crate) struct Applying {
    prepared: Prepared,
    users: Vec<String>,
}

/// Why a file was not applied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotApplied {
    #[error(transparent)]
    Seed(#[from] SeedError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

type Applied<T> = Result<T, NotApplied>;

/// Reads the file, and looks whether it may be applied. None: it was applied before.
pub(crate) async fn prepare(path: &Path, store: &Store, now: DateTime<Utc>) -> Applied<Option<Prepared>> {
    let refused = |message: &str| SeedError { path: path.to_owned(), message: message.to_owned() };
    let seed = read(path, now)?;
    match store.seeded().await? {
        Some(Seeded { digest, is_done: true }) if digest == seed.digest => return Ok(None),
        Some(Seeded { is_done: true, .. }) => {
            let message = "the store was seeded with another file, or with an earlier form of this one";
            return Err(refused(message).into());
        }
        Some(Seeded { is_done: false, .. }) => store.undo_seed(ALWAYS_THERE).await?,
        None if store.has_users().await? => {
            return Err(refused("the store is in use already, and a seed needs a new one").into());
        }
        None => {}
    }
    let day = seed.today.unwrap_or_else(|| now.date_naive());
    let known = store.clients().await?;
    if let Some(client) = seed.clients.iter().find(|client| known.iter().any(|known| known.id == client.id)) {
        let message = format!("client \"{}\": the store has a client of this id already", client.id);
        return Err(refused(&message).into());
    }
    Ok(Some(Prepared { path: path.to_owned(), seed, moment: midnight(day) }))
}

impl Prepared {
    /// Stores clients, users and accounts, and queues the first syncs.
    pub(crate) async fn begin(self, site: Site<'_>) -> Applied<Applying> {
        let store = site.store;
        store.begin_seed(&self.seed.digest).await?;
        let mut applying = Applying { prepared: self, users: Vec::new() };
        match applying.queue(site).await {
            Ok(()) => Ok(applying),
            Err(error) => {
                store.undo_seed(ALWAYS_THERE).await?;
                Err(error)
            }
        }
    }

    fn refused(&self, Wanted { user, connection, .. }: Wanted<'_>, message: &str) -> NotApplied {
        let place = format!("user {}, connection of retailer {}", user.phone, connection.retailer_id);
        SeedError { path: self.path.clone(), message: format!("{place}: {message}") }.into()
    }

    fn caller(&self, wanted: Wanted<'_>) -> Caller {
        Caller {
            user_id: wanted.user_id.to_owned(),
            client_id: wanted.connection.shared_with.first().cloned().unwrap_or_default(),
            scopes: Scope::ALL.to_vec(),
            now: self.moment,
            widget: false,
        }
    }
}

impl Applying {
    async fn queue(&mut self, site: Site<'_>) -> Applied<()> {
        let Prepared { seed, moment, .. } = &self.prepared;
        for client in &seed.clients {
            let added = Client {
                name: client.name.clone(),
                secret_digest: client.secret_digest.map(|digest| digest.to_vec()),
                scopes: client.scopes.clone(),
                redirect_uris: client.redirect_uris.clone(),
                return_urls: client.return_urls.clone(),
                frame_ancestors: client.frame_ancestors.clone(),
                ..Client::open(&client.id, *moment)
            };
            site.store.add_client(&added).await?;
            if client.requests_per_minute.is_some() {
                let by = Operator { name: "seed", clock: site.clock };
                site.store.set_client_limit(&client.id, client.requests_per_minute, by).await?;
            }
        }
        for account in &seed.accounts {
            let orders = serde_json::to_string(&account.orders).map_err(|_| StoreError::Corrupt("own orders"))?;
            site.store.add_own_orders(account.retailer_id, &account.username, &orders).await?;
        }
        for user in &seed.users {
            let digest = site.keys.phone_digest(&user.phone);
            let last4 = sandbox_phone(&user.phone).unwrap_or_default();
            let user_id = site.store.sandbox_user(&user.phone, &digest, last4, *moment).await?;
            site.store.set_name(&user_id, user.name.as_deref()).await?;
            site.store.set_clock(&user_id, 0, Some(*moment)).await?;
            for (client_id, external_user_id) in &user.bindings {
                let link = LinkRow { client_id: client_id.clone(), external_user_id: external_user_id.clone() };
                site.store.bind(&link, &user_id, *moment).await?;
            }
            for connection in &user.connections {
                self.prepared.connect(site, Wanted { user, user_id: &user_id, connection }).await?;
            }
            site.store.skip_waits(&user_id).await?;
            self.users.push(user_id);
        }
        Ok(())
    }

    /// Lets the syncs run to their ends, brings connections into the state that the file wants, and lets the clocks run.
    pub(crate) async fn finish(self, site: Site<'_>, engine: &Engine) -> Applied<()> {
        let outcome = self.settle(site, engine).await;
        match outcome {
            Ok(()) => Ok(site.store.finish_seed(site.clock.now()).await?),
            Err(error) => {
                site.store.undo_seed(ALWAYS_THERE).await?;
                Err(error)
            }
        }
    }

    async fn settle(&self, site: Site<'_>, engine: &Engine) -> Applied<()> {
        let Prepared { seed, moment, .. } = &self.prepared;
        for (user, user_id) in seed.users.iter().zip(&self.users) {
            for connection in &user.connections {
                let wanted = Wanted { user, user_id, connection };
                let reached = self.reached(site, engine, wanted).await?;
                self.prepared.check(site, wanted, &reached).await?;
            }
        }
        let now = site.clock.now();
        for (user, user_id) in seed.users.iter().zip(&self.users) {
            let waits = user.connections.iter().any(|connection| connection.state == Some(State::PendingMfa));
            // What waits for a code would expire.
            if !waits {
                let offset = if seed.today.is_some() { *moment - now } else { chrono::TimeDelta::zero() };
                site.store.set_clock(user_id, offset.num_microseconds().unwrap_or_default(), None).await?;
            }
        }
        Ok(())
    }

    /// The connection once its sync has ended, or waits for a code that the file wants to be waited for.
    async fn reached(&self, site: Site<'_>, engine: &Engine, wanted: Wanted<'_>) -> Applied<Connection> {
        let (caller, id) = (self.prepared.caller(wanted), wanted.id());
        // A method, a code, and one look after it.
        for _ in 0..3 {
            if !engine.settle(wanted.user_id, PATIENCE).await? {
                let message = format!("its sync has not ended after {} minutes", PATIENCE.as_secs() / 60);
                return Err(self.prepared.refused(wanted, &message));
            }
            let waits = wanted.connection.state == Some(State::PendingMfa);
            if waits || !answer(site, engine, &caller, &id, wanted.connection).await? {
                break;
            }
        }
        match site.store.connection(&caller, &id).await? {
            Access::Granted(reached) => Ok(reached),
            _ => Err(self.prepared.refused(wanted, "it was removed while it was seeded")),
        }
    }
}

impl Prepared {
    async fn connect(&self, site: Site<'_>, wanted: Wanted<'_>) -> Applied<()> {
        let (caller, id) = (self.caller(wanted), wanted.id());
        let Wanted { user_id, connection, .. } = wanted;
        let Some(entry) = site.catalog.get(connection.retailer_id) else {
            return Err(self.refused(wanted, "the service does not have this retailer"));
        };
        let credentials = credentials_for(&entry.retailer.credential_fields, &connection.account);
        let stamp = format!("seed {}", connection.retailer_id);
        let new = NewConnection {
            id: &id,
            history_end: Some(self.moment.timestamp().div_euclid(SECONDS_A_DAY)),
            retailer_id: connection.retailer_id,
            display_name: &entry.retailer.display_name,
            credentials: &seal_credentials(site.keys, &id, entry.connector.origin().as_deref(), &credentials)?,
            stamp: Stamp { stamp: &stamp, expires_at: self.moment },
        };
        match site.store.connect(&caller, &new, None).await? {
            StartOutcome::Started(_) => {}
            _ => return Err(self.refused(wanted, "it cannot be made")),
        }
        for client_id in connection.shared_with.iter().skip(1) {
            site.store.set_shared(user_id, client_id, &id, true, self.moment).await?;
        }
        Ok(())
    }

    /// Brings the connection into the state that the file wants.
    async fn check(&self, site: Site<'_>, wanted: Wanted<'_>, reached: &Connection) -> Applied<()> {
        let Wanted { user_id, connection, .. } = wanted;
        let is = |status: ConnectionStatus| reached.status.is(&status);
        let refused = |state: &str| {
            let reason = reached.status_reason.as_deref().unwrap_or("no reason");
            let message = format!(
                "state: the sync of \"{}\" leaves it {} ({reason}), not {state}",
                connection.account, reached.status
            );
            Err(self.refused(wanted, &message))
        };
        match connection.state {
            Some(State::Valid) if !is(ConnectionStatus::Valid) => refused("valid"),
            Some(State::Invalid) if is(ConnectionStatus::Valid) => {
                site.store.break_connection(user_id, reached.connection_id.as_str(), self.moment).await?;
                Ok(())
            }
            Some(State::Invalid) if !is(ConnectionStatus::Invalid) => refused("invalid"),
            Some(State::PendingMfa) if !is(ConnectionStatus::Pending) => refused("waiting for a code"),
            _ => Ok(()),
        }
    }
}

impl Wanted<'_> {
    /// The id that a request would give the connection.
    fn id(self) -> String {
        let Self { user_id, connection, .. } = self;
        derived_id("conn", &[user_id, &connection.retailer_id.to_string(), &connection.account])
    }
}

/// Answers what the retailer asks. False: it asks nothing.
async fn answer(
    site: Site<'_>,
    engine: &Engine,
    caller: &Caller,
    connection_id: &str,
    connection: &SeedConnection,
) -> Applied<bool> {
    let Access::Granted(found) = site.store.connection(caller, connection_id).await? else { return Ok(false) };
    let Some(batch_id) = found.last_batch_id else { return Ok(false) };
    let Some(session) = site.store.session(caller, batch_id.as_str()).await? else { return Ok(false) };
    let Some(part) = session.retailer_sync_sessions.first() else { return Ok(false) };
    let Some((req_id, _)) = session.open_mfa(part) else { return Ok(false) };
    let MfaLookup::Pending(pending) = site.store.mfa_request(caller, req_id.as_str()).await? else { return Ok(false) };
    let given = match pending.kind {
        MfaEventType::Choose => MfaAnswer::Choice(METHOD.to_owned()),
        MfaEventType::Enter => MfaAnswer::Code(code_of(&connection.account).unwrap_or_default().to_owned()),
    };
    let sealed = given.seal(site.keys, &pending.part_id)?;
    let limits = site.catalog.get(pending.retailer_id).map(|entry| entry.connector.limits()).unwrap_or_default();
    let nothing = Answer { status: 202, body: Vec::new() };
    let deadline = caller.now + limits.connecting;
    site.store.answer_mfa(caller, req_id.as_str(), &sealed, deadline, (None, &nothing)).await?;
    engine.wake();
    Ok(true)
}
