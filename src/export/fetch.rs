//! Pages on their way: while one is decoded and written on a thread of its own, the next are fetched. Their places are
//! foreseen; if the plan wants another page than the foreseen, what was fetched ahead is dropped. If the list stays
//! the same, and the sink takes them, pages are asked for as CSV.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use chrono::DateTime;
use futures::stream::{FuturesOrdered, StreamExt as _};
use ordersync_api::Timestamp;
use tokio::sync::mpsc;

use super::checkpoint::CheckpointWriter;
use super::digest::still_changing;
use super::eta::Eta;
use super::list_version::ListChange;
use super::plan::{ListHeaders, Next, PageRow, Plan, PlanState, Step};
use super::row::{Column, Row};
use super::sort_order::{self, Place};
use super::{Done, PAGE, PATIENCE, Sink};
use crate::client::{Client, Lines, OrderFilter, PageForm, WirePage, adjustments_not_reported, paging};
use crate::context::Context;
use crate::errors::{Error, Result, codes};
use crate::time_zone::Days;

/// Pages that are fetched or wait to be written.
const AHEAD: usize = 3;
/// After so long without a page, how far the export has come is kept: the next page may be minutes away.
const QUIET: Duration = Duration::from_millis(200);
/// So many pages without a new row are no sign yet that rows come in as fast as they are read.
const MOST_IDLE: u32 = 20;
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LAST_WAIT: Duration = Duration::from_secs(5);

/// What decodes and writes.
pub(super) struct Writer<S> {
    pub(super) plan: Plan,
    pub(super) sink: S,
    pub(super) checkpoint: Option<CheckpointWriter>,
    pub(super) filter: OrderFilter,
    /// An export is resumed unasked: its list must be unchanged.
    pub(super) is_automatic: bool,
}

/// What the writing thread is to do.
enum Task {
    Take(WirePage),
    Keep,
}

/// What the plan says after a page.
struct PlanVerdict {
    step: Step,
    next: Next,
    form: PageForm,
    rows: u64,
    total: Option<u64>,
    /// How many rows the service gives at once.
    largest: u64,
    change: ListChange,
}

/// Reads to the end of the list.
pub(super) async fn read<S: Sink + 'static>(
    context: &Context,
    client: &Client,
    filter: &OrderFilter,
    page_size: Option<u32>,
    is_beside: bool,
    writer: Writer<S>,
) -> Result<Done<S>> {
    let (tasks, taken) = mpsc::channel(1);
    let (said, mut verdicts) = mpsc::channel(1);
    let (next, rows) = (writer.plan.next(), writer.plan.state().rows);
    let resumed = writer.is_automatic.then(|| writer.plan.state().come());
    let thread = tokio::task::spawn_blocking(move || writer.work(taken, &said));
    let size = page_size.unwrap_or(PAGE);
    let mut fetching = Fetching {
        context,
        client,
        filter,
        next,
        form: PageForm::Json,
        total: None,
        rows,
        resumed,
        change: ListChange::Unchanged,
        size,
        stride: size.into(),
        was_accepted: false,
        refuses_csv: false,
        is_beside,
    };
    let fetched = fetching.run(tasks, &mut verdicts).await;
    // The thread ends where no more pages come; what it failed with comes before what it was waiting for.
    let written = thread.await.map_err(|why| Error::of(&codes::command::FAULT, format!("A thread failed: {why}.")))?;
    let writer = written?;
    fetched?;
    if writer.plan.is_end_assumed() {
        context.output.warn(
            "Items were added to the list all the while, so nothing proves that its end was reached. Export again later.",
        );
    }
    let state = writer.plan.state();
    let (count, incomplete, version) = (state.written(), state.incomplete, state.version.clone());
    Ok(Done { count, incomplete, version, sink: writer.sink })
}

