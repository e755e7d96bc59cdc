//! Pages on their way: while one is decoded and written on a thread of its own, the next are fetched. Their places are
//! foreseen; where the plan wants another page than the foreseen, what was fetched ahead is dropped.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use futures::stream::{FuturesOrdered, StreamExt as _};
use tokio::sync::mpsc;

use super::order::Key;
use super::part::Keeper;
use super::plan::{Entry, Plan, State, Step};
use super::report::Report;
use super::row::{Column, Row};
use super::{Done, PAGE, PATIENCE, Sink, digest, still_changing};
use crate::client::{Client, OrderFilter, WirePage};
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};

/// Pages that are fetched or wait to be written.
const AHEAD: usize = 2;
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LAST_WAIT: Duration = Duration::from_secs(5);

/// What decodes and writes.
pub(super) struct Writer<S> {
    pub(super) plan: Plan,
    pub(super) sink: S,
    pub(super) keeper: Option<Keeper>,
}

/// What the plan says after a page.
struct Verdict {
    step: Step,
    offset: u64,
    rows: u64,
    total: Option<u64>,
}

/// Reads to the end of the list.
pub(super) async fn read<S: Sink + 'static>(
    context: &Context,
    client: &Client,
    filter: &OrderFilter,
    is_beside: bool,
    writer: Writer<S>,
) -> Result<Done<S>> {
    let (pages, taken) = mpsc::channel(1);
    let (said, mut verdicts) = mpsc::channel(1);
    let State { offset, total, rows, .. } = writer.plan.state().clone();
    let thread = tokio::task::spawn_blocking(move || writer.work(taken, &said));
    let mut fetching = Fetching { context, client, filter, offset, total, rows, is_beside };
    let fetched = fetching.run(pages, &mut verdicts).await;
    // The thread ends where no more pages come; what it failed with comes before what it was waiting for.
    let written = thread.await.map_err(|why| Error::of(&codes::command::FAULT, format!("A thread failed: {why}.")))?;
    let writer = written?;
    fetched?;
    Ok(Done { count: writer.plan.state().rows, sink: writer.sink })
}

struct Fetching<'a> {
    context: &'a Context,
    client: &'a Client,
    filter: &'a OrderFilter,
    offset: u64,
    total: Option<u64>,
    rows: u64,
    is_beside: bool,
}

impl Fetching<'_> {
    async fn run(&mut self, pages: mpsc::Sender<WirePage>, verdicts: &mut mpsc::Receiver<Verdict>) -> Result<()> {
        let output = &self.context.output;
        let mut progress = if self.is_beside { output.progress_beside_result() } else { output.progress() };
        let report = Report::new(Instant::now(), self.rows).planned_with(self.client.budget().await);
        let give_up = self.context.deadline.unwrap_or_else(|| Instant::now() + PATIENCE);
        let mut wait = FIRST_WAIT;
        let (mut coming, mut ready) = (FuturesOrdered::new(), VecDeque::new());
        let (mut next, mut is_writing) = (self.offset, false);
        loop {
            // Without a count nobody knows whether there is another page.
            let is_first = coming.is_empty() && ready.is_empty() && !is_writing;
            let is_foreseen = self.total.is_some_and(|total| next + 1 < total);
            if coming.len() + ready.len() < AHEAD && (is_first || is_foreseen) {
                coming.push_back(self.client.orders_page(self.filter, PAGE, next));
                next += u64::from(PAGE) - 1;
                continue;
            }
            if !is_writing && let Some(page) = ready.pop_front() {
                let page: WirePage = page?;
                self.total = page.total;
                is_writing = true;
                if pages.send(page).await.is_err() {
                    return Ok(());
                }
                continue;
            }
            tokio::select! {
                verdict = verdicts.recv(), if is_writing => {
                    let Some(Verdict { step, offset, rows, total }) = verdict else { return Ok(()) };
                    progress.count("Export", &report.text(Instant::now(), rows, total));
                    is_writing = false;
                    let foreseen = self.offset + u64::from(PAGE) - 1;
                    self.offset = offset;
                    match step {
                        Step::End => return Ok(()),
                        Step::Next if offset == foreseen && next > offset => continue,
                        Step::Next => {}
                        Step::Wait if Instant::now() + wait > give_up => return Err(still_changing()),
                        Step::Wait => {
                            progress.update("Export", "orders changed while they were read; reading again", "", None);
                            tokio::time::sleep(wait).await;
                            wait = (wait * 2).min(LAST_WAIT);
                        }
                    }
                    (coming, next) = (FuturesOrdered::new(), offset);
                    ready.clear();
                }
                Some(page) = coming.next(), if !coming.is_empty() => ready.push_back(page),
            }
        }
    }
}

impl<S: Sink> Writer<S> {
    fn work(mut self, mut pages: mpsc::Receiver<WirePage>, said: &mpsc::Sender<Verdict>) -> Result<Self> {
        let mut fresh = Vec::new();
        while let Some(page) = pages.blocking_recv() {
            let step = self.take(&page, &mut fresh)?;
            let State { offset, rows, total, .. } = *self.plan.state();
            if said.blocking_send(Verdict { step, offset, rows, total }).is_err() {
                break;
            }
        }
        self.keep(true)?;
        Ok(self)
    }

    fn take(&mut self, page: &WirePage, fresh: &mut Vec<bool>) -> Result<Step> {
        let mut rows = page.rows()?;
        let entries = rows.iter().map(entry).collect::<Result<Vec<Entry>>>()?;
        let step = self.plan.take(&entries, page.total, fresh)?;
        let mut is_fresh = fresh.iter();
        rows.retain(|_| is_fresh.next().copied().unwrap_or_default());
        if !rows.is_empty() {
            self.sink.rows(&rows)?;
            self.sink.flush()?;
        }
        self.keep(false)?;
        Ok(step)
    }

    fn keep(&mut self, now: bool) -> Result<()> {
        let (Some(keeper), Some(bytes)) = (&mut self.keeper, self.sink.position()) else { return Ok(()) };
        let state = self.plan.state();
        if !self.plan.is_resumable() || state.rows == 0 {
            return Ok(());
        }
        if now { keeper.write(state, bytes) } else { keeper.page(state, bytes) }
    }
}

fn entry(row: &Row<'_>) -> Result<Entry> {
    let Some(id) = row.text(Column::Id) else {
        return Err(Error::of(&codes::network::UNEXPECTED_ANSWER, "The service lists an item without an id.")
            .hint("Without one, nobody can tell whether an item was exported already."));
    };
    let date = match row.text(Column::OrderDate) {
        None => Some(None),
        Some(text) => chrono::DateTime::parse_from_rfc3339(text).ok().map(|date| Some(date.timestamp_micros())),
    };
    Ok(Entry { digest: digest(id), key: date.map(|date| Key { date, id: id.to_owned() }) })
}
