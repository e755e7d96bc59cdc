//! Amazon, as its website shows it to a customer whose browser is signed in: the customer lends that browser's cookies.
//!
//! Nothing here signs in, and no question of the website is answered. A page that asks for a sign-in, or that wants to see a
//! person, ends the sync, which says what to do. The list is read first, year by year, and each year has to show as many orders
//! as it counts; then the orders that are new, not settled, or shown differently than before. Nothing is ever missing because
//! the list lacks it: archived orders are in none of its years.

mod list;
mod pages;
mod state;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ordersync_api::{CredentialField, ImportedOrder, SyncErrorCode};
use ordersync_import::fetched::OtherPage;
pub(super) use ordersync_import::fetched::is_read;
use secrecy::ExposeSecret as _;
use tokio::time::Instant;
use url::{Host, Url};

use self::list::Listed;
use self::state::{Stage, State};
use super::egress::{CookieJar, Egress};
use super::kit::check::{Check, Failure};
use super::kit::checked_order::CheckedOrder;
use super::kit::report::ScanReport;
use super::kit::settings::Settings;
use super::kit::state::written;
use super::known::Overlap;
use super::{Connector, ConnectorError, ConnectorState, Input, KeptBackOrder, Outcome, Page, Step, StepContext};
use crate::domain::order::RetailerOrder;

/// The word for it in the file of retailers.
pub(super) const CONNECTOR: &str = "amazon";
/// The least time from one request to the next, unless the operator says otherwise: no faster than a person who reads.
pub(super) const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// The field of the credentials.
const COOKIES: &str = "cookies";
const ORDERS_PER_STEP: usize = 10;
/// How often an order is tried whose page cannot be fetched, and how many of them in a row are kept back.
const ATTEMPTS: u32 = 2;
const MAX_UNREACHABLE: u8 = 3;
/// If so many orders fail before any is read, the pages have changed, and no further one is asked for.
const HOPELESS: usize = 5;
/// Before the digest of an order, in its fingerprint: whether its details were read, or the list alone.
const FROM_DETAILS: &str = "details ";
const FROM_LIST: &str = "list ";

/// The website of Amazon at an address, such as `amazon.de`.
pub(super) fn website(url: &Url) -> Option<String> {
    let Some(Host::Domain(host)) = url.host() else { return None };
    let site = host.strip_prefix("www.").unwrap_or(host);
    site.starts_with("amazon.").then(|| site.to_owned())
}

/// A website of Amazon.
pub(super) struct Amazon {
    egress: Egress,
    settings: Settings,
    base: Url,
    host: String,
}

impl Amazon {
    /// A connector for the website at `base_url`, which is also the egress's.
    /// The error says what is wrong, beginning with the operator's key.
    pub(super) fn connector(base_url: &Url, egress: Egress, settings: Settings) -> Result<Arc<dyn Connector>, String> {
        // A copy of the website, on a private network, has another name.
        if let Some(site) = website(base_url).filter(|site| !is_read(site)) {
            return Err(format!("base_url: pages of {site} are not read yet; those of amazon.com and amazon.de are"));
        }
        let host = base_url.host_str().unwrap_or_default().to_owned();
        Ok(Arc::new(Self { egress, settings, base: base_url.clone(), host }))
    }

    /// The cookies that the customer lends.
    /// Fails with `retailer_session_expired` if none of them can be used.
    fn lent(&self, context: &StepContext<'_>) -> Result<CookieJar, ConnectorError> {
        let text = context.credentials.get(COOKIES).map(|cookies| cookies.expose_secret()).unwrap_or_default();
        let expired = |why: &str| {
            ConnectorError::new(SyncErrorCode::RetailerSessionExpired)
                .with_message(format!("{why} {}", self.lend_again()))
        };
        match CookieJar::lent(text, &self.host, context.now) {
            Ok(jar) if jar.is_empty() => Err(expired("The cookies have expired, or are for another website.")),
            Ok(jar) => Ok(jar),
            Err(why) => Err(expired(&format!("The cookies cannot be used. {why}"))),
        }
    }

    fn lend_again(&self) -> String {
        format!("Sign in at {} with the browser, save its cookies, and fix the connection with them.", self.host)
    }

    /// Takes steps until there is something to return.
    async fn advance(&self, context: &StepContext<'_>, state: &mut State) -> Result<Outcome, ConnectorError> {
        loop {
            match state.stage {
                Stage::SignIn => return self.look(context, state).await,
                Stage::List => {
                    self.list_on(context, state).await?;
                    state.has_read = true;
                    if state.stage == Stage::Orders {
                        self.choose(context, state).await?;
                    }
                    if Instant::now() >= context.until {
                        return Ok(Outcome::Working);
                    }
                }
                Stage::Orders if state.next < state.list.orders.len() => {
                    return Ok(Outcome::Page(self.read_orders(context, state).await?));
                }
                Stage::Orders => {
                    let report = ScanReport::of_part(
                        state.list.failure.as_ref(),
                        state.list.is_uncounted && !self.settings.accept_unproven_end,
                        &state.kept_back,
                    );
                    return Ok(Outcome::Done { session: state.remember(context), report });
                }
            }
        }
    }

