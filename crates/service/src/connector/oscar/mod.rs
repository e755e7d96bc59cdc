//! The connector for shops that run on django-oscar. It signs in and reads pages as the customer's browser would.
//!
//! What is shown is reported, nothing is corrected; what cannot be read for certain is an error that names the element
//! and the kind of page, and never a guess. This module is the step machine: sign in (`sign_in`), then scan (`scan`).

mod form;
mod html;
mod locale;
mod money;
mod order_list;
mod order_page;
mod product_page;
mod scan;
mod settings;
mod sign_in;
mod sign_in_page;
mod state;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use ordersync_api::{CredentialField, SyncErrorCode};
use secrecy::ExposeSecret;
use url::Url;

use self::html::Page;
pub(super) use self::locale::Locale;
pub(super) use self::money::Currency;
pub(super) use self::settings::Settings;
use self::sign_in_page::SignInPage;
use self::state::{Remembered, State, internal};
use super::egress::{CookieJar, Egress, Request, Response, Visitor};
use super::{Connector, ConnectorError, ConnectorState, Input, Outcome, Step, StepContext};

/// A shop that runs on django-oscar.
pub struct Oscar {
    egress: Egress,
    settings: Settings,
    login: Url,
    orders: Url,
}

/// What came of the request for a page that only a signed-in customer sees.
enum Fetched {
    Page(Response),
    /// There is no such page (any more).
    Missing,
    /// The shop shows its sign-in instead.
    SignedOut,
}

impl Oscar {
    /// A connector for the shop at `base_url`, which is also the egress's. `None` for an address that can be no base.
    pub(super) fn new(base_url: &Url, egress: Egress, settings: Settings) -> Option<Self> {
        let mut base = base_url.clone();
        // With a slash at the end, joining keeps what the address has of a path.
        base.path_segments_mut().ok()?.pop_if_empty().push("");
        let login = base.join("accounts/login/").ok()?;
        let orders = base.join("accounts/orders/").ok()?;
        Some(Self { egress, settings, login, orders })
    }

    /// Fetches a page that only a signed-in customer sees.
    async fn fetch(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
        url: &Url,
        page: Page,
    ) -> Result<Fetched, ConnectorError> {
        let response = self.egress.send(Request::get(url.clone()), cookies, Visitor::waiting(context)).await?;
        let moved = response.url.path() != url.path();
        match response.status {
            200 if moved && !matches!(sign_in_page::read(&response.body, &response.url), SignInPage::Other) => {
                Ok(Fetched::SignedOut)
            }
            200 => Ok(Fetched::Page(response)),
            401 => Ok(Fetched::SignedOut),
            404 | 410 => Ok(Fetched::Missing),
            status => Err(page.answered(status)),
        }
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
impl Connector for Oscar {
    fn credential_fields(&self) -> Vec<CredentialField> {
        vec![CredentialField::new("username", "Email", false), CredentialField::new("password", "Password", true)]
    }

    async fn step(
        &self,
        context: &StepContext<'_>,
        state: Option<ConnectorState>,
        input: Input<'_>,
    ) -> Result<Step, ConnectorError> {
        let (state, outcome) = match (input, state) {
            (Input::Login, _) => self.begin(context).await?,
            (input, Some(bytes)) => {
                let mut state = State::open(&bytes)?;
                let outcome = self.advance(context, &mut state, input).await?;
                (state, outcome)
            }
            (_, None) => return Err(internal("The sync has no state to go on from.")),
        };
        let scanning = state.scan.is_some();
        let step = Step::new(outcome, state.close()?);
        // Each step of a scan reads at least one page of the list or of an order.
        Ok(if scanning { step.progressed() } else { step })
    }
}

impl Oscar {
    /// The first step: the remembered sign-in where it still holds, else a new one.
    async fn begin(&self, context: &StepContext<'_>) -> Result<(State, Outcome), ConnectorError> {
        let mut state = State { cookies: Self::recall(context).unwrap_or_default(), ..State::default() };
        if !state.cookies.is_empty()
            && let Some(outcome) = self.verify(context, &mut state).await?
        {
            return Ok((state, outcome));
        }
        let outcome = match self.sign_in(context, &mut state).await? {
            Some(challenge) => challenge,
            None => self.verified(context, &mut state).await?,
        };
        Ok((state, outcome))
    }

    async fn advance(
        &self,
        context: &StepContext<'_>,
        state: &mut State,
        input: Input<'_>,
    ) -> Result<Outcome, ConnectorError> {
        match input {
            Input::MfaCode(code) => self.enter_code(context, state, code).await,
            Input::Continue if state.scan.is_some() => self.scan(context, state).await,
            Input::Continue => self.verified(context, state).await,
            Input::Login | Input::MfaChoice(_) => Err(internal("The step does not fit the state of the sync.")),
        }
    }

    /// Looks whether the customer is signed in, by the page that this is for. `None`: not so.
    async fn verify(&self, context: &StepContext<'_>, state: &mut State) -> Result<Option<Outcome>, ConnectorError> {
        match self.fetch(context, &mut state.cookies, &self.orders, Page::OrderList).await? {
            Fetched::Page(_) => {
                state.scan = Some(state::Scan::new(self.orders.clone()));
                Ok(Some(Outcome::SignedIn { session: Self::remember(context, &state.cookies) }))
            }
            Fetched::SignedOut => Ok(None),
            Fetched::Missing => Err(Page::OrderList.answered(404)),
        }
    }

    /// The same after a sign-in that the shop took: there it must hold.
    async fn verified(&self, context: &StepContext<'_>, state: &mut State) -> Result<Outcome, ConnectorError> {
        self.verify(context, state).await?.ok_or_else(|| {
            ConnectorError::new(SyncErrorCode::RetailerChanged)
                .with_message("The retailer took the sign-in, but does not show the order list after it.")
        })
    }
}

fn credential<'a>(context: &StepContext<'a>, name: &str) -> Result<&'a str, ConnectorError> {
    context.credentials.get(name).map(ExposeSecret::expose_secret).ok_or_else(|| {
        ConnectorError::new(SyncErrorCode::CredentialsRefused)
            .with_message(format!("The credentials lack the field \"{name}\"."))
    })
}
