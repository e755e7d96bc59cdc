//! Recognizes what a shop runs on by its address alone: a handful of requests through the guarded egress, without
//! credentials.
//!
//! A platform is recognized by its sign-in page, because some shops have no other page. What else is there, such as a home
//! page or a description of the interface, makes it certain and gives name, time zone and currency.

mod address;
mod marks;
mod other;
mod visit;
mod wordpress;

use std::sync::LazyLock;
use std::time::Duration;

use ordersync_api::look::{Look, Shop};
use tokio::time::Instant;
use url::Url;

pub use self::address::BadShopAddress;
use self::address::ShopAddress;
use self::marks::short;
use self::visit::{Page, Visit};
use super::amazon;
use super::kit::locale::Locale;
use super::recipe::{CheckedRecipe, Marks, PLATFORMS, Place};
use crate::domain::imported::retailer_of_files;

/// How long looking may take.
const MAX_TIME: Duration = Duration::from_secs(40);

/// A platform that can be read.
struct Platform {
    /// Its name in the file of retailers.
    connector: &'static str,
    recipe: CheckedRecipe,
}

/// The platforms whose recipes ship with the program.
static KNOWN: LazyLock<Vec<Platform>> = LazyLock::new(|| {
    let load = |(connector, text): &(&'static str, &str)| {
        CheckedRecipe::load(connector, text, None).ok().map(|recipe| Platform { connector, recipe })
    };
    PLATFORMS.iter().filter_map(load).collect()
});

/// Looks at a shop.
/// Fails if the address cannot be a shop's, or may not be reached.
pub async fn look(address: &str, allow_private_network: bool) -> Result<Look, BadShopAddress> {
    let address = ShopAddress::parse(address, allow_private_network)?;
    if let Some(site) = amazon::website(&address.url) {
        let is_read = amazon::is_read(&site);
        let look = Visit::new(address, Instant::now())?.into_look(None);
        return Ok(Look {
            shop: is_read.then(|| amazon_shop(&site)),
            seems: (!is_read).then(|| "Amazon".to_owned()),
            unreachable: false,
            ..look
        });
    }
    let mut visit = Visit::new(address, Instant::now() + MAX_TIME)?;
    let shop = match find(&mut visit).await {
        Some(found) => describe(&mut visit, found).await,
        None => ask(&mut visit).await,
    };
    Ok(visit.into_look(shop))
}

/// A website of Amazon is known by its name, and is not asked.
fn amazon_shop(site: &str) -> Shop {
    Shop {
        connector: amazon::CONNECTOR.to_owned(),
        platform: "Amazon".to_owned(),
        certain: true,
        signs: vec![format!("{site}: a website of Amazon")],
        base_url: format!("https://www.{site}"),
        // As files name it: their orders and those of the account are of one retailer.
        name: Some(site.to_owned()),
        retailer_id: Some(retailer_of_files(site)),
        is_exact: true,
        ..Shop::default()
    }
}

/// Asks for the interface of each platform that has one, at each place where the shop may be.
async fn ask(visit: &mut Visit) -> Option<Shop> {
    let mut bases = visit.roots(None);
    bases.dedup();
    for base in bases {
        for Platform { connector, recipe } in KNOWN.iter() {
            let Some((url, body)) = recipe.look(&base) else { continue };
            let Some((status, answer)) = visit.ask(&url, body).await else { continue };
            if recipe.is_known_by(status, &answer) {
                return Some(Shop {
                    connector: (*connector).to_owned(),
                    platform: recipe.name().to_owned(),
                    certain: true,
                    signs: vec![format!("{}: answers as {} does before a sign-in", url.path(), recipe.name())],
                    base_url: base.as_str().trim_end_matches('/').to_owned(),
                    values: recipe.values(),
                    is_exact: recipe.is_exact(),
                    ..Shop::default()
                });
            }
        }
    }
    None
}

/// A sign-in page of a platform.
struct Found {
    /// Index into the platforms.
    platform: usize,
    page: Page,
    /// The other page that was seen first, usually the home page.
    home: Option<Page>,
}

impl Page {
    fn marks(&self, platform: usize) -> &Marks {
        static NONE: LazyLock<Marks> = LazyLock::new(Marks::default);
        self.marks.get(platform).unwrap_or(&NONE)
    }
}

