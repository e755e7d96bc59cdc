//! Flags that hold for every command.

use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};

use crate::values::parse_duration;

/// The heading of these flags in the help.
pub(crate) const HEADING: &str = "Global options";

/// Flags that hold for every command.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct GlobalArgs {
    /// Environment to use: `local`, or one of your profiles
    #[arg(long, global = true, value_name = "NAME", help_heading = HEADING)]
    pub profile: Option<String>,
    /// Address of the service, instead of the profile's
    #[arg(long, global = true, value_name = "URL", hide_short_help = true, help_heading = HEADING)]
    pub base_url: Option<String>,
    /// Output format
    #[arg(short, long, global = true, value_enum, value_name = "table|json|jsonl|csv",
          hide_possible_values = true, help_heading = HEADING)]
    pub output: Option<Format>,
    /// Print only these fields; without a value, list them
    #[arg(id = "result_fields", long = "fields", global = true, value_name = "A,B,…", num_args = 0..=1, default_missing_value = "",
          conflicts_with = "jq", help_heading = HEADING)]
    pub fields: Option<String>,
    /// Filter JSON output with a jq expression
    #[arg(long, global = true, value_name = "EXPR",
          long_help = "Filter JSON output with a jq expression; strings are printed raw", help_heading = HEADING)]
    pub jq: Option<String>,
    /// Print only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = HEADING)]
    pub quiet: bool,
    /// Print each request (-vv: each HTTP exchange)
    #[arg(short, long, global = true, action = ArgAction::Count,
          long_help = "Print each request; -vv prints whole HTTP exchanges, secrets redacted", help_heading = HEADING)]
    pub verbose: u8,
    /// Print each request as a curl command, secrets redacted
    #[arg(long, global = true, hide_short_help = true, help_heading = HEADING)]
    pub curl: bool,
    /// Never prompt in the terminal; a missing value is an error
    #[arg(long, global = true, help_heading = HEADING)]
    pub no_input: bool,
    /// Plain output for screen readers: no animation, numbered prompts, words for symbols
    #[arg(long, global = true, hide_short_help = true, help_heading = HEADING)]
    pub accessible: bool,
    /// When to use color; auto: on a terminal
    #[arg(long, global = true, value_enum, value_name = "auto|always|never", default_value_t,
          hide_possible_values = true, hide_default_value = true, hide_short_help = true, help_heading = HEADING)]
    pub color: ColorChoice,
    /// Give up after this time (30s, 5m, 1h), rate limits and syncs included
    #[arg(long, global = true, value_name = "TIME", hide_short_help = true, value_parser = parse_duration, help_heading = HEADING)]
    pub timeout: Option<Duration>,
}

/// The form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// A table for people
    #[default]
    Table,
    /// One JSON document
    Json,
    /// One JSON document per line
    Jsonl,
    /// Comma-separated values with a header
    Csv,
}

/// When colour is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
