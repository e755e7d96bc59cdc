//! Flags that hold for every command.

use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};

const HEADING: &str = "Global options";

/// Flags that hold for every command.
#[derive(Debug, Clone, Default, Args)]
pub struct GlobalArgs {
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
pub enum Format {
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
pub enum ColorChoice {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Reads `90`, `90s`, `5m` or `2h`.
pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err("give seconds, or a number followed by s, m or h".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "give seconds, or a number followed by s, m or h".to_owned())?;
    let total = number.checked_mul(seconds).filter(|total| *total <= 365 * 24 * 3600);
    total.map(Duration::from_secs).ok_or_else(|| "a year is the longest".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        let seconds = |text| parse_duration(text).ok().map(|time| time.as_secs());
        assert_eq!(seconds("90"), Some(90));
        assert_eq!(seconds("90s"), Some(90));
        assert_eq!(seconds("5m"), Some(300));
        assert_eq!(seconds("2h"), Some(7200));
        for bad in ["", "s", "-1", "1.5s", "5 m", "5d", "99999999999999999999", "18446744073709551615h", "9000h"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
