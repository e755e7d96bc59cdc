//! What each command's result is: records of which kind, so that `--fields` and CSV know their fields before anything is
//! asked of a service.

use ordersync_api::sandbox::FailRequest;

use crate::cli::Command;
use crate::cli::admin::AdminCommand;
use crate::cli::admin::clients::{ClientsArgs, ClientsCommand};
use crate::cli::admin::keys::KeysCommand;
use crate::cli::admin::retailers::AdminRetailersCommand;
use crate::cli::admin::sessions::AdminSessionsCommand;
use crate::cli::admin::store::StoreCommand;
use crate::cli::admin::users::UsersCommand;
use crate::cli::auth::AuthCommand;
use crate::cli::config::ConfigCommand;
use crate::cli::connections::{ConnectionsArgs, ConnectionsCommand};
use crate::cli::orders::{Grouping, OrdersCommand};
use crate::cli::profiles::ProfilesCommand;
use crate::cli::retailers::RetailersCommand;
use crate::cli::sandbox::SandboxCommand;
use crate::cli::sessions::{SessionsArgs, SessionsCommand};
use crate::export::row::Column;
use crate::output::shape::fields::RecordKind;

/// Retailers of the catalog.
pub(crate) static RETAILER: RecordKind =
    RecordKind::new("retailer", &["retailerId", "displayName", "logo", "syncConfig", "credentialFields"]);
/// A trial of a shop; the rows of its CSV are the orders.
static TRIAL: RecordKind =
    RecordKind::new("trial", &["orders", "keptBack", "notShown", "unknownLabels", "unknownStatuses", "failure"])
        .with_rows("orders", &["orderId", "orderDate", "total", "currency"]);
/// A recipe that was begun.
static DRAFT: RecordKind = RecordKind::new("draft", &["displayName", "recipe", "pages", "retailerId", "decide"]);
/// A shop that was added to a file of retailers.
static ADDED_RETAILER: RecordKind = RecordKind::new(
    "retailer",
    &[
        "retailerId",
        "displayName",
        "connector",
        "baseUrl",
        "accountPath",
        "platform",
        "version",
        "certain",
        "signs",
        "timeZone",
        "currency",
        "locale",
        "unknown",
        "file",
    ],
);
pub(crate) static CONNECTION: RecordKind = RecordKind::new(
    "connection",
    &[
        "connectionId",
        "retailerId",
        "displayName",
        "status",
        "statusReason",
        "createdAt",
        "lastSyncAt",
        "lastBatchId",
        "completeness",
    ],
);
/// An import; the rows of its CSV are the retailers.
static IMPORT: RecordKind = RecordKind::new("import", &["dryRun", "files", "report", "results"]).with_rows(
    "results",
    &["retailerName", "connectionId", "ordersNew", "ordersChanged", "ordersUnchanged", "itemsNew"],
);
/// Sessions; the rows of their CSV are the retailers' parts.
pub(crate) static SESSION: RecordKind = RecordKind::new(
    "session",
    &["batchId", "status", "createdAt", "updatedAt", "completedAt", "retailerSyncSessions", "events"],
)
.with_rows("retailerSyncSessions", &SESSION_ROW);
static SESSION_ROW: [&str; 9] = [
    "retailerId",
    "displayName",
    "connectionId",
    "syncStatus",
    "itemsFound",
    "itemsNew",
    "error",
    "startedAt",
    "updatedAt",
];
/// The session of a sync, with the connections that it skipped.
pub(crate) static SYNC: RecordKind = RecordKind::new(
    "session",
    &["batchId", "status", "createdAt", "updatedAt", "completedAt", "retailerSyncSessions", "events", "skipped"],
)
.with_rows("retailerSyncSessions", &SESSION_ROW);
/// A sync that was started and is not followed; the rows of its CSV are the sessions.
static SYNC_STARTED: RecordKind =
    RecordKind::new("started sync", &["batchId", "status", "connectionId", "batchIds", "started", "skipped"])
        .with_rows("started", &["batchId", "status", "connectionId"]);
/// Sessions in a list.
pub(crate) static LISTED_SESSION: RecordKind =
    RecordKind::new("session", &["batchId", "status", "createdAt", "retailers"]);
/// What was started and left to itself.
pub(crate) static STARTED: RecordKind = RecordKind::new("started sync", &["batchId", "status", "connectionId"]);
/// Line items; their CSV is the specification's.
pub(crate) static LINE_ITEM: RecordKind =
    RecordKind { name: "line item", fields: &LINE_ITEM_FIELDS, csv: &LINE_ITEM_CSV, csv_rows: None };
