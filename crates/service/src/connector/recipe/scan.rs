//! What a recipe brings to a scan: its pages, and what they mean.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::NaiveDate;
use ordersync_api::{Open, ShipmentStatus};
use serde::{Deserialize, Serialize};
use url::Url;

use super::format::{ClockApi, DateKind, End, ProductApi, Recipe};
use super::json::{Answer, needed};
use super::list_source::Source;
use super::products::Products;
use super::sign_in::RecipeSignIn;
use super::{RecipeShop, list, order};
use crate::connector::egress::{CookieJar, Egress};
use crate::connector::kit::check::Unread;
use crate::connector::kit::checked_order::{ProductFacts, Record};
use crate::connector::kit::due::Reread;
use crate::connector::kit::form::Form;
use crate::connector::kit::list_proof::{DateRange, EndOfList};
use crate::connector::kit::list_reading::{ListPage, Paging, PagingRules, Wanted};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::order_proof::{ProvenLine, ProvenOrder};
use crate::connector::kit::other_page::OtherPage;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::scan::{OrderPage, Shop};
use crate::connector::kit::settings::Settings;
use crate::connector::kit::shows::Shows;
use crate::connector::kit::sign_in::{CredentialsForm, SignInAnswer};
use crate::connector::kit::site::{CodeForm, Fetched, SignInShop};
use crate::connector::kit::source;
use crate::connector::kit::turn::Turn;
use crate::connector::woocommerce::clock;
use crate::connector::woocommerce::store_api::StoreApi;
use crate::connector::{ConnectorError, StepContext};

/// The same if that is allowed, but the page before has a link to it.
const IF_LINKED: &str = "The page before it has `list.next_link`, which the last page must not have.";
/// What to do if the page after the last one repeats orders.
const IF_REPEATED: &str = "If the shop does so, and links from each page to the next, write `list.end = \"next_link_repeats\"`; if its list \
     has one page only, `list.end = \"one_page\"`.";

/// What is remembered in the course of a scan.
#[derive(Default, Serialize, Deserialize)]
pub(in crate::connector) struct Kept {
    store_api: StoreApi,
    products: Products,
}

impl Recipe {
    /// What the shop's word for a status means: the operator says it, or the recipe.
    pub(super) fn status(&self, text: &str, settings: &Settings) -> Open<ShipmentStatus> {
        match settings.status(text) {
            Open::Other(text) => self.words.status(&text).map_or(Open::Other(text), Open::Known),
            known => known,
        }
    }
}

impl RecipeShop {
    /// Looks where the order list is, because there is none at [`SignInShop::orders`]. False: the shop does not say; `None`: it
    /// shows its sign-in.
    async fn find_orders(&self, turn: &mut Turn<'_, '_>) -> Result<Option<bool>, ConnectorError> {
        let Some(link) = self.recipe.list.page_link.clone().filter(|_| self.moved.get().is_none()) else {
            return Ok(Some(false));
        };
        let response = match self.site.fetch(turn, &self.site.sign_in, PageKind::OrderList).await? {
            Fetched::Page(response) => response,
            Fetched::SignedOut => return Ok(None),
            Fetched::Missing => return Ok(Some(false)),
        };
        let pages = Arc::clone(&self.site.pages);
        let found = self.site.egress.pages.read(response.body, move |document| {
            let to = document.select(link.get()).find_map(|link| link.attr("href"));
            Ok((!pages.asks(document)).then(|| to.map(str::to_owned)))
        });
        Ok(found.await?.map(|to| to.is_some_and(|to| self.has_moved(&to))))
    }
}

#[async_trait]
impl SignInShop for RecipeShop {
    fn egress(&self) -> &Egress {
        &self.site.egress
    }

    fn username_label(&self) -> &str {
        &self.recipe.sign_in.username_label
    }

    fn orders(&self) -> Url {
        self.moved.get().map_or_else(|| self.site.orders.clone(), |moved| moved.first.clone())
    }

    async fn credentials_form(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
    ) -> Result<CredentialsForm, ConnectorError> {
        self.site.credentials_form(context, cookies).await
    }

