//! Every page of a list, as one JSON array that is written while it comes.

use std::borrow::Cow;

use reqwest::Method;
use serde_json::Value;
use url::form_urlencoded;

use super::{ApiRequest, list};
use crate::client::list::{ListEnd, Reading};
use crate::client::request::Call;
use crate::client::{Answer, Client, paging};
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};
use crate::output::Output;

/// Gets and prints them; an `offset` among the fields is where they begin. With `slurp`, a filter gets all of them at once.
pub(super) async fn run(context: &Context, client: &Client, mut request: ApiRequest, slurp: bool) -> Result<()> {
    if request.method != Method::GET {
        return Err(Error::usage("--paginate is for GET alone."));
    }
    let start = match request.query.iter().position(|(name, _)| name == "offset") {
        Some(place) => number("offset", &request.query.remove(place).1)?,
        None => 0,
    };
    if parameter(&request, "offset").is_some() {
        return Err(Error::usage("--paginate sets `offset` itself.")
            .hint("Begin further on with -f offset=N, outside the path."));
    }
    let asked = parameter(&request, "limit").map(|text| number("limit", &text)).transpose()?;
    if asked == Some(0) {
        return Err(Error::usage("limit: a page has at least one item."));
    }
    let held = (slurp && context.output.reshapes()).then(Vec::new);
    let mut array = Array { output: &context.output, written: 0, open: false, held };
    let got = get(context, client, &request, PageQuery { start, is_asked: asked.is_some() }, &mut array).await;
    let written = array.written;
    match got {
        Ok(()) => array.close(),
        // Nothing came, so nothing is printed, as with any request that fails.
        Err(error) if written == 0 || array.held.is_some() => Err(error),
        Err(error) => {
            array.close()?;
            let came = format!("{written} items came before that.");
            if error.code() == codes::command::STILL_RUNNING.code {
                // At that offset, other rows are now.
                return Err(error.also(came));
            }
            let next = start + written;
            Err(error.also(format!("{came} The rest: the same command with -f offset={next}")))
        }
    }
}

/// Where the pages begin, and whether the user chose how large they are.
#[derive(Clone, Copy)]
struct PageQuery {
    start: usize,
    is_asked: bool,
}

fn number(name: &str, text: &str) -> Result<usize> {
    text.parse().map_err(|_| Error::usage(format!("{name}: \"{text}\" is no number of items.")))
}

/// Gets page after page into the array.
async fn get(
    context: &Context,
    client: &Client,
    request: &ApiRequest,
    page: PageQuery,
    array: &mut Array<'_>,
) -> Result<()> {
    let reading = Reading {
        start: page.start,
        size: paging::LARGEST,
        may_shrink: !page.is_asked,
        same: |one: &Value, other| one == other,
        decode: rows,
    };
    let call = async |size: u32, offset: usize| page.call(context, client, request, size, offset).await;
    let take = |rows: &[Value], _: &Answer| if rows.is_empty() { Ok(true) } else { array.write(rows).map(|()| true) };
    let end = client.pages(reading, call, take).await;
    match end {
        Ok(ListEnd::Read) => Ok(()),
        Ok(ListEnd::Moved(error)) => Err(moved(request, error)),
        // The path takes no offset: what it has comes at once.
        Err(refused) if array.written == 0 && page.is_of_all() && is_unpaged(&refused) => {
            let whole = client.send(request.call(context, client, &[]).await?).await?;
            array.write(&rows(&whole)?)
        }
        Err(refused) if is_unpaged(&refused) => {
            Err(refused.hint("If this path is not read in pages, leave out --paginate."))
        }
        Err(error) => Err(error),
    }
}

fn rows(answer: &Answer) -> Result<Vec<Value>> {
    list(answer.json()?)
        .ok_or_else(|| Error::of(&codes::command::NO_LIST, "The answer is no list, so it has no pages."))
}

/// Whether the service refused the parameter of the pages itself.
fn is_unpaged(refused: &Error) -> bool {
    refused.http_status() == Some(400) && refused.detail("field") == Some("offset")
}

/// The list changed: what was printed is its beginning as it was, and going on at an offset would not be sound.
fn moved(request: &ApiRequest, error: Error) -> Error {
    let is_of_orders = request.path.split('?').next().is_some_and(|path| path.ends_with("/sync/orders"));
    if is_of_orders {
        error.also(Hint::run("Or read it while it changes", "ordersync orders export -o json"))
    } else {
        error
    }
}

impl PageQuery {
    /// The request for the page at this offset.
    async fn call(
        self,
        context: &Context,
        client: &Client,
        request: &ApiRequest,
        size: u32,
        offset: usize,
    ) -> Result<Call> {
        let mut more = vec![("offset", offset.to_string())];
        if !self.is_asked {
            more.push(("limit", size.to_string()));
        }
        request.call(context, client, &more).await
    }

    /// Whether the user asked for nothing but all pages.
    const fn is_of_all(self) -> bool {
        self.start == 0 && !self.is_asked
    }
}

/// A JSON array that is written while its items come, and is valid however it ends: Ctrl-C, too, closes it.
struct Array<'a> {
    output: &'a Output,
    written: usize,
    open: bool,
    /// The items for a filter that gets all of them; of a part of them, its result would be wrong.
    held: Option<Vec<Value>>,
}

impl Array<'_> {
    fn write(&mut self, rows: &[Value]) -> Result<()> {
        if let Some(held) = &mut self.held {
            held.extend_from_slice(rows);
            self.written += rows.len();
            return Ok(());
        }
        if self.output.reshapes() {
            // A filter gets a page at a time: nobody waits for the last one, and memory holds one.
            self.output.shown(rows)?;
            self.written += rows.len();
            return Ok(());
        }
        let mut text = Vec::new();
        let layout = self.output.layout();
        for row in rows {
            let plain = row.to_string().into_bytes();
            text.extend_from_slice(match (self.written, layout.indented) {
                (0, false) => b"[",
                (0, true) => b"[\n  ",
                (_, false) => b",\n ",
                (_, true) => b",\n  ",
            });
            if layout.indented || layout.coloured {
                text.extend(layout.document(&plain, 1).unwrap_or(plain));
            } else {
                text.extend(plain);
            }
            self.written += 1;
        }
        // Until the whole page is out, nothing can close the array: a failure to write is the end of the output.
        self.open = false;
        self.output.raw(&text)?;
        self.open = self.written > 0;
        Ok(())
    }

    /// Ends the array.
    fn close(mut self) -> Result<()> {
        self.open = false;
        if let Some(held) = self.held.take() {
            return self.output.shown(&held).map(drop);
        }
        if self.output.reshapes() {
            return Ok(());
        }
        let is_indented = self.output.layout().indented;
        self.output.raw(match (self.written, is_indented) {
            (0, _) => b"[]\n",
            (_, false) => b"]\n",
            (_, true) => b"\n]\n",
        })
    }
}

impl Drop for Array<'_> {
    fn drop(&mut self) {
        if self.open {
            // A user who interrupts has no use for a second error.
            let _ = self.output.raw(if self.output.layout().indented { b"\n]\n" } else { b"]\n" });
        }
    }
}

/// A parameter of the query, wherever it was given.
fn parameter<'a>(request: &'a ApiRequest, name: &str) -> Option<Cow<'a, str>> {
    let query = request.path.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let in_path = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value);
    in_path.or_else(|| request.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.into()))
}
