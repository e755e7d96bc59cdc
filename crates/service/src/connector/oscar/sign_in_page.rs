//! The pages of the sign-in: stock Oscar's, and the wizard of django-two-factor-auth. Both are known by the fields of
//! their forms, whatever their address or language.

use scraper::{ElementRef, Html};
use url::Url;

use crate::connector::ConnectorError;
use crate::connector::kit::check::Unread;
use crate::connector::kit::form::Form;
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::sign_in::{SignInAnswer, SignInPage, only_field};
use crate::connector::kit::site::{CodeForm, SignInPages};
use crate::connector::kit::text::{selector, text};

/// Oscar's sign-in.
pub(super) struct OscarSignIn;

impl SignInPages for OscarSignIn {
    fn username_label(&self) -> &'static str {
        "Email"
    }

    fn read(&self, document: &Html, url: &Url) -> SignInPage<CodeForm> {
        read(document, url)
    }

    fn answer(
        &self,
        of: PageKind,
        status: u16,
        document: &Html,
        url: &Url,
    ) -> Result<SignInAnswer<CodeForm>, ConnectorError> {
        SignInAnswer::read(of, status, document, url, code_form)
    }

    fn asks(&self, document: &Html) -> bool {
        matches!(instead(document), Unread::SignedOut)
    }
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
fn code_form(form: ElementRef<'_>, url: &Url) -> Option<CodeForm> {
    let code = only_field(form.select(selector!("input[name$=otp_token]")))?;
    // django-otp tells the number of failures when it pauses, and says no number when a code is wrong, in any language.
    let paused =
        form.select(selector!(".errorlist li")).any(|error| text(error).contains(|sign: char| sign.is_ascii_digit()));
    Some(CodeForm { form: Form::read(form, url)?, code, paused })
}
