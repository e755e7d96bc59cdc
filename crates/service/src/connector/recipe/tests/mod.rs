//! Recipes: the example of the documentation reads a shop of small pages, and what a recipe may say.

mod changed_answers;
mod documented;
mod drafts;
mod example;
mod fuzz;
mod json;
mod made_answers;
mod oscar;
mod platforms;
mod refused;
mod shop;
mod tokens;
mod values;

use std::collections::HashMap;
use std::sync::Arc;

use self::shop::{PASSWORD, Shop, USERNAME};
use super::super::drive::{Connection, Synced};
use super::super::kit::currency::Currencies;
use super::super::kit::settings::Settings;
use super::super::{Connector, ConnectorError, retailers_file};

const DOCS: &str = include_str!("../../../../../../docs/recipes.md");

/// The recipe of the documentation.
fn example() -> &'static str {
    let begin = DOCS.find("recipe = 1\n").unwrap();
    let end = DOCS[begin..].find("```").unwrap();
    &DOCS[begin..begin + end]
}

/// What the retailers file makes of a recipe beside it; `lines` are further ones of the entry.
fn configured(base: &str, recipe: &str, lines: &str) -> Result<Arc<dyn Connector>, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("retailers.toml");
    std::fs::write(folder.path().join("shop.toml"), recipe).unwrap();
    let entry = format!(
        "[[retailer]]\nid = 301\ndisplay_name = \"Shop\"\nrecipe = \"shop.toml\"\nbase_url = \"{base}\"\n\
         allow_private_network = true\nmin_interval_ms = 0\ncurrency = \"GBP\"\n{lines}"
    );
    std::fs::write(&file, entry).unwrap();
    match retailers_file::load_sound(&file) {
        Ok(mut retailers) => Ok(retailers.remove(0).connector),
        Err(error) => Err(error.to_string().replace(&folder.path().display().to_string(), "")),
    }
}

async fn sync_with(shop: &Shop, recipe: &str, lines: &str) -> Result<Synced, ConnectorError> {
    let connector = configured(&shop.uri(), recipe, lines).unwrap();
    Connection::of(USERNAME, PASSWORD).sync(&*connector, |_| "123456".to_owned()).await
}

async fn sync(shop: &Shop) -> Result<Synced, ConnectorError> {
    sync_with(shop, example(), "").await
}

/// Why a sync did not read everything.
fn message(synced: Result<Synced, ConnectorError>) -> String {
    match synced {
        Ok(synced) => synced.report.incomplete().unwrap_or_default().to_owned(),
        Err(error) => error.message,
    }
}

pub(super) fn settings() -> Settings {
    Settings {
        time_zone: ordersync_values::zone::Tz::UTC,
        locale: None,
        currencies: Currencies::new(Some("GBP"), &HashMap::new()).unwrap(),
        statuses: HashMap::new(),
        whole_prices: false,
        max_pages: 200,
        single_page: false,
        accept_unproven_end: false,
        reread_newest: 10,
        reread_oldest: 10,
    }
}