static LINE_ITEM_FIELDS: [&str; Column::SERVED.len() + 3] = line_item_fields();
static LINE_ITEM_CSV: [(&str, &str); 14] = line_item_csv();
/// Adjustments of an order and its lines.
static ADJUSTMENT: RecordKind = RecordKind::new(
    "adjustment",
    &["of", "orderId", "itemId", "itemName", "type", "amount", "currency", "date", "text", "included"],
);
static DOCUMENT: RecordKind = RecordKind::new(
    "document",
    &[
        "documentId",
        "connectionId",
        "retailerId",
        "retailerName",
        "orderId",
        "name",
        "mediaType",
        "size",
        "addedAt",
        "path",
    ],
);
/// Groups of line items.
static GROUP: RecordKind = RecordKind::new(
    "group",
    &["group", "currency", "items", "quantity", "amount", "undoneItems", "undoneAmount", "unsummedItems"],
);
/// Groups with net amounts.
static NET_GROUP: RecordKind = RecordKind::new(
    "group",
    &[
        "group",
        "currency",
        "items",
        "quantity",
        "amount",
        "undoneItems",
        "undoneAmount",
        "unsummedItems",
        "net",
        "unsummedOrders",
    ],
);
/// Orders one by one.
static ORDER: RecordKind = RecordKind::new(
    "order",
    &["orderId", "retailerName", "orderDate", "currency", "items", "lines", "figures", "orderTotal", "difference"],
);
static CHARGE: RecordKind =
    RecordKind::new("charge", &["chargeDate", "orderDate", "retailerName", "orderId", "method", "amount", "currency"]);
static PAYMENT: RecordKind = RecordKind::new("payment", &["group", "currency", "orders", "amount", "unsummedOrders"]);
static STANDING: RecordKind = RecordKind::new(
    "standing",
    &["version", "profile", "baseUrl", "signedIn", "connections", "unfinished", "incomplete", "next"],
);
static CHECK: RecordKind = RecordKind::new("check", &["check", "status", "message", "hint", "details", "milliseconds"]);
static PROFILE: RecordKind = RecordKind::new("profile", &["userId", "name", "email", "phoneLast4", "createdAt"]);
static SIGN_IN: RecordKind = RecordKind::new(
    "sign-in",
    &["signedIn", "baseUrl", "profile", "user", "way", "clientId", "scopes", "expiresAt", "renewable", "keptIn"],
);
static TOKEN: RecordKind = RecordKind::new("token", &["accessToken", "expiresAt"]);
static LINK_TOKEN: RecordKind = RecordKind::new("link token", &["linkToken", "externalUserId", "expiresAt"]);
static PAGE: RecordKind = RecordKind::new("page", &["url", "opened"]);
static WIDGET: RecordKind = RecordKind::new("widget", &["url", "externalUserId", "expiresAt", "opened"]);
static SHARE: RecordKind = RecordKind::new("share", &["externalUserId", "userId", "connections"])
    .with_rows("connections", &["connectionId", "displayName", "status", "lastSyncAt"]);
static SETTING: RecordKind = RecordKind::new("setting", &["key", "value", "origin"]);
static ENVIRONMENT: RecordKind = RecordKind::new("profile", &["name", "baseUrl", "current"]);
static CLIENT: RecordKind = RecordKind::new(
    "client",
    &[
        "clientId",
        "name",
        "kind",
        "scopes",
        "redirectUris",
        "returnUrls",
        "frameAncestors",
        "requestsPerMinute",
        "createdAt",
        "disabledAt",
    ],
);
static CLIENT_SECRET: RecordKind = RecordKind::new("client", &["clientId", "clientSecret"]);
static OPERATED_SYNC: RecordKind = RecordKind::new(
    "sync",
    &[
        "batchId",
        "userId",
        "connectionId",
        "retailerId",
        "displayName",
        "syncStatus",
        "queuedAt",
        "updatedAt",
        "itemsFound",
        "waitsFor",
        "deadlineAt",
        "failures",
        "errorCode",
        "errorMessage",
    ],
);
static OPERATED_RETAILER: RecordKind = RecordKind::new(
    "retailer",
    &["retailerId", "displayName", "connections", "unfinishedSyncs", "pausedSince", "reason"],
);
static RETRIED: RecordKind = RecordKind::new("retry", &["hurried", "started", "left"]);
static OPERATED_USER: RecordKind = RecordKind::new(
    "user",
    &["userId", "phoneLast4", "createdAt", "connections", "orders", "items", "unfinishedSyncs", "clients"],
);
static DELETED_USER: RecordKind = RecordKind::new("deletion", &["userId", "deleted", "left"]);
static REDELETED: RecordKind = RecordKind::new("redeletion", &["userIds", "absent", "isDryRun"]);
static IMPORTED_USER: RecordKind =
    RecordKind::new("import", &["userId", "imported", "left", "connectionsToFix", "endedSyncs", "isDryRun"]);
