//! Connections: listed, made, repaired, synced.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ordersync_api::seal::Credentials;
use ordersync_api::{ConnectMode, Connection, ConnectionStatus, CredentialField, ErrorCode, hex};
use secrecy::ExposeSecret;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::listing::{X_LIST_VERSION, total_count, window};
use super::syncing::{full, no_account, start_sync, started, sync_every};
use crate::app::App;
use crate::catalog::Entry;
use crate::http::Problem;
use crate::http::extract::Segment;
use crate::http::fields::{Fields, Params};
use crate::http::linked::Reader;
use crate::http::problem::{Answered, granted};
use crate::http::removal::removed;
use crate::http::scoped::{AccountsConnect, AccountsRead, AccountsSync, Authorized, Mutation};
use crate::ids::{self, derived_id};
use crate::known_clients::COMMAND_LINE;
use crate::sealing;
use crate::store::accounts::audit::Actor;
use crate::store::accounts::idempotency::IdempotencyKey;
use crate::store::accounts::users::Caller;
use crate::store::syncs::start::{NewConnection, NewCredentials, Stamp};
use crate::sync::{GivenCredentials, seal_credentials};

/// GET /sync/connections
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<AccountsRead>,
    params: Params,
) -> Answered<Response> {
    let status = params.word::<ConnectionStatus>("status")?;
    let listed = app.store.connections(&caller, status, window(&params)?).await?;
    let is_whole = listed.rows.len() as u64 == listed.total;
    let version = is_whole.then(|| list_version(&listed.rows)).flatten();
    Ok((total_count(listed.total), version.map(|version| [(X_LIST_VERSION, version)]), Json(listed.rows))
        .into_response())
}

/// The version of a list that fits on one page.
fn list_version(rows: &[Connection]) -> Option<String> {
    let digest = Sha256::digest(serde_json::to_vec(rows).ok()?);
    Some(hex::encode(&digest[..16]))
}

/// GET /sync/connections/{connectionId}
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<AccountsRead>,
    Segment(id): Segment,
) -> Answered<Json<Connection>> {
    visible(&app, &caller, &id).await.map(Json)
}

/// POST /sync/connections/connect
pub(crate) async fn connect(State(app): State<Arc<App>>, mutation: Mutation<AccountsConnect>) -> Answered<Response> {
    let (caller, key, fields) = (&mutation.caller, mutation.key.as_ref(), mutation.fields()?);
    let retailer_id = fields.integer("retailerId")?;
    let mode: ConnectMode = fields.word("mode")?;
    let sealed = Sealed::of(&fields)?;
    let entry = app.catalog.get(retailer_id).ok_or_else(|| {
        Problem::not_found("retailer", &retailer_id.to_string()).with_details(json!({ "field": "retailerId" }))
    })?;
    check_connectable(&entry)?;
    match mode {
        ConnectMode::Connect => {
            // Orders from files were first: their connection gets the account.
            let known = app.store.connection_to(caller, retailer_id).await?;
            let from_files = known.filter(Connection::is_import_only);
            match from_files {
                Some(connection) => repair(&app, caller, key, &entry, &connection, &sealed).await,
                None if let Some(id) = app.store.retailer_of_files(caller, &entry.retailer.display_name).await? => {
                    Err(stored_as(id, &entry.retailer.display_name))
                }
                None => connect_new(&app, caller, key, &entry, &sealed).await,
            }
        }
        ConnectMode::Fix => {
            let connection = app.store.connection_to(caller, retailer_id).await?.ok_or_else(|| {
                let name = &entry.retailer.display_name;
                Problem::new(ErrorCode::NotFound, format!("There is no connection to {name} to fix. Connect it first."))
            })?;
            // The store found it by retailer, so it may be one that is not shared with this client.
            let connection = visible(&app, caller, connection.connection_id.as_str()).await?;
            repair(&app, caller, key, &entry, &connection, &sealed).await
        }
    }
}

/// Two connections to one retailer would have its orders twice.
fn stored_as(retailer_id: i64, name: &str) -> Problem {
    let message = format!(
        "Orders of {name} from files are stored already, as retailer {retailer_id}. Give the retailer this id in the \
         configuration of the service, or remove the connection that has them."
    );
    Problem::new(ErrorCode::ConnectionExists, message)
}

/// PUT /sync/connections/{connectionId}
pub(crate) async fn fix(
    State(app): State<Arc<App>>,
    Segment(id): Segment,
    mutation: Mutation<AccountsConnect>,
) -> Answered<Response> {
    let (caller, key, fields) = (&mutation.caller, mutation.key.as_ref(), mutation.fields()?);
    let sealed = Sealed::of(&fields)?;
    let connection = visible(&app, caller, &id).await?;
    let entry = app.catalog.get(connection.retailer_id).ok_or_else(|| match connection.is_import_only() {
        true => no_account(&connection.connection_id),
        false => Problem::new(ErrorCode::NotFound, "The service does not know how to sign in at this retailer."),
    })?;
    check_connectable(&entry)?;
    repair(&app, caller, key, &entry, &connection, &sealed).await
}

fn check_connectable(entry: &Entry) -> Answered<()> {
    if entry.retailer.sync_config.server_side {
        return Ok(());
    }
    let message = format!("{} is listed, but cannot be connected.", entry.retailer.display_name);
    Err(Problem::new(ErrorCode::RetailerNotConnectable, message))
}

