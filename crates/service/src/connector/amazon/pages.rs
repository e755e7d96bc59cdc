//! The pages that are fetched.

use ordersync_api::ImportedOrder;
use ordersync_import::fetched::{self, HistoryPage, OtherPage};
use url::Url;

use super::Amazon;
use super::list::Listed;
use crate::connector::egress::{CookieJar, Request, Visitor};
use crate::connector::kit::page::PageKind;
use crate::connector::{ConnectorError, StepContext};

const HISTORY: &str = "/your-orders/orders";
const DETAILS: &str = "/gp/your-account/order-details";
/// The longest address of a page of details.
const MAX_ADDRESS: usize = 500;

impl Amazon {
    /// Fetches a page of the list: of a year, or of the period that the website chooses.
    pub(super) async fn history(
        &self,
        context: &StepContext<'_>,
        jar: &mut CookieJar,
        year: Option<u16>,
        start: u32,
    ) -> Result<Result<HistoryPage, OtherPage>, ConnectorError> {
        let mut url = self.at(HISTORY);
        if let Some(year) = year {
            let query = [("timeFilter", format!("year-{year}")), ("startIndex", start.to_string())];
            url.query_pairs_mut().extend_pairs(query);
        }
        let (status, body) = self.fetch(context, jar, url).await?;
        let text = body.clone();
        let page = self.egress.pages.read(body, move |page| Ok(fetched::history(page, &text))).await?;
        match page {
            Err(OtherPage::Unknown(_)) if status >= 400 => Err(PageKind::OrderList.answered(status)),
            page => Ok(page),
        }
    }

    /// Fetches the details of an order.
    pub(super) async fn details(
        &self,
        context: &StepContext<'_>,
        jar: &mut CookieJar,
        listed: &Listed,
    ) -> Result<Result<ImportedOrder, OtherPage>, ConnectorError> {
        let (status, body) = self.fetch(context, jar, self.address_of(listed)).await?;
        let (text, number) = (body.clone(), listed.number.clone());
        let page = self.egress.pages.read(body, move |page| Ok(fetched::details(page, &text, &number))).await?;
        Ok(page.map_err(|other| match other {
            OtherPage::Unknown(_) if status >= 400 => OtherPage::Unknown(format!("its page has the status {status}")),
            other => other,
        }))
    }

    /// Where the details of an order are: where the list says, if that is at this website.
    fn address_of(&self, listed: &Listed) -> Url {
        let said = listed.details.as_deref().filter(|link| link.len() <= MAX_ADDRESS);
        let linked = said.and_then(|link| self.base.join(link).ok()).filter(|url| url.origin() == self.base.origin());
        linked.unwrap_or_else(|| {
            let mut url = self.at(DETAILS);
            url.query_pairs_mut().append_pair("orderID", &listed.number);
            url
        })
    }

    fn at(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(path);
        url
    }

    async fn fetch(
        &self,
        context: &StepContext<'_>,
        jar: &mut CookieJar,
        url: Url,
    ) -> Result<(u16, String), ConnectorError> {
        let response = self.egress.send(Request::get(url), jar, Visitor::of(context)).await?;
        Ok((response.status, response.body))
    }
}