static BACKUP: RecordKind = RecordKind::new("backup", &["file", "bytes"]);
static MIGRATED: RecordKind = RecordKind::new("migration", &["from", "to", "isDone", "migrations"])
    .with_rows("migrations", &["version", "description"]);
static COPIED_TABLE: RecordKind =
    RecordKind::new("table", &["table", "isEqual", "sourceRows", "targetRows", "sourceDigest", "targetDigest"]);
static STORE_CHECK: RecordKind = RecordKind::new("check", &["problems"]);
static ROOT_KEY: RecordKind = RecordKind::new("key", &["fingerprint", "since", "isCurrent", "values"]);
static RESEALED: RecordKind = RecordKind::new("rotation", &["resealed", "unreadable", "left"]);
static AUDITED: RecordKind =
    RecordKind::new("entry", &["auditId", "at", "actorKind", "actor", "action", "outcome", "userId", "target"]);
static UNBOUND: RecordKind =
    RecordKind::new("binding", &["clientId", "externalUserId", "userId", "phoneLast4", "sharedConnections"]);
static SANDBOX_TOKEN: RecordKind = RecordKind::new("token", &["accessToken", "tokenType", "expiresIn", "scope"]);
static CLOCK: RecordKind = RecordKind::new("clock", &["now", "frozen"]);
static SENT_PASSWORD: RecordKind = RecordKind::new("one-time password", &["otp", "sentAt", "expiresAt"]);
static FAILURE: RecordKind = RecordKind::new("failure", &FailRequest::FIELDS);

/// The fields that typed exports have, and those that are there if they say something.
const fn line_item_fields() -> [&'static str; Column::SERVED.len() + 3] {
    let mut fields = [Column::Mismatch.name(); Column::SERVED.len() + 3];
    fields[Column::SERVED.len()] = Column::LineNumber.name();
    fields[Column::SERVED.len() + 1] = Column::Shipments.name();
    let mut index = 0;
    while index < Column::SERVED.len() {
        fields[index] = Column::SERVED[index].name();
        index += 1;
    }
    fields
}

/// The columns of the specification's CSV, and the fields that are in them.
const fn line_item_csv() -> [(&'static str, &'static str); 14] {
    let mut columns = [("", ""); 14];
    let (mut index, mut filled) = (0, 0);
    while index < Column::SERVED.len() {
        if let Some(title) = Column::SERVED[index].title() {
            columns[filled] = (title, Column::SERVED[index].name());
            filled += 1;
        }
        index += 1;
    }
    columns
}

/// What a command's result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Yields {
    Records(&'static RecordKind),
    /// A document of which nothing is known.
    Document,
    /// Nothing that has fields.
    Nothing,
}

