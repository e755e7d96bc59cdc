//! The pages of the order list: their addresses, and what each of them was.

use chrono::NaiveDate;
use url::Url;

use super::Oscar;
use super::order_list::{self, Source};
use crate::connector::ConnectorError;
use crate::connector::kit::check::Unread;
use crate::connector::kit::list_proof::{DateRange, EndOfList};
use crate::connector::kit::list_reading::{ListPage, Paging, PagingRules, Wanted};
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::site::Fetched;
use crate::connector::kit::turn::Turn;

impl Paging for Oscar {
    fn first(&self) -> Url {
        self.site.orders.clone()
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
        let Settings { max_pages, single_page, time_zone, .. } = *self.site.settings;
        let end = if single_page { EndOfList::OnePage } else { EndOfList::PageAfter };
        let if_repeated = "If the list has one page only, set `single_page`.";
        PagingRules { max_pages, end, if_repeated, time_zone }
    }
}

impl Oscar {
    /// Fetches and reads a page of the list. `None`: the shop has ended the sign-in.
    pub(super) async fn get_list_page(
        &self,
        turn: &mut Turn<'_, '_>,
        wanted: &Wanted,
    ) -> Result<Option<ListPage>, ConnectorError> {
        let Wanted { url, number } = wanted;
        let number = *number;
        let response = match self.site.fetch(turn, url, PageKind::OrderList).await? {
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
        let settings = std::sync::Arc::clone(&self.site.settings);
        let read = self
            .site
            .egress
            .pages
            .read(response.body, move |document| Ok(order_list::read(document, &source, &settings)))
            .await?;
        match read {
            Ok(list) => Ok(Some(ListPage::Shown(list, response.url))),
            // The shop leads away from a page that it does not have.
            Err(Unread::Instead(OtherPage::Unknown)) if number > 1 && has_left => Ok(Some(ListPage::Absent)),
            Err(unread) => unread.or_failed(PageKind::OrderList, ListPage::Failed),
        }
    }
}
