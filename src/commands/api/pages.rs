//! Every page of a list, as one JSON array that is written while it comes.

use std::borrow::Cow;

use reqwest::Method;
use serde_json::Value;
use url::form_urlencoded;

use super::{ApiRequest, list};
use crate::client::request::Call;
use crate::client::trail::{PageKind as Follows, Trail};
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
        return Err(
            Error::usage("--paginate counts for itself.").hint("Begin further on with -f offset=N, outside the path.")
        );
    }
    let (page, is_asked) = match parameter(&request, "limit") {
        None => (paging::LARGEST as usize, false),
        Some(text) => match number("limit", &text)? {
            0 => return Err(Error::usage("limit: a page has at least one item.")),
            limit => (limit, true),
        },
    };
    let held = (slurp && context.output.reshapes()).then(Vec::new);
    let mut array = Array { output: &context.output, written: 0, open: false, held };
    let got = get(context, client, &request, PageQuery { start, size: page, is_asked }, &mut array).await;
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

/// Where the pages begin, how large they are, and whether that was asked for.
#[derive(Clone, Copy)]
struct PageQuery {
    start: usize,
    size: usize,
    is_asked: bool,
}

fn number(name: &str, text: &str) -> Result<usize> {
    text.parse().map_err(|_| Error::usage(format!("{name}: \"{text}\" is no number of items.")))
}

/// So many pages in a row that bring few items: the list grows at its end as fast as it is read.
const TRICKLE: u32 = 100;
/// Few items are less than this part of the largest page.
const FEW: usize = 10;

/// Gets page after page into the array.
async fn get(
    context: &Context,
    client: &Client,
    request: &ApiRequest,
    mut page: PageQuery,
    array: &mut Array<'_>,
) -> Result<()> {
    let mut trail = Trail::new(|one: &Value, other| one == other);
    let (mut largest, mut few) = (0, 0);
    loop {
        let offset = page.start + array.written - trail.overlap();
        let answer = match client.send(page.call(context, client, request, offset).await?).await {
            // The path takes no offset: what it has comes at once.
            Err(refused) if array.written == 0 && page.is_of_all() && is_unpaged(&refused) => {
                let whole = client.send(request.call(context, client, &[]).await?).await?;
                return array.write(&rows(&whole)?);
            }
            Err(refused) => {
                page = page.smaller(&refused).ok_or_else(|| unpaged(refused))?;
                continue;
            }
            Ok(answer) => answer,
        };
        let rows = rows(&answer)?;
        match trail.judge(&rows, &answer) {
            Follows::More(known) => array.write(&rows[known..])?,
            Follows::End => return Ok(()),
            Follows::EndIfUnmoved => {
                let again = client.send(page.call(context, client, request, page.start).await?).await?;
                return if trail.is_first(&self::rows(&again)?) { Ok(()) } else { Err(moved(request, &trail)) };
            }
            Follows::Moved => return Err(moved(request, &trail)),
        }
        largest = largest.max(rows.len());
        few = if rows.len() * FEW < largest { few + 1 } else { 0 };
        if few > TRICKLE {
            return Err(Error::of(&codes::command::STILL_RUNNING, "The list grows as fast as it is read."));
        }
        if answer.counts_to(page.start + array.written) {
            return Ok(());
        }
        trail.take(rows, &answer);
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

fn unpaged(refused: Error) -> Error {
    if is_unpaged(&refused) {
        return refused.hint("If this path is not read in pages, leave out --paginate.");
    }
    refused
}

/// The list changed: what was printed is its beginning as it was, and going on at an offset would not be sound.
fn moved(request: &ApiRequest, trail: &Trail<Value>) -> Error {
    let is_of_orders = request.path.split('?').next().is_some_and(|path| path.ends_with("/sync/orders"));
    let error = trail.moved();
    if is_of_orders {
        error.also(Hint::run("Or read it while it changes", "ordersync orders export -o json"))
    } else {
        error
    }
}

impl PageQuery {
    /// The request for the page at this offset.
    async fn call(self, context: &Context, client: &Client, request: &ApiRequest, offset: usize) -> Result<Call> {
        let mut more = vec![("offset", offset.to_string())];
        if !self.is_asked {
            more.push(("limit", self.size.to_string()));
        }
        request.call(context, client, &more).await
    }

    /// Whether the user asked for nothing but all pages.
    const fn is_of_all(self) -> bool {
        self.start == 0 && !self.is_asked
    }

    /// A page with fewer items, if the service may have refused it for their number, and the user did not choose it.
    fn smaller(self, refused: &Error) -> Option<Self> {
        let size = u32::try_from(self.size).ok().filter(|_| !self.is_asked)?;
        Some(Self { size: paging::smaller(size, refused)? as usize, ..self })
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
