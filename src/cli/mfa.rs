//! `ordersync mfa`.

use clap::Args;

use super::shared::{MfaArgs, WaitArgs};

/// What the long help begins with.
pub(super) const LONG: &str = "Answer a retailer's verification request.\n\nAnswers the open request of a sync session, then follows the \
    session to its end.";

/// Arguments of `mfa`. The flags have the names that other commands give them as well (`--mfa-option`).
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync mfa\n  ordersync mfa --batch batch_123 --option sms\n  echo 123456 | ordersync mfa --batch batch_123 --code-stdin"
)]
pub(crate) struct MfaCommandArgs {
    /// Request id; needed only if several are open
    #[arg(long, value_name = "ID")]
    pub req_id: Option<String>,
    /// Session id (batchId), its first characters, or a retailer; default: the latest session with an open request
    #[arg(long, value_name = "ID")]
    pub batch: Option<String>,
    /// Verification method to choose (sms, email, …)
    #[arg(long, alias = "mfa-option", value_name = "ID")]
    pub option: Option<String>,
    /// Read the code from standard input, one line per attempt
    #[arg(long, alias = "mfa-code-stdin")]
    pub code_stdin: bool,
    /// Run a shell command that prints the code
    #[arg(long, alias = "mfa-command", value_name = "COMMAND", conflicts_with = "code_stdin")]
    pub code_command: Option<String>,
    #[command(flatten)]
    pub wait: WaitArgs,
}

impl MfaCommandArgs {
    /// The options under the names that the other commands have for them.
    pub(crate) fn means(&self) -> MfaArgs {
        MfaArgs {
            mfa_option: self.option.clone(),
            mfa_code_stdin: self.code_stdin,
            mfa_command: self.code_command.clone(),
        }
    }
}
