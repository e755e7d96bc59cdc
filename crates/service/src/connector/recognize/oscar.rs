//! Recognizes shops that run on django-oscar. Their pages name no version, and have no place for time zone and currency.

use scraper::Html;
use url::Url;

use super::Recognizer;
use super::marks::{Marks, links, short};
use crate::connector::kit::text::selector;

pub(super) const RECOGNIZER: Recognizer = Recognizer {
    connector: "oscar",
    platform: "django-oscar",
    sign_in: &[SIGN_IN],
    shows: "the sign-in form of django-oscar",
};

const SIGN_IN: &str = "accounts/login/";

pub(super) fn marks(document: &Html, url: &Url) -> Marks {
    let has = |css: &'static scraper::Selector| document.select(css).next().is_some();
    // Django's own sign-in has the fields `username` and `password`; Oscar gives its two forms prefixes.
    let stock = has(selector!("form input[name=login-username]")) && has(selector!("form input[name=login-password]"));
    // The wizard of django-two-factor-auth, which is not Oscar's alone.
    let wizard = has(selector!("form input[name=auth-username]")) && has(selector!("form input[name=auth-password]"));
    let mut signs = Vec::new();
    if has(selector!("form input[name=registration-email]")) {
        signs.push("the form to register of django-oscar".to_owned());
    }
    let paths: Vec<String> = links(document, url).map(|link| link.path().to_owned()).collect();
    let leads = |end: &str| paths.iter().any(|path| path.ends_with(end));
    if leads("/catalogue/") && (leads("/basket/") || leads("/accounts/login/")) {
        signs.push("links to /catalogue/ and /basket/".to_owned());
    }
    if has(selector!("script[src*='/oscar/'], link[href*='/oscar/']")) {
        signs.push("scripts or styles of django-oscar".to_owned());
    }
    let sign_in_links = links(document, url).filter(|link| link.path().ends_with("/accounts/login/")).collect();
    Marks { is_sign_in: stock, is_shared_sign_in: wizard, signs, version: None, sign_in_links }
}

/// The name of the shop in the title of a page: `All products | Lamps - tagline`.
pub(super) fn name_of(title: &str) -> Option<String> {
    let (_, name) = title.rsplit_once(" | ")?;
    short(name.split(" -").next()?)
}

/// The address of the shop whose sign-in came from here; `None`: it is not where the connector looks for it.
pub(super) fn base_of(sign_in: &Url) -> Option<Url> {
    let mut base = sign_in.clone();
    base.set_path(sign_in.path().strip_suffix(SIGN_IN)?);
    Some(base)
}
