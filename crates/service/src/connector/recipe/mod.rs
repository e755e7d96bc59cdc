//! Shops that are described and not programmed. A recipe says where the pages are, which elements hold what, and what the
//! words mean. `docs/recipes.md` says how to write one.
//!
//! A recipe decides where a value is, and never whether it has to agree: every check of the kit is made, whatever the recipe
//! says. What it does not describe is a failed page. It cannot lead to another host, because requests go through the egress.

mod amount;
mod cell;
mod common;
mod coverage;
mod draft;
mod figures;
mod format;
mod json;
mod line_title;
mod list;
mod list_page;
mod list_source;
mod load;
mod number;
mod order;
mod paging;
mod product_page;
mod products;
mod recognized;
mod rows;
mod scan;
mod sign_in;
mod status_below;
#[cfg(test)]
mod tests;
mod value;
mod words;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use url::Url;

pub(in crate::connector) use self::draft::DECIDE;
pub use self::draft::{Draft, DraftError, DraftRequest, draft_recipe};
use self::format::Recipe;
use self::json::{JsonRecipe, JsonShop};
pub(super) use self::load::{PLATFORMS, read_file};
use self::paging::PageAddress;
pub(super) use self::recognized::{Marks, Place};
use self::sign_in::RecipeSignIn;
use self::value::{Address, address_of};
use super::Connector;
use super::egress::Egress;
use super::kit::settings::Settings;
use super::kit::site::Site;
use super::kit::steps::ShopConnector;

/// A recipe that was read and checked.
pub(super) struct CheckedRecipe(Kind);

/// What a shop answers with.
enum Kind {
    Pages(Box<Recipe>),
    Json(Box<JsonRecipe>),
}

/// A shop that a recipe describes.
pub(super) struct RecipeShop {
    site: Site,
    recipe: Arc<Recipe>,
    base: Url,
    next_page: Option<Address>,
    filtered: Option<Address>,
    /// What the addresses of all orders begin with.
    order_page: String,
    /// Where the list is, if the shop has renamed its addresses, as a page of the account says.
    moved: OnceLock<MovedList>,
}

/// The list of a shop that has renamed its addresses.
struct MovedList {
    first: Url,
    next_page: Option<Address>,
}

/// What the operator says of one shop beside its settings.
pub(super) struct OfShop<'a> {
    pub(super) account_path: Option<&'a str>,
    pub(super) values: &'a BTreeMap<String, String>,
}

impl CheckedRecipe {
    /// A connector for the shop at `base_url`, which is also the egress's.
    /// The error says what is wrong, beginning with the operator's key.
    pub(super) fn connector(
        self,
        base_url: &Url,
        egress: Egress,
        settings: Settings,
        shop: &OfShop<'_>,
    ) -> Result<Arc<dyn Connector>, String> {
        match self.0 {
            Kind::Pages(_) if !shop.values.is_empty() => {
                Err("values: the recipe asks for none; leave it out".to_owned())
            }
            Kind::Pages(recipe) => {
                Ok(Arc::new(RecipeShop::connector(base_url, egress, settings, *recipe, shop.account_path)?))
            }
            Kind::Json(_) if shop.account_path.is_some() => {
                Err("account_path: the recipe has no {account} in its addresses".to_owned())
            }
            Kind::Json(recipe) => Ok(Arc::new(JsonShop::connector(base_url, egress, settings, *recipe, shop.values)?)),
        }
    }

    /// The recipe, if it is for pages.
    fn of_pages(&self) -> Option<&Recipe> {
        match &self.0 {
            Kind::Pages(recipe) => Some(recipe),
            Kind::Json(_) => None,
        }
    }

    /// The recipe, if it is for JSON.
    fn of_json(&self) -> Option<&JsonRecipe> {
        match &self.0 {
            Kind::Pages(_) => None,
            Kind::Json(recipe) => Some(recipe),
        }
    }

    #[cfg(test)]
    fn into_pages(self) -> Recipe {
        match self.0 {
            Kind::Pages(recipe) => *recipe,
            Kind::Json(_) => panic!("a recipe for JSON"),
        }
    }
}

impl RecipeShop {
    /// A connector for the shop at `base_url`, which is also the egress's.
    /// The error says what is wrong, beginning with the operator's key.
    fn connector(
        base_url: &Url,
        egress: Egress,
        settings: Settings,
        recipe: Recipe,
        account_path: Option<&str>,
    ) -> Result<ShopConnector<Self>, String> {
        let recipe = Arc::new(recipe);
        let account = account_path.map(account_address).transpose()?;
        let account = account.or_else(|| recipe.account_path.as_ref().map(|account| account.as_str().to_owned()));
        if account_path.is_some() && !recipe.uses_account() {
            return Err(format!("account_path: the recipe for {} has no {{account}} in its addresses", recipe.name));
        }
        let account = account.as_deref().unwrap_or_default().trim_end_matches('/');
        let base = Site::base(base_url).ok_or("base_url: can be no base of addresses")?;
        let with_account = |address: &Address| address.with_account(account);
        let url = |address: &Address| {
            let url = base.join(with_account(address).as_str()).ok();
            let is_below = |url: &Url| url.origin() == base.origin() && url.path().starts_with(base.path());
            url.filter(is_below).ok_or_else(|| format!("\"{}\" is no address below that of the shop", address.as_str()))
        };
        let order_page = address_of(&url(&recipe.list.order_page)?);
        let next_page = recipe.list.next_page.as_ref().map(with_account);
        let filtered = recipe.list.filtered.as_ref().map(with_account);
        let pages = Arc::new(RecipeSignIn(Arc::clone(&recipe)));
        let (sign_in, orders) = (url(&recipe.sign_in.page)?, url(&recipe.list.page)?);
        let carry = recipe.sign_in.answer.as_ref().and_then(|answer| answer.carry.clone());
        let site = Site { egress, settings: Arc::new(settings), sign_in, orders, pages, carry };
        Ok(ShopConnector(Self { site, recipe, base, next_page, filtered, order_page, moved: OnceLock::new() }))
    }
}

impl RecipeShop {
    /// The addresses of the list's other pages.
    fn next_page(&self) -> Option<&Address> {
        self.moved.get().map_or(self.next_page.as_ref(), |moved| moved.next_page.as_ref())
    }

    /// Takes up where a page of the account says that the list is. False: it is no other place of this shop.
    fn has_moved(&self, to: &str) -> bool {
        let base = self.base.path();
        let Some(first) =
            self.base.join(to).ok().filter(|to| to.origin() == self.base.origin() && to.query().is_none())
        else {
            return false;
        };
        let Some(path) = first.path().strip_prefix(base).map(|path| path.trim_end_matches('/')) else { return false };
        let next_page = Address::parse(&format!("{path}/{{page}}/")).ok();
        first != self.site.orders && next_page.is_some() && self.moved.set(MovedList { first, next_page }).is_ok()
    }

    /// How the pages of the list are addressed.
    fn page_address(&self) -> Option<PageAddress> {
        PageAddress::of(&self.base, self.next_page()?)
    }

    /// An address of the recipe at the shop.
    fn join(&self, address: &Address) -> Option<Url> {
        self.base.join(address.as_str()).ok()
    }
}

/// The part of the shop that is the account; empty if that is the whole shop.
fn account_address(path: &str) -> Result<String, String> {
    let path = path.trim_matches('/');
    if !path.is_empty() && (path.contains(['?', '{']) || Address::parse(path).is_err()) {
        return Err("account_path: has to be a path, such as \"my-account\"".to_owned());
    }
    Ok(path.to_owned())
}