impl Platform {
    /// The place of the shop, if this is its sign-in: a redirect may lead to another page of the sign-in.
    fn place(&self, start: &Url, page: &Page) -> Option<Place> {
        self.recipe.place(start, &page.url).or_else(|| self.recipe.place(start, &page.requested))
    }
}

/// Looks for a sign-in page: at the address itself, where the home page leads, and where the platforms have it.
async fn find(visit: &mut Visit) -> Option<Found> {
    let start = visit.start();
    let home = visit.page(&start).await;
    let is_sign_in = |page: &Page, home: Option<&Page>| {
        KNOWN.iter().enumerate().position(|(index, one)| {
            let marks = page.marks(index);
            let is_named = || marks.is_named() || home.is_some_and(|home| home.marks(index).is_named());
            (marks.is_sign_in || marks.is_shared_sign_in && is_named()) && one.place(&start, page).is_some()
        })
    };
    if let Some(platform) = home.as_ref().and_then(|page| is_sign_in(page, None)) {
        return home.map(|page| Found { platform, page, home: None });
    }
    // What the home page says is looked for first, and if it says anything, nothing else.
    let is_named = |index: &usize| home.as_ref().is_some_and(|page| page.marks(*index).is_named());
    let named: Vec<usize> = (0..KNOWN.len()).filter(is_named).collect();
    let wanted = if named.is_empty() { (0..KNOWN.len()).collect() } else { named };
    for url in places(visit, &wanted, home.as_ref()) {
        if visit.is_over() {
            break;
        }
        let Some(page) = visit.page(&url).await else { continue };
        if let Some(platform) = is_sign_in(&page, home.as_ref()) {
            return Some(Found { platform, page, home });
        }
    }
    None
}

/// The addresses where a sign-in page may be, each once.
fn places(visit: &Visit, wanted: &[usize], home: Option<&Page>) -> Vec<Url> {
    let mut places: Vec<Url> = Vec::new();
    for index in wanted {
        places.extend(home.into_iter().flat_map(|page| page.marks(*index).sign_in_links.iter().take(2).cloned()));
    }
    let paths: Vec<String> = wanted.iter().filter_map(|index| KNOWN.get(*index)?.recipe.sign_in_path()).collect();
    for root in visit.roots(home.map(|page| &page.url)) {
        places.extend(paths.iter().filter_map(|path| root.join(path).ok()));
    }
    let mut seen = Vec::new();
    places.retain(|url| {
        let is_new = !seen.contains(url);
        seen.push(url.clone());
        is_new
    });
    places
}

/// Puts together what is known of a shop. `None`: its sign-in is not where the platform has it.
async fn describe(visit: &mut Visit, found: Found) -> Option<Shop> {
    let Found { platform: index, page, home } = found;
    let Platform { connector, recipe } = KNOWN.get(index)?;
    let place = KNOWN.get(index)?.place(&visit.start(), &page)?;
    let pages = || std::iter::once(&page).chain(home.as_ref());
    let mut signs = vec![format!("{}: the sign-in form of {}", page.url.path(), recipe.name())];
    for sign in pages().flat_map(|page| page.marks(index).signs.iter()) {
        if !signs.contains(sign) {
            signs.push(sign.clone());
        }
    }
    let language = page.lang.clone().filter(|tag| Locale::from_tag(tag).is_none());
    let name = pages().find_map(|page| page.name.clone());
    let mut shop = Shop {
        connector: (*connector).to_owned(),
        platform: recipe.name().to_owned(),
        version: pages().find_map(|page| page.marks(index).version.clone()),
        name: name.or_else(|| pages().find_map(|page| short(page.marks(index).name.as_deref()?))),
        base_url: place.base.as_str().trim_end_matches('/').to_owned(),
        has_usual_account: place.account_path.as_deref() == recipe.account_path(),
        account_path: place.account_path,
        unread_language: language,
        ..Shop::default()
    };
    if recipe.is_wordpress() {
        wordpress::ask(visit, &place.base, &mut shop, &mut signs).await;
    }
    shop.oldest_version = recipe.oldest_after(shop.version.as_deref());
    shop.certain = signs.len() > 1;
    shop.signs = signs;
    Some(shop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_can_be_recognized() {
        assert_eq!(KNOWN.len(), PLATFORMS.len());
    }
}