    async fn send_form(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
        of: PageKind,
        form: &Form,
        fields: &[(&str, &str)],
    ) -> Result<SignInAnswer<CodeForm>, ConnectorError> {
        let described = self.recipe.sign_in.answer.as_ref();
        if described.is_some() {
            cookies.set_token(None);
        }
        let response = self.site.send(context, cookies, form, fields).await?;
        // Another version of the platform may answer with a page.
        let Some(described) = described.filter(|_| response.body.trim_start().starts_with('{')) else {
            return self.site.answer(of, response).await;
        };
        let answer = Answer::read(response, &self.site.egress, of).await?;
        if answer.is(&described.locked) {
            return Ok(SignInAnswer::Locked);
        }
        if answer.is(&described.refused) {
            return Ok(SignInAnswer::CredentialsAgain);
        }
        let redirect = needed(described.redirect.text(&answer.value), &described.redirect);
        let target = redirect.ok().and_then(|target| self.base.join(target).ok());
        let target = target.ok_or_else(|| of.lacks("an address of the next page in its answer"))?;
        if let Some(carry) = &described.carry {
            let token = target.query_pairs().find(|(name, _)| name == carry.as_str());
            let (_, token) =
                token.ok_or_else(|| of.lacks(&format!("`{carry}` in the address that it answers with")))?;
            cookies.set_token(Some(token.into_owned()));
        }
        Ok(SignInAnswer::Taken)
    }

    async fn is_signed_in(&self, turn: &mut Turn<'_, '_>) -> Result<bool, ConnectorError> {
        let mut fetched = self.site.fetch(turn, &self.orders(), PageKind::OrderList).await?;
        if matches!(fetched, Fetched::Missing) {
            match self.find_orders(turn).await? {
                Some(true) => fetched = self.site.fetch(turn, &self.orders(), PageKind::OrderList).await?,
                Some(false) => {}
                None => return Ok(false),
            }
        }
        let body = match fetched {
            Fetched::Page(response) => response.body,
            Fetched::SignedOut => return Ok(false),
            Fetched::Missing => return Err(PageKind::OrderList.answered(404)),
        };
        let pages = Arc::clone(&self.site.pages);
        if self.site.egress.pages.read(body, move |document| Ok(pages.asks(document))).await? {
            return Ok(false);
        }
        if self.recipe.list.clock_api == ClockApi::Wordpress {
            clock::check((&self.site.egress, &self.base), turn, self.site.settings.time_zone).await?;
        }
        Ok(true)
    }
}

impl Paging for RecipeShop {
    fn first(&self) -> Url {
        self.orders()
    }

    fn page(&self, before: &Url, number: u32) -> Url {
        let page = self.next_page().map(|page| page.with("{page}", &number.to_string()));
        page.and_then(|page| self.join(&page)).unwrap_or_else(|| before.clone())
    }

    fn filtered(&self, before: &Url, days: &DateRange) -> Url {
        let text = |date: Option<NaiveDate>| date.map(|date| date.to_string()).unwrap_or_default();
        let address = self.filtered.as_ref();
        let address = address.map(|address| address.with("{from}", &text(days.from)).with("{to}", &text(days.to)));
        address.and_then(|address| self.join(&address)).unwrap_or_else(|| before.clone())
    }

    fn rules(&self) -> PagingRules {
        let Settings { max_pages, time_zone, single_page, .. } = *self.site.settings;
        let end = match self.recipe.list.end {
            _ if single_page => self.site.settings.one_page(),
            End::PageAfter => EndOfList::PageAfter,
            End::NextLink => EndOfList::NextLink,
            End::NextLinkRepeats => EndOfList::NextLinkRepeats,
            End::OnePage => self.site.settings.one_page(),
        };
        let if_repeated = if end == EndOfList::NextLinkRepeats { IF_LINKED } else { IF_REPEATED };
        PagingRules { max_pages, end, if_repeated, time_zone }
    }
}

#[async_trait]
impl Shop for RecipeShop {
    type Kept = Kept;

    fn shows(&self) -> Shows {
        self.recipe.shows
    }

    fn says_days_alone(&self) -> bool {
        self.recipe.list.date_shown == DateKind::Day
    }

    fn reread(&self) -> Reread {
        self.site.settings.reread()
    }

    fn status(&self, text: &str) -> Open<ShipmentStatus> {
        self.recipe.status(text, &self.site.settings)
    }

