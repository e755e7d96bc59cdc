//! The connector for shops that run on WooCommerce, version 7 and later. It signs in and reads the pages of the customer's
//! account as a browser would.
//!
//! Elements are identified by the classes that WooCommerce gives them, which themes keep, and never by their position. What is
//! not understood is an error that names the element. This module is the step machine: sign in (`sign_in`), then scan (`scan`).

mod amount;
mod order_list;
mod order_page;
mod page;
mod scan;
mod sign_in;
mod state;
mod store_api;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ordersync_api::{CredentialField, SyncErrorCode};
use secrecy::ExposeSecret;
use url::Url;

use self::state::{Remembered, Stage, State, internal};
use super::egress::{CookieJar, Egress, Request, Response, Visitor};
use super::kit::check::Unread;
use super::kit::other_page::OtherPage;
use super::kit::page::PageKind;
use super::kit::scan::{Scan, Scanned};
use super::kit::settings::Settings;
use super::kit::turn::Turn;
use super::{Connector, ConnectorError, ConnectorState, Input, Outcome, Step, StepContext, html};

/// A shop that runs on WooCommerce.
pub(crate) struct WooCommerce {
    egress: Egress,
    settings: Arc<Settings>,
    base: Url,
    /// The page of the customer's account, which is the sign-in as long as nobody is signed in.
    account: Url,
    orders: Url,
}

/// The outcome of the request for a page that only a signed-in customer sees.
enum Fetched {
    Page(Response),
    /// There is no such page (any more).
    Missing,
    /// The shop shows its sign-in instead.
    SignedOut,
}

impl WooCommerce {
    /// A connector for the shop at `base_url`, which is also the egress's. `account_path`: where the page of the account is.
    /// `None` for an address that can be no base.
    pub(super) fn new(base_url: &Url, account_path: &str, egress: Egress, settings: Settings) -> Option<Self> {
        let mut base = base_url.clone();
        // With a slash at the end, joining keeps what the address has of a path.
        base.path_segments_mut().ok()?.pop_if_empty().push("");
        let account = base.join(&format!("{account_path}/")).ok()?;
        let orders = account.join("orders/").ok()?;
        Some(Self { egress, settings: Arc::new(settings), base, account, orders })
    }

    /// Fetches a page that only a signed-in customer sees.
    async fn fetch(&self, turn: &mut Turn<'_, '_>, url: &Url, page: PageKind) -> Result<Fetched, ConnectorError> {
        let response = self.egress.send(Request::get(url.clone()), turn.cookies, Visitor::of(turn.context)).await?;
        let has_moved = response.url.path() != url.path();
        let status = response.status;
        match status {
            401 => return Ok(Fetched::SignedOut),
            404 | 410 => return Ok(Fetched::Missing),
            200 if !has_moved => return Ok(Fetched::Page(response)),
            _ => {}
        }
        let body = response.body.clone();
        let instead = move |document: &scraper::Html| match page::instead(document) {
            Unread::SignedOut => Ok(Some(Fetched::SignedOut)),
            Unread::Instead(OtherPage::Unknown) if status != 200 => Err(page.answered(status)),
            Unread::Instead(other) if status != 200 => Err(other.error(page)),
            _ => Ok(None),
        };
        Ok(html::read(body, instead).await?.unwrap_or(Fetched::Page(response)))
    }

    /// The sign-in as it is remembered for later syncs.
    fn remember(context: &StepContext<'_>, cookies: &CookieJar) -> Option<ConnectorState> {
        let username = credential(context, "username").ok()?.to_owned();
        Remembered { username, cookies: cookies.clone() }.close()
    }

    /// The cookies of the sign-in that earlier syncs left, where it is this user's.
    fn recall(context: &StepContext<'_>) -> Option<CookieJar> {
        let remembered: Remembered = serde_json::from_slice(context.session?).ok()?;
        (remembered.username == credential(context, "username").ok()? && !remembered.cookies.is_empty())
            .then_some(remembered.cookies)
    }
}

#[async_trait]
impl Connector for WooCommerce {
    fn credential_fields(&self) -> Vec<CredentialField> {
        vec![
            CredentialField::new("username", "Username or email", false),
            CredentialField::new("password", "Password", true),
        ]
    }

