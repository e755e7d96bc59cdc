//! `ordersync api`.

use std::path::PathBuf;

use clap::Args;

/// What the long help begins with.
pub(super) const LONG: &str = "Send any request to the service, signed in, and print the answer as it came.\n\nFields become \
    the query of a GET and the JSON body of anything else. A POST carries an Idempotency-Key. Paths \
    under /v1 carry X-Client-Secret and X-Link-Token where they are known (ORDERSYNC_CLIENT_SECRET, \
    ORDERSYNC_LINK_TOKEN).";

/// Arguments of `api`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync api GET /sync/orders -f retailer_id=12 -f limit=5\n  ordersync api GET /sync/orders --paginate | jq length\n  ordersync api POST /sync/mfa -f eventType=enter -f reqId=mfa_1 -F otpValue=@- < code.txt\n  ordersync api POST /sync/connections/connect --input connect.json\n  ordersync api GET '/sync/orders?format=csv' --include"
)]
pub struct ApiArgs {
    /// GET, POST, PUT, DELETE, …
    #[arg(value_name = "METHOD")]
    pub method: String,
    /// Path below the service's address, with a query if you like
    #[arg(value_name = "PATH")]
    pub path: String,
    /// Field of text
    #[arg(short = 'f', long = "raw-field", value_name = "KEY=VALUE")]
    pub raw_fields: Vec<String>,
    /// Field of JSON: true, false, null and numbers are what they are, @FILE and @- are read, the rest is text
    #[arg(short = 'F', long = "field", value_name = "KEY=VALUE")]
    pub fields: Vec<String>,
    /// Body as it is, from a file, or from standard input (`-`); fields then become the query
    #[arg(long, value_name = "FILE|-")]
    pub input: Option<PathBuf>,
    /// Header; not for secrets, which others on this machine could see
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
    /// Get every page of a list, as one JSON array
    #[arg(long, conflicts_with_all = ["input", "include"])]
    pub paginate: bool,
    /// Print status and headers before the body
    #[arg(short, long)]
    pub include: bool,
}
