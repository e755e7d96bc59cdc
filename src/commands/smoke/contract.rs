//! What every answer of the service has to be: its status, its form, its request id; and how the report says that it is
//! not.

use std::collections::HashSet;
use std::fmt::Display;
use std::hash::Hash;

use ordersync_api::{ErrorBody, ErrorCode};
use reqwest::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

use crate::client::api_error;
use crate::client::wire::Reply;
use crate::commands::shared::diagnostics::{Check, CheckStatus};
use crate::errors::{Advice, Error, Exit, Hint};

/// The outcome of a check: what was found, or what is wrong.
pub(super) type CheckResult = Result<String, Fault>;

/// What is wrong.
#[derive(Debug)]
pub(super) struct Fault {
    exit: Exit,
    message: String,
    hint: Advice,
    /// The check could not be done, and need not be.
    not_done: bool,
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into(), hint: Advice::default(), not_done: false }
    }

    /// What was expected, and what was found.
    pub(super) fn expected(what: impl Display, came: impl Display) -> Self {
        Self::new(format!("expected {what}, got {came}"))
    }

    pub(super) fn not_done(why: &str) -> Self {
        Self { not_done: true, ..Self::new(why) }
    }

    pub(super) fn of_error(error: &Error) -> Self {
        let Check { message, hint, exit, .. } = Check::of_error("", error);
        Self { exit, message, hint, not_done: false }
    }

    /// How the process ends if this is the first that is wrong.
    pub(super) fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    pub(super) fn hint(mut self, advice: impl Into<Advice>) -> Self {
        self.hint = advice.into();
        self
    }
}

pub(super) fn told(name: &'static str, verdict: CheckResult) -> Check {
    match verdict {
        Ok(found) => Check::ok(name, found),
        Err(fault) if fault.not_done => Check::skipped(name, &fault.message),
        Err(Fault { exit, message, hint, .. }) => Check { hint, ..Check::failed(name, exit, message) },
    }
}

/// Whether the check of a reported verdict is good.
pub(super) fn is_good(check: &Check) -> bool {
    check.status == CheckStatus::Ok
}

/// The form of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) enum BodyKind {
    Json,
    Csv,
}

impl BodyKind {
    const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Csv => "text/csv",
        }
    }
}

fn media_type(reply: &Reply) -> &str {
    let value = reply.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}

pub(super) fn is_json(reply: &Reply) -> bool {
    media_type(reply).eq_ignore_ascii_case(BodyKind::Json.media_type())
}

/// An answer in a few words: status, code, what it was an answer to, request id.
pub(super) fn came(reply: &Reply) -> String {
    let code = api_error::decode(&reply.body).0.map(|code| format!(" {code}")).unwrap_or_default();
    let page = if api_error::is_html(&reply.headers, &reply.body) { ", a web page" } else { "" };
    let id = reply.header("x-request-id").map(|id| format!(", request id {id}")).unwrap_or_default();
    format!("{}{code}{page} ({}{id})", reply.status, reply.description)
}

/// Holds an answer against the contract: status, form, request id.
pub(super) fn holds(reply: &Reply, status: u16, kind: BodyKind) -> Result<(), Fault> {
    if reply.status.as_u16() != status {
        let code = api_error::decode(&reply.body).0;
        let is_scope_missing = code.as_deref() == Some(ErrorCode::InsufficientScope.as_str());
        let exit = match reply.status.as_u16() {
            401 => Exit::SignIn,
            403 if is_scope_missing => Exit::SignIn,
            502..=504 => Exit::Network,
            _ => Exit::Failed,
        };
        let fault = Fault { exit, ..Fault::expected(status, came(reply)) };
        return Err(if is_scope_missing {
            fault.hint(Hint::run("See what the token allows", "ordersync doctor"))
        } else {
            fault
        });
    }
    if !media_type(reply).eq_ignore_ascii_case(kind.media_type()) {
        let name = match media_type(reply) {
            "" => "no Content-Type",
            name => name,
        };
        return Err(Fault::expected(kind.media_type(), format!("{name} ({})", reply.description)));
    }
    if reply.header("x-request-id").is_none_or(str::is_empty) {
        return Err(Fault::expected("the header X-Request-Id", format!("none ({})", reply.description)));
    }
    Ok(())
}

/// The body, read.
pub(super) fn json<T: DeserializeOwned>(reply: &Reply, what: &str) -> Result<T, Fault> {
    serde_json::from_slice(&reply.body)
        .map_err(|why| Fault::expected(what, format!("something else: {why} ({})", reply.description)))
}

/// Holds a refusal against the contract: status, code, message, request id.
pub(super) fn refuses(reply: &Reply, status: u16, code: ErrorCode) -> Result<(), Fault> {
    holds(reply, status, BodyKind::Json)?;
    let body: ErrorBody = json(reply, "an error body {code, message}")?;
    if !body.code.is(&code) {
        return Err(Fault::expected(format!("the code {code}"), format!("{} ({})", body.code, reply.description)));
    }
    if body.message.trim().is_empty() {
        return Err(Fault::expected("a message with the error", format!("an empty one ({})", reply.description)));
    }
    Ok(())
}

/// No two are the same.
pub(super) fn unique<T: Display + Eq + Hash + Copy>(ids: impl Iterator<Item = T>, what: &str) -> Result<(), Fault> {
    let mut seen = HashSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(Fault::expected(format!("each {what} once"), format!("{id} twice")));
        }
    }
    Ok(())
}
