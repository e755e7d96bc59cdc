//! Signing in: the form for user name and password, and every way in which a shop answers one.
//!
//! Shops answer a refused sign-in, a captcha and a page of their account alike: with status 200. So [`SignInAnswer::read`]
//! goes by what an answer shows.

use scraper::{ElementRef, Html};
use serde::{Deserialize, Serialize};
use url::Url;

use super::form::Form;
use super::other_page::OtherPage;
use super::page::PageKind;
use super::text::{normalised, selector, text};
use crate::connector::ConnectorError;

/// The longest text that is taken for one message, in bytes.
const MAX_MESSAGE: usize = 400;
/// Words that say that an account is locked, in the languages that are read.
const LOCKED: &[&str] = &[
    "account is locked",
    "account has been locked",
    "account locked",
    "account is temporarily locked",
    "account has been suspended",
    "too many failed",
    "too many login attempts",
    "too many sign-in attempts",
    "konto ist gesperrt",
    "konto wurde gesperrt",
    "zu viele fehlgeschlagene",
    "compte est verrouillé",
    "compte a été verrouillé",
    "account is geblokkeerd",
    "cuenta está bloqueada",
    "cuenta ha sido bloqueada",
    "account è bloccato",
    "account è stato bloccato",
    "konto zostało zablokowane",
    "conta está bloqueada",
    "conta foi bloqueada",
    "アカウントがロック",
];
/// Words of messages that speak of what may happen, or leave open what did.
const WARNING: &[&str] = &[" will ", " before ", " or your ", " or the ", " if ", " falls ", " wenn ", " si "];

/// What a page of the sign-in asks for. `C` is the platform's form for a code.
pub(in crate::connector) enum SignInPage<C> {
    /// User name and password.
    Credentials(Box<CredentialsForm>),
    Code(C),
    /// Nothing: the page is no part of the sign-in.
    Other(OtherPage),
}

/// Asks for user name and password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::connector) struct CredentialsForm {
    pub(in crate::connector) form: Form,
    pub(in crate::connector) username: String,
    pub(in crate::connector) password: String,
}

/// How a shop answers a form of its sign-in. What is no answer to it is an error.
pub(in crate::connector) enum SignInAnswer<C> {
    /// The form was taken. Whether the sign-in holds is seen by a page that needs it.
    Taken,
    /// User name and password are asked for again: the shop refused them, or it has forgotten the sign-in if this answers a
    /// code.
    CredentialsAgain,
    /// The shop has locked the account.
    Locked,
    /// A code is wanted; again, if this answers a code.
    CodeWanted(C),
}

impl CredentialsForm {
    /// The form of a page that came from `url`: one password field and one name field. A form to register has two password
    /// fields.
    pub(in crate::connector) fn read(form: ElementRef<'_>, url: &Url) -> Option<Self> {
        let password = only_field(form.select(selector!("input[type=password][name]")))?;
        let username = only_field(
            form.select(selector!("input[type=text][name], input[type=email][name], input[name]:not([type])")),
        )?;
        Some(Self { form: Form::read(form, url)?, username, password })
    }
}

impl<C> SignInPage<C> {
    /// What a page that came from `url` asks for. `code_form` reads the platform's form for a code.
    pub(in crate::connector) fn read(
        document: &Html,
        url: &Url,
        code_form: impl Fn(ElementRef<'_>, &Url) -> Option<C>,
    ) -> Self {
        let found = document.select(selector!("form")).find_map(|form| {
            let credentials = CredentialsForm::read(form, url).map(|form| Self::Credentials(Box::new(form)));
            credentials.or_else(|| code_form(form, url).map(Self::Code))
        });
        found.unwrap_or_else(|| Self::Other(OtherPage::of(document)))
    }

    /// The form for user name and password, which the page was asked for.
    /// Fails with what the page is instead.
    pub(in crate::connector) fn credentials_form(self, status: u16) -> Result<CredentialsForm, ConnectorError> {
        let lacks = || PageKind::SignIn.lacks("the form for user name and password");
        match self {
            Self::Code(_) => Err(lacks()),
            _ if status != 200 => Err(PageKind::SignIn.answered(status)),
            Self::Credentials(form) => Ok(*form),
            Self::Other(OtherPage::Unknown) => Err(lacks()),
            Self::Other(other) => Err(other.error(PageKind::SignIn)),
        }
    }
}

impl<C> SignInAnswer<C> {
    /// What the answer to the form of a page of kind `of` says. A redirect is a shop's way to say that it took the form; where
    /// to is of no interest. A page that is not known is one of the account.
    /// Fails if it is no answer: a captcha or a page of an outage, with any status, or a status that the form
    /// never had.
    pub(in crate::connector) fn read(
        of: PageKind,
        status: u16,
        document: &Html,
        url: &Url,
        code_form: impl Fn(ElementRef<'_>, &Url) -> Option<C>,
    ) -> Result<Self, ConnectorError> {
        match SignInPage::read(document, url, code_form) {
            SignInPage::Code(form) => Ok(Self::CodeWanted(form)),
            SignInPage::Credentials(_) if says_locked(document) => Ok(Self::Locked),
            SignInPage::Credentials(_) => Ok(Self::CredentialsAgain),
            SignInPage::Other(other) => match (status, other) {
                (301..=303, _) => Ok(Self::Taken),
                (_, OtherPage::Unknown) if says_locked(document) => Ok(Self::Locked),
                (200, OtherPage::Unknown) => Ok(Self::Taken),
                // A shop whose sign-in is a script's.
                (200, OtherPage::NoPage) => Err(of.answered_without_page().transient()),
                (200, _) => Err(other.error(of)),
                _ => Err(of.answered(status)),
            },
        }
    }
}

/// Whether a message of the page says that the account is locked, and not that it may be.
fn says_locked(document: &Html) -> bool {
    document
        .select(selector!(
            "h1, h2, h3, [role=alert], [class*=alert], [class*=error], [class*=notice], [class*=message]"
        ))
        .map(text)
        .filter(|message| message.len() <= MAX_MESSAGE)
        .any(|message| {
            let message = format!(" {} ", normalised(&message));
            LOCKED.iter().any(|words| message.contains(words)) && !WARNING.iter().any(|words| message.contains(words))
        })
}

/// The name of a field, if it is the only one.
pub(in crate::connector) fn only_field<'a>(mut fields: impl Iterator<Item = ElementRef<'a>>) -> Option<String> {
    let field = fields.next()?;
    fields.next().is_none().then(|| field.attr("name").map(str::to_owned))?
}
