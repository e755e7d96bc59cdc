//! `ordersync admin`.

use clap::{Args, Subcommand};

/// What the long help begins with.
pub(super) const LONG: &str = "Administer a service, on its own store.\n\nFor the operator, on the machine of the service; it \
    may be running.";

/// Arguments of `admin`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin clients list\n  ordersync admin clients create --name \"Budget app\" --redirect-uri https://app.example/back"
)]
pub struct AdminArgs {
    /// What is administered.
    #[command(subcommand)]
    pub command: AdminCommand,
}

/// What is administered.
#[derive(Debug, Subcommand)]
pub enum AdminCommand {
    /// Onboard clients, and set what they may do
    Clients(ClientsArgs),
}

/// Arguments of `admin clients`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Examples:\n  ordersync admin clients list\n  ordersync admin clients rotate-secret client_1")]
pub struct ClientsArgs {
    /// The service's SQLite file (a path, or sqlite:PATH); without it, serve.sqlite3 in your data folder
    #[arg(long, global = true, value_name = "PATH|URL", value_hint = clap::ValueHint::FilePath)]
    pub database: Option<String>,
    /// The verb.
    #[command(subcommand)]
    pub command: ClientsCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum ClientsCommand {
    /// Make a client; its secret is shown this once
    Create(CreateArgs),
    /// List the clients
    #[command(
        after_help = "Examples:\n  ordersync admin clients list\n  ordersync admin clients list --database /srv/ordersync/serve.sqlite3 -o json"
    )]
    List,
    /// Give a client a new secret, shown this once; the one before is worth nothing from then on
    #[command(after_help = "Examples:\n  ordersync admin clients rotate-secret client_1")]
    RotateSecret {
        /// Client, as `admin clients list` has it
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Disable a client, and end all that it was given
    #[command(after_help = "Examples:\n  ordersync admin clients disable client_1")]
    Disable {
        /// Client, as `admin clients list` has it
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// Arguments of `admin clients create`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync admin clients create --name \"Budget app\" --redirect-uri https://app.example/back\n  ordersync admin clients create --name \"Budget app, desktop\" --public --redirect-uri http://127.0.0.1/callback\n  ordersync admin clients create --name Reports --scopes \"orders:read\" -o json"
)]
pub struct CreateArgs {
    /// What users are shown
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// Where signing in may lead back to; https, or http on 127.0.0.1; may be given several times
    #[arg(long = "redirect-uri", value_name = "URL")]
    pub redirect_uris: Vec<String>,
    /// What it may be permitted, separated by spaces; all scopes where none are given
    #[arg(long, value_name = "SCOPES")]
    pub scopes: Option<String>,
    /// A program on users' own machines, which cannot keep a secret and gets none
    #[arg(long)]
    pub public: bool,
    /// Origin whose pages may hold the widget in a frame; may be given several times
    #[arg(long = "frame-ancestor", value_name = "ORIGIN")]
    pub frame_ancestors: Vec<String>,
}
