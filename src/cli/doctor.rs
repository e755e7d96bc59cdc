//! `ordersync doctor`.

use clap::Args;

/// What the long help begins with.
pub(super) const LONG: &str = "Diagnose problems and suggest fixes.\n\nChecks the settings and where they come from, the way to the service (DNS, \
    connection, TLS, what answers), the clocks, the sign-in and its scopes, the requests left, the keyring and the \
    local store. What fails is followed by what to do about it. Changes nothing: creates no store, refreshes no token.";

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync doctor\n  ordersync doctor --profile production\n  ordersync doctor -o json\n\nExit codes:\n  0    no check failed; warnings do not count\n  1    the first failed check is about something else\n  3    the first failed check is about the network\n  4    the first failed check is about the sign-in"
)]
pub(crate) struct DoctorArgs {}
