//! A shop whose customers sign in. If they see pages: where these are, how the sign-in is recognized, and fetching a page that
//! only a signed-in customer sees.

use std::sync::Arc;

use async_trait::async_trait;
use ordersync_api::SyncErrorCode;
use scraper::Html;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use url::Url;

use super::check::Unread;
use super::form::Form;
use super::other_page::OtherPage;
use super::page::PageKind;
use super::scan::Shop;
use super::settings::Settings;
use super::sign_in::{CredentialsForm, SignInAnswer, SignInPage};
use super::turn::Turn;
use crate::connector::egress::{Body, CookieJar, Egress, Request, Response, Visitor};
use crate::connector::{ConnectorError, StepContext};

/// Where a shop is, and how its sign-in is recognized.
pub(in crate::connector) struct Site {
    pub(in crate::connector) egress: Egress,
    pub(in crate::connector) settings: Arc<Settings>,
    /// The page with the form for user name and password.
    pub(in crate::connector) sign_in: Url,
    /// The first page of the order list.
    pub(in crate::connector) orders: Url,
    pub(in crate::connector) pages: Arc<dyn SignInPages>,
    /// The parameter of addresses that shows the shop who is signed in, beside cookies. Its value is the jar's token.
    pub(in crate::connector) carry: Option<String>,
}

/// A shop whose customers sign in with a user name and a password.
#[async_trait]
pub(in crate::connector) trait SignInShop: Shop {
    fn egress(&self) -> &Egress;

    /// The shop's label for the user name.
    fn username_label(&self) -> &str;

    /// The first page of the order list.
    fn orders(&self) -> Url;

    /// The form for user name and password.
    async fn credentials_form(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
    ) -> Result<CredentialsForm, ConnectorError>;

    /// Sends the form of a page of kind `of`, whose turn has come, with these fields filled in.
    async fn send_form(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
        of: PageKind,
        form: &Form,
        fields: &[(&str, &str)],
    ) -> Result<SignInAnswer<CodeForm>, ConnectorError>;

    /// Whether the customer is signed in, by what only signed-in customers see; and whether the operator's settings fit the shop.
    async fn is_signed_in(&self, turn: &mut Turn<'_, '_>) -> Result<bool, ConnectorError>;
}

/// How the pages of a platform's sign-in are recognized.
pub(in crate::connector) trait SignInPages: Send + Sync {
    /// What a page that came from `url` asks for.
    fn read(&self, document: &Html, url: &Url) -> SignInPage<CodeForm>;

    /// Reads the answer to the form of a page of kind `of`.
    /// Fails if it is no answer.
    fn answer(
        &self,
        of: PageKind,
        status: u16,
        document: &Html,
        url: &Url,
    ) -> Result<SignInAnswer<CodeForm>, ConnectorError>;

    /// Whether a page asks for a sign-in, or for its code.
    fn asks(&self, document: &Html) -> bool;

    /// What a page is that is not the one that was asked for.
    fn instead(&self, document: &Html) -> Unread {
        if self.asks(document) { Unread::SignedOut } else { Unread::Instead(OtherPage::of(document)) }
    }

    /// Judges a page that looks like the one that was asked for, but lacks its contents: it may be the sign-in or an outage in the shop's
    /// own theme, else it is `lack`.
    fn lacking(&self, document: &Html, lack: Unread) -> Unread {
        match OtherPage::in_theme(document) {
            _ if self.asks(document) => Unread::SignedOut,
            OtherPage::Unknown => lack,
            other => Unread::Instead(other),
        }
    }
}

/// Asks for a code.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::connector) struct CodeForm {
    pub(in crate::connector) form: Form,
    /// The name of the field for the code.
    pub(in crate::connector) code: String,
    /// Whether the shop says that, after wrong codes, it looks at none for a while.
    pub(in crate::connector) paused: bool,
}

/// The outcome of the request for a page that only a signed-in customer sees.
pub(in crate::connector) enum Fetched {
    Page(Response),
    /// There is no such page (any more).
    Missing,
    /// The shop shows its sign-in instead.
    SignedOut,
}

impl Site {
    /// Fetches the form for user name and password.
    pub(in crate::connector) async fn credentials_form(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
    ) -> Result<CredentialsForm, ConnectorError> {
        let request = Request::get(self.sign_in.clone());
        let page = self.egress.send(request, cookies, Visitor::of(context)).await?;
        let Response { url, status, body, .. } = page;
        let pages = Arc::clone(&self.pages);
        self.egress.pages.read(body, move |document| pages.read(document, &url).credentials_form(status)).await
    }

    /// Posts a form, whose turn has come, and returns the answer unchanged. A redirect is the shop's way to say that it
    /// took the form; where to is of no interest.
    pub(in crate::connector) async fn send(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
        form: &Form,
        fields: &[(&str, &str)],
    ) -> Result<Response, ConnectorError> {
        let request = Request {
            referer: Some(&form.page),
            body: Some(Body::Form(form.fill(fields))),
            follow_redirects: false,
            ..Request::get(form.action.clone())
        };
        self.egress.send_in_turn(request, cookies, Visitor::of(context)).await
    }