    async fn list_page(&self, turn: &mut Turn<'_, '_>, wanted: &Wanted) -> Result<Option<ListPage>, ConnectorError> {
        let number = wanted.number;
        // Where it is may have been found meanwhile.
        let url = if number == 1 { self.first() } else { wanted.url.clone() };
        let response = match self.site.fetch(turn, &url, PageKind::OrderList).await? {
            Fetched::Page(response) => response,
            Fetched::SignedOut => return Ok(None),
            Fetched::Missing if number == 1 => {
                return match self.find_orders(turn).await? {
                    Some(true) => Err(PageKind::OrderList.answered(404).transient()),
                    Some(false) => Err(PageKind::OrderList.answered(404)),
                    None => Ok(None),
                };
            }
            Fetched::Missing => return Ok(Some(ListPage::Absent)),
        };
        // A shop that leads back from the page after the last one to the last one knows which is the last.
        let before = if number == 2 { self.first() } else { self.page(&wanted.url, number.saturating_sub(1)) };
        if number > 1 && response.url != wanted.url && response.url == before {
            return Ok(Some(ListPage::Absent));
        }
        let has_left = response.url.path() != wanted.url.path();
        let source = Source::of(self, response.url.clone(), number, &response.body);
        let (recipe, settings) = (Arc::clone(&self.recipe), Arc::clone(&self.site.settings));
        let read =
            self.site.egress.pages.read(response.body, move |document| {
                Ok(list::read(document, &source, &RecipeSignIn(recipe), &settings))
            });
        match read.await? {
            Ok(list) => Ok(Some(ListPage::Shown(list, response.url))),
            // The shop leads away from a page that it does not have.
            Err(Unread::Instead(OtherPage::Unknown))
                if number > 1 && has_left && self.recipe.list.end == End::PageAfter =>
            {
                Ok(Some(ListPage::Absent))
            }
            Err(unread) => unread.or_failed(PageKind::OrderList, ListPage::Failed),
        }
    }

    async fn order_page(
        &self,
        turn: &mut Turn<'_, '_>,
        _: &mut Kept,
        listed: &ListedOrder,
    ) -> Result<Option<OrderPage>, ConnectorError> {
        let mut url = self.site.orders.clone();
        let (path, query) =
            listed.path.split_once('?').map_or((&*listed.path, None), |(path, query)| (path, Some(query)));
        url.set_path(path);
        url.set_query(query);
        let response = match self.site.fetch(turn, &url, PageKind::Order).await? {
            Fetched::Page(response) => response,
            Fetched::SignedOut => return Ok(None),
            Fetched::Missing => return Ok(Some(OrderPage::Absent)),
        };
        let is_whole = source::is_whole(&response.body);
        let source = order::Source { url: response.url, is_whole, row: listed.clone() };
        let (recipe, settings) = (Arc::clone(&self.recipe), Arc::clone(&self.site.settings));
        let read =
            self.site.egress.pages.read(response.body, move |document| {
                Ok(order::read(document, &source, &RecipeSignIn(recipe), &settings))
            });
        match read.await? {
            Ok(shown) => Ok(Some(OrderPage::Shown(shown))),
            Err(unread) => {
                let unread = unread.of_one_order().map_or_else(|unread| unread, Unread::Failed);
                unread.or_failed(PageKind::Order, OrderPage::Failed)
            }
        }
    }

    async fn read_products(
        &self,
        turn: &mut Turn<'_, '_>,
        kept: &mut Kept,
        order: &ProvenOrder,
    ) -> Result<Option<()>, ConnectorError> {
        if self.recipe.order.product_api == ProductApi::WoocommerceStore {
            kept.store_api.ask((&self.site.egress, &self.base), turn, order).await?;
        }
        match &self.recipe.product_page {
            Some(recipe) => self.read_pages(turn, &mut kept.products, order, recipe).await,
            None => Ok(Some(())),
        }
    }

    fn product<'k>(&self, kept: &'k Kept, line: &ProvenLine, place: usize) -> ProductFacts<'k> {
        match self.recipe.order.product_api {
            ProductApi::WoocommerceStore => kept.store_api.facts(place),
            ProductApi::None if self.recipe.product_page.is_some() => kept.products.facts(line.product()),
            ProductApi::None => ProductFacts::Unlinked,
        }
    }

    fn record<'k>(&self, kept: &'k Kept) -> Option<&'k Record> {
        kept.store_api.record()
    }
}
