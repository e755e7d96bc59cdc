//! Recognizes what a shop runs on by its address alone: a handful of requests through the guarded egress, without
//! credentials.
//!
//! A platform is recognized by its sign-in page, because some shops have no other page. What else is there, such as a home
//! page or a description of the interface, makes it certain and gives name, time zone and currency.

mod address;
mod marks;
mod oscar;
mod other;
mod visit;
mod woocommerce;
mod wordpress;

use std::time::Duration;

use ordersync_api::look::{Look, Shop};
use tokio::time::Instant;
use url::Url;

pub use self::address::BadShopAddress;
use self::address::ShopAddress;
use self::marks::Marks;
use self::visit::{Page, Visit};
use super::kit::locale::Locale;

/// How long looking may take.
const MAX_TIME: Duration = Duration::from_secs(40);

/// How a platform is recognized.
struct Recognizer {
    /// Its name in the file of retailers.
    connector: &'static str,
    platform: &'static str,
    /// Where its sign-in is, from the address of the shop.
    sign_in: &'static [&'static str],
    /// What its sign-in page shows.
    shows: &'static str,
}

const RECOGNIZERS: [&Recognizer; 2] = [&woocommerce::RECOGNIZER, &oscar::RECOGNIZER];

/// Looks at a shop.
///
/// # Errors
/// If the address cannot be a shop's, or may not be reached.
pub async fn look(address: &str, allow_private_network: bool) -> Result<Look, BadShopAddress> {
    let address = ShopAddress::parse(address, allow_private_network)?;
    let mut visit = Visit::new(address, Instant::now() + MAX_TIME)?;
    let found = find(&mut visit).await;
    let shop = match found {
        Some(found) => Some(describe(&mut visit, found).await),
        None => None,
    };
    Ok(visit.into_look(shop))
}

/// A sign-in page of a platform.
struct Found {
    recognizer: &'static Recognizer,
    page: Page,
    /// The other page that was seen first, usually the home page.
    home: Option<Page>,
}

impl Page {
    fn marks(&self, recognizer: &Recognizer) -> &Marks {
        if recognizer.connector == oscar::RECOGNIZER.connector { &self.oscar } else { &self.woocommerce }
    }

    /// The address of the shop, if this is its sign-in: a redirect may lead to another page of the sign-in.
    fn oscar_base(&self) -> Option<Url> {
        oscar::base_of(&self.url).or_else(|| oscar::base_of(&self.requested))
    }
}

/// Looks for a sign-in page: at the address itself, where the home page leads, and where the platforms have it.
async fn find(visit: &mut Visit) -> Option<Found> {
    let start = visit.start();
    let home = visit.page(&start).await;
    let is_sign_in = |page: &Page, home: Option<&Page>| {
        RECOGNIZERS.into_iter().find(|one| {
            let is_named = || page.marks(one).is_named() || home.is_some_and(|home| home.marks(one).is_named());
            let marks = page.marks(one);
            let is_in_place = one.connector != oscar::RECOGNIZER.connector || page.oscar_base().is_some();
            is_in_place && (marks.is_sign_in || marks.is_shared_sign_in && is_named())
        })
    };
    if let Some(recognizer) = home.as_ref().and_then(|page| is_sign_in(page, None)) {
        return home.map(|page| Found { recognizer, page, home: None });
    }
    // What the home page says is looked for first, and if it says anything, nothing else.
    let named: Vec<&'static Recognizer> =
        RECOGNIZERS.into_iter().filter(|one| home.as_ref().is_some_and(|page| page.marks(one).is_named())).collect();
    let wanted = if named.is_empty() { RECOGNIZERS.to_vec() } else { named };
    for url in places(visit, &wanted, home.as_ref()) {
        if visit.is_over() {
            break;
        }
        let Some(page) = visit.page(&url).await else { continue };
        if let Some(recognizer) = is_sign_in(&page, home.as_ref()) {
            return Some(Found { recognizer, page, home });
        }
    }
    None
}

/// The addresses where a sign-in page may be, each once.
fn places(visit: &Visit, wanted: &[&'static Recognizer], home: Option<&Page>) -> Vec<Url> {
    let mut places: Vec<Url> = Vec::new();
    for recognizer in wanted {
        let linked = home.into_iter().flat_map(|page| page.marks(recognizer).sign_in_links.iter().take(2).cloned());
        places.extend(linked);
    }
    for root in visit.roots(home.map(|page| &page.url)) {
        let paths = wanted.iter().flat_map(|recognizer| recognizer.sign_in.iter());
        places.extend(paths.filter_map(|path| root.join(path).ok()));
    }
    let mut seen = Vec::new();
    places.retain(|url| {
        let is_new = !seen.contains(url);
        seen.push(url.clone());
        is_new
    });
    places
}

/// Puts together what is known of a shop.
async fn describe(visit: &mut Visit, found: Found) -> Shop {
    let Found { recognizer, page, home } = found;
    let pages = || std::iter::once(&page).chain(home.as_ref());
    let mut signs = vec![format!("{}: {}", page.url.path(), recognizer.shows)];
    for sign in pages().flat_map(|page| page.marks(recognizer).signs.iter()) {
        if !signs.contains(sign) {
            signs.push(sign.clone());
        }
    }
    let language = page.lang.clone().filter(|tag| Locale::from_tag(tag).is_none());
    let mut shop = Shop {
        connector: recognizer.connector.to_owned(),
        platform: recognizer.platform.to_owned(),
        version: pages().find_map(|page| page.marks(recognizer).version.clone()),
        name: pages().find_map(|page| page.name.clone()),
        unread_language: language,
        ..Shop::default()
    };
    if recognizer.connector == oscar::RECOGNIZER.connector {
        shop.name = shop.name.take().or_else(|| pages().find_map(|page| oscar::name_of(page.title.as_deref()?)));
        shop.base_url = page.oscar_base().unwrap_or_else(|| visit.start()).to_string();
    } else {
        let place = woocommerce::place(&visit.start(), &page.url);
        shop.base_url = place.base.to_string();
        shop.account_path = Some(place.account_path);
        wordpress::ask(visit, &place.base, &mut shop, &mut signs).await;
        shop.too_old = woocommerce::is_too_old(shop.version.as_deref());
    }
    shop.base_url = shop.base_url.trim_end_matches('/').to_owned();
    shop.certain = signs.len() > 1;
    shop.signs = signs;
    shop
}
