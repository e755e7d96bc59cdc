//! The token of a sign-in: where the answer has it, and the header that shows it from then on.
//!
//! Only answers to the sign-in give a token. In later answers, Vendure and Shopware name the session of a visitor who is not signed in.

use ordersync_api::SyncErrorCode;
use reqwest::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::Value;

use super::path::{Path, needed};
use super::send::Template;
use crate::connector::ConnectorError;
use crate::connector::kit::page::PageKind;

/// The longest token or kept value, in bytes.
const MAX_KEPT: usize = 8 * 1024;

/// Where an answer has the token.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Written")]
pub(super) enum TokenAt {
    Body(Path),
    Header {
        name: HeaderName,
        /// Whether some shops of the platform have cookies instead.
        is_optional: bool,
    },
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a JSONPath, or `{ header = \"x-auth-token\" }`, with `optional = true` if cookies may take its place"
)]
enum Written {
    Body(String),
    Header(WrittenHeader),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenHeader {
    header: String,
    #[serde(default)]
    optional: bool,
}

impl TryFrom<Written> for TokenAt {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        Ok(match written {
            Written::Body(path) => Self::Body(Path::parse(&path)?),
            Written::Header(WrittenHeader { header, optional }) => Self::Header {
                name: header.parse().map_err(|_| format!("\"{header}\" is not the name of a header"))?,
                is_optional: optional,
            },
        })
    }
}

/// The header that shows the token, which is `{token}` in its value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenHeader {
    pub(super) name: String,
    pub(super) value: Template,
}

impl TokenAt {
    /// The header to look for.
    pub(super) const fn header(&self) -> Option<&HeaderName> {
        match self {
            Self::Body(_) => None,
            Self::Header { name, .. } => Some(name),
        }
    }

    /// Whether cookies may sign the customer in without a token.
    pub(super) const fn is_optional(&self) -> bool {
        matches!(self, Self::Header { is_optional: true, .. })
    }

    /// The token in an answer to a request for `of`: in its body, or in the values of that header. `None`: cookies sign the customer in.
    /// Fails if it is missing, or no header can carry it.
    pub(super) fn read(
        &self,
        body: &Value,
        headers: &[HeaderValue],
        of: PageKind,
    ) -> Result<Option<String>, ConnectorError> {
        let token = match self {
            Self::Body(path) => {
                needed(path.text(body), path).map_err(|_| of.lacks("a token in its answer"))?.to_owned()
            }
            Self::Header { name, is_optional } => match headers {
                [] if *is_optional => return Ok(None),
                [] => return Err(of.lacks(&format!("the header `{name}` in its answer"))),
                [token] => text(token, name)?,
                _ => return Err(changed(format!("{ANSWERS} several headers `{name}`."))),
            },
        };
        bounded(token).map(Some)
    }
}

fn text(value: &HeaderValue, name: &HeaderName) -> Result<String, ConnectorError> {
    let text = value.to_str().map_err(|_| unusable())?.trim();
    if text.is_empty() { Err(changed(format!("{ANSWERS} an empty header `{name}`."))) } else { Ok(text.to_owned()) }
}

/// A token, or another value of an answer to the sign-in, that can be kept and sent.
/// Fails if it is too long, or has control characters.
pub(super) fn bounded(value: String) -> Result<String, ConnectorError> {
    if value.len() > MAX_KEPT || value.contains(char::is_control) { Err(unusable()) } else { Ok(value) }
}

pub(super) fn unusable() -> ConnectorError {
    changed(format!("{ANSWERS} a token that no header can carry."))
}

const ANSWERS: &str = "The retailer answers the sign-in with";

fn changed(message: String) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::RetailerChanged).with_message(message)
}
