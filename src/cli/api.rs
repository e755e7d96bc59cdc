//! `ordersync api`.

use std::path::PathBuf;

use clap::Args;

use crate::client::endpoints::TABLE;

/// What the long help begins with.
pub(super) const LONG: &str = "Send an authenticated request to any endpoint and print the response unchanged.\n\nThe default METHOD is GET, or POST \
    with fields or --input and without --paginate. Fields are sent as the query of a GET and as the JSON body of \
    anything else. A POST carries an Idempotency-Key. Paths under /v1 carry X-Client-Secret and X-Link-Token if they \
    are known (ORDERSYNC_CLIENT_SECRET, ORDERSYNC_LINK_TOKEN). A full URL is accepted if it is the service's own; \
    the access token is sent nowhere else.\n\nWith --paginate, all pages of a list are printed as one JSON array while they \
    arrive. If a page fails, the array is closed after the items before it, the error says how many there were, and the \
    exit code is that of the failure. If the list changes between two pages so that rows could be missing or doubled, that \
    is such a failure, with exit code 8. --jq is applied to each page, an array; with --slurp, to one array of all items, and only if all came.";

const EXAMPLES: &str = "\
Examples:
  ordersync api /sync/retailers
  ordersync api GET /sync/orders -f retailer_id=12 -f limit=5
  ordersync api /sync/orders --paginate --slurp --jq length
  ordersync api /sync/orders --paginate --jq '.[].itemName'
  ordersync api POST /sync/mfa -f eventType=enter -f reqId=mfa_1 -F otpValue=@- < code.txt
  ordersync api POST /sync/connections/connect --input connect.json
  ordersync api '/sync/orders?format=csv' --include
  ordersync api /sync/profile --curl";

fn long_help() -> String {
    use std::fmt::Write as _;

    let mut text = format!("{EXAMPLES}\n\nEndpoints:\n");
    for entry in &TABLE {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {:<7}{}", entry.method.as_str(), entry.path);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Arguments of `api`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = long_help(), allow_missing_positional = true)]
pub(crate) struct ApiArgs {
    /// GET, POST, PUT, DELETE, …
    #[arg(value_name = "METHOD")]
    pub method: Option<String>,
    /// Path below the service's address; may include a query
    #[arg(value_name = "PATH")]
    pub path: String,
    /// Add a string field
    #[arg(short = 'f', long = "raw-field", value_name = "KEY=VALUE")]
    pub raw_fields: Vec<String>,
    /// Add a typed field: true, false, null, numbers, objects and arrays are JSON; @FILE and @- are read; the rest is a
    /// string
    #[arg(short = 'F', long = "field", value_name = "KEY=VALUE")]
    pub fields: Vec<String>,
    /// Read the body from a file, or from standard input (`-`); fields are then sent as the query
    #[arg(long, value_name = "FILE|-")]
    pub input: Option<PathBuf>,
    /// Add a header; not for secrets, which others on this machine could see
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
    /// Fetch all pages of a list as one JSON array
    #[arg(long, conflicts_with_all = ["input", "include"])]
    pub paginate: bool,
    /// With --paginate: give all items to --jq at once, instead of page by page; memory holds them
    #[arg(long, requires = "paginate")]
    pub slurp: bool,
    /// Do not print the response body
    #[arg(long, conflicts_with = "paginate")]
    pub silent: bool,
    /// Print the status and headers before the body
    #[arg(short, long)]
    pub include: bool,
}
