//! `ordersync profile`.

use clap::Args;

/// Arguments of `profile`.
#[derive(Debug, Args)]
#[command(
    long_about = "Show the profile of the signed-in user.\n\nOf the phone number only its last four digits are known here. (Named environments to work on are\n`ordersync profiles`.)",
    after_help = "Examples:\n  ordersync profile\n  ordersync profile -o json"
)]
pub struct ProfileArgs {}
