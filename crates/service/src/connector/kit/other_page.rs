//! Which kind of page came instead of the one that was asked for, and what helps.

use ordersync_api::SyncErrorCode;
use scraper::Html;

use super::page::PageKind;
use super::text::{normalised, selector, text};
use crate::connector::ConnectorError;

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

/// A page that came in place of the one that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) enum OtherPage {
    Empty,
    /// JSON, for example.
    NoPage,
    /// A captcha, or another check that no robot is at work.
    RobotCheck,
    /// It asks for a code, and no form for one is described.
    SecondFactor,
    /// The customer has to confirm something first.
    Action,
    /// Maintenance, an outage or an overload.
    OutOfOrder,
    /// None of these.
    Unknown,
}

impl OtherPage {
    /// What kind of page it is, by its headings and by what robots are checked with. Whether it is a page of the sign-in is
    /// looked at before: that is for the platform to say.
    pub(in crate::connector) fn of(document: &Html) -> Self {
        let text_of_page = text(document.root_element());
        if text_of_page.is_empty() && document.select(selector!("body *")).next().is_none() {
            return Self::Empty;
        }
        if matches!(text_of_page.chars().next(), Some('{' | '[')) {
            return Self::NoPage;
        }
        let has_robot_check = document
            .select(selector!(
                ".g-recaptcha, .h-captcha, .cf-turnstile, [name*=captcha], [id*=captcha], iframe[src*=captcha], \
                 script[src*='challenge-platform'], form[action*=captcha], img[src*=captcha], \
                 [name='cf-turnstile-response']"
            ))
            .next()
            .is_some();
        if has_robot_check { Self::RobotCheck } else { Self::in_theme(document) }
    }

    /// The kind of page that its headings and a field for a code tell, whatever the theme of the shop puts around them.
    pub(in crate::connector) fn in_theme(document: &Html) -> Self {
        let mut code_fields = document.select(selector!(
            "input[autocomplete='one-time-code'], input[name='otp' i], input[name='totp' i], input[name*='2fa' i], \
             input[name*='mfa' i], input[name*='twofactor' i], input[name*='two_factor' i], input[name*='two-factor' i], \
             input[name*='verification_code' i], input[name*='verification-code' i], input[name*='authcode' i], \
             input[name*='auth_code' i], form[action*='authorize'] input[name='code']"
        ));
        if code_fields.any(|field| field.attr("type") != Some("hidden")) {
            return Self::SecondFactor;
        }
        let headings: Vec<String> =
            document.select(selector!("title, h1, h2, h3")).map(|element| normalised(&text(element))).collect();
        let say = |words: &[&str]| headings.iter().any(|heading| words.iter().any(|word| heading.contains(word)));
        if say(ROBOT_CHECK) {
            Self::RobotCheck
        } else if say(ACTION) {
            Self::Action
        } else if say(OUT_OF_ORDER) {
            Self::OutOfOrder
        } else {
            Self::Unknown
        }
    }

    /// What to say of it if the page of kind `expected` should have come.
    pub(in crate::connector) fn error(self, expected: PageKind) -> ConnectorError {
        match self {
            Self::Empty => out_of_order("The retailer answers with an empty page."),
            Self::NoPage => out_of_order("The retailer answers with data that is no page."),
            Self::RobotCheck => action(
                "The retailer wants to see that no robot is at work. Sign in on the retailer's own site, do what it asks for, then sync again.",
            ),
            Self::SecondFactor => action(
                "The shop asks for a second factor that its recipe does not describe. Turn it off in your account at the shop, then sync \
                 again; or have the operator name the field for the code, with `recipe_changes.sign_in.code_field`.",
            ),
            Self::Action => action(
                "The retailer wants the customer to confirm something first. Sign in on the retailer's own site, do what it asks for, then sync again.",
            ),
            Self::OutOfOrder => out_of_order("The retailer's shop is out of order for now. Sync again later."),
            // A page that is not known may be a passing one: it is asked for again before the sync ends.
            Self::Unknown => ConnectorError::new(SyncErrorCode::RetailerChanged)
                .with_message(format!("The retailer answers with a page that is not known in place of the {expected}."))
                .transient(),
        }
    }
}

fn out_of_order(message: &str) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::RetailerUnavailable).with_message(message).transient()
}

fn action(message: &str) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::ActionRequired).with_message(message)
}
