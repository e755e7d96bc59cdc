//! The pages of the sign-in, as a recipe describes them.

use std::sync::Arc;

use ordersync_api::SyncErrorCode;
use scraper::{ElementRef, Html};
use url::Url;

use super::format::{Recipe, SignIn};
use crate::connector::ConnectorError;
use crate::connector::kit::form::Form;
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::sign_in::{CredentialsForm, SignInAnswer, SignInPage, only_field};
use crate::connector::kit::site::{CodeForm, SignInPages};
use crate::connector::kit::text::{normalised, selector, text};

/// The sign-in that a recipe describes.
pub(super) struct RecipeSignIn(pub(super) Arc<Recipe>);

impl SignInPages for RecipeSignIn {
    fn read(&self, document: &Html, url: &Url) -> SignInPage<CodeForm> {
        let recipe = &self.0.sign_in;
        let mut forms = document.select(selector!("form")).filter(|form| recipe.is_marked(*form));
        let form = forms.find_map(|form| CredentialsForm::read(form, url));
        if let Some(form) = form.filter(|_| recipe.form_has.is_some()) {
            return SignInPage::Credentials(Box::new(form));
        }
        match SignInPage::read(document, url, |form, url| recipe.code_form(form, url)) {
            // The password of another form.
            SignInPage::Credentials(_) if recipe.form_has.is_some() => SignInPage::Other(OtherPage::of(document)),
            page => page,
        }
    }

    fn answer(
        &self,
        of: PageKind,
        status: u16,
        document: &Html,
        url: &Url,
    ) -> Result<SignInAnswer<CodeForm>, ConnectorError> {
        let recipe = &self.0.sign_in;
        let answer = SignInAnswer::read(of, status, document, url, |form, url| recipe.code_form(form, url))?;
        if !matches!(answer, SignInAnswer::CredentialsAgain) {
            return Ok(answer);
        }
        if OtherPage::of(document) == OtherPage::RobotCheck {
            return Err(OtherPage::RobotCheck.error(of));
        }
        let says = |message: ElementRef<'_>, words: &str| normalised(&text(message)).contains(words);
        let mut messages = recipe.refusal.iter().flat_map(|refusal| document.select(refusal.get()));
        if messages.any(|message| recipe.locked.iter().any(|words| says(message, words.as_str()))) {
            return Ok(SignInAnswer::Locked);
        }
        // A form that has expired is shown again without a message: the password was not checked.
        let says_nothing = |refusal| document.select(refusal).all(|message| text(message).is_empty());
        if of == PageKind::SignIn && recipe.refusal.as_ref().is_some_and(|refusal| says_nothing(refusal.get())) {
            return Err(ConnectorError::new(SyncErrorCode::RetailerChanged).with_message(
                "The retailer shows its sign-in again and does not say why. Sync again; if that does not help, the \
                 shop's sign-in has changed.",
            ));
        }
        Ok(answer)
    }

    fn asks(&self, document: &Html) -> bool {
        let recipe = &self.0.sign_in;
        if recipe.signed_in.as_ref().is_some_and(|signed_in| document.select(signed_in.get()).next().is_some()) {
            return false;
        }
        if recipe.form_has.is_some() && document.select(selector!("form")).any(|form| recipe.is_marked(form)) {
            return true;
        }
        // Where the page came from is of no interest here: the form is not sent.
        let Ok(url) = Url::parse("http://localhost/") else { return false };
        matches!(self.read(document, &url), SignInPage::Credentials(_) | SignInPage::Code(_))
    }
}

impl SignIn {
    /// Whether a form has what only the form to sign in has.
    fn is_marked(&self, form: ElementRef<'_>) -> bool {
        self.form_has.as_ref().is_some_and(|mark| form.select(mark.get()).next().is_some())
    }

    fn code_form(&self, form: ElementRef<'_>, url: &Url) -> Option<CodeForm> {
        let field = self.code_field.as_ref()?;
        let code = only_field(form.select(field.get()))?;
        // The shop counts the failures when it pauses, and says no number when a code is wrong, in any language.
        let mut notices = self.code_paused.iter().flat_map(|notice| form.select(notice.get()));
        let paused = notices.any(|notice| text(notice).contains(|sign: char| sign.is_ascii_digit()));
        Some(CodeForm { code, form: Form::read(form, url)?, paused })
    }
}
