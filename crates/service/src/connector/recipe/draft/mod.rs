//! A first recipe for a shop that no recipe knows: signs in, looks at the list of orders and at some orders, and writes down
//! what it recognised. What is not certain is for a person to decide.

mod json;
mod json_sign_in;
mod line_amounts;
mod pages;
mod tables;
mod text;
mod vocabulary;

pub(in crate::connector) use self::text::DECIDE;

use std::time::Duration;

use crate::clock::{Clock as _, SystemClock};
use reqwest::header::{ACCEPT, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use url::Url;

use self::json::SignedIn;
use self::json_sign_in::TOKENS;
use self::text::Written;
use crate::connector::ConnectorError;
use crate::connector::egress::{BadAddress, Body, CookieJar, Egress, EgressPolicy, Request, Response, Visitor};
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::sign_in::CredentialsForm;
use crate::connector::kit::text::selector;

/// How long a request may take.
const REQUEST_TIME: Duration = Duration::from_secs(20);
/// Orders that are read beside the list.
const ORDERS: usize = 5;

/// The shop to write a recipe for.
pub struct DraftRequest<'a> {
    /// How messages call it.
    pub name: &'a str,
    /// The list of orders.
    pub list: Url,
    /// The page or the request to sign in; `None`: where the list leads to.
    pub sign_in: Option<Url>,
    /// Headers of every request; nothing secret.
    pub headers: &'a [(String, String)],
    /// The fields of a sign-in as JSON, and their texts, in which `{username}` and `{password}` stand for the credentials; empty: they
    /// are guessed.
    pub fields: &'a [(String, String)],
    /// Whether addresses on private networks are allowed.
    pub allow_private_network: bool,
    /// The user name at the shop.
    pub username: &'a SecretString,
    /// The password there.
    pub password: &'a SecretString,
}

/// A recipe that was begun.
#[derive(Debug)]
pub struct Draft {
    /// Its text. What a person has to decide is marked.
    pub recipe: String,
    /// What that is.
    pub decide: Vec<String>,
    /// Whether dates have a time without its zone.
    pub needs_zone: bool,
    /// The address of the shop, from which the recipe's begin.
    pub base_url: Url,
    /// What was read, as the shop sent it: names of files, and their texts.
    pub pages: Vec<(String, String)>,
}

/// Why there is no recipe.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// An address cannot be asked.
    #[error("{0}")]
    Address(String),
    /// An address on a private network, which was not allowed.
    #[error("The address of the shop is on a private network or on this machine.")]
    Private,
    /// A header is none.
    #[error("\"{0}\" is no header.")]
    Header(String),
    /// The shop does not answer.
    #[error("{0}")]
    Unreachable(String),
    /// A request failed.
    #[error("{0}")]
    Request(String),
    /// There is no form to sign in.
    #[error("{0} has no form with one user name and one password.")]
    NoForm(Url),
    /// The shop does not take the credentials.
    #[error("The shop did not sign in with this user name and password (status {0}).")]
    Refused(u16),
    /// A captcha, for example.
    #[error("The shop wants to see that no robot signs in.")]
    RobotCheck,
    /// The sign-in takes another request.
    #[error("The sign-in does not take {fields} as JSON (status {status}).")]
    OtherSignIn {
        /// The fields that were sent.
        fields: String,
        /// The answer to them.
        status: u16,
    },
    /// A field that is there already, or is in one that is a text.
    #[error("The field \"{0}\" contradicts another one.")]
    Field(String),
    /// Fields of JSON were given for a form.
    #[error("{0} has a form to sign in, which has its own fields.")]
    Form(Url),
    /// The list has nothing that looks like orders.
    #[error("{0}")]
    NoOrders(String),
}

impl From<BadAddress> for DraftError {
    fn from(error: BadAddress) -> Self {
        match error {
            BadAddress::Private => Self::Private,
            _ => Self::Address(format!("The address {error}.")),
        }
    }
}

