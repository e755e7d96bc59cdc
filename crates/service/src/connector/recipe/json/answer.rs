//! What a shop answers to the requests of a recipe.

use ordersync_api::SyncErrorCode;
use reqwest::header::HeaderValue;
use serde_json::Value;

use super::format::When;
use super::path::Wrong;
use crate::connector::ConnectorError;
use crate::connector::egress::{Egress, Response};
use crate::connector::kit::check::{Check, Failure};
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::text::quoted;

/// An answer in JSON.
pub(in crate::connector::recipe) struct Answer {
    pub(in crate::connector::recipe) status: u16,
    pub(in crate::connector::recipe) value: Value,
    /// The values of the header that may have a token. They are secrets.
    pub(super) tokens: Vec<HeaderValue>,
}

impl Answer {
    /// Reads the answer to a request for `kind`.
    /// Fails if it is no JSON: what it is instead.
    pub(in crate::connector::recipe) async fn read(
        response: Response,
        egress: &Egress,
        kind: PageKind,
    ) -> Result<Self, ConnectorError> {
        let Response { status, body, tokens, .. } = response;
        let tokens: Vec<HeaderValue> = tokens.into_iter().map(|(_, token)| token).collect();
        if (300..400).contains(&status) {
            return Ok(Self { status, value: Value::Null, tokens });
        }
        if let Some(value) = parse(&body).await? {
            return Ok(Self { status, value, tokens });
        }
        // All that such an answer has to say is in its header.
        if body.trim().is_empty() && !tokens.is_empty() {
            return Ok(Self { status, value: Value::Null, tokens });
        }
        let other = egress.pages.read(body, |document| Ok(OtherPage::of(document))).await?;
        Err(match other {
            OtherPage::Unknown | OtherPage::NoPage | OtherPage::Empty if status != 200 => kind.answered(status),
            OtherPage::NoPage => kind.answered_with_broken_data(),
            other => other.error(kind),
        })
    }

    /// Whether it is one of these.
    pub(in crate::connector::recipe) fn is(&self, all: &[When]) -> bool {
        When::any(all, self.status, &self.value)
    }

    /// The first error that an answer to GraphQL names (GraphQL specification, section 7.1.2).
    pub(super) fn error(&self, is_graphql: bool) -> Option<&str> {
        let errors = self.value.get("errors").filter(|errors| is_graphql && !errors.is_null())?;
        let is_empty = errors.as_array().is_some_and(Vec::is_empty);
        (!is_empty).then(|| errors.pointer("/0/message").and_then(Value::as_str).unwrap_or_default())
    }

    /// Fails if it names an error: the data beside it is incomplete.
    pub(super) fn whole(&self, is_graphql: bool, check: Check) -> Result<(), Failure> {
        match self.error(is_graphql) {
            None => Ok(()),
            Some(error) => {
                Err(Failure::new(check, format!("the answer has an error, {}, so it is incomplete.", quoted(error))))
            }
        }
    }
}

/// Reads JSON off the threads that serve requests. `None`: it is none.
async fn parse(body: &str) -> Result<Option<Value>, ConnectorError> {
    if !body.trim_start().starts_with(['{', '[']) {
        return Ok(None);
    }
    let body = body.to_owned();
    tokio::task::spawn_blocking(move || serde_json::from_str(&body).ok()).await.map_err(|_| {
        ConnectorError::new(SyncErrorCode::InternalError).with_message("Reading the retailer's answer failed.")
    })
}

/// What is wrong with an order, as a failed check.
pub(super) fn failed(check: Check, wrong: Wrong) -> Failure {
    let what = if check == Check::ListPage { "the order list" } else { "the order" };
    Failure::new(check, format!("{what} has {wrong}."))
}
