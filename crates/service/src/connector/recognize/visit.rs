//! The requests of a look: few, without credentials, to one name only. Each is noted with its answer.

use std::time::Duration;

use chrono::DateTime;
use ordersync_api::SyncErrorCode;
use ordersync_api::look::{Look, Seen, Shop};
use reqwest::header::{ACCEPT, HeaderValue};
use scraper::Html;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use super::address::{BadShopAddress, ShopAddress};
use super::marks::{self, short};
use super::{KNOWN, other};
use crate::connector::ConnectorError;
use crate::connector::egress::{Body, CookieJar, Egress, EgressPolicy, Request, Response, Visitor};
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::text::{selector, text};
use crate::connector::recipe::Marks;

/// Requests of a look, redirects included.
const MAX_REQUESTS: usize = 12;
/// Redirects in a row.
const MAX_REDIRECTS: usize = 4;
/// How long a request may take.
const REQUEST_TIME: Duration = Duration::from_secs(12);

/// A look that goes on.
pub(super) struct Visit {
    address: ShopAddress,
    egress: Egress,
    cookies: CookieJar,
    until: Instant,
    requests: usize,
    /// The shop cannot be reached, so that more requests are of no use.
    is_over: bool,
    kept_out: bool,
    has_answer: bool,
    seen: Vec<Seen>,
    seems: Option<String>,
    looks_like_shop: bool,
}

/// A page, as far as it is of interest.
#[derive(Debug)]
pub(super) struct Page {
    /// Where it came from in the end.
    pub(super) url: Url,
    pub(super) requested: Url,
    pub(super) lang: Option<String>,
    pub(super) name: Option<String>,
    /// What it shows of each platform.
    pub(super) marks: Vec<Marks>,
    seems: Option<String>,
    looks_like_shop: bool,
    what: String,
}

impl Visit {
    pub(super) fn new(address: ShopAddress, until: Instant) -> Result<Self, BadShopAddress> {
        Ok(Self {
            egress: egress(&address)?,
            address,
            cookies: CookieJar::default(),
            until,
            requests: 0,
            is_over: false,
            kept_out: false,
            has_answer: false,
            seen: Vec::new(),
            seems: None,
            looks_like_shop: false,
        })
    }

    /// The address to look at, after the redirects that were followed.
    pub(super) fn start(&self) -> Url {
        self.address.url.clone()
    }

    /// The folders that a shop may be in: the address itself, where the home page was, and the whole site.
    pub(super) fn roots(&self, home: Option<&Url>) -> Vec<Url> {
        let folder = |url: &Url| {
            let mut folder = url.clone();
            folder.set_path(&format!("{}/", url.path().trim_end_matches('/')));
            folder
        };
        let mut whole = self.start();
        whole.set_path("/");
        let mut roots = vec![folder(&self.address.url)];
        roots.extend([whole].into_iter().chain(home.map(folder)));
        roots
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over || self.requests >= MAX_REQUESTS || Instant::now() >= self.until
    }

    /// Fetches a page and reads it; `None`: nothing that is a page came.
    pub(super) async fn page(&mut self, url: &Url) -> Option<Page> {
        let response = self.fetch(url).await?;
        let (status, from) = (response.status, response.url.clone());
        let is_sized = !response.body.is_empty();
        let requested = url.clone();
        let read =
            self.egress.pages.read(response.body.clone(), move |document| Ok(read(document, &response, requested)));
        let page = match read.await {
            Ok(page) => page,
            Err(error) => {
                self.note(&from, &error.message);
                return None;
            }
        };
        self.note(&page.url, &format!("status {status}, {}", page.what));
        if is_sized {
            self.seems = self.seems.take().or_else(|| page.seems.clone());
            self.looks_like_shop |= page.looks_like_shop;
        }
        (status == 200).then_some(page)
    }

    /// Fetches data; `None`: none came.
    pub(super) async fn json(&mut self, url: &Url) -> Option<Value> {
        if self.is_over() {
            return None;
        }
        let response = self.fetch(url).await?;
        let value = (response.status == 200).then(|| serde_json::from_str(&response.body).ok()).flatten();
        let what = if value.is_some() { "data" } else { "no data" };
        self.note(&response.url, &format!("status {}, {what}", response.status));
        value
    }

    /// Sends a request that a platform is known by; the status and the data of the answer, if it is data.
    pub(super) async fn ask(&mut self, url: &Url, body: Option<Body>) -> Option<(u16, Value)> {
        let accept = [(ACCEPT, HeaderValue::from_static("application/json"))];
        let response = self.exchange(Request { body, headers: &accept, ..Request::get(url.clone()) }).await?;
        let value = serde_json::from_str(&response.body).ok();
        let what = if value.is_some() { "data" } else { "no data" };
        self.note(url, &format!("status {}, {what}", response.status));
        Some((response.status, value?))
    }

