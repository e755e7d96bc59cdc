//! The steps of a sync: sign in, verify, scan. Every shop takes the same ones, whether it answers with pages or with JSON.

use async_trait::async_trait;
use ordersync_api::{CredentialField, SyncErrorCode};

use super::scan::{Scan, Scanned};
use super::site::SignInShop;
use super::state::{Stage, State, internal, remember};
use super::turn::Turn;
use crate::connector::egress::CookieJar;
use crate::connector::{Connector, ConnectorError, ConnectorState, Input, Outcome, Step, StepContext};

/// The connector for a shop whose customers sign in.
pub(in crate::connector) struct ShopConnector<S>(pub(in crate::connector) S);

#[async_trait]
impl<S: SignInShop + Send> Connector for ShopConnector<S> {
    fn credential_fields(&self) -> Vec<CredentialField> {
        let username = self.0.username_label();
        vec![CredentialField::new("username", username, false), CredentialField::new("password", "Password", true)]
    }

    fn origin(&self) -> Option<String> {
        Some(self.0.egress().origin())
    }

    async fn step(
        &self,
        context: &StepContext<'_>,
        state: Option<ConnectorState>,
        input: Input<'_>,
    ) -> Result<Step, ConnectorError> {
        let mut state = match (&input, state) {
            (Input::Login, _) => State::begin(context),
            (_, Some(bytes)) => State::open(&bytes, &self.0.orders())?,
            (_, None) => return Err(internal("The sync has no state to continue from.")),
        };
        let taken = match input {
            Input::Login | Input::Continue => self.advance(context, &mut state).await,
            Input::MfaCode(code) => self.enter_code(context, &mut state, code).await,
            Input::MfaChoice(_) => Err(internal("The step does not fit the state of the sync.")),
        };
        Step::of_reading(taken.map(|outcome| (outcome, state.rest)), state.has_read, || state.close())
    }
}

impl<S: SignInShop + Send> ShopConnector<S> {
    /// Signs in and scans, as far as one step goes.
    pub(super) async fn advance(
        &self,
        context: &StepContext<'_>,
        state: &mut State<S::Kept>,
    ) -> Result<Outcome, ConnectorError> {
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
                Stage::SendForm => {
                    if let Some(outcome) = self.send_form(context, state).await? {
                        return Ok(outcome);
                    }
                }
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
                    // The shop has ended the sign-in. What was read is kept before a password is sent.
                    state.renewals.count()?;
                    state.stage = Stage::FetchForm;
                    if state.has_read {
                        return Ok(Outcome::Working);
                    }
                }
            }
        }
    }

    /// A step of the scan. `None`: the shop has ended the sign-in.
    async fn scan(
        &self,
        context: &StepContext<'_>,
        state: &mut State<S::Kept>,
    ) -> Result<Option<Outcome>, ConnectorError> {
        let State { cookies, renewals, has_read, scan: Some(scan), .. } = &mut *state else {
            return Err(internal("There is no scan to continue."));
        };
        let mut turn = Turn { context, cookies, renewals, has_read };
        Ok(scan.step(&self.0, &mut turn).await?.map(|scanned| match scanned {
            Scanned::List => Outcome::Working,
            Scanned::Orders(page) => Outcome::Page(page),
            Scanned::Whole(report) => Outcome::Done { session: remember(context, cookies), report },
        }))
    }

    /// Looks whether the customer is signed in. `None`: not so.
    async fn verify(
        &self,
        context: &StepContext<'_>,
        state: &mut State<S::Kept>,
    ) -> Result<Option<Outcome>, ConnectorError> {
        let State { cookies, renewals, has_read, .. } = &mut *state;
        if !self.0.is_signed_in(&mut Turn { context, cookies, renewals, has_read }).await? {
            return Ok(None);
        }
        state.scan = Some(Scan::new(self.0.orders()));
        state.stage = Stage::Scan;
        Ok(Some(Outcome::SignedIn { session: remember(context, &state.cookies) }))
    }
}
