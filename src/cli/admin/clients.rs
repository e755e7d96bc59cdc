//! `ordersync admin clients`.

use clap::{Args, Subcommand};

use super::StoreOption;

/// Arguments of `admin clients`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Examples:\n  ordersync admin clients list\n  ordersync admin clients rotate-secret client_1")]
pub(crate) struct ClientsArgs {
    #[command(flatten)]
    pub store: StoreOption,
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
    /// Change a client's redirect URIs, return URLs and frame ancestors
    Update(UpdateArgs),
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
    /// Set how many requests a client may make in a minute
    #[command(
        long_about = "Set how many requests a client may make in a minute.\n\nWithout this, the limit of `serve --rate-limit` \
            applies (100 per minute unless it was given). A running service applies the change to the client's next request. With \
            `serve --rate-limit off`, no limit applies. A client without a secret has this limit for each of its users.",
        after_help = "Examples:\n  ordersync admin clients limit client_1 --requests-per-minute 600\n  ordersync admin clients limit client_1 --default",
        group = clap::ArgGroup::new("limit").required(true).args(["requests_per_minute", "default"])
    )]
    Limit {
        /// Client id, from `admin clients list`
        #[arg(value_name = "ID")]
        id: String,
        /// Requests in any 60 seconds
        #[arg(long, value_name = "N", value_parser = crate::values::whole(1..=60_000))]
        requests_per_minute: Option<u32>,
        /// The limit of every client
        #[arg(long)]
        default: bool,
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
    after_help = "Examples:\n  ordersync admin clients create --name \"Budget app\" --redirect-uri https://app.example/back --return-url https://app.example/connected\n  ordersync admin clients create --name \"Budget app, desktop\" --public --redirect-uri http://127.0.0.1/callback\n  ordersync admin clients create --name Reports --scopes \"orders:read\" -o json"
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
    /// Address that the widget may lead users back to: https, or http on 127.0.0.1; repeatable
    #[arg(long = "return-url", value_name = "URL")]
    pub return_urls: Vec<String>,
    /// Origin whose pages may embed the widget; repeatable
    #[arg(long = "frame-ancestor", value_name = "ORIGIN")]
    pub frame_ancestors: Vec<String>,
}

/// Arguments of `admin clients update`.
#[derive(Debug, Args)]
#[command(
    long_about = "Change the addresses of a client.\n\nEach list that you give replaces the stored one; the others stay. A running \
        service uses the new lists from the next request on.",
    after_help = "Examples:\n  ordersync admin clients update client_1 --return-url https://app.example/connected\n  ordersync admin clients update client_1 --redirect-uri https://app.example/back --redirect-uri https://beta.app.example/back\n  ordersync admin clients update client_1 --no-frame-ancestors"
)]
#[command(group = clap::ArgGroup::new("addresses").required(true).multiple(true))]
pub(crate) struct UpdateArgs {
    /// Client id, from `admin clients list`
    #[arg(value_name = "ID")]
    pub id: String,
    /// Redirect URI: https, or http on 127.0.0.1; repeatable
    #[arg(long = "redirect-uri", value_name = "URL", group = "addresses")]
    pub redirect_uris: Vec<String>,
    /// Remove all redirect URIs
    #[arg(long, conflicts_with = "redirect_uris", group = "addresses")]
    pub no_redirect_uris: bool,
    /// Address that the widget may lead users back to: https, or http on 127.0.0.1; repeatable
    #[arg(long = "return-url", value_name = "URL", group = "addresses")]
    pub return_urls: Vec<String>,
    /// Remove all return URLs
    #[arg(long, conflicts_with = "return_urls", group = "addresses")]
    pub no_return_urls: bool,
    /// Origin whose pages may embed the widget; repeatable
    #[arg(long = "frame-ancestor", value_name = "ORIGIN", group = "addresses")]
    pub frame_ancestors: Vec<String>,
    /// Remove all origins: no page may embed the widget
    #[arg(long, conflicts_with = "frame_ancestors", group = "addresses")]
    pub no_frame_ancestors: bool,
}
