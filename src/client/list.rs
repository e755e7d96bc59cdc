//! A list that the service gives in pages, read to its end. Rows that are added or removed above shift all others, so a
//! page begins with the last row of the previous one, unless the service names the list's version with each page
//! (`X-List-Version`). An export reads a list that keeps changing with a plan of its own (`export/plan`).

use std::time::Duration;

use ordersync_api::List;
use serde::de::DeserializeOwned;

use super::page::Incomplete;
use super::request::Call;
use super::{Answer, Client, paging};
use crate::errors::{Error, Hint, Result, codes};

/// A list with more pages than this does not fit into memory.
const MOST_PAGES: usize = 1000;
/// How many times a changing list is read.
const MOST_READINGS: u32 = 5;
const WAIT: Duration = Duration::from_millis(200);
/// After more pages in a row that bring few rows, the list counts as growing as fast as it is read.
const TRICKLE: u32 = 100;
/// Few rows are less than this part of the largest page.
const FEW: usize = 10;

/// How a list is read.
#[derive(Debug)]
pub(crate) struct Reading<T> {
    /// The index of the first row.
    pub(crate) start: usize,
    /// The page size to request.
    pub(crate) size: u32,
    /// Whether smaller pages may be requested if the service refuses that size.
    pub(crate) may_shrink: bool,
    /// Whether two rows are the same item.
    pub(crate) same: fn(&T, &T) -> bool,
    pub(crate) decode: fn(&Answer) -> Result<Vec<T>>,
}

/// How a reading ended.
#[derive(Debug)]
pub(crate) enum ListEnd {
    /// All that was wanted was read.
    Read,
    /// The list changed, which the error says.
    Moved(Error),
}

/// Rows that fit into memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    /// The index of the first row.
    pub(super) start: usize,
    /// The most rows to read.
    pub(super) most: usize,
    /// The page size to request.
    pub(super) size: u32,
}

/// Rows of a list, the length of the list if the service reports it, and what it says of the connections behind it.
#[derive(Debug)]
pub(super) struct Listed<T> {
    pub(super) rows: Vec<T>,
    pub(super) total: Option<u64>,
    pub(super) incomplete: Incomplete,
}

impl Client {
    /// Reads page after page, once. `call` builds the request for a page size and an offset; `take` gets the new rows of
    /// each page, and says whether more are wanted.
    pub(crate) async fn pages<T: Clone>(
        &self,
        reading: Reading<T>,
        call: impl AsyncFn(u32, usize) -> Result<Call>,
        mut take: impl FnMut(&[T], &Answer) -> Result<bool>,
    ) -> Result<ListEnd> {
        let Reading { start, mut size, may_shrink, same, decode } = reading;
        let mut trail = Trail::new(same);
        let (mut read, mut largest, mut few) = (0, 0, 0);
        loop {
            let offset = start.saturating_add(read) - trail.overlap();
            let answer = match self.send(call(size, offset).await?).await {
                Err(refused) => {
                    size = paging::smaller(size, &refused, read > 0).filter(|_| may_shrink).ok_or(refused)?;
                    continue;
                }
                Ok(answer) => answer,
            };
            let rows = decode(&answer)?;
            let known = match trail.judge(&rows, &answer) {
                PageKind::More(known) => known,
                PageKind::End => rows.len(),
                PageKind::EndIfUnmoved => {
                    let again = decode(&self.send(call(size, start).await?).await?)?;
                    if !trail.is_first(&again) {
                        return Ok(ListEnd::Moved(trail.moved()));
                    }
                    rows.len()
                }
                PageKind::Moved if rows.is_empty() => return Ok(ListEnd::Moved(nothing_at(offset))),
                PageKind::Moved => return Ok(ListEnd::Moved(trail.moved())),
            };
            let is_end = known == rows.len();
            let new = rows.get(known..).unwrap_or_default();
            read += new.len();
            if !take(new, &answer)? || is_end || answer.counts_to(start.saturating_add(read)) {
                return Ok(ListEnd::Read);
            }
            largest = largest.max(rows.len());
            few = if rows.len() * FEW < largest { few + 1 } else { 0 };
            if few > TRICKLE {
                return Err(Error::of(&codes::command::STILL_RUNNING, "The list grows as fast as it is read."));
            }
            trail.take(rows, &answer);
        }
    }

