//! What a command fails with: a stable code, what happened, what to do, and how the process ends.
//!
//! An error travels to the one place that prints it ([`crate::output`]); on its way it is never turned into text.

use std::io;
use std::path::Path;

use ordersync_api::ErrorCode;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::errors::codes::{self, ErrorEntry};
use crate::errors::{Advice, Exit, Hint};

/// The result of everything that can fail here.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Never shown.
const READER_GONE: &str = "READER_GONE";

/// A failure, ready to be shown.
#[derive(Debug)]
pub(crate) struct Error(Box<Inner>);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Inner {
    code: String,
    message: String,
    #[serde(rename = "hint", skip_serializing_if = "Advice::is_empty")]
    advice: Advice,
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
    /// What failed besides, and is shown before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Error>,
    #[serde(skip)]
    exit: Exit,
    #[serde(skip)]
    silent: bool,
}

impl Error {
    /// A failure of the table: exit code and hint are the row's. `message` is a sentence that says what happened here.
    pub(crate) fn of(row: &'static ErrorEntry, message: impl Into<String>) -> Self {
        Self::new(row.exit, row.code, message).hint(row.advice())
    }

    /// A failure whose code came in an answer, and may be any word.
    pub(crate) fn new(exit: Exit, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            code: code.into(),
            message: without_numbers(&message.into()),
            advice: Advice::default(),
            http_status: None,
            request_id: None,
            details: None,
            others: Vec::new(),
            exit,
            silent: false,
        }))
    }

    /// A command line that cannot be carried out as it is.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::of(&codes::command::USAGE, message)
    }

    /// Something that does not exist.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::of(&codes::service::NOT_FOUND, message)
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(doing: &str, path: &Path, why: &io::Error) -> Self {
        let error = Self::io(&codes::command::FILE, format!("Cannot {doing} {}", path.display()), why);
        if doing == "read" { error.or_reading(why.kind()) } else { error }
    }

    /// Adds what to do about a file that cannot be read, if that is because of the file itself.
    pub(crate) fn or_reading(self, why: io::ErrorKind) -> Self {
        match why {
            io::ErrorKind::NotFound => self.hint("Check the path."),
            io::ErrorKind::IsADirectory => self.hint("It is a folder: name a file."),
            io::ErrorKind::InvalidData => self.hint("It must be text, in UTF-8."),
            io::ErrorKind::PermissionDenied => self.hint("Check that you may read it."),
            _ => self,
        }
    }

    /// Reading or writing that failed: `what` could not be done. A disk that is full has a code of its own.
    pub(crate) fn io(row: &'static ErrorEntry, what: impl std::fmt::Display, why: &io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let row = match why.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => &codes::command::DISK_FULL,
            _ => row,
        };
        let why = why.to_string();
        // Users need not know of our temporary file beside theirs.
        let why = why.split(" at path ").next().unwrap_or_default();
        Self::of(row, format!("{what}: {}.", why.trim_end_matches('.')))
    }

    /// Ctrl-C.
    pub(crate) fn interrupted() -> Self {
        let row = &codes::command::INTERRUPTED;
        // The next step depends on what was interrupted, which the caller knows.
        Self::new(row.exit, row.code, "Interrupted.")
    }

    /// The user answered a question with no. For a script that is no success.
    pub(crate) fn declined(message: impl Into<String>) -> Self {
        let row = &codes::command::INTERRUPTED;
        // There is nothing to do: it is as the user wants it.
        Self::new(row.exit, row.code, message)
    }

    /// The reader of the result went away: nothing failed, and nobody is left to tell.
    pub(crate) fn reader_gone() -> Self {
        let mut error = Self::new(Exit::Done, READER_GONE, "Nobody reads the output any more.");
        error.0.silent = true;
        error
    }

    /// Replaces what to do about it: words, a [`Hint`], or several.
    pub(crate) fn hint(mut self, advice: impl Into<Advice>) -> Self {
        self.0.advice = advice.into();
        self
    }

    /// Adds where to look, if the service does not know what was named.
    pub(crate) fn where_unknown(self, advice: impl Into<Advice>) -> Self {
        if self.is(ErrorCode::NotFound) { self.hint(advice) } else { self }
    }

    /// Replaces the sentence about what happened.
    pub(crate) fn saying(mut self, message: impl Into<String>) -> Self {
        self.0.message = without_numbers(&message.into());
        self
    }

    /// True if the advice has this command.
    pub(crate) fn advises(&self, command: &str) -> bool {
        self.0.advice.hints().iter().any(|hint| hint.command.as_deref() == Some(command))
    }

    /// Changes the commands of the advice.
    pub(crate) fn changing_commands(mut self, change: impl Fn(&str) -> String) -> Self {
        let changed =
            |hint: &Hint| Hint { command: hint.command.as_deref().map(&change).map(Into::into), ..hint.clone() };
        self.0.advice = self.0.advice.hints().iter().map(changed).collect();
        self
    }

    /// Appends advice.
    pub(crate) fn also(mut self, more: impl Into<Advice>) -> Self {
        self.0.advice = std::mem::take(&mut self.0.advice).and(more);
        self
    }

    /// Adds the answer that it came from.
    pub(crate) fn with_response(mut self, status: u16, request_id: Option<&str>, details: Option<Value>) -> Self {
        self.0.http_status = Some(status);
        self.0.request_id = request_id.map(str::to_owned);
        self.0.details = details;
        self
    }

    /// Sets what a program can read about it.
    pub(crate) fn details(mut self, details: Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// Sets what failed besides.
    pub(crate) fn besides(mut self, others: Vec<Self>) -> Self {
        self.0.others = others;
        self
    }

    /// What failed besides.
    pub(crate) fn others(&self) -> &[Self] {
        &self.0.others
    }

    /// How the process ends.
    pub(crate) fn exit(&self) -> Exit {
        self.0.exit
    }

    /// The status of the answer that it is about.
    pub(crate) fn http_status(&self) -> Option<u16> {
        self.0.http_status
    }

    /// The stable code.
    pub(crate) fn code(&self) -> &str {
        &self.0.code
    }

    /// Whether the service answered with this code.
    pub(crate) fn is(&self, code: ErrorCode) -> bool {
        self.0.http_status.is_some() && self.0.code == code.as_str()
    }

    /// A text among what the service said in `details`.
    pub(crate) fn detail(&self, name: &str) -> Option<&str> {
        self.0.details.as_ref()?.get(name)?.as_str()
    }

    /// What happened.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it.
    pub(crate) fn advice(&self) -> &Advice {
        &self.0.advice
    }

    /// The advice as `-o json` prints it.
    #[cfg(test)]
    pub(crate) fn hint_text(&self) -> Option<String> {
        Some(&self.0.advice).filter(|advice| !advice.is_empty()).map(ToString::to_string)
    }

    /// The request that failed, as the service's log names it.
    pub(crate) fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// Whether it is not shown.
    pub(crate) fn is_silent(&self) -> bool {
        self.0.silent
    }

    /// `{code, message, hint?, httpStatus?, requestId?, details?, others?}`.
    pub(crate) fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

/// The message without the numbers that the system has for its errors: the words before them say the same.
fn without_numbers(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_no_numbers_of_the_system() {
        for (given, shown) in [
            ("Cannot read x: No such file (os error 2).", "Cannot read x: No such file."),
            ("a (b (os error 2)): c (os error 13)", "a (b): c"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_numbers(given), shown);
        }
    }
}
