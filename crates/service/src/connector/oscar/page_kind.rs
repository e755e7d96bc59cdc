//! Which kind of page came instead of the one that was asked for, and what helps.

use ordersync_api::SyncErrorCode;
use scraper::Html;
use url::Url;

use super::sign_in_page::{self, SignInPage};
use super::words::normalised;
use crate::connector::ConnectorError;
use crate::connector::kit::check::Unread;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::text::{selector, text};

/// Words of titles and headings that say that the shop is out of order for now, in the languages that are read.
const OUT_OF_ORDER: &[&str] = &[
    "maintenance",
    "temporarily unavailable",
    "service unavailable",
    "be right back",
    "be back soon",
    "bad gateway",
    "gateway timeout",
    "too many requests",
    "overloaded",
    "internal server error",
    "server error",
    "wartung",
    "vorübergehend nicht",
    "indisponible",
    "onderhoud",
    "mantenimiento",
    "manutenzione",
    "manutenção",
    "konserwacj",
    "przerwa techniczna",
    "メンテナンス",
    "error 50",
    "502",
    "503",
    "504",
];
/// Words of titles and headings that ask the customer to show that no robot is at work.
const ROBOT_CHECK: &[&str] = &[
    "captcha",
    "just a moment",
    "are you a robot",
    "not a robot",
    "are you human",
    "verify you are human",
    "checking your browser",
    "attention required",
    "access denied",
    "security check",
    "bist du ein mensch",
];
/// Words of titles and headings that ask the customer to do something with the account first.
const ACTION: &[&str] = &[
    "verify your e-mail",
    "verify your email",
    "confirm your e-mail",
    "confirm your email",
    "accept our terms",
    "change your password",
    "reset your password",
    "e-mail bestätigen",
    "confirmez votre",
    "accept the new terms",
];

/// What to say of a page that is not `expected`, read off the page itself.
pub(super) fn instead_of(expected: PageKind, document: &Html) -> Unread {
    if sign_in_page::asks(document) {
        return Unread::SignedOut;
    }
    let text_of_page = text(document.root_element());
    if text_of_page.is_empty() && document.select(selector!("body *")).next().is_none() {
        return out_of_order("The retailer answers with an empty page.").into();
    }
    if matches!(text_of_page.chars().next(), Some('{' | '[')) {
        return out_of_order("The retailer answers with data that is no page.").into();
    }
    let headings: Vec<String> =
        document.select(selector!("title, h1, h2, h3")).map(|element| normalised(&text(element))).collect();
    let say = |words: &[&str]| headings.iter().any(|heading| words.iter().any(|word| heading.contains(word)));
    let has_robot_check = document
        .select(selector!(
            ".g-recaptcha, .h-captcha, .cf-turnstile, [name*=captcha], [id*=captcha], iframe[src*=captcha], \
             script[src*='challenge-platform'], form[action*=captcha], img[src*=captcha], [name='cf-turnstile-response']"
        ))
        .next()
        .is_some();
    if has_robot_check || say(ROBOT_CHECK) {
        return action("The retailer wants to see that no robot is at work. Sign in on the retailer's own site, do what it asks for, then sync again.").into();
    }
    if say(ACTION) {
        return action("The retailer wants the customer to confirm something first. Sign in on the retailer's own site, do what it asks for, then sync again.").into();
    }
    if say(OUT_OF_ORDER) {
        return out_of_order("The retailer's shop is out of order for now. Sync again later.").into();
    }
    // A page that is not known may be a passing one: it is asked for again before the sync ends.
    ConnectorError::new(SyncErrorCode::RetailerChanged)
        .with_message(format!("The retailer answers with a page that is not known in place of the {expected}."))
        .transient()
        .into()
}

/// Reads a page of the sign-in.
pub(super) fn sign_in(document: &Html, url: &Url) -> SignInPage {
    sign_in_page::find(document, url).unwrap_or_else(|| match instead_of(PageKind::SignIn, document) {
        Unread::Other(error) => SignInPage::Other(error),
        Unread::SignedOut | Unread::Failed(_) => SignInPage::Other(PageKind::SignIn.lacks("a form")),
    })
}

/// Whether an error says no more than that the page is not known.
pub(super) fn is_unknown(error: &ConnectorError) -> bool {
    error.code == SyncErrorCode::RetailerChanged && error.transient
}

fn out_of_order(message: &str) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::RetailerUnavailable).with_message(message).transient()
}

fn action(message: &str) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::ActionRequired).with_message(message)
}
