//! Flags that several commands share.

use std::path::PathBuf;

use clap::Args;

pub(crate) use crate::follow::mfa::MfaArgs;

/// Whether a sync is followed.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct WaitArgs {
    /// Do not wait for the sync to finish
    #[arg(long)]
    pub no_wait: bool,
}

/// Where the retailer's credentials come from, where nobody is to be asked.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Credentials (prompted for by default)")]
pub(crate) struct CredentialArgs {
    /// Read credentials from a JSON file that only you can read (chmod 600)
    #[arg(long, value_name = "FILE")]
    pub credentials_file: Option<PathBuf>,
    /// Read credentials as JSON from standard input
    #[arg(long, group = "stdin", conflicts_with = "credentials_file")]
    pub credentials_stdin: bool,
    /// Lend the cookies of a signed-in browser: a file in the Netscape format that only you can read
    #[arg(long, value_name = "FILE", conflicts_with_all = ["credentials_file", "credentials_stdin"])]
    pub cookies: Option<PathBuf>,
    /// Skip the confirmation
    #[arg(long, short = 'y')]
    pub yes: bool,
}

impl CredentialArgs {
    /// Whether they come from a file or from standard input.
    pub(crate) const fn are_given(&self) -> bool {
        self.credentials_file.is_some() || self.credentials_stdin || self.cookies.is_some()
    }
}

/// Where credentials come from, and how what they start is followed.
#[derive(Debug, Args)]
pub(crate) struct ConnectOptions {
    #[command(flatten)]
    pub wait: WaitArgs,
    #[command(flatten)]
    pub credentials: CredentialArgs,
    #[command(flatten)]
    pub mfa: MfaArgs,
}

/// How syncs of connections are followed.
#[derive(Debug, Args)]
pub(crate) struct SyncOptions {
    /// Do not fail if connections are skipped because they are invalid, wait for a code or are still syncing
    #[arg(long)]
    pub allow_skipped: bool,
    #[command(flatten)]
    pub wait: WaitArgs,
    #[command(flatten)]
    pub mfa: MfaArgs,
}

/// Where the client's secret comes from: never from an argument.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ClientSecretArgs {
    /// File with the client secret (chmod 600); default: ORDERSYNC_CLIENT_SECRET
    #[arg(long, value_name = "FILE")]
    pub client_secret_file: Option<PathBuf>,
}
