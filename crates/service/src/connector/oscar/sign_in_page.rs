//! The pages of the sign-in: stock Oscar's, and the wizard of django-two-factor-auth. Both are known by the fields of
//! their forms, whatever their address or language.

use scraper::{ElementRef, Html};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::connector::kit::check::Unread;
use crate::connector::kit::form::Form;
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::sign_in::{SignInPage, only_field};
use crate::connector::kit::text::{selector, text};

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
    matches!(instead(document), Unread::SignedOut)
}

/// What a page is that is not the one that was asked for.
pub(super) fn instead(document: &Html) -> Unread {
    // Where the page came from is of no interest here: the form is not sent.
    let Ok(url) = Url::parse("http://localhost/") else { return Unread::Instead(OtherPage::of(document)) };
    match read(document, &url) {
        SignInPage::Credentials(_) | SignInPage::Code(_) => Unread::SignedOut,
        SignInPage::Other(other) => Unread::Instead(other),
    }
}

/// Reads a page of the sign-in that came from `url`.
pub(super) fn read(document: &Html, url: &Url) -> SignInPage<CodeForm> {
    SignInPage::read(document, url, code_form)
}

/// Reads the form of the wizard that asks for a code.
pub(super) fn code_form(form: ElementRef<'_>, url: &Url) -> Option<CodeForm> {
    let code = only_field(form.select(selector!("input[name$=otp_token]")))?;
    // django-otp tells the number of failures when it pauses, and says no number when a code is wrong, in any language.
    let paused =
        form.select(selector!(".errorlist li")).any(|error| text(error).contains(|sign: char| sign.is_ascii_digit()));
    Some(CodeForm { form: Form::read(form, url)?, code, paused })
}