/// DELETE /sync/connections/{connectionId}
pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<AccountsConnect>,
    Segment(id): Segment,
) -> Answered<StatusCode> {
    if caller.client_id != COMMAND_LINE {
        return removed(app.store.withdraw(&caller, &id, app.clock.now()).await?, &id);
    }
    // The command line is its user's own tool: a connection removed with it is removed for every client, as in the
    // widget.
    visible(&app, &caller, &id).await?;
    let by = Actor::Client(&caller.client_id);
    removed(app.store.remove_connection(&caller.user_id, &id, by, app.clock.now()).await?, &id)
}

/// POST /sync/connections/{connectionId}/sync?full=
pub(crate) async fn sync_one(
    State(app): State<Arc<App>>,
    Segment(id): Segment,
    mutation: Mutation<AccountsSync>,
) -> Answered<Response> {
    let full = full(&mutation.params())?;
    start_sync(&app, &mutation.caller, mutation.key.as_ref(), &id, full).await
}

/// POST /sync/connections/sync?full=
pub(crate) async fn sync_all(State(app): State<Arc<App>>, mutation: Mutation<AccountsSync>) -> Answered<Response> {
    let full = full(&mutation.params())?;
    sync_every(&app, &mutation.caller, mutation.key.as_ref(), full).await
}

/// The connection, if the caller may see it.
pub(crate) async fn visible(app: &App, caller: &Caller, id: &str) -> Answered<Connection> {
    granted(app.store.connection(caller, id).await?, "connection", id)
}

/// Credentials as they are transmitted.
struct Sealed {
    connection_info: String,
    current_stamp: String,
}

impl Sealed {
    fn of(fields: &Fields) -> Answered<Self> {
        Ok(Self {
            connection_info: fields.text("connectionInfo")?.to_owned(),
            current_stamp: fields.text("currentStamp")?.to_owned(),
        })
    }

    /// Opens them: the fields that the retailer requires.
    fn open(&self, app: &App, caller: &Caller, entry: &Entry) -> Answered<(Credentials, Stamp<'_>)> {
        let (mut given, stamp) = sealing::open(&app.keys, caller, &self.current_stamp, &self.connection_info)?;
        let mut wanted = Credentials::new();
        for field in &entry.retailer.credential_fields {
            match given.remove(&field.name) {
                Some(value) if !value.expose_secret().is_empty() => wanted.insert(field.name.clone(), value),
                _ => {
                    let message = format!("The credentials lack the field \"{}\" ({}).", field.name, field.label);
                    return Err(Problem::invalid("connectionInfo", message));
                }
            };
        }
        Ok((wanted, stamp))
    }
}

/// The id of a new connection: random, but in a sandbox the same for the same user, retailer and account, so that what tests
/// store of it can be compared.
fn new_id(app: &App, caller: &Caller, entry: &Entry, given: &Credentials) -> Answered<String> {
    if !app.environment.is_sandbox() {
        return Ok(ids::new_id("conn")?);
    }
    let retailer = entry.retailer.retailer_id.to_string();
    let account = names(entry).map(|field| named(given, &field.name).unwrap_or_default()).collect::<Vec<_>>();
    let account = account.iter().map(String::as_str);
    Ok(derived_id("conn", &[&caller.user_id, &*retailer].into_iter().chain(account).collect::<Vec<&str>>()))
}

async fn connect_new(
    app: &App,
    caller: &Caller,
    key: Option<&IdempotencyKey>,
    entry: &Entry,
    sealed: &Sealed,
) -> Answered<Response> {
    let (given, stamp) = sealed.open(app, caller, entry)?;
    let id = new_id(app, caller, entry, &given)?;
    let new = NewConnection {
        id: &id,
        history_end: app.environment.is_sandbox().then(|| caller.now.timestamp().div_euclid(24 * 3600)),
        retailer_id: entry.retailer.retailer_id,
        display_name: &entry.retailer.display_name,
        credentials: &seal_credentials(&app.keys, &id, entry.connector.origin().as_deref(), &given)?,
        stamp,
    };
    let start = app.store.connect(caller, &new, key).await?;
    started(app, caller, key, start).await
}

async fn repair(
    app: &App,
    caller: &Caller,
    key: Option<&IdempotencyKey>,
    entry: &Entry,
    connection: &Connection,
    sealed: &Sealed,
) -> Answered<Response> {
    let connection_id = connection.connection_id.as_str();
    let (given, stamp) = sealed.open(app, caller, entry)?;
    let origin = entry.connector.origin();
    let credentials = seal_credentials(&app.keys, connection_id, origin.as_deref(), &given)?;
    // Stored credentials that cannot be read cannot be compared, and at another address the same user name may be another
    // account: then the account is verified.
    let is_same_account = |stored: &[u8]| {
        GivenCredentials::open(&app.keys, connection_id, stored).is_ok_and(|stored| {
            stored.check_origin(origin.as_deref()).is_ok() && same_account(entry, &stored.credentials, &given)
        })
    };
    let new = NewCredentials { connection_id, credentials: &credentials, is_same_account: &is_same_account, stamp };
    let start = app.store.fix(caller, &new, key).await?;
    started(app, caller, key, start).await
}

/// Whether two sets of credentials are known to name the same account, judged by their fields that are not secret: above all,
/// the user name.
fn same_account(entry: &Entry, one: &Credentials, other: &Credentials) -> bool {
    names(entry).next().is_some() && names(entry).all(|field| named(one, &field.name) == named(other, &field.name))
}

/// The fields that name an account.
fn names(entry: &Entry) -> impl Iterator<Item = &CredentialField> {
    entry.retailer.credential_fields.iter().filter(|field| !field.secret)
}

fn named(credentials: &Credentials, field: &str) -> Option<String> {
    credentials.get(field).map(|value| value.expose_secret().trim().to_lowercase())
}
