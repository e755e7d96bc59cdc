//! What shows that a shop is one of those that a recipe describes, and where it then is.

use std::collections::BTreeMap;

use scraper::{ElementRef, Html};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::value::{Css, Pattern};
use super::{CheckedRecipe, Kind};
use crate::connector::egress::Body;
use crate::connector::kit::text::{selector, text};

/// How a platform is recognized by its pages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recognize {
    /// What the page of the sign-in has, all of it.
    sign_in: Vec<Css>,
    /// What a page has that is the sign-in of other platforms, too.
    #[serde(default)]
    shared_sign_in: Vec<Css>,
    /// The ends of addresses that shops give the page of the account.
    #[serde(default)]
    account_names: Vec<String>,
    #[serde(default)]
    signs: Vec<Sign>,
    #[serde(default)]
    versions: Vec<Attribute>,
    /// The oldest version that can be read.
    oldest: Option<u32>,
    /// Where the title of a page has the name of the shop.
    name_in_title: Option<Pattern>,
}

/// Elements that, together, are a sign of the platform.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sign {
    says: String,
    has: Vec<Css>,
}

/// An attribute of an element, and what of it is meant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attribute {
    select: Css,
    attribute: String,
    pattern: Pattern,
}

/// What a page shows of one platform.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::connector) struct Marks {
    /// The page is the platform's sign-in.
    pub(in crate::connector) is_sign_in: bool,
    /// The page is a sign-in that the platform shares with others.
    pub(in crate::connector) is_shared_sign_in: bool,
    /// Other signs of the platform, in words.
    pub(in crate::connector) signs: Vec<String>,
    pub(in crate::connector) version: Option<String>,
    /// Links of the page that may lead to the sign-in, on its own origin.
    pub(in crate::connector) sign_in_links: Vec<Url>,
    /// The name of the shop, if the title of the page has it.
    pub(in crate::connector) name: Option<String>,
}

impl Marks {
    /// Whether the page says that it is one of this platform's.
    pub(in crate::connector) const fn is_named(&self) -> bool {
        self.is_sign_in || !self.signs.is_empty()
    }
}

/// Where a shop is, and where in it the page of the account is, if the platform lets shops choose.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::connector) struct Place {
    pub(in crate::connector) base: Url,
    pub(in crate::connector) account_path: Option<String>,
}

impl CheckedRecipe {
    /// What the shop runs on.
    pub(in crate::connector) fn name(&self) -> &str {
        match &self.0 {
            Kind::Pages(recipe) => &recipe.name,
            Kind::Json(recipe) => &recipe.name,
        }
    }

    /// What `account_path` is, unless a shop has renamed it.
    pub(in crate::connector) fn account_path(&self) -> Option<&str> {
        self.of_pages()?.account_path.as_ref().map(|path| path.as_str())
    }

    /// Where shops have the page of their sign-in, from their address on.
    pub(in crate::connector) fn sign_in_path(&self) -> Option<String> {
        let page = &self.of_pages()?.sign_in.page;
        Some(page.with_account(self.account_path().unwrap_or_default()).as_str().to_owned())
    }

    /// Whether the shop runs on WordPress, which describes itself to programs.
    pub(in crate::connector) fn is_wordpress(&self) -> bool {
        self.of_pages().is_some_and(|recipe| recipe.list.is_wordpress())
    }

    /// The oldest version that can be read, if this is an older one.
    pub(in crate::connector) fn oldest_after(&self, version: Option<&str>) -> Option<u32> {
        let major = version?.split('.').next()?.parse::<u32>().ok()?;
        self.of_pages()?.recognize.as_ref()?.oldest.filter(|oldest| major < *oldest)
    }

    /// What a page that came from `url` shows of the platform.
    pub(in crate::connector) fn marks(&self, document: &Html, url: &Url) -> Marks {
        let Some(recognize) = self.of_pages().and_then(|recipe| recipe.recognize.as_ref()) else {
            return Marks::default();
        };
        let has = |css: &Css| document.select(css.get()).next().is_some();
        let has_all = |all: &[Css]| !all.is_empty() && all.iter().all(has);
        let signs = recognize.signs.iter().filter(|sign| has_all(&sign.has));
        let title = document.select(selector!("title")).next().map(text);
        let name = recognize.name_in_title.as_ref().zip(title).and_then(|(pattern, title)| pattern.read(&title).ok());
        Marks {
            is_sign_in: has_all(&recognize.sign_in),
            is_shared_sign_in: has_all(&recognize.shared_sign_in),
            signs: signs.map(|sign| sign.says.clone()).collect(),
            version: recognize.versions.iter().find_map(|version| version.read(document)),
            sign_in_links: self.sign_in_links(document, url, &recognize.account_names),
            name,
        }
    }

