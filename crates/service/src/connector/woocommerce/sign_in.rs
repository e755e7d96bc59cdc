//! Signing in as the customer would, and once more where the shop ended the sign-in in the middle of a scan.

use std::convert::Infallible;

use ordersync_api::SyncErrorCode;

use super::state::{Stage, State, internal};
use super::{WooCommerce, credential, page};
use crate::connector::egress::{Request, Response, Visitor};
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::sign_in::{CredentialsForm, SignInAnswer, SignInPage};
use crate::connector::{ConnectorError, StepContext, html};

impl WooCommerce {
    /// Fetches the form for user name and password.
    pub(super) async fn fetch_form(&self, context: &StepContext<'_>, state: &mut State) -> Result<(), ConnectorError> {
        let request = Request::get(self.account.clone());
        let Response { url, status, body, .. } =
            self.egress.send(request, &mut state.cookies, Visitor::of(context)).await?;
        let form = html::read(body, move |document| {
            let found = match page::sign_in_form(document, &url) {
                Some(form) => SignInPage::<Infallible>::Credentials(Box::new(form)),
                None => SignInPage::Other(OtherPage::of(document)),
            };
            found.credentials_form(status)
        });
        state.credentials_form = Some(form.await?);
        state.stage = Stage::SendForm;
        state.has_read = true;
        Ok(())
    }

    /// Signs in with the credentials.
    pub(super) async fn send_form(&self, context: &StepContext<'_>, state: &mut State) -> Result<(), ConnectorError> {
        let username = credential(context, "username")?;
        let password = credential(context, "password")?;
        let Some(waiting) = &state.credentials_form else { return Err(internal("There is no form to send.")) };
        let CredentialsForm { form, username: username_field, password: password_field } = waiting;
        let request = Request {
            url: form.action.clone(),
            referer: Some(&form.page),
            form: Some(form.fill(&[(username_field, username), (password_field, password)])),
            follow_redirects: false,
        };
        let answer = self.egress.send(request, &mut state.cookies, Visitor::of(context)).await?;
        // The nonce of the form may be used up, whatever the answer is.
        state.credentials_form = None;
        state.stage = Stage::FetchForm;
        let Response { url, status, body, .. } = answer;
        let answer = html::read(body, move |document| {
            let answer = SignInAnswer::<Infallible>::read(PageKind::SignIn, status, document, &url, |_, _| None)?;
            if !matches!(answer, SignInAnswer::CredentialsAgain) {
                return Ok(answer);
            }
            if OtherPage::of(document) == OtherPage::RobotCheck {
                return Err(OtherPage::RobotCheck.error(PageKind::SignIn));
            }
            // With a nonce that has expired, WooCommerce shows the form again and says nothing: the password was not looked at.
            if page::errors(document).is_empty() {
                return Err(ConnectorError::new(SyncErrorCode::RetailerChanged).with_message(
                    "The retailer shows its sign-in again and does not say why. Sync again; if that does not help, the \
                     shop's sign-in has changed.",
                ));
            }
            Ok(answer)
        });
        match answer.await? {
            SignInAnswer::CredentialsAgain => Err(ConnectorError::new(SyncErrorCode::CredentialsRefused)),
            SignInAnswer::Locked => Err(ConnectorError::new(SyncErrorCode::AccountLocked)),
            SignInAnswer::Taken => {
                state.signed_in();
                Ok(())
            }
            SignInAnswer::CodeWanted(never) => match never {},
        }
    }
}