impl From<ConnectorError> for DraftError {
    fn from(error: ConnectorError) -> Self {
        if error.is_unreachable() { Self::Unreachable(error.message) } else { Self::Request(error.message) }
    }
}

/// The requests of a draft.
struct Visit {
    egress: Egress,
    jar: CookieJar,
    headers: Vec<(HeaderName, HeaderValue)>,
    pages: Vec<(String, String)>,
}

/// Signs in, reads the list and some orders, and writes a recipe.
/// Fails if the shop does not sign in, or shows nothing that looks like a list of orders.
pub async fn draft_recipe(request: &DraftRequest<'_>) -> Result<Draft, DraftError> {
    let mut base = request.list.clone();
    base.set_path("/");
    base.set_query(None);
    base.set_fragment(None);
    if request.sign_in.as_ref().is_some_and(|url| url.origin() != base.origin()) {
        return Err(DraftError::Address("The sign-in has to be at the same host as the list.".to_owned()));
    }
    let policy = EgressPolicy {
        allow_private_network: request.allow_private_network,
        request_timeout: REQUEST_TIME,
        ..EgressPolicy::new(base.clone())
    };
    let mut headers = vec![(ACCEPT, HeaderValue::from_static("text/html, application/json;q=0.9"))];
    for (name, value) in request.headers {
        let bad = || DraftError::Header(format!("{name}: {value}"));
        let parsed = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
        headers.push(parsed.ok_or_else(bad)?);
    }
    let mut visit = Visit { egress: Egress::new(policy)?, jar: CookieJar::default(), headers, pages: Vec::new() };
    let start = request.sign_in.as_ref().unwrap_or(&request.list);
    let first = visit.get(start).await?;
    let form = visit.form(&first).await?;
    let Written { recipe, decide, needs_zone } = match form {
        Some(_) if !request.fields.is_empty() => return Err(DraftError::Form(first.url)),
        Some(form) => visit.of_pages(request, &base, &sign_in_page(first.url, request), form).await?,
        None if request.sign_in.is_some() => visit.of_json(request, &base, start).await?,
        None => return Err(DraftError::NoForm(first.url)),
    };
    Ok(Draft { recipe, decide, needs_zone, base_url: base, pages: visit.pages })
}

impl Visit {
    async fn get(&mut self, url: &Url) -> Result<Response, DraftError> {
        self.send(url, None).await
    }

    async fn send(&mut self, url: &Url, body: Option<Body>) -> Result<Response, DraftError> {
        let visitor = Visitor {
            key: "draft",
            now: SystemClock::default().now(),
            patience: Duration::from_secs(5),
            shared_queue: None,
        };
        let is_sign_in = body.is_some();
        let token_headers = if is_sign_in { &TOKENS[..] } else { &[] };
        let request = Request { body, headers: &self.headers, token_headers, ..Request::get(url.clone()) };
        let response = self.egress.send(request, &mut self.jar, visitor).await?;
        // The answer to a sign-in may have what signs the customer in. Some shops answer with the list below its address, too.
        if !is_sign_in && self.pages.last().is_none_or(|(_, before)| *before != response.body) {
            let end = if parsed(&response).is_some() { "json" } else { "html" };
            self.pages.push((format!("{:02}.{end}", self.pages.len() + 1), response.body.clone()));
        }
        Ok(response)
    }

    /// The form to sign in of a page.
    async fn form(&self, page: &Response) -> Result<Option<CredentialsForm>, DraftError> {
        let url = page.url.clone();
        let read = move |document: &scraper::Html| {
            let forms = document.select(selector!("form"));
            Ok(forms.filter_map(|form| CredentialsForm::read(form, &url)).next())
        };
        Ok(self.egress.pages.read(page.body.clone(), read).await?)
    }

