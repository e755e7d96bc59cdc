//! Shops that answer with JSON, described by a recipe: REST or GraphQL. The recipe says what to send and where values are; what
//! has to agree is decided by the kit, as it is for pages.

mod answer;
mod format;
mod next;
mod order;
mod path;
mod send;
mod shipments;
mod token;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use ordersync_api::{Open, ShipmentStatus, SyncErrorCode};
use reqwest::header::{ACCEPT, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::{Url, form_urlencoded};

pub(super) use self::answer::Answer;
use self::answer::failed;
pub(super) use self::format::{JsonRecipe, When};
use self::format::{Paging as By, Zone};
use self::path::DateFormat;
pub(super) use self::path::{Path, needed};
pub(super) use self::send::sign_in_body;
use self::send::{Names, Send as Request};
use self::token::{TokenAt, bounded};
use crate::connector::egress::{Body, CookieJar, Egress, Visitor};
use crate::connector::kit::check::{Check, Failure};
use crate::connector::kit::due::Reread;
use crate::connector::kit::form::Form;
use crate::connector::kit::list_proof::{DateRange, EndOfList};
use crate::connector::kit::list_reading::{ListPage, Paging, PagingRules, Wanted};
use crate::connector::kit::listed::{ListedOrder, OrderList, parted};
use crate::connector::kit::page::PageKind;
use crate::connector::kit::scan::{OrderPage, Shop};
use crate::connector::kit::settings::Settings;
use crate::connector::kit::shows::Shows;
use crate::connector::kit::sign_in::{CredentialsForm, SignInAnswer};
use crate::connector::kit::site::{CodeForm, SignInShop, Site};
use crate::connector::kit::steps::ShopConnector;
use crate::connector::kit::turn::Turn;
use crate::connector::{ConnectorError, StepContext};

/// Names of the fields of a sign-in, which requests have in braces.
const USERNAME: &str = "username";
const PASSWORD: &str = "password";
const CODE: &str = "code";

/// A shop that a recipe for JSON describes.
pub(in crate::connector) struct JsonShop {
    recipe: Arc<JsonRecipe>,
    egress: Egress,
    settings: Arc<Settings>,
    base: Url,
    /// What the operator says of this shop.
    values: BTreeMap<String, String>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// The page of the list that was read last, where the list has whole orders. It is not kept from step to step.
#[derive(Default, Serialize, Deserialize)]
pub(in crate::connector) struct Kept {
    #[serde(skip)]
    page: Option<(Position, Vec<Value>)>,
}

/// Where a page of the list is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Position {
    /// From 1.
    number: u32,
    /// What the page before says of it: how many orders come before, and how many a page has; or the cursor.
    from: String,
}

impl Position {
    fn of(wanted: &Wanted) -> Self {
        let kept = form_urlencoded::parse(wanted.url.fragment().unwrap_or_default().as_bytes()).next();
        Self { number: wanted.number, from: kept.map(|(from, _)| from.into_owned()).unwrap_or_default() }
    }

    /// How many orders come before, and how many a page has.
    fn offset(&self, page_size: u32) -> (u64, u64) {
        let said =
            self.from.split_once('+').and_then(|(offset, size)| Some((offset.parse().ok()?, size.parse().ok()?)));
        said.unwrap_or((0, u64::from(page_size)))
    }

    fn parse(text: &str) -> Option<Self> {
        let (number, from) = text.split_once(' ')?;
        Some(Self { number: number.parse().ok()?, from: from.to_owned() })
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.number, self.from)
    }
}

/// A page of the list.
enum PageRead {
    Orders(Answer, Vec<Value>),
    Missing,
    SignedOut,
    Failed(Failure),
}

impl JsonRecipe {
    /// Whether this is the answer of such a shop to [`JsonRecipe::look`].
    pub(super) fn is_known_by(&self, status: u16, answer: &Value) -> bool {
        When::any(&self.recognize, status, answer)
    }

