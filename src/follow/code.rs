//! A verification code: from standard input, or from a command.

use std::io::BufRead as _;

use ordersync_api::mfa::folded_code;
use secrecy::SecretString;
use tokio::task::JoinHandle;
use zeroize::Zeroizing;

use super::child;
use super::request::PendingRequest;
use crate::errors::{Error, Hint, Result, codes};
use crate::input;

/// Lines of standard input.
#[derive(Debug, Default)]
pub(crate) struct Stdin {
    /// Reads the next line: a read that nobody waits for any more cannot be ended, so the next one takes its line.
    reading: Option<JoinHandle<Result<Zeroizing<String>>>>,
}

impl Stdin {
    /// The next line that is not empty; none if standard input has ended.
    pub(crate) async fn code(&mut self) -> Result<Option<SecretString>> {
        let line = self.reading.get_or_insert_with(read_line).await;
        self.reading = None;
        match line {
            Ok(line) => Ok(read(&line?)),
            Err(_) => Err(Error::usage("The code cannot be read from standard input.")),
        }
    }
}

fn read_line() -> JoinHandle<Result<Zeroizing<String>>> {
    tokio::task::spawn_blocking(|| {
        let mut line = Zeroizing::new(String::new());
        let mut stdin = input::stdin()?;
        while line.trim().is_empty() {
            line.clear();
            let length = stdin
                .read_line(&mut line)
                .map_err(|why| Error::usage(format!("The code cannot be read from standard input: {why}.")))?;
            if length == 0 {
                break;
            }
        }
        Ok(line)
    })
}

/// What the command prints. Its standard error goes where ours goes, so that it can say what is wrong.
pub(super) async fn from_command(command: &str, request: &PendingRequest<'_>) -> Result<SecretString> {
    let environment = [
        ("ORDERSYNC_MFA_REQ_ID", request.req_id.to_owned()),
        ("ORDERSYNC_MFA_RETAILER_ID", request.retailer.retailer_id.to_string()),
        ("ORDERSYNC_MFA_PROMPT", request.mfa.prompt.clone().unwrap_or_default()),
    ];
    printed(command, &environment).await
}

/// The code that a command prints.
pub(crate) async fn printed(command: &str, environment: &[(&str, String)]) -> Result<SecretString> {
    let failed = |why: &str| {
        Error::of(&codes::command::MFA_COMMAND, format!("The command for the verification code {why}."))
            .hint(Hint::run("It was", command))
    };
    let output = child::output(command, environment).await.map_err(|why| failed(&format!("cannot be run: {why}")))?;
    if !output.status.success() {
        return Err(failed(&format!("failed: {}", output.status)));
    }
    let bytes = Zeroizing::new(output.stdout);
    std::str::from_utf8(&bytes).ok().and_then(read).ok_or_else(|| failed("printed nothing"))
}

/// A code as it was typed, without what people put between its digits; none if nothing is left.
pub(crate) fn read(text: &str) -> Option<SecretString> {
    let code = folded_code(text);
    (!code.is_empty()).then(|| SecretString::from(code))
}
