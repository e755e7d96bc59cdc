//! `ordersync admin`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::retailers::{AddArgs, RemoveArgs};

/// What the long help begins with.
pub(super) const LONG: &str = "Manage the clients and shops of a service, in its own files.\n\nFor the operator, on the machine that the service runs on; \
    the service may be running. These commands never create or upgrade a database: `ordersync serve` does, when it starts.";

/// Arguments of `admin`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin clients list\n  ordersync admin clients create --name \"Budget app\" --redirect-uri https://app.example/back"
)]
pub(crate) struct AdminArgs {
    /// What is administered.
    #[command(subcommand)]
    pub command: AdminCommand,
}

/// What is administered.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Create, list, disable and enable clients
    Clients(ClientsArgs),
    /// Reset the link of a client's own user identifier
    Users(UsersArgs),
    /// Add and remove the shops of `serve --retailers`
    Retailers(AdminRetailersArgs),
}

/// Arguments of `admin retailers`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin retailers add https://shop.example --retailers /etc/ordersync/retailers.toml\n  ordersync admin retailers remove 101 --retailers /etc/ordersync/retailers.toml --database /srv/ordersync/serve.sqlite3\n\nA running service reads the file again when it gets SIGHUP."
)]
pub(crate) struct AdminRetailersArgs {
    /// File of retailers that `serve --retailers` reads; `add` creates it if it does not exist
    #[arg(long = "retailers", global = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// SQLite file of the service; default: serve.sqlite3 in your data folder
    #[arg(long, global = true, value_name = "PATH|URL", value_hint = clap::ValueHint::FilePath)]
    pub database: Option<String>,
    /// The verb.
    #[command(subcommand)]
    pub command: AdminRetailersCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminRetailersCommand {
    /// Add a shop by its address
    #[command(
        after_help = "Examples:\n  ordersync admin retailers add https://shop.example --retailers retailers.toml"
    )]
    Add(AddArgs),
    /// Remove a shop that no user of the service has connected
    #[command(after_help = "Examples:\n  ordersync admin retailers remove 101 --retailers retailers.toml")]
    Remove(RemoveArgs),
}

/// Arguments of `admin users`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin users unbind --client client_1 --external-user-id customer-42 --database /srv/ordersync/serve.sqlite3"
)]
pub(crate) struct UsersArgs {
    /// SQLite file of the service; default: serve.sqlite3 in your data folder
    #[arg(long, global = true, value_name = "PATH|URL", value_hint = clap::ValueHint::FilePath)]
    pub database: Option<String>,
    /// The verb.
    #[command(subcommand)]
    pub command: UsersCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    /// Unbind a client's own user identifier, after USER_ALREADY_BOUND
    #[command(
        long_about = "Unbind a client's own user identifier, after USER_ALREADY_BOUND.\n\nThe next sign-in with a link \
            token of that identifier binds it anew, to the user who signs in there. Connections, orders and what the \
            former user shares with the client stay as they are.",
        after_help = "Examples:\n  ordersync admin users unbind --client client_1 --external-user-id customer-42"
    )]
    Unbind {
        /// Client id, from `admin clients list`
        #[arg(long, value_name = "ID")]
        client: String,
        /// The client's own identifier of the user (external_user_id)
        #[arg(long, value_name = "ID")]
        external_user_id: String,
    },
}

/// Arguments of `admin clients`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Examples:\n  ordersync admin clients list\n  ordersync admin clients rotate-secret client_1")]
pub(crate) struct ClientsArgs {
    /// SQLite file of the service; default: serve.sqlite3 in your data folder
    #[arg(long, global = true, value_name = "PATH|URL", value_hint = clap::ValueHint::FilePath)]
    pub database: Option<String>,
    /// The verb.
    #[command(subcommand)]
    pub command: ClientsCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientsCommand {
    /// Create a client; its secret is shown only once
    Create(CreateArgs),
    /// List clients
    #[command(
        after_help = "Examples:\n  ordersync admin clients list\n  ordersync admin clients list --database /srv/ordersync/serve.sqlite3 -o json"
    )]
    List,
    /// Replace a client's secret; the new one is shown only once
    #[command(after_help = "Examples:\n  ordersync admin clients rotate-secret client_1")]
    RotateSecret {
        /// Client id, from `admin clients list`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Enable a disabled client; its users sign in again
    #[command(after_help = "Examples:\n  ordersync admin clients enable client_1")]
    Enable {
        /// Client id, from `admin clients list`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Disable a client and revoke its tokens
    #[command(after_help = "Examples:\n  ordersync admin clients disable client_1")]
    Disable {
        /// Client id, from `admin clients list`
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// Arguments of `admin clients create`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync admin clients create --name \"Budget app\" --redirect-uri https://app.example/back\n  ordersync admin clients create --name \"Budget app, desktop\" --public --redirect-uri http://127.0.0.1/callback\n  ordersync admin clients create --name Reports --scopes \"orders:read\" -o json"
)]
pub(crate) struct CreateArgs {
    /// Name that users see
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// Redirect URI: https, or http on 127.0.0.1; repeatable
    #[arg(long = "redirect-uri", value_name = "URL")]
    pub redirect_uris: Vec<String>,
    /// Scopes it may ask for, separated by spaces; default: all
    #[arg(long, value_name = "SCOPES")]
    pub scopes: Option<String>,
    /// Create a public client: one that runs on users' machines and gets no secret
    #[arg(long)]
    pub public: bool,
    /// Origin whose pages may embed the widget; repeatable
    #[arg(long = "frame-ancestor", value_name = "ORIGIN")]
    pub frame_ancestors: Vec<String>,
}