    /// What the operator has to give for each shop, and what that is.
    pub(super) const fn values(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    /// The request that a shop of this platform at `base` is known by.
    pub(super) fn look(&self, base: &Url) -> Option<(Url, Option<Body>)> {
        if self.recognize.is_empty() {
            return None;
        }
        let at = Names::default().number("page", 1).number("offset", 0).number("size", 1).text("cursor", "");
        Some((self.list.send.url(&Site::base(base)?, &at)?, self.list.send.body(&at)))
    }

    /// Whether the times and amounts of its shops name their zone and their currency.
    pub(super) fn is_exact(&self) -> bool {
        self.list.date.zone == Zone::Utc || !matches!(self.list.date.format, DateFormat::Text(_))
    }
}

impl JsonShop {
    /// A connector for the shop at `base_url`, which is also the egress's.
    /// The error says what is wrong, beginning with the operator's key.
    pub(in crate::connector) fn connector(
        base_url: &Url,
        egress: Egress,
        settings: Settings,
        recipe: JsonRecipe,
        values: &BTreeMap<String, String>,
    ) -> Result<ShopConnector<Self>, String> {
        let missing = |name: &&String| values.get(*name).is_none_or(|value| value.trim().is_empty());
        if let Some((name, what)) = recipe.values.iter().find(|(name, _)| missing(name)) {
            return Err(format!("values.{name}: is missing; it is {what}"));
        }
        if let Some(name) = values.keys().find(|name| !recipe.values.contains_key(*name)) {
            return Err(format!("values.{name}: the recipe for {} asks for no such value", recipe.name));
        }
        let base = Site::base(base_url).ok_or("base_url: can be no base of addresses")?;
        let mut headers = vec![(ACCEPT, HeaderValue::from_static("application/json"))];
        for (name, value) in &recipe.headers {
            headers.push(header(name, &value.fill(&names(values), false))?);
        }
        if let Some(token) = &recipe.sign_in.token_header {
            header(&token.name, "")?;
        }
        let settings = Arc::new(settings);
        Ok(ShopConnector(Self { recipe: Arc::new(recipe), egress, settings, base, values: values.clone(), headers }))
    }

    /// Where the answer to a request for `kind` has the token.
    fn token_at(&self, kind: PageKind) -> Option<&TokenAt> {
        let sign_in = &self.recipe.sign_in;
        match kind {
            PageKind::SignIn => sign_in.token.as_ref(),
            PageKind::Code => sign_in.code.as_ref()?.token.as_ref().or(sign_in.token.as_ref()),
            PageKind::OrderList | PageKind::Order | PageKind::Product => None,
        }
    }

