//! The pages of the sign-in: stock Oscar's, and the wizard of django-two-factor-auth. Both are known by the fields of
//! their forms, whatever their address or language.

use scraper::{ElementRef, Html};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::connector::ConnectorError;
use crate::connector::kit::form::Form;
use crate::connector::kit::text::{selector, text};

/// What a page of the sign-in asks for.
pub(super) enum SignInPage {
    /// User name and password.
    Credentials(CredentialsForm),
    Code(CodeForm),
    /// Nothing: the page is no part of the sign-in. What to say of it if it should be.
    Other(ConnectorError),
}

/// Asks for user name and password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CredentialsForm {
    pub(super) form: Form,
    pub(super) username: String,
    pub(super) password: String,
}

/// Asks for a code.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CodeForm {
    pub(super) form: Form,
    pub(super) code: String,
    /// Whether the shop says that, after wrong codes, it looks at none for a while.
    pub(super) paused: bool,
}

/// Whether a page asks for a sign-in, or for its code.
pub(super) fn asks(document: &Html) -> bool {
    // Where the page came from is of no interest here: the form is not sent.
    Url::parse("http://localhost/").is_ok_and(|url| find(document, &url).is_some())
}

/// What a page of the sign-in asks for; none if it has no such form.
pub(super) fn find(document: &Html, url: &Url) -> Option<SignInPage> {
    document.select(selector!("form")).find_map(|form| {
        let credentials = credentials_form(form, url).map(SignInPage::Credentials);
        credentials.or_else(|| code_form(form, url).map(SignInPage::Code))
    })
}

/// One password field and one name field: a form to register has two password fields.
fn credentials_form(form: ElementRef<'_>, url: &Url) -> Option<CredentialsForm> {
    let password = only(form.select(selector!("input[type=password][name]")))?;
    let username =
        only(form.select(selector!("input[type=text][name], input[type=email][name], input[name]:not([type])")))?;
    Some(CredentialsForm { form: Form::read(form, url)?, username, password })
}

fn code_form(form: ElementRef<'_>, url: &Url) -> Option<CodeForm> {
    let code = only(form.select(selector!("input[name$=otp_token]")))?;
    // django-otp tells the number of failures when it pauses, and says no number when a code is wrong, in any language.
    let paused =
        form.select(selector!(".errorlist li")).any(|error| text(error).contains(|sign: char| sign.is_ascii_digit()));
    Some(CodeForm { form: Form::read(form, url)?, code, paused })
}

fn only<'a>(mut fields: impl Iterator<Item = ElementRef<'a>>) -> Option<String> {
    let field = fields.next()?;
    fields.next().is_none().then(|| field.attr("name").map(str::to_owned))?
}
