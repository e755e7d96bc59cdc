//! Fetching the pages of the order list that the kit wants, and saying what they were.

use chrono::NaiveDate;
use tokio::time::Instant;
use url::Url;

use super::order_list::{self, Source};
use super::settings::Settings;
use super::state::Scan;
use super::{Fetched, Oscar, Turn};
use crate::connector::ConnectorError;
use crate::connector::kit::check::Unread;
use crate::connector::kit::list_proof::DateRange;
use crate::connector::kit::list_reading::{ListPage, Paging, PagingRules, Wanted};
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::page::PageKind;

/// How often a page that cannot be read is asked for again.
pub(super) const REPETITIONS: u32 = 2;

impl Paging for Oscar {
    fn first(&self) -> Url {
        self.orders.clone()
    }

    fn page(&self, before: &Url, number: u32) -> Url {
        let mut url = before.clone();
        let others: Vec<(String, String)> = before
            .query_pairs()
            .filter(|(name, _)| name != "page")
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        url.query_pairs_mut().clear().extend_pairs(others).append_pair("page", &number.to_string());
        url
    }

    fn filtered(&self, before: &Url, days: &DateRange) -> Url {
        let text = |date: Option<NaiveDate>| date.map(|date| date.to_string()).unwrap_or_default();
        let mut url = before.clone();
        url.set_query(None);
        url.query_pairs_mut()
            .append_pair("date_from", &text(days.from))
            .append_pair("date_to", &text(days.to))
            .append_pair("order_number", "");
        url
    }

    fn rules(&self) -> PagingRules {
        let Settings { max_pages, single_page, time_zone, .. } = *self.settings;
        PagingRules { max_pages, single_page, time_zone }
    }
}

impl Oscar {
    /// Reads on in the list, until it is read and proven or the step's time is over.
    pub(super) async fn read_list(&self, turn: &mut Turn<'_, '_>, scan: &mut Scan) -> Result<bool, ConnectorError> {
        // However little time there is, each step comes further.
        let mut has_read = false;
        while !has_read || Instant::now() < turn.context.until {
            has_read = true;
            let Some(wanted) = scan.list.wanted() else { break };
            let signed_in = self.read_page(turn, scan, &wanted).await?;
            if !signed_in {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads one page. False: the shop has ended the sign-in.
    async fn read_page(
        &self,
        turn: &mut Turn<'_, '_>,
        scan: &mut Scan,
        wanted: &Wanted,
    ) -> Result<bool, ConnectorError> {
        let is_probe = wanted.number == 0;
        let page = match self.get_page(turn, &wanted.url, wanted.number).await {
            // A filtered list that is not available proves nothing, and is not needed.
            Err(error) if is_probe && !error.paced && turn.context.attempt >= REPETITIONS => ListPage::Absent,
            Err(error) => return Err(error),
            Ok(None) => return Ok(false),
            Ok(Some(page)) => page,
        };
        if let ListPage::Failed(failure) = &page
            && !is_probe
            && (*turn.has_read || turn.context.attempt < REPETITIONS)
        {
            // What was read before is kept; the page is asked for again.
            return Err(failure.error().transient());
        }
        turn.read_on();
        let dealt_with = scan.dealt_with();
        scan.list.take(page, dealt_with, self)?;
        Ok(true)
    }

    /// Fetches and reads page `number` of the list; 0 for a filtered list. `None`: the shop has ended the sign-in.
    async fn get_page(
        &self,
        turn: &mut Turn<'_, '_>,
        url: &Url,
        number: u32,
    ) -> Result<Option<ListPage>, ConnectorError> {
        let response = match self.fetch(turn, url, PageKind::OrderList).await? {
            Fetched::Page(response) => response,
            Fetched::SignedOut => return Ok(None),
            Fetched::Missing if number == 1 => return Err(PageKind::OrderList.answered(404)),
            Fetched::Missing => return Ok(Some(ListPage::Absent)),
        };
        let page_of = |url: &Url| url.query_pairs().find(|(name, _)| name == "page").map(|(_, page)| page.into_owned());
        let has_moved = response.url != *url;
        // A shop that leads back from the page after the last one to the last one knows which is the last.
        if number > 1 && has_moved && page_of(&response.url) == Some((number - 1).to_string()) {
            return Ok(Some(ListPage::Absent));
        }
        let has_left = response.url.path() != url.path();
        let source = Source::of(&response.url, number, &response.body);
        let settings = std::sync::Arc::clone(&self.settings);
        let read = crate::connector::html::read(response.body, move |document| {
            Ok(order_list::read(document, &source, &settings))
        })
        .await?;
        match read {
            Ok(list) => Ok(Some(ListPage::Shown(list, response.url))),
            Err(Unread::SignedOut) => Ok(None),
            Err(Unread::Failed(failure)) => Ok(Some(ListPage::Failed(failure))),
            // The shop leads away from a page that it does not have.
            Err(Unread::Instead(OtherPage::Unknown)) if number > 1 && has_left => Ok(Some(ListPage::Absent)),
            Err(Unread::Instead(other)) => Err(other.error(PageKind::OrderList)),
            Err(Unread::Other(error)) => Err(error),
        }
    }
}
