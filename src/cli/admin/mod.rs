//! `ordersync admin`.

pub(crate) mod audit;
pub(crate) mod clients;
pub(crate) mod keys;
pub(crate) mod retailers;
pub(crate) mod sessions;
pub(crate) mod store;
pub(crate) mod users;

use clap::{Args, Subcommand};

use self::audit::AuditArgs;
use self::clients::ClientsArgs;
use self::keys::KeysArgs;
use self::retailers::AdminRetailersArgs;
use self::sessions::AdminSessionsArgs;
use self::store::StoreArgs;
use self::users::UsersArgs;

/// What the long help begins with.
pub(super) const LONG: &str = "Manage the clients, syncs, users, shops, keys and store of a service, in its own files.\n\nFor the operator, on the machine that the service runs on; \
    the service may be running. `ordersync serve` creates and upgrades the database when it starts; of these commands, only `store migrate` and `store copy` do.";

/// Arguments of `admin`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin clients list\n  ordersync admin clients create --name \"Budget app\" --redirect-uri https://app.example/back\n  ordersync admin sessions list\n  ordersync admin store backup copy.sqlite3"
)]
pub(crate) struct AdminArgs {
    #[command(subcommand)]
    pub command: AdminCommand,
}

/// The store that every verb takes.
#[derive(Debug, Args)]
pub(crate) struct StoreOption {
    /// Store of the service: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an address; default:
    /// ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder
    #[arg(long, global = true, value_name = "PATH|URL|@FILE", value_hint = clap::ValueHint::FilePath)]
    pub database: Option<String>,
}

/// What is administered.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Create, list, limit, disable and enable clients
    Clients(ClientsArgs),
    /// List syncs that are not over; cancel and retry them
    Sessions(AdminSessionsArgs),
    /// Find, export, import and delete users
    Users(UsersArgs),
    /// Add and remove shops, list retailers, and pause their syncs
    Retailers(AdminRetailersArgs),
    /// Back up, check, migrate and copy the store
    Store(StoreArgs),
    /// List root keys, seal everything under a new one, and retire old ones
    Keys(KeysArgs),
    /// List what operators changed, sign-ins and deletions, newest first
    Audit(AuditArgs),
}

impl AdminCommand {
    /// The store that was named.
    pub(crate) fn database(&self) -> Option<&str> {
        let store = match self {
            Self::Clients(arguments) => &arguments.store,
            Self::Sessions(arguments) => &arguments.store,
            Self::Users(arguments) => &arguments.store,
            Self::Retailers(arguments) => &arguments.store,
            Self::Store(arguments) => &arguments.store,
            Self::Keys(arguments) => &arguments.store,
            Self::Audit(arguments) => &arguments.store,
        };
        store.database.as_deref()
    }
}
