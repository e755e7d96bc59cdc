//! Reading the orders: the whole list, then each order that is new, not settled or due to be read again, then the head of
//! the list once more.
//!
//! Each step does a bounded piece. A row that moves while the list is read (something was ordered) is neither lost nor
//! doubled: rows are distinguished by their number, and the list is read again until it shows no more than is known.

use std::collections::HashMap;

use ordersync_api::SyncErrorCode;
use tokio::time::Instant;

use super::list_scan::REPETITIONS;
use super::settings::Settings;
use super::state::{Scan, State, internal};
use super::visit::Read;
use super::{Oscar, Turn};
use crate::connector::egress::CookieJar;
use crate::connector::kit::check::{Check, Failure};
use crate::connector::kit::due::{DueOrders, Reread};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::{ConnectorError, Outcome, Page as Orders, ScanReport, StepContext};

/// Rows that one step deals with: a page of orders is stored in one transaction.
const ROWS_PER_STEP: usize = 20;
/// Orders that failed a check and are looked at once more.
const MAX_AGAIN: usize = 20;
/// Once so many orders have failed, and none has passed, the others are kept back unread.
const HOPELESS: usize = 40;
/// Order pages in a row that cannot be fetched before the retailer counts as out of order.
const MAX_UNREACHABLE_IN_ROW: u8 = 2;
/// Once so many order pages could not be fetched, a further one is not asked for again.
const MANY_UNREACHABLE: u8 = 5;

impl Oscar {
    /// A step of the scan. `None`: the shop has ended the sign-in.
    pub(super) async fn scan(
        &self,
        context: &StepContext<'_>,
        state: &mut State,
    ) -> Result<Option<Outcome>, ConnectorError> {
        let State { cookies, renewals, has_read, scan: Some(scan), .. } = &mut *state else {
            return Err(internal("There is no scan to continue."));
        };
        let mut turn = Turn { context, cookies, renewals, has_read };
        if scan.list.wanted().is_some() {
            return Ok(self.read_list(&mut turn, scan).await?.then_some(Outcome::Working));
        }
        if scan.due.is_none() {
            let Settings { reread_newest: newest, reread_oldest: oldest, .. } = *self.settings;
            let reread = Reread { newest, oldest, all: context.full };
            scan.due = Some(DueOrders::choose(context.known, &scan.list, reread, context.other_account).await?);
        }
        if scan.next < scan.list.orders().len() || scan.list.is_over() && scan.again_done < scan.again.len() {
            return self.read_orders(&mut turn, scan).await;
        }
        Ok(Some(self.look_again_or_finish(context, cookies, scan)))
    }

    /// Reads the next orders. `None`: the shop has ended the sign-in.
    async fn read_orders(&self, turn: &mut Turn<'_, '_>, scan: &mut Scan) -> Result<Option<Outcome>, ConnectorError> {
        let end = scan.list.orders().len().min(scan.next + ROWS_PER_STEP);
        let numbers: Vec<String> = scan.list.orders()[scan.next..end].iter().map(|row| row.number.clone()).collect();
        let known = context_known(turn, &numbers).await?;
        let mut page = Orders::default();
        let mut done = 0;
        while done < ROWS_PER_STEP && (done == 0 || Instant::now() < turn.context.until) {
            let again = scan.next >= end;
            let index = if again { scan.again.get(scan.again_done).copied() } else { Some(scan.next) };
            let Some(row) = index.and_then(|index| scan.list.orders().get(index)).cloned() else { break };
            if again && scan.next < scan.list.orders().len() {
                break;
            }
            if !again && !scan.due.as_ref().is_some_and(|due| due.includes(&row, &known)) {
                page.unchanged.push(row.number);
                scan.next += 1;
                done += 1;
                continue;
            }
            let read = match self.visit(turn, scan, &row).await {
                Ok(Some(read)) => read,
                // What was read before is stored first; the next step meets the same and has nothing to lose.
                Ok(None) if done == 0 => return Ok(None),
                Ok(None) => break,
                Err(error) if done > 0 && (error.paced || error.transient) => break,
                Err(error) => return Err(error),
            };
            self.take(scan, &mut page, read, row, again);
            if again {
                scan.again_done += 1;
            } else {
                scan.next += 1;
            }
            done += 1;
        }
        Ok(Some(Outcome::Page(page)))
    }

    /// Reads one order, or finds that it has to be kept back. `None`: the shop has ended the sign-in.
    async fn visit(
        &self,
        turn: &mut Turn<'_, '_>,
        scan: &mut Scan,
        row: &ListedOrder,
    ) -> Result<Option<Read>, ConnectorError> {
        if !scan.any_passed && scan.kept_back.count() >= HOPELESS {
            return Ok(Some(Read::Failed(Failure::new(
                Check::OrderPage,
                "it was not read, as all orders before it failed.",
            ))));
        }
        let error = match self.order(turn, scan, row).await {
            Ok(read) => {
                if !matches!(read, Read::SignedOut) {
                    scan.unreachable_in_row = 0;
                }
                return Ok((!matches!(read, Read::SignedOut)).then_some(read));
            }
            Err(error) => error,
        };
        let ends_the_sync = matches!(
            error.code,
            SyncErrorCode::RetailerRateLimited
                | SyncErrorCode::ActionRequired
                | SyncErrorCode::RetailerMisconfigured
                | SyncErrorCode::InternalError
        );
        if error.paced || ends_the_sync {
            return Err(error);
        }
        let repetitions = if scan.unreachable >= MANY_UNREACHABLE { 0 } else { REPETITIONS };
        if error.transient {
            let is_out_of_order = scan.unreachable_in_row >= MAX_UNREACHABLE_IN_ROW;
            if *turn.has_read || turn.context.attempt < repetitions || is_out_of_order {
                return Err(error);
            }
            scan.unreachable_in_row += 1;
            scan.unreachable = scan.unreachable.saturating_add(1);
        }
        Ok(Some(Read::Failed(Failure::new(Check::OrderPage, error.message))))
    }

    /// Takes up the outcome of an order. One that failed is looked at once more, as its page may have been a passing
    /// one.
    fn take(&self, scan: &mut Scan, page: &mut Orders, read: Read, row: ListedOrder, again: bool) {
        match read {
            Read::Order(order) => {
                scan.any_passed = true;
                page.orders.push(*order);
            }
            Read::Failed(_) if !again && scan.again.len() < MAX_AGAIN => scan.again.push(scan.next),
            Read::Failed(failure) => {
                page.kept_back.push(row.number.clone());
                scan.kept_back.add(row.number, failure);
            }
            Read::SignedOut => {}
        }
    }

    /// Every order is dealt with that the list has shown so far.
    fn look_again_or_finish(&self, context: &StepContext<'_>, cookies: &CookieJar, scan: &mut Scan) -> Outcome {
        if scan.list.look_again(self) {
            return Outcome::Working;
        }
        let Some(due) = &scan.due else { return Outcome::Working };
        Outcome::Done {
            session: Self::remember(context, cookies),
            report: ScanReport::new(&scan.list, due, &scan.kept_back),
        }
    }
}

async fn context_known(turn: &Turn<'_, '_>, numbers: &[String]) -> Result<HashMap<String, String>, ConnectorError> {
    if numbers.is_empty() { Ok(HashMap::new()) } else { turn.context.known.fingerprints(numbers).await }
}