    async fn of_pages(
        &mut self,
        request: &DraftRequest<'_>,
        base: &Url,
        sign_in: &Url,
        form: CredentialsForm,
    ) -> Result<Written, DraftError> {
        let CredentialsForm { form, username, password } = form;
        let answers = [
            (username.as_str(), request.username.expose_secret()),
            (password.as_str(), request.password.expose_secret()),
        ];
        let body = Body::Form(form.fill(&answers));
        let answer = self.send(&form.action, Some(body)).await?;
        if self.form(&answer).await?.is_some() {
            let page = self.egress.pages.read(answer.body, |document| Ok(OtherPage::of(document))).await?;
            let is_robot_check = page == OtherPage::RobotCheck;
            return Err(if is_robot_check { DraftError::RobotCheck } else { DraftError::Refused(answer.status) });
        }
        let page = self.get(&request.list).await?;
        let url = page.url.clone();
        let list = self.egress.pages.read(page.body, move |document| Ok(pages::SeenList::read(document, &url))).await?;
        let no_orders = "The page has no table with an order, a date and an amount in each row. A recipe can read other layouts, but not be \
             drafted from them.";
        let list = list.ok_or_else(|| DraftError::NoOrders(no_orders.to_owned()))?;
        let mut orders = Vec::new();
        for listed in list.orders.iter().take(ORDERS) {
            let page = self.get(&listed.url).await?;
            let (number, items) = (listed.number.clone(), listed.items);
            let url = page.url.clone();
            let read = move |document: &scraper::Html| Ok(pages::SeenOrder::read(document, &url, &number));
            if let Some(mut order) = self.egress.pages.read(page.body, read).await? {
                order.listed = items;
                orders.push(order);
            }
        }
        Ok(pages::recipe(request.name, base, (sign_in, &request.list), &list, &orders))
    }

    async fn of_json(&mut self, request: &DraftRequest<'_>, base: &Url, sign_in: &Url) -> Result<Written, DraftError> {
        self.headers[0] = (ACCEPT, HeaderValue::from_static("application/json"));
        let (fields, answer) = self.sign_in(request, sign_in).await?;
        let in_body = parsed(&answer).as_ref().and_then(json::token);
        let (page, token) = self.signed_in(request, &answer, in_body).await?;
        let list = json::SeenList::read(&parsed(&page).unwrap_or_default()).map_err(DraftError::NoOrders)?;
        let (mut place, mut orders) = (None, Vec::new());
        let mut at = request.list.clone();
        at.set_query(None);
        for key in list.keys().into_iter().take(ORDERS) {
            let url = Url::parse(&format!("{}/{key}", at.as_str().trim_end_matches('/')));
            let Ok(url) = url else { break };
            let answer = self.get(&url).await?;
            let Some(answer) = parsed(&answer).filter(|_| answer.status == 200) else { break };
            let Some((path, order)) = json::order_in(&answer, &key) else { break };
            place = Some(path);
            orders.push(order.clone());
        }
        if orders.is_empty() && list.has_lines {
            orders = list.orders();
        }
        let signed_in = SignedIn { url: sign_in, fields: &fields, token: token.as_ref() };
        Ok(json::recipe(
            request.name,
            base,
            (&request.list, request.headers),
            &signed_in,
            &list,
            (place.as_deref(), &orders),
        ))
    }
}

/// The page to sign in, without the way back to the list.
fn sign_in_page(mut url: Url, request: &DraftRequest<'_>) -> Url {
    if request.sign_in.is_none() {
        let list = request.list.path();
        let pairs: Vec<(String, String)> =
            url.query_pairs().into_owned().filter(|(_, value)| !value.contains(list)).collect();
        url.set_query(None);
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(pairs);
        }
    }
    url
}

fn parsed(response: &Response) -> Option<Value> {
    let body = response.body.trim_start();
    body.starts_with(['{', '[']).then(|| serde_json::from_str(body).ok()).flatten()
}
