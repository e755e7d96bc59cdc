//! `ordersync admin audit`.

use clap::Args;

use super::StoreOption;

/// Arguments of `admin audit`.
#[derive(Debug, Args)]
#[command(
    long_about = "List what operators changed, sign-ins and deletions, newest first.\n\nAn entry has ids only: no phone numbers, \
        names, addresses or secrets. Entries are kept for 400 days. Of a deleted user, the entries keep the bare user id.",
    after_help = "Examples:\n  ordersync admin audit\n  ordersync admin audit --since 7d\n  ordersync admin audit --user user_1 -o json\n  ordersync admin audit --jq '.[] | select(.outcome == \"locked\")'"
)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    pub store: StoreOption,
    /// Only entries at or after this date (2025-10-16, 2026-06, yesterday, 7d, 2w, 3m, 1y) or time
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only entries about this user, even if the user was deleted
    #[arg(long, value_name = "ID")]
    pub user: Option<String>,
    /// Maximum number of entries
    #[arg(long, short = 'L', value_name = "N", default_value_t = 100, value_parser = crate::values::whole(1..=1000))]
    pub limit: u32,
    /// Only entries older than the one with this id, to continue a list
    #[arg(long, value_name = "ID")]
    pub before: Option<String>,
}
