//! The rows of a list that fits into memory, whatever the size of the service's pages. If the list moves while it is read,
//! it is read again.

use std::time::Duration;

use ordersync_api::List;
use serde::de::DeserializeOwned;

use super::request::Call;
use super::trail::{PageKind, Trail};
use super::{Client, paging};
use crate::codes;
use crate::error::{Error, Result};

/// More pages than this are no such list.
const MOST_PAGES: usize = 1000;
/// A list that moves is read so many times.
const MOST_READINGS: u32 = 5;
const WAIT: Duration = Duration::from_millis(200);

/// Which rows of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    /// The first one.
    pub(super) start: usize,
    /// So many at most.
    pub(super) most: usize,
    /// So many are asked for at once.
    pub(super) size: u32,
}

/// Rows of a list, and how many it has in all, if the service says so.
#[derive(Debug)]
pub(super) struct Listed<T> {
    pub(super) rows: Vec<T>,
    pub(super) total: Option<u64>,
}

impl Client {
    /// Reads them. `call` makes the request of a `limit` and an `offset`; `same` says whether two rows are one.
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

    /// Reads them once; `None`: the list moved.
    async fn reading<T: DeserializeOwned + Clone>(
        &self,
        call: &impl Fn(u32, usize) -> Result<Call>,
        trail: &mut Trail<T>,
        span: &mut Span,
    ) -> Result<Option<Listed<T>>> {
        let mut all = Vec::new();
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
                return Ok(Some(Listed { rows: all, total: answer.total() }));
            }
        }
        Err(Error::of(&codes::network::UNEXPECTED_ANSWER, "The service gives a list without end."))
    }
}