    async fn step(
        &self,
        context: &StepContext<'_>,
        state: Option<ConnectorState>,
        input: Input<'_>,
    ) -> Result<Step, ConnectorError> {
        let mut state = match (&input, state) {
            (Input::Login, _) => Self::begin(context),
            (Input::Continue, Some(bytes)) => State::open(&bytes)?,
            (Input::Continue, None) => return Err(internal("The sync has no state to continue from.")),
            (Input::MfaCode(_) | Input::MfaChoice(_), _) => {
                return Err(internal("The step does not fit the state of the sync."));
            }
        };
        let (outcome, wait) = match self.advance(context, &mut state).await {
            Ok(outcome) => (outcome, Duration::ZERO),
            // What was read before is kept. The next step meets the same, and has nothing to lose.
            Err(error) if state.has_read && error.paced => (Outcome::Working, error.retry_after.unwrap_or_default()),
            Err(error) if state.has_read && error.transient => (Outcome::Working, Duration::ZERO),
            Err(error) => return Err(error),
        };
        let has_read = state.has_read;
        let step = Step::new(outcome, state.close()?).after(wait);
        Ok(if has_read { step.progressed() } else { step })
    }
}

impl WooCommerce {
    /// The state of the first step: with the remembered sign-in, or without any.
    fn begin(context: &StepContext<'_>) -> State {
        match Self::recall(context) {
            Some(cookies) => State { cookies, stage: Stage::Recall, ..State::default() },
            None => State::default(),
        }
    }

    /// Signs in and scans, as far as one step goes.
    async fn advance(&self, context: &StepContext<'_>, state: &mut State) -> Result<Outcome, ConnectorError> {
        loop {
            match state.stage {
                Stage::Recall => match self.verify(context, state).await? {
                    Some(outcome) => return Ok(outcome),
                    None => {
                        state.cookies = CookieJar::default();
                        state.stage = Stage::FetchForm;
                    }
                },
                Stage::FetchForm => self.fetch_form(context, state).await?,
                Stage::SendForm => self.send_form(context, state).await?,
                Stage::Verify => {
                    return self.verify(context, state).await?.ok_or_else(|| {
                        ConnectorError::new(SyncErrorCode::RetailerChanged)
                            .with_message("The retailer took the sign-in, but does not show the order list after it.")
                    });
                }
                Stage::Scan => {
                    if let Some(outcome) = self.scan(context, state).await? {
                        return Ok(outcome);
                    }
                    // The shop has ended the sign-in.
                    state.renewals.count()?;
                    state.stage = Stage::FetchForm;
                }
            }
        }
    }

    /// A step of the scan. `None`: the shop has ended the sign-in.
    async fn scan(&self, context: &StepContext<'_>, state: &mut State) -> Result<Option<Outcome>, ConnectorError> {
        let State { cookies, renewals, has_read, scan: Some(scan), .. } = &mut *state else {
            return Err(internal("There is no scan to continue."));
        };
        let mut turn = Turn { context, cookies, renewals, has_read };
        Ok(scan.step(self, &mut turn).await?.map(|scanned| match scanned {
            Scanned::List => Outcome::Working,
            Scanned::Orders(page) => Outcome::Page(page),
            Scanned::Whole(report) => Outcome::Done { session: Self::remember(context, cookies), report },
        }))
    }

    /// Looks whether the customer is signed in, by the page that this is for. `None`: not so.
    async fn verify(&self, context: &StepContext<'_>, state: &mut State) -> Result<Option<Outcome>, ConnectorError> {
        let State { cookies, renewals, has_read, .. } = &mut *state;
        let mut turn = Turn { context, cookies, renewals, has_read };
        match self.fetch(&mut turn, &self.orders, PageKind::OrderList).await? {
            Fetched::Page(response) => {
                if html::read(response.body, |document| Ok(page::asks(document))).await? {
                    return Ok(None);
                }
                state.scan = Some(Scan::new(self.orders.clone()));
                state.stage = Stage::Scan;
                Ok(Some(Outcome::SignedIn { session: Self::remember(context, &state.cookies) }))
            }
            Fetched::SignedOut => Ok(None),
            Fetched::Missing => Err(PageKind::OrderList.answered(404)),
        }
    }
}

fn credential<'a>(context: &StepContext<'a>, name: &str) -> Result<&'a str, ConnectorError> {
    context.credentials.get(name).map(ExposeSecret::expose_secret).ok_or_else(|| {
        ConnectorError::new(SyncErrorCode::CredentialsRefused)
            .with_message(format!("The credentials lack the field \"{name}\"."))
    })
}