    /// Sends a request whose turn has come.
    async fn send(
        &self,
        send: &Request,
        names: &Names<'_>,
        (cookies, visitor): (&mut CookieJar, Visitor<'_>),
        kind: PageKind,
    ) -> Result<Answer, ConnectorError> {
        let url = send.url(&self.base, names).ok_or_else(|| kind.lacks("an address that can be made of its number"))?;
        let mut headers = self.headers.clone();
        if let (Some(token), Some(header_of)) = (cookies.token(), &self.recipe.sign_in.token_header) {
            let value = header_of.value.fill(&Names::default().secret("token", token), true);
            headers.push(header(&header_of.name, &value).map_err(|_| token::unusable())?);
        }
        for (name, value) in &send.headers {
            headers.push(header(name, &value.fill(names, true)).map_err(|_| token::unusable())?);
        }
        let request = crate::connector::egress::Request {
            body: send.body(names),
            headers: &headers,
            follow_redirects: false,
            token_headers: self.token_at(kind).and_then(TokenAt::header).map_or(&[], std::slice::from_ref),
            ..crate::connector::egress::Request::get(url)
        };
        let response = self.egress.send_in_turn(request, cookies, visitor).await?;
        Answer::read(response, &self.egress, kind).await
    }

    /// Asks for something that only a signed-in customer gets. `None`: the shop has ended the sign-in.
    async fn ask(
        &self,
        turn: &mut Turn<'_, '_>,
        send: &Request,
        names: &Names<'_>,
        kind: PageKind,
    ) -> Result<Option<Answer>, ConnectorError> {
        let has_cookies = self.recipe.sign_in.token.as_ref().is_none_or(TokenAt::is_optional);
        if !has_cookies && turn.cookies.token().is_none() {
            return Ok(None);
        }
        let visitor = Visitor::of(turn.context);
        self.egress.turn(&self.base, visitor).await?;
        let answer = self.send(send, names, (&mut *turn.cookies, visitor), kind).await?;
        // Many a shop sends visitors to its sign-in.
        if matches!(answer.status, 401 | 302 | 303) || answer.is(&self.recipe.signed_out) {
            // A token that has ended must not be sent with the next sign-in.
            turn.cookies.set_token(None);
            return Ok(None);
        }
        match answer.status {
            200 | 404 | 410 => Ok(Some(answer)),
            other => Err(kind.answered(other)),
        }
    }

    /// Reads a page of the list.
    async fn read_page(&self, turn: &mut Turn<'_, '_>, at: &Position) -> Result<PageRead, ConnectorError> {
        let list = &self.recipe.list;
        let (offset, size) = at.offset(list.page_size);
        let names = names(&self.values)
            .number("page", (u64::from(at.number) + u64::from(list.first_page)).saturating_sub(1))
            .number("offset", offset)
            .number("size", size)
            .text("cursor", if list.next.is_some() { &at.from } else { "" });
        let Some(answer) = self.ask(turn, &list.send, &names, PageKind::OrderList).await? else {
            return Ok(PageRead::SignedOut);
        };
        if answer.status != 200 {
            return Ok(PageRead::Missing);
        }
        if let Err(failure) = answer.whole(list.send.graphql.is_some(), Check::ListPage) {
            return Ok(PageRead::Failed(failure));
        }
        Ok(match list.orders.list(&answer.value) {
            Ok(orders) => {
                let orders = orders.to_vec();
                PageRead::Orders(answer, orders)
            }
            Err(wrong) => PageRead::Failed(failed(Check::ListPage, wrong)),
        })
    }

    /// What a page of the list shows, and where the one after it begins.
    fn list(&self, at: &Position, answer: &Answer, orders: &[Value]) -> Result<(OrderList, String), Failure> {
        let list = &self.recipe.list;
        let wrong = |wrong| failed(Check::ListPage, wrong);
        let place = at.to_string();
        let rows = orders.iter().map(|order| self.recipe.listed(order, &place, &self.settings));
        let (rows, unread) = parted(rows.collect::<Result<_, _>>()?);
        let shown = orders.len() as u64;
        let (offset, mut size) = at.offset(list.page_size);
        let count = match &list.count {
            None => None,
            Some(count) => {
                let stated = needed(count.decimal(&answer.value), count).map_err(wrong)?;
                Some(
                    u32::try_from(stated)
                        .map_err(|_| wrong(format!("{stated} at `{}`, which is no count", count.as_str())))?,
                )
            }
        };
        // A shop may have fewer or more on a page than it was asked for.
        let is_other_size = |count: u32| u64::from(count) > shown || shown > size;
        if at.number == 1 && shown > 0 && count.is_some_and(is_other_size) {
            size = shown;
        }
        let next = match &list.next {
            Some(next) => next.read(&answer.value).map_err(wrong)?.to_owned(),
            None if list.paging == By::Offset => format!("{}+{size}", offset + shown),
            None => format!("0+{size}"),
        };
        let pages = match count {
            Some(count) if list.paging != By::One => u64::from(count).div_ceil(size.max(1)),
            _ => 0,
        };
        let list = OrderList {
            rows,
            unread,
            pages: u32::try_from(pages).unwrap_or(u32::MAX),
            stated_orders: count,
            has_next: list.next.is_some().then_some(!next.is_empty()),
            has_filter: false,
        };
        Ok((list, next))
    }

    /// The order as the list has it. It may have moved to the page after the one where it was.
    async fn in_list(
        &self,
        turn: &mut Turn<'_, '_>,
        kept: &mut Kept,
        listed: &ListedOrder,
    ) -> Result<Option<OrderPage>, ConnectorError> {
        let place = Position::parse(&listed.path).ok_or_else(|| PageKind::Order.lacks("its place in the list"))?;
        let is_it = |order: &&Value| self.recipe.number(order).is_ok_and(|number| number == listed.number);
        let mut at = place.clone();
        loop {
            if kept.page.as_ref().is_none_or(|(known, _)| *known != at) {
                match self.read_page(turn, &at).await? {
                    PageRead::Orders(_, orders) => kept.page = Some((at.clone(), orders)),
                    PageRead::SignedOut => return Ok(None),
                    PageRead::Missing => kept.page = Some((at.clone(), Vec::new())),
                    PageRead::Failed(failure) => return Ok(Some(OrderPage::Failed(failure))),
                }
            }
            let orders = kept.page.as_ref().map_or(&[][..], |(_, orders)| orders);
            if let Some(order) = orders.iter().find(is_it) {
                return Ok(Some(self.recipe.shown(order, listed).map_or_else(OrderPage::Failed, OrderPage::Shown)));
            }
            let (offset, size) = at.offset(self.recipe.list.page_size);
            if at != place || matches!(self.recipe.list.paging, By::Cursor | By::One) {
                let found = "the order is no longer where the list had it.";
                return Ok(Some(OrderPage::Failed(Failure::new(Check::OrderPage, found))));
            }
            at = Position { number: at.number + 1, from: format!("{}+{size}", offset + size) };
        }
    }
}

#[async_trait]
impl SignInShop for JsonShop {
    fn egress(&self) -> &Egress {
        &self.egress
    }

