//! Signing in as the customer would: the form, the code where the shop asks for one, and once more where the shop ended
//! the sign-in in the middle of a scan.

use ordersync_api::SyncErrorCode;
use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

use super::html::Page;
use super::sign_in_page::{self, CodeForm, CredentialsForm, SignInPage};
use super::state::{State, internal};
use super::{Oscar, credential};
use crate::connector::egress::{CookieJar, Request, Response, Visitor};
use crate::connector::{Challenge, ChallengeKind, ConnectorError, Outcome, StepContext};

const ASK: &str = "Enter the code that your authenticator app shows for this shop.";
const ASK_AFTER_WRONG: &str = "The code was wrong. Wait until your authenticator app shows the next one, then enter that: \
    the shop refuses codes for a short while after a wrong one.";
const ASK_AFTER_PAUSE: &str = "The shop looks at no code for a short while after a wrong one. Wait a minute, then enter \
    the code that your authenticator app shows.";
const ASK_AFTER_RESTART: &str = "The shop had forgotten the sign-in, which was begun anew. Enter the next code that your \
    authenticator app shows.";

impl Oscar {
    /// Signs in with the credentials. The shop may ask for a code, which is the outcome then; `None`: it took them.
    pub(super) async fn sign_in(
        &self,
        context: &StepContext<'_>,
        state: &mut State,
    ) -> Result<Option<Outcome>, ConnectorError> {
        self.sign_in_asking(context, state, ASK).await
    }

    async fn sign_in_asking(
        &self,
        context: &StepContext<'_>,
        state: &mut State,
        prompt: &str,
    ) -> Result<Option<Outcome>, ConnectorError> {
        let username = credential(context, "username")?;
        let password = credential(context, "password")?;
        let page =
            self.egress.send(Request::get(self.login.clone()), &mut state.cookies, Visitor::waiting(context)).await?;
        let form = match (page.status, sign_in_page::read(&page.body, &page.url)) {
            (200, SignInPage::Credentials(form)) => form,
            (200, _) => return Err(Page::SignIn.lacks("the form for user name and password")),
            (status, _) => return Err(Page::SignIn.answered(status)),
        };
        let CredentialsForm { form, username: username_field, password: password_field } = form;
        let body = form.fill(&[(&username_field, username), (&password_field, password)]);
        let answer = self.post(context, &mut state.cookies, &form, body).await?;
        match (answer.status, sign_in_page::read(&answer.body, &answer.url)) {
            (_, SignInPage::Code(form)) => Ok(Some(ask(state, form, prompt))),
            (_, SignInPage::Credentials(_)) => Err(ConnectorError::new(SyncErrorCode::CredentialsRefused)),
            (status, SignInPage::Other) => taken(Page::SignIn, status).map(|()| None),
        }
    }

    /// Enters the user's code into the form that waits for it.
    pub(super) async fn enter_code(
        &self,
        context: &StepContext<'_>,
        state: &mut State,
        code: &SecretString,
    ) -> Result<Outcome, ConnectorError> {
        let CodeForm { form, code: field, .. } =
            state.code_form.take().ok_or_else(|| internal("A code was given that nothing asks for."))?;
        let digits: Zeroizing<String> = code.expose_secret().split_whitespace().collect::<String>().into();
        let body = form.fill(&[(&field, &digits)]);
        let answer = self.post(context, &mut state.cookies, &form, body).await?;
        match (answer.status, sign_in_page::read(&answer.body, &answer.url)) {
            (_, SignInPage::Code(form)) => {
                let prompt = if form.paused { ASK_AFTER_PAUSE } else { ASK_AFTER_WRONG };
                state.code_form = Some(form);
                Ok(Outcome::WrongCode(challenge(prompt)))
            }
            // The shop's wizard has expired, or the step is repeated after a crash, with a code that was used. A code
            // works once: it is not tried a second time, which would count as a wrong one.
            (_, SignInPage::Credentials(_)) => {
                Ok(self.sign_in_asking(context, state, ASK_AFTER_RESTART).await?.unwrap_or(Outcome::Working))
            }
            // The next step looks whether the sign-in holds: if that fails for a moment, it is repeated without the code.
            (status, SignInPage::Other) => taken(Page::Code, status).map(|()| Outcome::Working),
        }
    }

    /// Signs in once more in the middle of a scan; a second time, the sync ends.
    pub(super) async fn sign_in_again(
        &self,
        context: &StepContext<'_>,
        state: &mut State,
    ) -> Result<Outcome, ConnectorError> {
        if state.signed_in_again {
            return Err(ConnectorError::new(SyncErrorCode::RetailerSessionExpired));
        }
        state.signed_in_again = true;
        Ok(self.sign_in(context, state).await?.unwrap_or(Outcome::Working))
    }

    /// Posts a form. A redirect is the shop's way to say that it took the form; where to is of no interest.
    async fn post(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
        form: &super::form::Form,
        body: Zeroizing<String>,
    ) -> Result<Response, ConnectorError> {
        let request =
            Request { url: form.action.clone(), referer: Some(&form.page), form: Some(body), follow_redirects: false };
        self.egress.send(request, cookies, Visitor::waiting(context)).await
    }
}

fn ask(state: &mut State, form: CodeForm, prompt: &str) -> Outcome {
    state.code_form = Some(form);
    Outcome::Challenge(challenge(prompt))
}

fn challenge(prompt: &str) -> Challenge {
    Challenge { kind: ChallengeKind::Enter, prompt: prompt.to_owned() }
}

/// Whether the answer to a form says that it was taken.
fn taken(page: Page, status: u16) -> Result<(), ConnectorError> {
    if matches!(status, 200 | 301..=303) { Ok(()) } else { Err(page.answered(status)) }
}
