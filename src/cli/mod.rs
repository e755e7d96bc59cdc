//! Every command, flag and help text, one file per noun. No behaviour: what a command does is in [`crate::commands`].

pub mod admin;
pub mod api;
pub mod auth;
pub mod completions;
pub mod config;
pub mod connect;
pub mod connections;
pub mod demo;
pub mod fix;
pub mod global;
pub mod link_token;
pub mod mfa;
pub mod orders;
pub mod profile;
pub mod profiles;
pub mod retailers;
pub mod sandbox;
pub mod serve;
pub mod sessions;
pub mod shared;
pub mod sync;
pub mod users;

use clap::{CommandFactory, Parser, Subcommand};

use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  ordersync demo                                the whole of it, on simulated retailers
  ordersync connect --retailer 12               connect a retailer and fetch its orders
  ordersync orders export --out orders.csv      line items as CSV
  ordersync sync                                fetch what is new

With nothing configured, the service runs inside the command, over a store in your data folder.";

/// Connect online retailers, follow order syncs through MFA, export line items
#[derive(Debug, Parser)]
#[command(
    name = "ordersync",
    version,
    after_help = EXAMPLES,
    after_long_help = long_help(),
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What holds for every command.
    #[command(flatten)]
    pub global: global::GlobalArgs,
    /// The command; none says where the user stands.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the retailers that can be connected
    Retailers(retailers::RetailersArgs),
    /// Connect a retailer and fetch its orders
    #[command(long_about = connect::LONG)]
    Connect(connect::ConnectArgs),
    /// List connections, or show one
    Connections(connections::ConnectionsArgs),
    /// Repair an invalid connection
    #[command(long_about = fix::LONG)]
    Fix(fix::FixArgs),
    /// Fetch new orders and follow to the end
    Sync(sync::SyncArgs),
    /// Show or follow sync sessions
    Sessions(sessions::SessionsArgs),
    /// Answer a retailer's verification request
    #[command(long_about = mfa::LONG)]
    Mfa(mfa::MfaCommandArgs),
    /// List, show or export line items
    Orders(orders::OrdersArgs),
    /// Sign in and out, and see who is signed in
    Auth(auth::AuthArgs),
    /// Show the profile of the signed-in user
    #[command(long_about = profile::LONG)]
    Profile(profile::ProfileArgs),
    /// Create what opens the widget for one of your users
    LinkToken(link_token::LinkTokenArgs),
    /// Show what your users share with you
    Users(users::UsersArgs),
    /// Send any request to the service
    #[command(long_about = api::LONG)]
    Api(api::ApiArgs),
    /// Named environments to work on
    #[command(long_about = profiles::LONG)]
    Profiles(profiles::ProfilesArgs),
    /// Settings, and where each of them comes from
    #[command(long_about = config::LONG)]
    Config(config::ConfigArgs),
    /// Run the service
    #[command(long_about = serve::LONG)]
    Serve(serve::ServeArgs),
    /// Administer a service, on its own store
    #[command(long_about = admin::LONG)]
    Admin(admin::AdminArgs),
    /// Control a sandbox
    Sandbox(sandbox::SandboxArgs),
    /// Do the whole main job on simulated retailers, each step shown
    #[command(long_about = demo::LONG)]
    Demo(demo::DemoArgs),
    /// Print completions for a shell
    Completions(completions::CompletionsArgs),
}

/// The whole command tree, for whatever is made from it: help, man pages, completions.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

fn long_help() -> String {
    use std::fmt::Write as _;

    let mut text = String::from(EXAMPLES);
    text.push_str("\n\nExit codes:\n");
    for exit in Exit::ALL {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {:>3}  {}", exit.code(), exit.meaning());
    }
    text.push_str("\nEnvironment:\n");
    for variable in crate::env::ALL {
        let _ = writeln!(text, "  {:<24} {}", variable.name, variable.help);
    }
    text.truncate(text.trim_end().len());
    text
}
