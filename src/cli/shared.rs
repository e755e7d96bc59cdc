//! Flags that several commands share.

use std::path::PathBuf;

use clap::Args;

/// How a retailer's verification request is answered.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Verification (MFA)")]
pub struct MfaArgs {
    /// Method to choose where the retailer offers several (sms, email, …)
    #[arg(long, value_name = "ID")]
    pub mfa_option: Option<String>,
    /// Read the code from standard input, one line for each time it is asked for
    #[arg(long)]
    pub mfa_code_stdin: bool,
    /// Run this in a shell for each code; what it prints is the code
    #[arg(long, value_name = "COMMAND", conflicts_with = "mfa_code_stdin")]
    pub mfa_command: Option<String>,
}

/// Whether a sync is followed.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct WaitArgs {
    /// Start it and return, without following it to the end
    #[arg(long)]
    pub no_wait: bool,
}

/// Where the retailer's credentials come from, where nobody is to be asked.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Credentials (asked for where not given)")]
pub struct CredentialArgs {
    /// JSON object of the retailer's credential fields; the file must be private to you (chmod 600)
    #[arg(long, value_name = "FILE")]
    pub credentials_file: Option<PathBuf>,
    /// Read that JSON object from standard input
    #[arg(long, conflicts_with_all = ["credentials_file", "mfa_code_stdin"])]
    pub credentials_stdin: bool,
    /// Ask for no confirmation before anything is sent
    #[arg(long, short = 'y')]
    pub yes: bool,
}

/// Where the client's secret comes from: never from an argument.
#[derive(Debug, Clone, Default, Args)]
pub struct ClientSecretArgs {
    /// File with the client's secret, private to you (chmod 600); without it, ORDERSYNC_CLIENT_SECRET
    #[arg(long, value_name = "FILE")]
    pub client_secret_file: Option<PathBuf>,
}
