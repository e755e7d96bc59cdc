//! Every command, flag and help text, one file per noun. No behaviour: what a command does is in [`crate::commands`].

pub(crate) mod admin;
pub(crate) mod advised;
pub(crate) mod api;
pub(crate) mod auth;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod connect;
pub(crate) mod connections;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod fix;
pub(crate) mod help;
pub(crate) mod help_template;
pub(crate) mod import;
pub(crate) mod link_token;
pub(crate) mod mfa;
pub(crate) mod open;
pub(crate) mod orders;
pub(crate) mod profile;
pub(crate) mod profiles;
pub(crate) mod retailers;
pub(crate) mod sandbox;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod shared;
pub(crate) mod smoke;
pub(crate) mod sync;
pub(crate) mod users;
pub(crate) mod widget;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};

use crate::errors::Exit;

/// The widest that help is.
const HELP_WIDTH: usize = 100;

const EXAMPLES: &str = "\
Examples:
  ordersync demo                             try it all on simulated retailers
  ordersync connect --retailer 12            connect a retailer and fetch its orders
  ordersync orders export --out orders.csv   save line items as CSV
  ordersync sync                             fetch new orders";

/// Connect online retailers, sync their orders and export every line item
#[derive(Debug, Parser)]
#[command(
    name = "ordersync",
    version,
    after_help = EXAMPLES,
    after_long_help = long_help(),
    disable_help_subcommand = true,
    max_term_width = HELP_WIDTH
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub global: crate::flags::GlobalArgs,
    /// The command; without one, `ordersync` shows how things stand.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the retailers you can connect
    Retailers(retailers::RetailersArgs),
    /// Connect a retailer and fetch its orders
    #[command(long_about = connect::LONG)]
    Connect(connect::ConnectArgs),
    /// List connections, or show one
    Connections(connections::ConnectionsArgs),
    /// Repair an invalid connection
    #[command(long_about = fix::LONG)]
    Fix(fix::FixArgs),
    /// Fetch new orders
    Sync(sync::SyncArgs),
    /// Show or follow sync sessions
    Sessions(sessions::SessionsArgs),
    /// Store orders from the files that a retailer hands out
    #[command(long_about = import::LONG)]
    Import(import::ImportArgs),
    /// Answer a retailer's verification request
    #[command(long_about = mfa::LONG)]
    Mfa(mfa::MfaCommandArgs),
    /// List, show and export line items
    Orders(orders::OrdersArgs),
    /// Show your orders in the browser
    #[command(long_about = open::LONG)]
    Open(open::OpenArgs),
    /// Sign in and out, and show who is signed in
    Auth(auth::AuthArgs),
    /// Show the signed-in user
    #[command(long_about = profile::LONG)]
    Profile(profile::ProfileArgs),
    /// Create a token that opens the widget
    LinkToken(link_token::LinkTokenArgs),
    /// Show what your users share with you
    Users(users::UsersArgs),
    /// Open the widget in the browser
    Widget(widget::WidgetArgs),
    /// Send a request to any endpoint
    #[command(long_about = api::LONG)]
    Api(api::ApiArgs),
    /// Manage named environments
    #[command(long_about = profiles::LONG)]
    Profiles(profiles::ProfilesArgs),
    /// Show and change settings
    #[command(long_about = config::LONG)]
    Config(config::ConfigArgs),
    /// Run the service
    #[command(long_about = serve::LONG)]
    Serve(serve::ServeArgs),
    /// Operate a service: its clients, users, syncs, shops, keys and store
    #[command(long_about = admin::LONG)]
    Admin(admin::AdminArgs),
    /// Control a sandbox: reset, break, clock, otp, fail
    Sandbox(sandbox::SandboxArgs),
    /// Run the whole workflow on simulated retailers
    #[command(long_about = demo::LONG)]
    Demo(demo::DemoArgs),
    /// Diagnose problems and suggest fixes
    #[command(long_about = doctor::LONG)]
    Doctor(doctor::DoctorArgs),
    /// Check an environment end to end, for CI
    #[command(long_about = smoke::LONG)]
    Smoke(smoke::SmokeArgs),
    /// Print a shell completion script
    Completions(completions::CompletionsArgs),
    /// Show help for a command
    #[command(hide = true)]
    Help(help::HelpArgs),
    /// Print the version
    #[command(hide = true)]
    Version(help::VersionArgs),
}

impl Cli {
    /// Reads a command line.
    pub(crate) fn read(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<Self, clap::Error> {
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        let mut tree = command();
        let mut found = tree.try_get_matches_from_mut(&arguments).map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => help(&arguments, error),
            _ => error,
        })?;
        let cli = Self::from_arg_matches_mut(&mut found).map_err(|error| error.format(&mut tree))?;
        // It is built once in a process. To give it back takes half as long as building it.
        std::mem::forget(tree);
        match &cli.command {
            // `help` and `version` answer as the flags of these names do.
            Some(Command::Help(asked)) if asked.topic().is_none() => Self::read(asked.as_flag()),
            Some(Command::Version(_)) => Self::read(["ordersync", "--version"]),
            _ => Ok(cli),
        }
    }
}

/// The help of a command, which names where the options of every command are.
fn help(arguments: &[OsString], error: clap::Error) -> clap::Error {
    let mut tree = command();
    tree.build();
    tree.mut_subcommands(with_own_options).try_get_matches_from(arguments).err().unwrap_or(error)
}

/// The command and those below it, with the options of every command hidden.
pub fn with_own_options(command: clap::Command) -> clap::Command {
    command
        .mut_args(|argument| {
            let is_of_every_command = argument.get_help_heading() == Some(crate::flags::HEADING);
            if is_of_every_command { argument.hide(true) } else { argument }
        })
        .mut_subcommands(with_own_options)
        .help_template(
            "{about-with-newline}\n{usage-heading} {usage}\n\n{all-args}\n\nOptions of every command: ordersync help options{after-help}",
        )
}

/// The whole command tree, for whatever is made from it: help, man pages, completions.
pub fn command() -> clap::Command {
    let tree = Cli::command();
    let template = help_template::template(&tree);
    tree.help_template(template)
}

fn long_help() -> String {
    use std::fmt::Write as _;

    let mut text = String::from(EXAMPLES);
    text.push_str(
        "\n\nWith nothing configured, the service runs inside the command and keeps its data on this machine.",
    );
    text.push_str("\n\nExit codes:\n");
    for exit in Exit::ALL {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {:>3}  {}", exit.code(), exit.meaning());
    }
    text.push_str("\nLearn more: ordersync help options, environment, exit-codes, settings; ordersync COMMAND --help");
    text
}

/// A row of a table in a help text; where the second column does not fit, it goes on below itself.
fn row(width: usize, name: &str, help: &str) -> String {
    let mut row = format!("  {name:<width$}");
    let mut column = 2 + width;
    for word in help.split(' ') {
        let length = word.chars().count() + 1;
        if column + length > HELP_WIDTH {
            row.push_str(&format!("\n{:1$}", "", 2 + width));
            column = 2 + width;
        }
        row.push(' ');
        row.push_str(word);
        column += length;
    }
    row.push('\n');
    row
}