struct Fetching<'a> {
    context: &'a Context,
    client: &'a Client,
    filter: &'a OrderFilter,
    next: Next,
    form: PageForm,
    /// How many rows match; `None` as long as no page was read, or where the service does not say.
    total: Option<u64>,
    rows: u64,
    /// After how many rows an export is resumed unasked, until its list is known to be unchanged.
    resumed: Option<String>,
    change: ListChange,
    /// How many rows are asked for at once.
    size: u32,
    /// How many rows the service gives then: the next page is foreseen there.
    stride: u64,
    /// Whether a page of that size has come.
    was_accepted: bool,
    refuses_csv: bool,
    is_beside: bool,
}

impl Fetching<'_> {
    async fn run(&mut self, tasks: mpsc::Sender<Task>, verdicts: &mut mpsc::Receiver<PlanVerdict>) -> Result<()> {
        let output = &self.context.output;
        let mut progress = if self.is_beside { output.progress_beside_result() } else { output.progress() };
        let report = Eta::new(Instant::now(), self.rows);
        let (mut last_new, mut idle) = (Instant::now(), 0);
        let mut wait = FIRST_WAIT;
        let (mut coming, mut ready) = (FuturesOrdered::new(), VecDeque::new());
        // Where the pages begin that come or are ready, and the row after the last of them.
        let (mut places, mut end) = (VecDeque::new(), self.next.offset + 1);
        let (mut is_writing, mut is_kept) = (false, true);
        loop {
            // Without a count it is unknown whether there is another page.
            let is_first = places.is_empty() && !is_writing;
            let is_foreseen = self.total.is_some_and(|total| end < total);
            if places.len() < AHEAD && (is_first || is_foreseen) {
                let offset = if self.next.after { end } else { end - 1 };
                let form = if self.next.after { self.form } else { PageForm::Json };
                coming.push_back(self.client.orders_page(self.filter, self.size, offset, form));
                places.push_back(offset);
                end = offset + self.stride;
                continue;
            }
            if !is_writing && let Some(page) = ready.pop_front() {
                let page: WirePage = match page {
                    Err(error) => {
                        self.ask_otherwise(error)?;
                        (coming, ready, places) = (FuturesOrdered::new(), VecDeque::new(), VecDeque::new());
                        end = self.next.offset + 1;
                        continue;
                    }
                    Ok(page) => page,
                };
                places.pop_front();
                (is_writing, self.was_accepted) = (true, true);
                if tasks.send(Task::Take(page)).await.is_err() {
                    return Ok(());
                }
                continue;
            }
            tokio::select! {
                verdict = verdicts.recv(), if is_writing => {
                    let Some(PlanVerdict { step, next, form, rows, total, largest, change }) = verdict else {
                        return Ok(());
                    };
                    self.tell_change(change);
                    if rows > self.rows {
                        (self.rows, last_new, idle, wait) = (rows, Instant::now(), 0, FIRST_WAIT);
                    }
                    self.stride = if largest == 0 { self.size.into() } else { largest.min(self.size.into()) };
                    progress.count("Export", &report.text(Instant::now(), rows, total));
                    (is_writing, is_kept) = (false, false);
                    (self.next, self.total) = (next, total);
                    self.form = if self.refuses_csv { PageForm::Json } else { form };
                    let is_good = |place: &u64| *place == next.offset || (next.after && *place == next.offset + 1);
                    let give_up = self.context.deadline.unwrap_or(last_new + PATIENCE);
                    idle += 1;
                    match step {
                        Step::End => return Ok(()),
                        // Rows come in above as fast as they are read.
                        Step::Next if idle > MOST_IDLE && Instant::now() > give_up => return Err(still_changing()),
                        Step::Next if places.front().is_some_and(is_good) => continue,
                        Step::Next => {}
                        Step::Wait if Instant::now() + wait > give_up => return Err(still_changing()),
                        Step::Wait => {
                            progress.update("Export", "the list changed, or its end is missing; reading again", "", None);
                            tokio::time::sleep(wait).await;
                            wait = (wait * 2).min(LAST_WAIT);
                        }
                    }
                    coming = FuturesOrdered::new();
                    ready.clear();
                    places.clear();
                    end = next.offset + 1;
                }
                Some(page) = coming.next(), if !coming.is_empty() => ready.push_back(page),
                () = tokio::time::sleep(QUIET), if !is_writing && !is_kept => {
                    is_kept = true;
                    if tasks.send(Task::Keep).await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}

impl Fetching<'_> {
    /// Says once whether the list of an export that is resumed has changed.
    fn tell_change(&mut self, change: ListChange) {
        if let Some(come) = self.resumed.take() {
            self.context.output.note(format!("Resuming after {come}."));
        }
        if std::mem::replace(&mut self.change, change) != change
            && let Some(warning) = change.warning()
        {
            self.context.output.warn(warning);
        }
    }

    /// After a page that the service refused: as JSON, or with fewer rows, if the form or the size may be why.
    fn ask_otherwise(&mut self, refused: Error) -> Result<()> {
        if self.form == PageForm::Csv && matches!(refused.http_status(), Some(400 | 406 | 415 | 422 | 500 | 501)) {
            (self.form, self.refuses_csv) = (PageForm::Json, true);
            return Ok(());
        }
        let Some(size) = paging::smaller(self.size, &refused, self.was_accepted) else { return Err(refused) };
        self.context.output.note(format!("The service refuses pages of {} items: asking for {size}.", self.size));
        (self.size, self.stride) = (size, size.into());
        Ok(())
    }
}

impl<S: Sink> Writer<S> {
    fn work(mut self, mut tasks: mpsc::Receiver<Task>, said: &mpsc::Sender<PlanVerdict>) -> Result<Self> {
        let takes_lines = self.sink.takes_lines() && !self.plan.is_ignoring_count() && self.filter.days.is_none();
        let (mut fresh, mut form) = (Vec::new(), if takes_lines { PageForm::Csv } else { PageForm::Json });
        while let Some(task) = tasks.blocking_recv() {
            let page = match task {
                Task::Take(page) => page,
                Task::Keep => {
                    self.keep(true)?;
                    continue;
                }
            };
            let change = self.plan.note_version(page.told().version);
            if self.is_automatic {
                change.require_none()?;
            }
            self.plan.note_incomplete(page.incomplete());
            let step = match page.form {
                PageForm::Json => self.take(&page, &mut fresh)?,
                PageForm::Csv => match page.lines() {
                    Some(lines) => self.take_lines(lines, page.told())?,
                    None => {
                        form = PageForm::Json;
                        self.plan.in_vain()
                    }
                },
            };
            self.sink.flush()?;
            self.keep(false)?;
            let PlanState { rows, total, .. } = *self.plan.state();
            // Where the list ends, there may be no line of CSV to say so.
            let form = if self.plan.is_probing() { PageForm::Json } else { form };
            let (next, largest) = (self.plan.next(), self.plan.largest());
            if said.blocking_send(PlanVerdict { step, next, form, rows, total, largest, change }).is_err() {
                break;
            }
        }
        self.keep(true)?;
        Ok(self)
    }

    fn take(&mut self, page: &WirePage, fresh: &mut Vec<bool>) -> Result<Step> {
        let mut rows = page.rows().map_err(|why| self.kept_before(why))?;
        let mut dates = Dates::default();
        let entries = rows.iter().map(|row| entry(row, &self.filter, &mut dates)).collect::<Result<Vec<_>>>();
        let entries = entries.map_err(|why| self.kept_before(why))?;
        if let Some(id) = shared_id(&rows) {
            let message = format!("The service lists different items under the id \"{id}\".");
            let error = Error::of(&codes::network::UNEXPECTED_ANSWER, message);
            return Err(
                self.kept_before(error.hint("With one id, nobody can tell which of them was exported already."))
            );
        }
        if self.filter.with_adjustments && rows.iter().any(|row| !row.has(Column::OrderAdjustments)) {
            return Err(self.kept_before(adjustments_not_reported()));
        }
        let is_known = self.sink.list(page.told().version);
        if is_known && self.plan.state().frontier.is_none() {
            return Ok(Step::End);
        }
        let after = page.offset != self.plan.next().offset;
        let step = self.plan.take(&entries, after, page.told(), fresh)?;
        let mut is_fresh = fresh.iter();
        rows.retain(|_| is_fresh.next().copied().unwrap_or_default());
        if let Some(days) = &self.filter.days {
            let read = rows.len();
            rows.retain(|row| is_on(row, days));
            self.plan.omit((read - rows.len()) as u64);
        }
        if !rows.is_empty() {
            self.sink.rows(&rows)?;
        }
        Ok(if self.sink.is_full() { Step::End } else { step })
    }

    fn take_lines(&mut self, lines: Lines<'_>, told: ListHeaders<'_>) -> Result<Step> {
        let Some(step) = self.plan.take_unseen(told.asked, lines.rows, lines.last, told) else {
            return Ok(self.plan.in_vain());
        };
        // The oldest of the page; the lines show no other field that the filter names.
        let date = lines.last.date.and_then(DateTime::from_timestamp_micros).map(|at| Timestamp(at).to_string());
        self.filter.check(lines.last.id, None, date.as_deref())?;
        self.sink.lines(lines.text)?;
        Ok(step)
    }

    /// Keeps the pages before one that cannot be read, so that a resumed export does not read them again.
    fn kept_before(&mut self, why: Error) -> Error {
        // What was kept earlier is good, too; the page is what the user has to know of.
        let _ = self.keep(true);
        why
    }

    fn keep(&mut self, now: bool) -> Result<()> {
        let (Some(checkpoint), Some(bytes)) = (&mut self.checkpoint, self.sink.position()) else { return Ok(()) };
        let state = self.plan.state();
        if !self.plan.is_resumable() || state.rows == 0 {
            return Ok(());
        }
        if now { checkpoint.write(state, bytes) } else { checkpoint.page(state, bytes) }
    }
}

/// Whether an item was bought on one of these days. One without a date is as the service says.
fn is_on(row: &Row<'_>, days: &Days) -> bool {
    let at = row.text(Column::OrderDate).and_then(|text| text.parse::<Timestamp>().ok());
    at.is_none_or(|at| days.contain(at.0))
}

fn entry<'a>(row: &'a Row<'_>, filter: &OrderFilter, dates: &mut Dates<'a>) -> Result<PageRow<'a>> {
    let Some(id) = row.text(Column::Id).filter(|id| !id.is_empty()) else {
        return Err(Error::of(&codes::network::UNEXPECTED_ANSWER, "The service lists an item without an id.")
            .hint("Without one, nobody can tell whether an item was exported already."));
    };
    filter.check(id, row.text(Column::RetailerId), row.text(Column::OrderDate))?;
    let date = match row.text(Column::OrderDate) {
        None => Some(None),
        Some(text) => dates.micros(text).map(Some),
    };
    Ok(PageRow { id, place: date.map(|date| Place { date, id }) })
}

/// The id of items of a page that differ although they have one id: such as that of their order.
fn shared_id<'a>(rows: &'a [Row<'_>]) -> Option<&'a str> {
    let mut known = HashMap::with_capacity(rows.len());
    let mut differs = |row: &'a Row<'_>| *known.entry(row.text(Column::Id)).or_insert(row.raw()) != row.raw();
    rows.iter().find_map(|row| differs(row).then(|| row.text(Column::Id)))?
}

/// The items of an order have one date, and follow each other.
#[derive(Default)]
struct Dates<'a>(Option<(&'a str, i64)>);

impl<'a> Dates<'a> {
    fn micros(&mut self, text: &'a str) -> Option<i64> {
        match self.0 {
            Some((last, micros)) if last == text => Some(micros),
            _ => {
                let micros = sort_order::micros(text)?;
                self.0 = Some((text, micros));
                Some(micros)
            }
        }
    }
}
