//! `ordersync doctor`.

use clap::Args;

/// What the long help begins with.
pub(super) const LONG: &str = "Find out what is wrong, and what to do.\n\nA line per check: configuration and where each setting \
    comes from, the way to the service (name, connection, TLS, what answers), the clocks, the sign-in and what it allows, \
    the requests left, the keyring, the store. Where something is wrong, the line after it says what to do. Changes \
    nothing: no store is made, no token is renewed.";

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync doctor\n  ordersync doctor --profile production\n  ordersync doctor -o json\n\nExit codes:\n  0    nothing failed; a warning is no failure\n  1    the first that failed is about neither of these two\n  3    the first that failed is about the network\n  4    the first that failed is about the sign-in"
)]
pub struct DoctorArgs {}
