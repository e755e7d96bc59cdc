//! Reading the order list: page after page until a page is empty or absent, then the filtered lists that prove it.

use ordersync_api::SyncErrorCode;
use tokio::time::Instant;
use url::Url;

use super::order_list::{self, OrderList, Source};
use super::state::{Reading, Scan};
use super::{Fetched, Oscar, Turn, page_kind};
use crate::connector::ConnectorError;
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::page::PageKind;

/// How often a list that contradicts itself is read whole before that is an error: it may have changed meanwhile.
pub(super) const MAX_PASSES: u8 = 3;
/// How often a page that cannot be read is asked for again.
pub(super) const REPETITIONS: u32 = 2;

/// What a page of the list was.
enum Got {
    List(OrderList, Url),
    /// There is no such page.
    Absent,
    SignedOut,
    Failed(Failure),
}

impl Oscar {
    /// Reads on in the list, until it is read and proven or the step's time is over.
    pub(super) async fn read_list(&self, turn: &mut Turn<'_, '_>, scan: &mut Scan) -> Result<bool, ConnectorError> {
        // However little time there is, each step comes further.
        let mut has_read = false;
        while !has_read || Instant::now() < turn.context.until {
            has_read = true;
            let signed_in = if scan.reading.is_some() {
                self.read_page(turn, scan).await?
            } else if scan.probes.is_empty() {
                break;
            } else {
                self.probe(turn, scan).await?
            };
            if !signed_in {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads one page. False: the shop has ended the sign-in.
    async fn read_page(&self, turn: &mut Turn<'_, '_>, scan: &mut Scan) -> Result<bool, ConnectorError> {
        let Some(reading) = &scan.reading else { return Ok(true) };
        let (url, number) = (reading.url.clone(), reading.page);
        let got = self.get_page(turn, &url, number).await?;
        if matches!(got, Got::SignedOut) {
            return Ok(false);
        }
        if let Got::Failed(failure) = &got
            && (*turn.has_read || turn.context.attempt < REPETITIONS)
        {
            // What was read before is kept; the page is asked for again.
            return Err(failure.error().transient());
        }
        turn.read_on();
        let Some(mut reading) = scan.reading.take() else { return Ok(true) };
        match got {
            Got::Failed(failure) => scan.list_failure = Some(failure),
            Got::List(list, _) if list.rows.is_empty() && number > 1 => {
                reading.evidence.add_promises(&list);
                self.end_of_list(scan, &reading);
            }
            Got::Absent | Got::SignedOut => self.end_of_list(scan, &reading),
            Got::List(list, from) if list.rows.is_empty() => {
                // The customer has no orders, which the page after this one has to confirm.
                reading.evidence.add_promises(&list);
                self.turn_page(scan, reading, &from)?;
            }
            Got::List(list, from) => {
                if !reading.evidence.add(&list) {
                    let found = "the page after the last one repeats orders that were shown before, so it does not prove \
                                 that the list ends. If the list has one page only, set `single_page`.";
                    self.read_again_or_fail(scan, Failure::new(Check::EndOfList, found));
                    return Ok(true);
                }
                let added = scan.add(list.rows);
                reading.added += added;
                if reading.head_only && added == 0 {
                    scan.head_is_known = reading.added == 0;
                } else if self.settings.single_page {
                    self.end_of_list(scan, &reading);
                } else {
                    self.turn_page(scan, reading, &from)?;
                }
            }
        }
        Ok(true)
    }

    fn turn_page(&self, scan: &mut Scan, reading: Reading, from: &Url) -> Result<(), ConnectorError> {
        if reading.page > self.settings.max_pages {
            return Err(ConnectorError::new(SyncErrorCode::RetailerMisconfigured)
                .with_message("The order list has more pages than `max_pages` allows."));
        }
        let page = reading.page + 1;
        let mut url = from.clone();
        let others: Vec<(String, String)> = from
            .query_pairs()
            .filter(|(name, _)| name != "page")
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        url.query_pairs_mut().clear().extend_pairs(others).append_pair("page", &page.to_string());
        scan.reading = Some(Reading { url, page, ..reading });
        Ok(())
    }

    /// The list has come to its end: what its pages showed has to agree with that.
    fn end_of_list(&self, scan: &mut Scan, reading: &Reading) {
        if reading.head_only {
            scan.head_is_known = reading.added == 0;
            return;
        }
        if let Some(failure) = reading.evidence.contradiction() {
            self.read_again_or_fail(scan, failure);
            return;
        }
        scan.passes += 1;
        scan.shown = reading.evidence.shown;
        let mut list = reading.url.clone();
        list.set_query(None);
        scan.probes = reading.evidence.probes(&list, &self.settings);
    }

    /// The list contradicts itself, which it may do because it changes: it is read once more, some times.
    pub(super) fn read_again_or_fail(&self, scan: &mut Scan, failure: Failure) {
        scan.probes.clear();
        scan.passes += 1;
        if scan.passes >= MAX_PASSES {
            scan.list_failure = Some(failure);
        } else {
            scan.reading = Some(Reading::new(self.orders.clone(), false));
        }
    }

    /// A filtered list. It proves something only if it shows an order that is not known.
    async fn probe(&self, turn: &mut Turn<'_, '_>, scan: &mut Scan) -> Result<bool, ConnectorError> {
        let Some(url) = scan.probes.last().cloned() else { return Ok(true) };
        let got = match self.get_page(turn, &url, 0).await {
            Err(error) if error.paced || turn.context.attempt < REPETITIONS => return Err(error),
            Err(_) => Got::Absent,
            Ok(got) => got,
        };
        if matches!(got, Got::SignedOut) {
            return Ok(false);
        }
        turn.read_on();
        scan.probes.pop();
        if let Got::List(list, _) = got
            && list.rows.iter().any(|row| !scan.rows.iter().any(|known| known.number == row.number))
        {
            let found = "the list filtered by date shows an order that the whole list does not.";
            self.read_again_or_fail(scan, Failure::new(Check::HiddenOrders, found));
        }
        Ok(true)
    }

    /// Fetches and reads page `number` of the list; 0 for a filtered list.
    async fn get_page(&self, turn: &mut Turn<'_, '_>, url: &Url, number: u32) -> Result<Got, ConnectorError> {
        let response = match self.fetch(turn, url, PageKind::OrderList).await? {
            Fetched::Page(response) => response,
            Fetched::SignedOut => return Ok(Got::SignedOut),
            Fetched::Missing if number == 1 => return Err(PageKind::OrderList.answered(404)),
            Fetched::Missing => return Ok(Got::Absent),
        };
        let page_of = |url: &Url| url.query_pairs().find(|(name, _)| name == "page").map(|(_, page)| page.into_owned());
        let has_moved = response.url != *url;
        // A shop that leads back from the page after the last one to the last one knows which is the last.
        if number > 1 && has_moved && page_of(&response.url) == Some((number - 1).to_string()) {
            return Ok(Got::Absent);
        }
        let has_left = response.url.path() != url.path();
        let source = Source::of(&response.url, number, &response.body);
        let settings = std::sync::Arc::clone(&self.settings);
        let read = crate::connector::html::read(response.body, move |document| {
            Ok(order_list::read(document, &source, &settings))
        })
        .await?;
        match read {
            Ok(list) => Ok(Got::List(list, response.url)),
            Err(Unread::SignedOut) => Ok(Got::SignedOut),
            Err(Unread::Failed(failure)) => Ok(Got::Failed(failure)),
            // The shop leads away from a page that it does not have.
            Err(Unread::Other(error)) if number > 1 && has_left && page_kind::is_unknown(&error) => Ok(Got::Absent),
            Err(Unread::Other(error)) => Err(error),
        }
    }
}
