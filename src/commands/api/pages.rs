//! Every page of a list, as one JSON array that is written while it comes.

use std::borrow::Cow;

use reqwest::Method;
use serde_json::Value;
use url::form_urlencoded;

use super::{Request, list};
use crate::client::Client;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::exit::Exit;

/// As many as a page may have, where nothing else is asked for.
const PAGE: usize = 1000;

/// Gets and prints them.
pub(super) async fn run(context: &Context, client: &Client, request: &Request) -> Result<()> {
    if request.method != Method::GET {
        return Err(Error::usage("--paginate is for GET alone."));
    }
    if parameter(request, "offset").is_some() {
        return Err(Error::usage("--paginate counts for itself: leave out offset."));
    }
    let (page, is_asked) = match parameter(request, "limit") {
        None => (PAGE, false),
        Some(text) => match text.parse() {
            Ok(limit) if limit > 0 => (limit, true),
            _ => return Err(Error::usage(format!("limit: \"{text}\" is no number of items."))),
        },
    };
    let output = &context.output;
    let mut first: Option<Value> = None;
    let mut written = 0_usize;
    loop {
        let mut more = vec![("offset", written.to_string())];
        if !is_asked {
            more.push(("limit", page.to_string()));
        }
        let answer = client.send(request.call(context, client, &more).await?).await?;
        let total = answer.header("x-total-count").and_then(|text| text.trim().parse::<usize>().ok());
        let Some(rows) = list(answer.json()?) else {
            return Err(Error::new(Exit::Failed, "NO_LIST", "The answer is no list, so it has no pages.")
                .hint("Leave out --paginate."));
        };
        // A service that ignores the offset gives its first page again, for ever.
        let is_again = written > 0 && !rows.is_empty() && rows.first() == first.as_ref();
        let count = if is_again { 0 } else { rows.len() };
        if first.is_none() {
            first = rows.first().cloned();
        }
        let mut text = Vec::new();
        for row in rows.iter().take(count) {
            text.extend_from_slice(if written == 0 { b"[" } else { b",\n " });
            text.extend_from_slice(row.to_string().as_bytes());
            written += 1;
        }
        output.raw(&text)?;
        if count < page || total.is_some_and(|total| written >= total) {
            break;
        }
    }
    output.raw(if written == 0 { b"[]\n" } else { b"]\n" })
}

/// A parameter of the query, wherever it was given.
fn parameter<'a>(request: &'a Request, name: &str) -> Option<Cow<'a, str>> {
    let query = request.path.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let in_path = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value);
    in_path.or_else(|| request.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.into()))
}