    fn username_label(&self) -> &str {
        &self.recipe.sign_in.username_label
    }

    fn orders(&self) -> Url {
        self.base.clone()
    }

    async fn credentials_form(
        &self,
        _: &StepContext<'_>,
        _: &mut CookieJar,
    ) -> Result<CredentialsForm, ConnectorError> {
        let form = Form::described(self.base.clone(), Vec::new());
        Ok(CredentialsForm { form, username: USERNAME.to_owned(), password: PASSWORD.to_owned() })
    }

    async fn send_form(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
        of: PageKind,
        form: &Form,
        fields: &[(&str, &str)],
    ) -> Result<SignInAnswer<CodeForm>, ConnectorError> {
        let sign_in = &self.recipe.sign_in;
        let code = sign_in.code.as_ref().filter(|_| of == PageKind::Code);
        let send = code.map_or(&sign_in.send, |code| &code.send);
        let kept = form.fields().iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let names = kept
            .chain(fields.iter().copied())
            .fold(names(&self.values), |names, (name, value)| names.secret(name, value));
        cookies.set_token(None);
        let answer = self.send(send, &names, (&mut *cookies, Visitor::of(context)), of).await?;
        let asks_for_code = |fields| {
            let form = Form::described(self.base.clone(), fields);
            SignInAnswer::CodeWanted(CodeForm { form, code: CODE.to_owned(), paused: false })
        };
        if let Some(code) = code {
            if answer.is(&code.forgotten) {
                return Ok(SignInAnswer::CredentialsAgain);
            }
            if answer.is(&code.refused) {
                return Ok(asks_for_code(form.fields().to_vec()));
            }
        } else if answer.is(&sign_in.code_wanted) {
            let mut fields = Vec::new();
            for (name, path) in &sign_in.keep {
                let value = needed(path.id(&answer.value), path).map_err(|wrong| of.lacks(&wrong))?;
                fields.push((name.clone(), bounded(value)?));
            }
            return Ok(asks_for_code(fields));
        }
        if answer.is(&sign_in.locked) {
            return Ok(SignInAnswer::Locked);
        }
        if answer.is(&sign_in.delayed) {
            let found = "The shop takes no sign-in for a while, whatever the password is. Sync again later.";
            return Err(ConnectorError::new(SyncErrorCode::RetailerRateLimited).with_message(found).transient());
        }
        if code.is_none() && answer.is(&sign_in.refused) {
            return Ok(SignInAnswer::CredentialsAgain);
        }
        if !matches!(answer.status, 200 | 201 | 204) {
            return Err(of.answered(answer.status));
        }
        if let Some(error) = answer.error(send.graphql.is_some()) {
            return Err(of.answered_with_error(error));
        }
        if let Some(token) = self.token_at(of) {
            cookies.set_token(token.read(&answer.value, &answer.tokens, of)?);
        }
        Ok(SignInAnswer::Taken)
    }

    async fn is_signed_in(&self, turn: &mut Turn<'_, '_>) -> Result<bool, ConnectorError> {
        let first = Position { number: 1, from: String::new() };
        match self.read_page(turn, &first).await? {
            // What is wrong with the list is for the scan to find.
            PageRead::Orders(..) | PageRead::Failed(_) => Ok(true),
            PageRead::SignedOut => Ok(false),
            PageRead::Missing => Err(PageKind::OrderList.answered(404)),
        }
    }
}

impl Paging for JsonShop {
    fn first(&self) -> Url {
        self.base.clone()
    }

    /// All pages have the same address; what tells them apart is kept in its fragment, which is sent nowhere.
    fn page(&self, before: &Url, _: u32) -> Url {
        before.clone()
    }

    fn filtered(&self, before: &Url, _: &DateRange) -> Url {
        before.clone()
    }

    fn before_first(&self) -> Option<Url> {
        let list = &self.recipe.list;
        (list.paging == By::Page && list.first_page > 0).then(|| self.first())
    }