    /// Looks whether the cookies show the customer's orders: those that the last sync left, then those that were lent.
    async fn look(&self, context: &StepContext<'_>, state: &mut State) -> Result<Outcome, ConnectorError> {
        let page = match self.history(context, &mut state.jar, None, 0).await? {
            Err(OtherPage::SignIn) if !state.is_lent => {
                (state.jar, state.is_lent) = (self.lent(context)?, true);
                self.history(context, &mut state.jar, None, 0).await?
            }
            page => page,
        };
        let page = page.map_err(|unread| self.instead(unread, "order list"))?;
        if page.years.is_empty() {
            let found = "the list does not say which years have orders.";
            return Err(Failure::new(Check::ListPage, found).error());
        }
        state.list.years = page.years;
        state.stage = Stage::List;
        state.has_read = true;
        Ok(Outcome::SignedIn { session: state.remember(context) })
    }

    /// Reads the next page of the list.
    async fn list_on(&self, context: &StepContext<'_>, state: &mut State) -> Result<(), ConnectorError> {
        let State { jar, list, .. } = &mut *state;
        if let Some(year) = list.year() {
            let page = self.history(context, jar, Some(year), list.start).await?;
            let page = page.map_err(|unread| self.instead(unread, "order list"))?;
            list.take(year, &page, self.settings.max_pages)?;
        }
        if let Some(sample) = context.sample.filter(|_| !list.orders.is_empty()) {
            list.orders.truncate(sample.orders);
            list.years.clear();
        }
        if list.year().is_none() {
            state.stage = Stage::Orders;
        }
        Ok(())
    }

    /// Makes sure that the list is this customer's, and chooses the settled orders to read again.
    async fn choose(&self, context: &StepContext<'_>, state: &mut State) -> Result<(), ConnectorError> {
        let numbers: Vec<String> = state.list.orders.iter().map(|order| order.number.clone()).collect();
        if context.known.overlap(&numbers).await? == Overlap::Disjoint {
            if context.other_account {
                return Err(ConnectorError::new(SyncErrorCode::AccountMismatch));
            }
            // Orders of files alone may be such that the list does not show.
            let read_before = context.known.longest_unread(1).await?;
            if !read_before.is_empty() {
                let found = "the list shows none of the stored orders; it may be another customer's.";
                return Err(Failure::new(Check::OwnOrders, found).error());
            }
        }
        let [newest, oldest] = [self.settings.reread_newest, self.settings.reread_oldest];
        let unread = if oldest == 0 { Vec::new() } else { context.known.longest_unread(oldest).await? };
        let newest = usize::try_from(newest).unwrap_or(usize::MAX);
        state.again = numbers.into_iter().take(newest).chain(unread).collect();
        Ok(())
    }

    /// Reads some orders.
    async fn read_orders(&self, context: &StepContext<'_>, state: &mut State) -> Result<Page, ConnectorError> {
        let end = state.list.orders.len().min(state.next + ORDERS_PER_STEP);
        let batch: Vec<Listed> = state.list.orders[state.next..end].to_vec();
        let numbers: Vec<String> = batch.iter().map(|order| order.number.clone()).collect();
        let stored = context.known.fingerprints(&numbers).await?;
        let mut page = Page::default();
        for (done, order) in batch.into_iter().enumerate() {
            if done > 0 && Instant::now() >= context.until {
                break;
            }
            match self.order(context, state, &order, &stored).await {
                Ok(Read::Unchanged) => page.unchanged.push(order.number),
                Ok(Read::Order(order)) => {
                    (state.any_passed, state.unreachable) = (true, 0);
                    page.orders.push(order);
                }
                Ok(Read::KeptBack(failure)) => {
                    page.kept_back.push(KeptBackOrder { order_id: order.number.clone(), reason: failure.to_string() });
                    state.kept_back.add(order.number, failure);
                }
                // What was read before is stored first; the next step meets the same and has nothing to lose.
                Err(_) if done > 0 => break,
                Err(error) => return Err(error),
            }
            state.next += 1;
            state.has_read = true;
        }
        Ok(page)
    }