/// What a command's result is.
pub(crate) fn of(command: Option<&Command>) -> Yields {
    let Some(command) = command else { return Yields::Records(&STANDING) };
    let kind = match command {
        Command::Retailers(arguments) => match &arguments.command {
            None | Some(RetailersCommand::List(_)) => &RETAILER,
            Some(RetailersCommand::Add(_)) => &ADDED_RETAILER,
            Some(RetailersCommand::Check(_)) => &TRIAL,
            Some(RetailersCommand::Draft(_)) => &DRAFT,
            Some(RetailersCommand::Remove(_)) => return Yields::Nothing,
        },
        Command::Connections(ConnectionsArgs { command: Some(ConnectionsCommand::Remove(_)), .. }) => {
            return Yields::Nothing;
        }
        Command::Connections(_) => &CONNECTION,
        Command::Connect(arguments) => session(arguments.options.wait.no_wait),
        Command::Fix(arguments) => session(arguments.options.wait.no_wait),
        Command::Sync(arguments) => sync(arguments.options.wait.no_wait),
        Command::Import(arguments) if arguments.explain => return Yields::Nothing,
        Command::Import(_) => &IMPORT,
        Command::Mfa(arguments) => session(arguments.wait.no_wait),
        Command::Sessions(SessionsArgs { command: Some(SessionsCommand::List) }) => &LISTED_SESSION,
        Command::Sessions(_) => &SESSION,
        Command::Orders(arguments) => match &arguments.command {
            OrdersCommand::Get(arguments) if arguments.adjustments => &ADJUSTMENT,
            OrdersCommand::List(_) | OrdersCommand::Get(_) => &LINE_ITEM,
            OrdersCommand::Summary(arguments) if arguments.by == Grouping::Order => &ORDER,
            OrdersCommand::Summary(arguments) if arguments.by == Grouping::Payment => &PAYMENT,
            OrdersCommand::Summary(arguments) if arguments.charges => &CHARGE,
            OrdersCommand::Summary(arguments) if arguments.net => &NET_GROUP,
            OrdersCommand::Summary(_) => &GROUP,
            OrdersCommand::Documents(_) => &DOCUMENT,
            OrdersCommand::Sync(arguments) => sync(arguments.options.wait.no_wait),
            OrdersCommand::Export(_) => return Yields::Nothing,
        },
        Command::Auth(arguments) => match &arguments.command {
            AuthCommand::Login(_) | AuthCommand::Status => &SIGN_IN,
            AuthCommand::Token => &TOKEN,
            AuthCommand::Logout(_) => return Yields::Nothing,
        },
        Command::Profile(_) => &PROFILE,
        Command::LinkToken(_) => &LINK_TOKEN,
        Command::Users(_) => &SHARE,
        Command::Widget(_) => &WIDGET,
        Command::Open(_) => &PAGE,
        Command::Config(arguments) => match &arguments.command {
            ConfigCommand::List | ConfigCommand::Get { .. } => &SETTING,
            ConfigCommand::Set { .. } | ConfigCommand::Unset { .. } | ConfigCommand::Path => return Yields::Nothing,
        },
        Command::Profiles(arguments) => match &arguments.command {
            None | Some(ProfilesCommand::List) => &ENVIRONMENT,
            Some(_) => return Yields::Nothing,
        },
        Command::Admin(arguments) => match &arguments.command {
            AdminCommand::Clients(ClientsArgs { command, .. }) => match command {
                ClientsCommand::List | ClientsCommand::Update(_) => &CLIENT,
                ClientsCommand::Create(_) | ClientsCommand::RotateSecret { .. } => &CLIENT_SECRET,
                ClientsCommand::Enable { .. } | ClientsCommand::Limit { .. } | ClientsCommand::Disable { .. } => {
                    return Yields::Nothing;
                }
            },
            AdminCommand::Sessions(arguments) => match &arguments.command {
                AdminSessionsCommand::List { .. } | AdminSessionsCommand::Show { .. } => &OPERATED_SYNC,
                AdminSessionsCommand::Retry { .. } => &RETRIED,
                AdminSessionsCommand::Cancel { .. } => return Yields::Nothing,
            },
            AdminCommand::Users(arguments) => match &arguments.command {
                UsersCommand::Find(_) => &OPERATED_USER,
                UsersCommand::Import(_) => &IMPORTED_USER,
                UsersCommand::Delete { .. } => &DELETED_USER,
                UsersCommand::Redelete { .. } => &REDELETED,
                UsersCommand::Unbind { .. } => &UNBOUND,
                UsersCommand::Export { .. } => return Yields::Nothing,
            },
            AdminCommand::Audit(_) => &AUDITED,
            AdminCommand::Keys(arguments) => match &arguments.command {
                KeysCommand::List => &ROOT_KEY,
                KeysCommand::Rotate { .. } => &RESEALED,
                KeysCommand::Retire { .. } => return Yields::Nothing,
            },
            AdminCommand::Store(arguments) => match &arguments.command {
                StoreCommand::Backup { .. } => &BACKUP,
                StoreCommand::Check => &STORE_CHECK,
                StoreCommand::Migrate { .. } => &MIGRATED,
                StoreCommand::Copy(_) => &COPIED_TABLE,
            },
            AdminCommand::Retailers(arguments) => match &arguments.command {
                AdminRetailersCommand::Add(_) => &ADDED_RETAILER,
                AdminRetailersCommand::List => &OPERATED_RETAILER,
                AdminRetailersCommand::Remove(_)
                | AdminRetailersCommand::Pause { .. }
                | AdminRetailersCommand::Resume { .. } => return Yields::Nothing,
            },
        },
        Command::Sandbox(arguments) => match &arguments.command {
            SandboxCommand::Token(_) => &SANDBOX_TOKEN,
            SandboxCommand::Clock(_) => &CLOCK,
            SandboxCommand::Otp { .. } => &SENT_PASSWORD,
            SandboxCommand::Fail(arguments) if !arguments.clear => &FAILURE,
            SandboxCommand::Fail(_)
            | SandboxCommand::Reset(_)
            | SandboxCommand::Unbind { .. }
            | SandboxCommand::Break { .. } => {
                return Yields::Nothing;
            }
        },
        Command::Doctor(_) | Command::Smoke(_) => &CHECK,
        Command::Api(_) => return Yields::Document,
        Command::Serve(_) | Command::Demo(_) | Command::Completions(_) | Command::Help(_) | Command::Version(_) => {
            return Yields::Nothing;
        }
    };
    Yields::Records(kind)
}

const fn session(no_wait: bool) -> &'static RecordKind {
    if no_wait { &STARTED } else { &SESSION }
}

const fn sync(no_wait: bool) -> &'static RecordKind {
    if no_wait { &SYNC_STARTED } else { &SYNC }
}
