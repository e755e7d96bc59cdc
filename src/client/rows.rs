//! The rows of a list that fits into memory, whatever the page size of the service. If the list changes while it is
//! read, it is read again.

use std::time::Duration;

use ordersync_api::List;
use serde::de::DeserializeOwned;

use super::page::Incomplete;
use super::request::Call;
use super::trail::{PageKind, Trail};
use super::{Client, paging};
use crate::errors::{Error, Result, codes};

/// A list with more pages than this does not fit.
const MOST_PAGES: usize = 1000;
/// How many times a changing list is read.
const MOST_READINGS: u32 = 5;
const WAIT: Duration = Duration::from_millis(200);

/// A range of rows in a list.
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
    /// Reads the rows. `call` builds the request for a `limit` and an `offset`; `same` says whether two rows are the
    /// same item.
    pub(super) async fn rows<T: DeserializeOwned + Clone>(
        &self,
        call: impl Fn(u32, usize) -> Result<Call>,
        same: fn(&T, &T) -> bool,
        mut span: Span,
    ) -> Result<Listed<T>> {
        let mut readings = 0;
        loop {
            let mut trail = Trail::new(same);
            if let Some(listed) = self.reading(&call, &mut trail, &mut span).await? {
                return Ok(listed);
            }
            readings += 1;
            if readings == MOST_READINGS {
                return Err(trail.moved());
            }
            tokio::time::sleep(WAIT * readings).await;
        }
    }

    /// Reads the rows once; `None`: the list changed meanwhile.
    async fn reading<T: DeserializeOwned + Clone>(
        &self,
        call: &impl Fn(u32, usize) -> Result<Call>,
        trail: &mut Trail<T>,
        span: &mut Span,
    ) -> Result<Option<Listed<T>>> {
        let (mut all, mut incomplete) = (Vec::new(), Incomplete::default());
        for _ in 0..MOST_PAGES {
            let offset = span.start.saturating_add(all.len()) - trail.overlap();
            let answer = match self.send(call(span.size, offset)?).await {
                Err(refused) => {
                    span.size = paging::smaller(span.size, &refused).ok_or(refused)?;
                    continue;
                }
                Ok(answer) => answer,
            };
            let rows = answer.json::<List<T>>()?.0;
            incomplete = incomplete.and(answer.incomplete());
            let is_end = match trail.judge(&rows, &answer) {
                PageKind::More(known) => {
                    all.extend(rows.iter().skip(known).cloned());
                    trail.take(rows, &answer);
                    all.len() >= span.most || answer.counts_to(span.start.saturating_add(all.len()))
                }
                PageKind::End => true,
                PageKind::EndIfUnmoved => {
                    let again = self.send(call(span.size, span.start)?).await?.json::<List<T>>()?.0;
                    if !trail.is_first(&again) {
                        return Ok(None);
                    }
                    true
                }
                PageKind::Moved => return Ok(None),
            };
            if is_end {
                all.truncate(span.most);
                return Ok(Some(Listed { rows: all, total: answer.total(), incomplete }));
            }
        }
        Err(Error::of(&codes::network::UNEXPECTED_ANSWER, "The service gives a list without end."))
    }
}