    /// Reads an order that is new, not settled, or shown differently than before.
    async fn order(
        &self,
        context: &StepContext<'_>,
        state: &mut State,
        listed: &Listed,
        stored: &HashMap<String, String>,
    ) -> Result<Read, ConnectorError> {
        let fingerprint = |from: &str| format!("{from}{}", listed.digest);
        let known = stored.get(&listed.number);
        let is_same =
            known.is_some_and(|known| [FROM_DETAILS, FROM_LIST].iter().any(|from| *known == fingerprint(from)));
        if is_same && !context.full && !state.again.contains(&listed.number) {
            return Ok(Read::Unchanged);
        }
        if !state.any_passed && state.kept_back.count() >= HOPELESS {
            let failure = state.kept_back.first().first().map(|(_, failure)| failure.to_string()).unwrap_or_default();
            return Err(ConnectorError::new(SyncErrorCode::RetailerChanged)
                .with_message(format!("No order can be read. Of the first one: {failure}")));
        }
        let read = match self.details(context, &mut state.jar, listed).await {
            Ok(read) => read,
            Err(error) if self.is_of_one_order(context, state, &error) => {
                state.unreachable += 1;
                return Ok(Read::KeptBack(Failure::new(Check::OrderPage, error.message)));
            }
            Err(error) => return Err(error),
        };
        let why = match read {
            Ok(order) => {
                let fingerprint = is_settled(&order).then(|| fingerprint(FROM_DETAILS));
                let order = RetailerOrder { fingerprint, ..RetailerOrder::imported(order, Vec::new(), context.now) };
                return Ok(Read::Order(CheckedOrder::of_page(order)));
            }
            Err(OtherPage::Unknown(why)) => why,
            Err(unread) => return Err(self.instead(unread, "page of an order")),
        };
        // What is stored of an order is more than the list shows, unless it is from the list, too.
        let is_from_list = known.is_some_and(|known| known.starts_with(FROM_LIST));
        if is_from_list || context.known.overlap(std::slice::from_ref(&listed.number)).await? != Overlap::Shared {
            let page = self.history(context, &mut state.jar, Some(listed.year), listed.start).await?;
            let page = page.map_err(|unread| self.instead(unread, "order list"))?;
            let shown = page.orders.into_iter().find(|order| order.number == listed.number);
            if let Some(order) = shown.and_then(|order| order.order).filter(|order| !order.items.is_empty()) {
                let mut order = RetailerOrder::imported(order, Vec::new(), context.now);
                // The list shows none: it is not known whether there are any.
                (order.fingerprint, order.adjustments) = (Some(fingerprint(FROM_LIST)), None);
                return Ok(Read::Order(CheckedOrder::of_page(order)));
            }
        }
        Ok(Read::KeptBack(Failure::new(Check::OrderPage, format!("{why}."))))
    }

    /// Whether only this order cannot be fetched, so that it is kept back and the others are read.
    fn is_of_one_order(&self, context: &StepContext<'_>, state: &State, error: &ConnectorError) -> bool {
        let is_lasting = context.attempt >= ATTEMPTS && !state.has_read && state.unreachable < MAX_UNREACHABLE;
        error.transient && !error.paced && is_lasting && error.code != SyncErrorCode::RetailerRateLimited
    }

    /// The error of a page in place of the one that was asked for.
    fn instead(&self, page: OtherPage, wanted: &str) -> ConnectorError {
        let error = |code, message: String| ConnectorError::new(code).with_message(message);
        match page {
            OtherPage::SignIn => error(
                SyncErrorCode::RetailerSessionExpired,
                format!("{} asks for a sign-in: its cookies have expired. {}", self.host, self.lend_again()),
            ),
            OtherPage::Challenge => error(
                SyncErrorCode::ActionRequired,
                format!(
                    "{} wants to see a person. Open your orders there with the browser, and answer what it asks. If a sync says \
                     this again, save the cookies anew, and fix the connection with them.",
                    self.host
                ),
            ),
            OtherPage::Error => {
                error(SyncErrorCode::RetailerUnavailable, format!("{} shows a page of an error.", self.host))
                    .transient()
            }
            OtherPage::Unknown(why) => {
                error(SyncErrorCode::RetailerChanged, format!("The {wanted} has changed, and cannot be read: {why}."))
            }
        }
    }
}

/// The outcome for an order.
enum Read {
    Unchanged,
    Order(CheckedOrder),
    KeptBack(Failure),
}

fn is_settled(order: &ImportedOrder) -> bool {
    let mut statuses = order.items.iter().map(|item| item.shipment_status.as_ref().and_then(|status| status.known()));
    statuses.all(|status| status.is_some_and(|status| status.is_settled()))
}

#[async_trait]
impl Connector for Amazon {
    fn credential_fields(&self) -> Vec<CredentialField> {
        vec![CredentialField::cookies(COOKIES, &format!("Cookies of {}", self.host), &self.host)]
    }

    fn origin(&self) -> Option<String> {
        Some(self.egress.origin())
    }

    async fn step(
        &self,
        context: &StepContext<'_>,
        state: Option<ConnectorState>,
        input: Input<'_>,
    ) -> Result<Step, ConnectorError> {
        let kept = state.and_then(|bytes| State::open(&bytes));
        let mut state = match (&input, kept) {
            (Input::Continue, Some(kept)) => kept,
            // The first step, or one after the state of another version.
            _ => match State::recall(context) {
                Some(state) => state,
                None => State::new(self.lent(context)?),
            },
        };
        let came = self.advance(context, &mut state).await.map(|outcome| (outcome, Duration::ZERO));
        Step::of_reading(came, state.has_read, || written(&state))
    }
}
