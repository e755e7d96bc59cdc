//! Signing in as the customer would: the form, the code if the shop asks for one, and once more if the shop ended the
//! sign-in in the middle of a scan.

use std::sync::Arc;

use ordersync_api::SyncErrorCode;
use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

use super::form::Form;
use super::page::PageKind;
use super::sign_in::{CredentialsForm, SignInAnswer};
use super::site::{CodeForm, HtmlShop, Site, credential};
use super::state::{Stage, State, internal};
use super::steps::HtmlConnector;
use crate::connector::egress::{CookieJar, Request, Response, Visitor};
use crate::connector::{Challenge, ChallengeKind, ConnectorError, Outcome, StepContext, html};

const ASK: &str = "Enter the code that your authenticator app shows for this shop.";
const ASK_AFTER_WRONG: &str = "The code was wrong. Wait until your authenticator app shows the next one, then enter that: \
    the shop refuses codes for a short while after a wrong one.";
const ASK_AFTER_PAUSE: &str = "The shop looks at no code for a short while after a wrong one. Wait a minute, then enter \
    the code that your authenticator app shows.";
const ASK_AFTER_RESTART: &str = "The shop had forgotten the sign-in, which was begun anew. Enter the next code that your \
    authenticator app shows.";

impl<S: HtmlShop + Send> HtmlConnector<S> {
    /// Fetches the form for user name and password.
    pub(super) async fn fetch_form(
        &self,
        context: &StepContext<'_>,
        state: &mut State<S::Kept>,
    ) -> Result<(), ConnectorError> {
        let site = self.0.site();
        let request = Request::get(site.sign_in.clone());
        let page = site.egress.send(request, &mut state.cookies, Visitor::of(context)).await?;
        let Response { url, status, body, .. } = page;
        let pages = Arc::clone(&site.pages);
        let form = html::read(body, move |document| pages.read(document, &url).credentials_form(status)).await?;
        state.credentials_form = Some(form);
        state.stage = Stage::SendForm;
        state.has_read = true;
        Ok(())
    }

    /// Signs in with the credentials. The shop may ask for a code, which is the outcome then; `None`: it took them.
    pub(super) async fn send_form(
        &self,
        context: &StepContext<'_>,
        state: &mut State<S::Kept>,
    ) -> Result<Option<Outcome>, ConnectorError> {
        let prompt = if state.is_restarted { ASK_AFTER_RESTART } else { ASK };
        let username = credential(context, "username")?;
        let password = credential(context, "password")?;
        let Some(waiting) = &state.credentials_form else { return Err(internal("There is no form to send.")) };
        let CredentialsForm { form, username: username_field, password: password_field } = waiting;
        let body = form.fill(&[(username_field, username), (password_field, password)]);
        let answer = self.0.site().post(context, &mut state.cookies, form, body).await?;
        // The token of the form is used up, whatever the answer is.
        state.credentials_form = None;
        state.stage = Stage::FetchForm;
        match self.0.site().answer(PageKind::SignIn, answer).await? {
            SignInAnswer::CodeWanted(form) => {
                state.is_restarted = false;
                state.code_form = Some(form);
                Ok(Some(Outcome::Challenge(challenge(prompt))))
            }
            SignInAnswer::CredentialsAgain => Err(ConnectorError::new(SyncErrorCode::CredentialsRefused)),
            SignInAnswer::Locked => Err(ConnectorError::new(SyncErrorCode::AccountLocked)),
            SignInAnswer::Taken => {
                state.signed_in();
                Ok(None)
            }
        }
    }

    /// Enters the user's code into the form that waits for it.
    pub(super) async fn enter_code(
        &self,
        context: &StepContext<'_>,
        state: &mut State<S::Kept>,
        code: &SecretString,
    ) -> Result<Outcome, ConnectorError> {
        // A form of another version, which cannot be read.
        let Some(CodeForm { form, code: field, .. }) = state.code_form.take() else {
            return self.sign_in_again(context, state).await;
        };
        let digits: Zeroizing<String> = code.expose_secret().split_whitespace().collect::<String>().into();
        let body = form.fill(&[(&field, &digits)]);
        let answer = self.0.site().post(context, &mut state.cookies, &form, body).await?;
        match self.0.site().answer(PageKind::Code, answer).await? {
            SignInAnswer::CodeWanted(form) => {
                let prompt = if form.paused { ASK_AFTER_PAUSE } else { ASK_AFTER_WRONG };
                state.code_form = Some(form);
                Ok(Outcome::WrongCode(challenge(prompt)))
            }
            // The shop's wizard has expired, or the step is repeated after a crash, with a code that was used. A code
            // works once: it is not tried a second time, which would count as a wrong one.
            SignInAnswer::CredentialsAgain => self.sign_in_again(context, state).await,
            SignInAnswer::Locked => Err(ConnectorError::new(SyncErrorCode::AccountLocked)),
            // The next step looks whether the sign-in holds: if that fails for a moment, it is repeated without the code.
            SignInAnswer::Taken => {
                state.signed_in();
                Ok(Outcome::Working)
            }
        }
    }

    async fn sign_in_again(
        &self,
        context: &StepContext<'_>,
        state: &mut State<S::Kept>,
    ) -> Result<Outcome, ConnectorError> {
        state.is_restarted = true;
        state.stage = Stage::FetchForm;
        state.has_read = true;
        self.advance(context, state).await
    }
}

impl Site {
    /// Posts a form. A redirect is the shop's way to say that it took the form; where to is of no interest.
    async fn post(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
        form: &Form,
        body: Zeroizing<String>,
    ) -> Result<Response, ConnectorError> {
        let request =
            Request { url: form.action.clone(), referer: Some(&form.page), form: Some(body), follow_redirects: false };
        self.egress.send(request, cookies, Visitor::of(context)).await
    }

    /// What the answer to the form of a page of kind `of` says.
    async fn answer(&self, of: PageKind, answer: Response) -> Result<SignInAnswer<CodeForm>, ConnectorError> {
        let Response { url, status, body, .. } = answer;
        let pages = Arc::clone(&self.pages);
        html::read(body, move |document| pages.answer(of, status, document, &url)).await
    }
}

fn challenge(prompt: &str) -> Challenge {
    Challenge { kind: ChallengeKind::Enter, prompt: prompt.to_owned() }
}