    /// Reads rows into memory. If the list changes meanwhile, it is read again.
    pub(super) async fn rows<T: DeserializeOwned + Clone>(
        &self,
        call: impl Fn(u32, usize) -> Result<Call>,
        same: fn(&T, &T) -> bool,
        span: Span,
    ) -> Result<Listed<T>> {
        let Span { start, most, size } = span;
        let decode = |answer: &Answer| answer.json::<List<T>>().map(|list| list.0);
        let mut readings = 0;
        loop {
            let (mut listed, mut pages) =
                (Listed { rows: Vec::new(), total: None, incomplete: Incomplete::default() }, 0);
            let reading = Reading { start, size, may_shrink: true, same, decode };
            let call = async |size: u32, offset: usize| call(size, offset);
            let end = self.pages(reading, call, |rows, answer| {
                listed.rows.extend_from_slice(rows);
                listed.total = answer.total();
                listed.incomplete = listed.incomplete.and(answer.incomplete());
                pages += 1;
                if pages > MOST_PAGES {
                    let message = format!("The list has more than {MOST_PAGES} pages.");
                    return Err(Error::of(&codes::network::UNEXPECTED_ANSWER, message));
                }
                Ok(listed.rows.len() < most)
            });
            match end.await? {
                ListEnd::Read => {
                    listed.rows.truncate(most);
                    return Ok(listed);
                }
                ListEnd::Moved(error) if readings + 1 == MOST_READINGS => return Err(error),
                ListEnd::Moved(_) => readings += 1,
            }
            tokio::time::sleep(WAIT * readings).await;
        }
    }
}

/// The error for a list that has nothing where its last row was.
fn nothing_at(offset: usize) -> Error {
    let message = format!(
        "The list changed while it was read, or the service takes offset as the number of a page: nothing is listed from \
         offset {offset} on, where something was before."
    );
    Error::of(&codes::command::STILL_RUNNING, message)
        .hint(Hint::run("Wait for the sync to end, then try again", "ordersync sessions watch"))
}

/// What has been read of a list so far.
#[derive(Debug)]
struct Trail<T> {
    same: fn(&T, &T) -> bool,
    first: Vec<T>,
    previous: Vec<T>,
    version: Option<String>,
}

/// How a page relates to what was read before.
#[derive(Debug, PartialEq, Eq)]
enum PageKind {
    /// The rows after the first `n` are new.
    More(usize),
    /// The list ends with the rows that were read.
    End,
    /// The list ends here if it still begins with the first page; otherwise it has changed.
    EndIfUnmoved,
    /// The list has changed, and it is unknown where to continue.
    Moved,
}

impl<T> Trail<T> {
    /// A trail before the first page; `same` says whether two rows are the same item.
    const fn new(same: fn(&T, &T) -> bool) -> Self {
        Self { same, first: Vec::new(), previous: Vec::new(), version: None }
    }

    /// How many rows before the first unread one the next page must begin.
    fn overlap(&self) -> usize {
        // If the service returns only one row at a time, a page that begins with a known row would never have a new
        // one.
        usize::from(self.version.is_none() && self.first.len() > 1)
    }

    /// Judges a page that was requested [that many](Self::overlap) rows early.
    fn judge(&self, rows: &[T], answer: &Answer) -> PageKind {
        let is_begun = !self.first.is_empty();
        match (&self.version, rows) {
            _ if !is_begun => {
                if rows.is_empty() {
                    PageKind::End
                } else {
                    PageKind::More(0)
                }
            }
            (Some(version), _) if answer.version() != Some(version) => PageKind::Moved,
            // Beyond the end, or whatever the offset, some services repeat the last page.
            (Some(_), _) => {
                if rows.is_empty() || self.are(rows, &self.previous) {
                    PageKind::End
                } else {
                    PageKind::More(0)
                }
            }
            (None, []) if self.first.len() == 1 => PageKind::EndIfUnmoved,
            // Either the service ignores the offset, or the list has grown by a page.
            (None, _) if self.is_first(rows) => PageKind::EndIfUnmoved,
            (None, [first, rest @ ..]) if self.first.len() > 1 && self.is_last(first) => {
                if rest.is_empty() {
                    PageKind::End
                } else {
                    PageKind::More(1)
                }
            }
            (None, _) => PageKind::Moved,
        }
    }

    /// Whether these are the rows of the first page.
    fn is_first(&self, rows: &[T]) -> bool {
        self.are(rows, &self.first)
    }

    fn are(&self, rows: &[T], known: &[T]) -> bool {
        rows.len() == known.len() && rows.iter().zip(known).all(|(row, known)| (self.same)(row, known))
    }

    fn is_last(&self, row: &T) -> bool {
        self.previous.last().is_some_and(|last| (self.same)(row, last))
    }

    /// The error for a list that has changed.
    fn moved(&self) -> Error {
        let message = match self.first.len() {
            1 => "The list changed while it was read, or the service gives one row at a time.",
            _ => "The list changed while it was read, so rows could be missing or doubled.",
        };
        Error::of(&codes::command::STILL_RUNNING, message)
            .hint(Hint::run("Wait for the sync to end, then try again", "ordersync sessions watch"))
    }
}

impl<T: Clone> Trail<T> {
    /// Records a page as read.
    fn take(&mut self, rows: Vec<T>, answer: &Answer) {
        if self.first.is_empty() {
            self.first.clone_from(&rows);
        }
        self.previous = rows;
        self.version = answer.version().map(str::to_owned);
    }
}
