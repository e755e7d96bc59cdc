//! What `doctor` and `smoke` have in common: checks run one by one, each reported as soon as it is done, then a result.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::errors::{Advice, Error, Exit, Result, codes};
use crate::output::{Mark, Output};

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CheckStatus {
    /// As it should be.
    Ok,
    /// It works, but needs attention.
    Warning,
    /// It is not as it should be.
    Failed,
    /// It was not done: what it needs is missing.
    Skipped,
}

/// A check and its outcome.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Check {
    /// Its name: the same in every run.
    pub(crate) check: &'static str,
    /// How it ended.
    pub(crate) status: CheckStatus,
    /// What was found; if the check failed, also what was expected.
    pub(crate) message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Advice::is_empty")]
    pub(crate) hint: Advice,
    /// More for a program to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<Value>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) milliseconds: Option<u64>,
    /// How the process ends if this is the first that failed.
    #[serde(skip)]
    pub(crate) exit: Exit,
}

impl Check {
    fn new(check: &'static str, status: CheckStatus, message: impl Into<String>) -> Self {
        Self {
            check,
            status,
            message: message.into(),
            hint: Advice::default(),
            details: None,
            milliseconds: None,
            exit: Exit::Failed,
        }
    }

    pub(crate) fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, CheckStatus::Ok, message)
    }

    pub(crate) fn warning(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, CheckStatus::Warning, message)
    }

    pub(crate) fn failed(check: &'static str, exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, ..Self::new(check, CheckStatus::Failed, message) }
    }

    /// One that was not done, and why.
    pub(crate) fn skipped(check: &'static str, why: &str) -> Self {
        Self::new(check, CheckStatus::Skipped, format!("skipped: {why}"))
    }

    /// One that ended with an error.
    pub(crate) fn of_error(check: &'static str, error: &Error) -> Self {
        let message = match error.request_id() {
            Some(id) => format!("{} (request id {id})", error.message()),
            None => error.message().to_owned(),
        };
        Self::failed(check, error.exit(), message).hint(error.advice())
    }

    pub(crate) fn hint(mut self, advice: impl Into<Advice>) -> Self {
        self.hint = advice.into();
        self
    }

    pub(crate) fn details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    pub(crate) fn took(mut self, time: Duration) -> Self {
        self.milliseconds = Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        self
    }

    fn mark(&self) -> Mark {
        match self.status {
            CheckStatus::Ok => Mark::Good,
            CheckStatus::Warning => Mark::Attention,
            CheckStatus::Failed => Mark::Bad,
            CheckStatus::Skipped => Mark::Skipped,
        }
    }
}

/// The checks that are done.
#[derive(Debug)]
pub(crate) struct CheckReport {
    output: Output,
    checks: Vec<Check>,
}

impl CheckReport {
    pub(crate) fn new(output: &Output) -> Self {
        Self { output: output.clone(), checks: Vec::new() }
    }

    /// Takes a check and reports it.
    pub(crate) fn add(&mut self, check: Check) -> Result<()> {
        if self.output.tells_people() {
            let time = check.milliseconds.map(|time| format!(" ({time} ms)")).unwrap_or_default();
            self.output.marked(check.mark(), format!("{}: {}{time}", check.check, check.message))?;
            self.output.advice_below(&check.hint)?;
        }
        self.checks.push(check);
        Ok(())
    }

    /// "12 checks: 11 passed, 1 skipped."
    fn summary(&self) -> String {
        let of = |status| self.checks.iter().filter(|check| check.status == status).count();
        let parts =
            [(CheckStatus::Ok, "passed"), (CheckStatus::Warning, "to look at"), (CheckStatus::Skipped, "skipped")];
        let parts: Vec<String> = parts
            .into_iter()
            .map(|(status, what)| (of(status), what))
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let noun = if let [_] = self.checks.as_slice() { "check" } else { "checks" };
        format!("{} {noun}: {}", self.checks.len(), parts.join(", "))
    }

    pub(crate) fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// Ends the command. Fails with the exit code of the first check that failed.
    pub(crate) fn finish(self) -> Result<()> {
        self.output.shown(&self.checks)?;
        let failed: Vec<&Check> = self.checks.iter().filter(|check| check.status == CheckStatus::Failed).collect();
        let Some(first) = failed.first() else {
            return if self.output.tells_people() { self.output.line(&self.summary()) } else { Ok(()) };
        };
        let exit = match first.exit {
            Exit::Network | Exit::SignIn => first.exit,
            _ => Exit::Failed,
        };
        let names: Vec<&str> = failed.iter().map(|check| check.check).collect();
        let verb = if let [_] = failed.as_slice() { "1 check" } else { &format!("{} checks", failed.len()) };
        let message = format!("{verb} of {} failed: {}.", self.checks.len(), names.join(", "));
        let row = &codes::command::CHECKS_FAILED;
        Err(Error::new(exit, row.code, message).hint(row.advice()))
    }
}
