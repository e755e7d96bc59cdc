//! Signing in as the customer would: the form, the code if the shop asks for one, and once more if the shop ended the
//! sign-in in the middle of a scan.

use ordersync_api::SyncErrorCode;
use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

use super::page::PageKind;
use super::sign_in::{CredentialsForm, SignInAnswer};
use super::site::{CodeForm, SignInShop, credential};
use super::state::{Stage, State, internal};
use super::steps::ShopConnector;
use crate::connector::egress::Visitor;
use crate::connector::{Challenge, ChallengeKind, ConnectorError, Outcome, StepContext};

const ASK: &str = "Enter the code that your authenticator app shows for this shop.";
const ASK_AFTER_WRONG: &str = "The code was wrong. Wait until your authenticator app shows the next one, then enter that: \
    the shop refuses codes for a short while after a wrong one.";
const ASK_AFTER_PAUSE: &str = "The shop looks at no code for a short while after a wrong one. Wait a minute, then enter \
    the code that your authenticator app shows.";
const ASK_AFTER_NO_ANSWER: &str = "The shop gave the code no answer that can be read. Wait until your authenticator app \
    shows the next one, then enter that.";
const ASK_AFTER_RESTART: &str = "The shop had forgotten the sign-in, which was begun anew. Enter the next code that your \
    authenticator app shows.";

impl<S: SignInShop + Send> ShopConnector<S> {
    /// Fetches the form for user name and password.
    pub(super) async fn fetch_form(
        &self,
        context: &StepContext<'_>,
        state: &mut State<S::Kept>,
    ) -> Result<(), ConnectorError> {
        state.credentials_form = Some(self.0.credentials_form(context, &mut state.cookies).await?);
        state.stage = Stage::SendForm;
        state.has_read = true;
        Ok(())
    }

    /// Signs in with the credentials. The shop may ask for a code, which is the outcome then, or answer with nothing that
    /// can be read; `None`: it took them.
    pub(super) async fn send_form(
        &self,
        context: &StepContext<'_>,
        state: &mut State<S::Kept>,
    ) -> Result<Option<Outcome>, ConnectorError> {
        let prompt = if state.is_restarted { ASK_AFTER_RESTART } else { ASK };
        let username = credential(context, "username")?;
        let password = credential(context, "password")?;
        let Some(waiting) = &state.credentials_form else { return Err(internal("There is no form to send.")) };
        let CredentialsForm { form, username: username_field, password: password_field } = waiting.clone();
        self.0.egress().turn(&form.action, Visitor::of(context)).await?;
        state.renewals.send_password(context.sent_forms.count().await?)?;
        // The token of the form is used up, whatever the answer is.
        state.credentials_form = None;
        state.stage = Stage::FetchForm;
        state.has_read = false;
        let fields = [(username_field.as_str(), username), (password_field.as_str(), password)];
        let answer = match self.0.send_form(context, &mut state.cookies, PageKind::SignIn, &form, &fields).await {
            Ok(answer) => answer,
            Err(error) => return unanswered(state, error).map(Some),
        };
        match answer {
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
        let Some(CodeForm { form, code: field, .. }) = state.code_form.clone() else {
            return Ok(sign_in_again(state));
        };
        let digits: Zeroizing<String> = code.expose_secret().split_whitespace().collect::<String>().into();
        self.0.egress().turn(&form.action, Visitor::of(context)).await?;
        let is_first = state.renewals.send_code(context.sent_forms.count().await?);
        let answer = if is_first {
            self.0.send_form(context, &mut state.cookies, PageKind::Code, &form, &[(&field, &digits)]).await
        } else {
            let found = "The answer to the code was lost. Sync again.";
            Err(ConnectorError::new(SyncErrorCode::RetailerUnavailable).with_message(found).transient())
        };
        let answer = match answer {
            Err(error) if error.transient && state.renewals.is_code_left() => {
                return Ok(Outcome::Challenge(challenge(ASK_AFTER_NO_ANSWER)));
            }
            Err(error) => return Err(error.lasting()),
            Ok(answer) => answer,
        };
        state.code_form = None;
        state.renewals.code_answered();
        match answer {
            SignInAnswer::CodeWanted(form) => {
                let prompt = if form.paused { ASK_AFTER_PAUSE } else { ASK_AFTER_WRONG };
                state.code_form = Some(form);
                Ok(Outcome::WrongCode(challenge(prompt)))
            }
            // The shop's wizard has expired.
            SignInAnswer::CredentialsAgain => Ok(sign_in_again(state)),
            SignInAnswer::Locked => Err(ConnectorError::new(SyncErrorCode::AccountLocked)),
            // The next step looks whether the sign-in holds: if that fails for a moment, it is repeated without the code.
            SignInAnswer::Taken => {
                state.signed_in();
                Ok(Outcome::Working)
            }
        }
    }
}

/// The shop has forgotten the sign-in: the next step begins it anew.
fn sign_in_again<K>(state: &mut State<K>) -> Outcome {
    state.is_restarted = true;
    state.stage = Stage::FetchForm;
    state.has_read = true;
    Outcome::Working
}

/// A password got no answer that can be read. It is sent again after a rest, or that was the last time.
fn unanswered<K>(state: &mut State<K>, error: ConnectorError) -> Result<Outcome, ConnectorError> {
    let rest = state.renewals.rest().filter(|_| error.transient);
    let Some(rest) = rest else { return Err(error.lasting()) };
    tracing::info!(code = error.code.as_str(), "a retailer's answer to a sign-in cannot be read");
    state.rest = rest;
    Ok(Outcome::Working)
}

fn challenge(prompt: &str) -> Challenge {
    Challenge { kind: ChallengeKind::Enter, prompt: prompt.to_owned() }
}