    /// What the answer to the form of a page of kind `of` says.
    pub(in crate::connector) async fn answer(
        &self,
        of: PageKind,
        answer: Response,
    ) -> Result<SignInAnswer<CodeForm>, ConnectorError> {
        let Response { url, status, body, .. } = answer;
        let pages = Arc::clone(&self.pages);
        self.egress.pages.read(body, move |document| pages.answer(of, status, document, &url)).await
    }

    /// An address with a slash at its end: joining keeps what it has of a path. `None` for one that can be no base.
    pub(in crate::connector) fn base(url: &Url) -> Option<Url> {
        let mut base = url.clone();
        base.path_segments_mut().ok()?.pop_if_empty().push("");
        Some(base)
    }

    /// Fetches a page that only a signed-in customer sees.
    pub(in crate::connector) async fn fetch(
        &self,
        turn: &mut Turn<'_, '_>,
        url: &Url,
        page: PageKind,
    ) -> Result<Fetched, ConnectorError> {
        let carried = self.carry.as_deref().zip(turn.cookies.token().map(str::to_owned));
        let mut asked = url.clone();
        if let Some((name, token)) = &carried {
            asked.query_pairs_mut().append_pair(name, token);
        }
        let mut response = self.egress.send(Request::get(asked), turn.cookies, Visitor::of(turn.context)).await?;
        if let Some((name, token)) = &carried {
            // What reads the page compares addresses, and keeps some of them.
            response.body = without(&response.body, name, token);
            response.url = without(response.url.as_str(), name, token).parse().unwrap_or(response.url);
        }
        let has_moved = has_moved(url, &response.url);
        let status = response.status;
        match status {
            401 => return Ok(Fetched::SignedOut),
            404 | 410 => return Ok(Fetched::Missing),
            200 if !has_moved => return Ok(Fetched::Page(response)),
            _ => {}
        }
        let (body, pages) = (response.body.clone(), Arc::clone(&self.pages));
        let instead = move |document: &Html| match pages.instead(document) {
            Unread::SignedOut => Ok(Some(Fetched::SignedOut)),
            Unread::Instead(OtherPage::Unknown) if status != 200 => Err(page.answered(status)),
            Unread::Instead(other) if status != 200 => Err(other.error(page)),
            Unread::Instead(_) | Unread::Failed(_) | Unread::Other(_) => Ok(None),
        };
        Ok(self.egress.pages.read(body, instead).await?.unwrap_or(Fetched::Page(response)))
    }
}

/// Whether the shop led to another page. It may add parameters to an address; where all pages have the same path, a parameter names
/// the page.
fn has_moved(asked: &Url, shown: &Url) -> bool {
    let is_kept = |pair| shown.query_pairs().any(|other| other == pair);
    asked.path() != shown.path() || !asked.query_pairs().all(is_kept)
}

/// A page or an address without this parameter in its addresses.
fn without(text: &str, name: &str, value: &str) -> String {
    let pair = format!("{name}={value}");
    let parts = [format!("&amp;{pair}"), format!("&{pair}")];
    let text = parts.iter().fold(text.to_owned(), |text, part| text.replace(part.as_str(), ""));
    text.replace(&format!("?{pair}&amp;"), "?").replace(&format!("?{pair}&"), "?").replace(&format!("?{pair}"), "")
}

/// A credential that the user gave.
pub(super) fn credential<'a>(context: &StepContext<'a>, name: &str) -> Result<&'a str, ConnectorError> {
    context.credentials.get(name).map(ExposeSecret::expose_secret).ok_or_else(|| {
        ConnectorError::new(SyncErrorCode::CredentialsRefused)
            .with_message(format!("The credentials lack the field \"{name}\"."))
    })
}

#[cfg(test)]
mod tests {
    use super::{has_moved, without};

    #[test]
    fn a_page_is_another_if_a_parameter_names_another() {
        let moved = |asked: &str, shown: &str| has_moved(&asked.parse().unwrap(), &shown.parse().unwrap());
        assert!(moved("https://a.test/i?route=orders", "https://a.test/i?route=login"));
        assert!(moved("https://a.test/orders", "https://a.test/login"));
        assert!(!moved("https://a.test/i?route=orders&page=2", "https://a.test/i?lang=en&page=2&route=orders"));
    }

    #[test]
    fn a_carried_parameter_is_left_out_of_every_address() {
        for (text, expected) in [
            ("/i?route=a&amp;t=1f&amp;page=2\"", "/i?route=a&amp;page=2\""),
            ("https://a.test/i?route=a&t=1f", "https://a.test/i?route=a"),
            ("/i?t=1f&amp;page=2", "/i?page=2"),
            ("/i?t=1f", "/i"),
            ("/i?other=1f&t=2", "/i?other=1f&t=2"),
        ] {
            assert_eq!(without(text, "t", "1f"), expected, "{text}");
        }
    }
}
