//! `ordersync api`.

use std::path::PathBuf;

use clap::Args;

use crate::client::endpoints::TABLE;

/// What the long help begins with.
pub(super) const LONG: &str = "Send any request to the service, signed in, and print the answer as it came.\n\nWithout a \
    METHOD it is GET, or POST where there are fields or --input, unless with --paginate. Fields become the query of a GET and the JSON body of \
    anything else. A POST carries an Idempotency-Key. Paths under /v1 carry X-Client-Secret and X-Link-Token where they \
    are known (ORDERSYNC_CLIENT_SECRET, ORDERSYNC_LINK_TOKEN). A whole address is taken where it is the service's own; \
    the access token goes nowhere else.\n\nWith --paginate every page of a list is printed as one JSON array, while the \
    pages come. Where a page fails, the array ends there, valid, the error says how many items came, and the exit code \
    is that of the failure. --jq is applied to each page, an array, as it comes.";

const EXAMPLES: &str = "\
Examples:
  ordersync api /sync/retailers
  ordersync api GET /sync/orders -f retailer_id=12 -f limit=5
  ordersync api /sync/orders --paginate | jq length
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
        let _ = writeln!(text, "  {:<5}{}", entry.method.as_str(), entry.path);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Arguments of `api`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = long_help(), allow_missing_positional = true)]
pub struct ApiArgs {
    /// GET, POST, PUT, DELETE, …
    #[arg(value_name = "METHOD")]
    pub method: Option<String>,
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
    /// Print nothing of the answer's body
    #[arg(long, conflicts_with = "paginate")]
    pub silent: bool,
    /// Print status and headers before the body
    #[arg(short, long)]
    pub include: bool,
}
