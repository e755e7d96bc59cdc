//! `ordersync doctor`.

use clap::Args;

/// What the long help begins with.
pub(super) const LONG: &str = "Diagnose problems and suggest fixes.\n\nChecks the settings and where they come from, the shops that you added, the way to the service (DNS, \
    connection, TLS, what answers), the clocks, the sign-in and its scopes, the requests left, the keyring and the \
    stores on this machine, or the store of a service that --database names. What fails is followed by what to do about it. Changes nothing: creates no store, refreshes no token.";

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync doctor\n  ordersync doctor --profile production\n  ordersync doctor -o json\n  ordersync doctor --database postgres://ordersync@db.example/ordersync\n\nExit codes:\n  0    no check failed; warnings do not count\n  1    the first failed check is about something else\n  3    the first failed check is about the network\n  4    the first failed check is about the sign-in"
)]
pub(crate) struct DoctorArgs {
    /// Store of `ordersync serve` to look at: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an
    /// address; default: ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder if it is there
    #[arg(long, value_name = "PATH|URL|@FILE", value_hint = clap::ValueHint::FilePath)]
    pub database: Option<String>,
}