    /// Sends a request. What prevents an answer is noted.
    async fn exchange(&mut self, request: Request<'_>) -> Option<Response> {
        if self.is_over() {
            return None;
        }
        self.requests += 1;
        let url = request.url.clone();
        let visitor =
            Visitor { key: "look", now: DateTime::UNIX_EPOCH, patience: Duration::from_secs(2), shared_queue: None };
        let request = Request { follow_redirects: false, ..request };
        let sent = self.egress.send(request, &mut self.cookies, visitor);
        match tokio::time::timeout_at(self.until, sent).await {
            Ok(Ok(response)) => {
                self.has_answer = true;
                Some(response)
            }
            Ok(Err(error)) => {
                self.failed(&url, &error);
                None
            }
            Err(_) => {
                self.note(&url, "no answer in time");
                None
            }
        }
    }

    /// Fetches a page and follows redirects within the shop. Whatever else happens is noted.
    async fn fetch(&mut self, url: &Url) -> Option<Response> {
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.exchange(Request::get(url.clone())).await?;
            let Some(target) = response.location.as_deref().cloned() else { return Some(response) };
            if target.origin() != url.origin() && !self.move_to(&url, &target) {
                return None;
            }
            url = target;
        }
        self.note(&url, "redirects in a circle");
        None
    }

    /// Takes the target of a redirect for the shop's address, if it is the same name; says so if it is not.
    fn move_to(&mut self, from: &Url, target: &Url) -> bool {
        let moved = self.address.moved_to(target).and_then(|address| Some((egress(&address).ok()?, address)));
        let Some((egress, moved)) = moved else {
            let site = short(&target.origin().ascii_serialization()).unwrap_or_default();
            self.note(from, &format!("redirects to another site, which was not followed: {site}"));
            return false;
        };
        self.note(from, &format!("redirects to {}, which was followed", target.origin().ascii_serialization()));
        // What is below the address stays below it.
        let mut url = moved.url.clone();
        url.set_path(self.address.url.path());
        self.address = ShopAddress { url, ..moved };
        self.egress = egress;
        self.cookies = CookieJar::default();
        true
    }

    fn failed(&mut self, url: &Url, error: &ConnectorError) {
        self.kept_out |= error.code == SyncErrorCode::EgressRefused;
        // A failure of the shop's own may be of one page, and is an answer.
        self.has_answer |= !error.is_unreachable();
        self.is_over |= error.is_unreachable()
            || matches!(error.code, SyncErrorCode::EgressRefused | SyncErrorCode::RetailerRateLimited);
        self.note(url, &error.message);
    }

    fn note(&mut self, url: &Url, what: &str) {
        self.seen.push(Seen { url: url.to_string(), what: what.trim_end_matches('.').to_owned() });
    }

    pub(super) fn into_look(self, shop: Option<Shop>) -> Look {
        let Self { address, kept_out, has_answer, seen, seems, looks_like_shop, .. } = self;
        let can_be_read = seems.as_ref().is_some_and(|name| KNOWN.iter().any(|one| one.recipe.name() == name));
        let url = address.url.to_string();
        Look { url, shop, seems, can_be_read, looks_like_shop, kept_out, unreachable: !has_answer, seen }
    }
}

fn egress(address: &ShopAddress) -> Result<Egress, BadShopAddress> {
    let policy = EgressPolicy { request_timeout: REQUEST_TIME, ..address.policy() };
    Ok(Egress::new(policy)?)
}

fn read(document: &Html, response: &Response, requested: Url) -> Page {
    let title = document.select(selector!("title")).next().and_then(|title| short(&text(title)));
    let other = OtherPage::of(document);
    let is_html = document.select(selector!("html > head > *, body *")).next().is_some();
    let what = match other {
        OtherPage::Empty => "an empty page".to_owned(),
        OtherPage::NoPage => "data, and no page".to_owned(),
        OtherPage::RobotCheck => "a check that no robot is at work".to_owned(),
        OtherPage::OutOfOrder => "a page that says that the site is out of order".to_owned(),
        OtherPage::Action | OtherPage::SecondFactor | OtherPage::Unknown if !is_html => "plain text".to_owned(),
        OtherPage::Action | OtherPage::SecondFactor | OtherPage::Unknown => {
            title.as_ref().map_or_else(|| "a page without a title".to_owned(), |title| format!("the page \"{title}\""))
        }
    };
    let marks: Vec<Marks> = KNOWN.iter().map(|one| one.recipe.marks(document, &response.url)).collect();
    // What a page shows of platforms that are read is of use even if their sign-in is not found.
    let named =
        KNOWN.iter().zip(&marks).find(|(_, marks)| marks.is_named()).map(|(one, _)| one.recipe.name().to_owned());
    Page {
        lang: document.select(selector!("html[lang]")).next().and_then(|html| short(html.attr("lang")?)),
        name: marks::name(document),
        marks,
        seems: named.or_else(|| other::platform(document, &response.body).map(str::to_owned)),
        looks_like_shop: other::looks_like_shop(document),
        what,
        url: response.url.clone(),
        requested,
    }
}