    fn rules(&self) -> PagingRules {
        let Settings { max_pages, time_zone, single_page, .. } = *self.settings;
        let list = &self.recipe.list;
        let end = match list.paging {
            _ if single_page => self.settings.one_page(),
            By::One => self.settings.one_page(),
            By::Cursor if list.next.as_ref().is_some_and(|next| next.is_optional) => {
                EndOfList::LastIsSilent { is_accepted: self.settings.accept_unproven_end }
            }
            By::Cursor => EndOfList::LastSays,
            By::Page | By::Offset if list.count.is_some() => EndOfList::Stated,
            By::Page | By::Offset => EndOfList::PageAfter,
        };
        let if_repeated = "Look in the answers for what the shop calls the parameters in `list.send.query`, and with cursors for \
                           the place that `list.next` has to name. Only if it always sends all orders, write \
                           `list.paging = \"one\"`.";
        PagingRules { max_pages, end, if_repeated, time_zone }
    }
}

#[async_trait]
impl Shop for JsonShop {
    type Kept = Kept;

    fn shows(&self) -> Shows {
        self.recipe.shows
    }

    fn says_days_alone(&self) -> bool {
        self.recipe.list.date.format.is_day()
    }

    fn reread(&self) -> Reread {
        self.settings.reread()
    }

    fn status(&self, text: &str) -> Open<ShipmentStatus> {
        self.recipe.status(text, &self.settings)
    }

    async fn list_page(&self, turn: &mut Turn<'_, '_>, wanted: &Wanted) -> Result<Option<ListPage>, ConnectorError> {
        let at = Position::of(wanted);
        let (answer, orders) = match self.read_page(turn, &at).await? {
            PageRead::Orders(answer, orders) => (answer, orders),
            PageRead::SignedOut => return Ok(None),
            PageRead::Missing => return Ok(Some(ListPage::Absent)),
            PageRead::Failed(failure) => return Ok(Some(ListPage::Failed(failure))),
        };
        Ok(Some(match self.list(&at, &answer, &orders) {
            Ok((list, next)) => {
                let mut from = wanted.url.clone();
                // A cursor may have any sign.
                let kept: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
                from.set_fragment(Some(&kept));
                ListPage::Shown(list, from)
            }
            Err(failure) => ListPage::Failed(failure),
        }))
    }

    async fn order_page(
        &self,
        turn: &mut Turn<'_, '_>,
        kept: &mut Kept,
        listed: &ListedOrder,
    ) -> Result<Option<OrderPage>, ConnectorError> {
        let order = &self.recipe.order;
        let (Some(send), Some(path)) = (&order.send, &order.path) else {
            return self.in_list(turn, kept, listed).await;
        };
        let names = names(&self.values).text("key", &listed.path);
        let Some(answer) = self.ask(turn, send, &names, PageKind::Order).await? else { return Ok(None) };
        if answer.status != 200 {
            return Ok(Some(OrderPage::Absent));
        }
        let read = || {
            answer.whole(send.graphql.is_some(), Check::OrderPage)?;
            let order = needed(path.get(&answer.value), path).map_err(|wrong| failed(Check::OrderPage, wrong))?;
            self.recipe.shown(order, listed)
        };
        Ok(Some(read().map_or_else(OrderPage::Failed, OrderPage::Shown)))
    }
}

/// Reads an answer of the list, and its orders as if they were whole: whatever it says, nothing may break.
#[cfg(test)]
pub(super) fn read_anything(recipe: &JsonRecipe, answer: &str, settings: &Settings) {
    let Ok(answer) = serde_json::from_str::<Value>(answer) else { return };
    for order in recipe.list.orders.list(&answer).unwrap_or_default() {
        let Ok(row) = recipe.listed(order, "1 ", settings) else { continue };
        if let Ok(listed) = row.shown {
            let proven = recipe
                .shown(order, &listed)
                .and_then(|shown| crate::connector::kit::order_proof::prove(&listed, shown, &recipe.shows));
            drop(proven);
        }
    }
}

/// What the operator's values stand for.
fn names(values: &BTreeMap<String, String>) -> Names<'_> {
    values.iter().fold(Names::default(), |names, (name, value)| names.text(name, value))
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let wrong = || format!("headers: \"{name}\" or its value can be no header");
    let name: HeaderName = name.parse().map_err(|_| wrong())?;
    let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
    value.set_sensitive(true);
    Ok((name, value))
}