    fn sign_in_links(&self, document: &Html, url: &Url, names: &[String]) -> Vec<Url> {
        let Some(path) = self.sign_in_path().map(|path| format!("/{path}")) else { return Vec::new() };
        let leads_there = |link: &Url| {
            let last = link.path().trim_matches('/').rsplit('/').next().unwrap_or_default();
            link.path().ends_with(&path) || names.iter().any(|name| name == last)
        };
        let target = |link: ElementRef<'_>| {
            let mut target = url.join(link.attr("href")?).ok().filter(|target| target.origin() == url.origin())?;
            target.set_query(None);
            target.set_fragment(None);
            Some(target)
        };
        let mut links: Vec<Url> =
            document.select(selector!("a[href]")).filter_map(target).filter(leads_there).collect();
        links.dedup();
        links
    }

    /// The place of a shop whose sign-in was found, if it was looked for at `start`. Everything below `start` belongs to the
    /// shop. `None`: the sign-in is not where the recipe has it.
    pub(in crate::connector) fn place(&self, start: &Url, sign_in: &Url) -> Option<Place> {
        let page = &self.of_pages()?.sign_in.page;
        let mut base = sign_in.clone();
        base.set_query(None);
        base.set_fragment(None);
        if !page.has("{account}") {
            let (path, query) = page.as_str().split_once('?').unwrap_or((page.as_str(), ""));
            if !sign_in.query().unwrap_or_default().starts_with(query) {
                return None;
            }
            base.set_path(sign_in.path().strip_suffix(path)?);
            return Some(Place { base, account_path: None });
        }
        let path = sign_in.path().trim_matches('/');
        let below = format!("{}/", start.path().trim_matches('/'));
        let (folder, account) = match path.strip_prefix(below.as_str()) {
            Some(account) if start.path() != "/" => (below.as_str(), account),
            // The given address is that of the account itself.
            _ if start.path().trim_matches('/') == path => path.rsplit_once('/').unwrap_or(("", path)),
            _ => ("", path),
        };
        let folder = folder.trim_matches('/');
        base.set_path(&if folder.is_empty() { "/".to_owned() } else { format!("/{folder}/") });
        Some(Place { base, account_path: Some(account.to_owned()) })
    }
}

/// How shops of one platform are known by their answer to a request.
impl CheckedRecipe {
    /// The request; `None`: they are known by their pages.
    pub(in crate::connector) fn look(&self, base: &Url) -> Option<(Url, Option<Body>)> {
        self.of_json()?.look(base)
    }

    /// Whether this is the answer of such a shop.
    pub(in crate::connector) fn is_known_by(&self, status: u16, answer: &Value) -> bool {
        self.of_json().is_some_and(|recipe| recipe.is_known_by(status, answer))
    }

    /// What the operator has to give for each shop, and what that is.
    pub(in crate::connector) fn values(&self) -> BTreeMap<String, String> {
        self.of_json().map(|recipe| recipe.values().clone()).unwrap_or_default()
    }

    /// Whether the times and amounts of its shops name their zone and their currency.
    pub(in crate::connector) fn is_exact(&self) -> bool {
        self.of_json().is_some_and(|recipe| recipe.is_exact())
    }
}

impl Attribute {
    fn read(&self, document: &Html) -> Option<String> {
        let mut elements = document.select(self.select.get());
        elements.find_map(|element| self.pattern.read(element.attr(&self.attribute)?).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::super::load::shipped;
    use super::*;

    fn recipe(text: &str) -> CheckedRecipe {
        CheckedRecipe::load("shipped", text, None).unwrap()
    }

    #[test]
    fn the_place_of_a_shop_follows_from_its_sign_in() {
        for (start, sign_in, base, account) in [
            ("https://a.test/", "https://a.test/my-account/", "https://a.test/", "my-account"),
            ("https://a.test/", "https://a.test/shop/konto/", "https://a.test/", "shop/konto"),
            ("https://a.test/shop", "https://a.test/shop/konto/", "https://a.test/shop/", "konto"),
            ("https://a.test/de/mein-konto/", "https://a.test/de/mein-konto/", "https://a.test/de/", "mein-konto"),
            ("https://a.test/my-account", "https://a.test/my-account/", "https://a.test/", "my-account"),
            ("https://a.test/about/", "https://a.test/my-account/", "https://a.test/", "my-account"),
        ] {
            let place =
                recipe(shipped("woocommerce")).place(&start.parse().unwrap(), &sign_in.parse().unwrap()).unwrap();
            let found = (place.base.as_str(), place.account_path.as_deref());
            assert_eq!(found, (base, Some(account)), "{start} {sign_in}");
        }
        let oscar = |sign_in: &str| {
            let place = recipe(shipped("oscar")).place(&"https://a.test/".parse().unwrap(), &sign_in.parse().unwrap());
            place.map(|place| (place.base.to_string(), place.account_path))
        };
        assert_eq!(oscar("https://a.test/en/accounts/login/?next=/"), Some(("https://a.test/en/".to_owned(), None)));
        assert_eq!(oscar("https://a.test/login/"), None);
    }

    #[test]
    fn versions_before_the_first_that_is_read_are_known() {
        for (version, oldest) in [(Some("6.9.4"), Some(7)), (Some("7.0"), None), (Some("10.1"), None), (None, None)] {
            assert_eq!(recipe(shipped("woocommerce")).oldest_after(version), oldest, "{version:?}");
        }
    }

    #[test]
    fn the_version_and_the_name_are_read_where_pages_have_them() {
        let url: Url = "https://a.test/".parse().unwrap();
        let marks = |text: &str, html: &str| recipe(text).marks(&Html::parse_document(html), &url);
        for (html, version) in [
            ("<meta name=generator content='WooCommerce 9.2.5'>", Some("9.2.5")),
            ("<link href='/plugins/woocommerce/assets/css/woocommerce.css?ver=8.1'>", Some("8.1")),
            ("<script src='/plugins/woocommerce/assets/js/woocommerce.min.js?ver=8.1'></script>", Some("8.1")),
            ("<script src='/plugins/woocommerce/assets/js/jquery.min.js?ver=2.1'></script>", None),
            ("<meta name=generator content='WordPress 6.6'>", None),
        ] {
            assert_eq!(marks(shipped("woocommerce"), html).version.as_deref(), version, "{html}");
        }
        for (title, name) in
            [("All products | Lamps - tagline", Some("Lamps")), ("A | B | Lamps", Some("Lamps")), ("Login", None)]
        {
            assert_eq!(marks(shipped("oscar"), &format!("<title>{title}</title>")).name.as_deref(), name, "{title}");
        }
    }
}
