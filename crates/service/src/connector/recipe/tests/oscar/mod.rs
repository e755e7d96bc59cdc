//! The recipe for django-oscar, driven as the engine drives it, against a shop that answers with pages made after the real ones.

mod fuzz;
mod pages;
mod scan;
mod shop;
mod sign_in;
mod troubles;
mod variants;

use std::sync::Arc;

use ordersync_api::SyncErrorCode;
use scraper::Html;
use url::Url;

use self::shop::{CODE, PASSWORD, Shop, USERNAME};
use super::super::list_source::Source;
use super::super::load::shipped;
use super::super::paging::PageAddress;
use super::super::sign_in::RecipeSignIn;
use super::super::value::Address;
use super::super::{CheckedRecipe, list};
use crate::connector::ConnectorError;
use crate::connector::drive::{Connection, Synced};
use crate::connector::kit::check::Unread;
use crate::connector::kit::listed::OrderList;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::source;

const LIST: &str = "http://shop.test/accounts/orders/";

/// A customer's connection, and a sync of it that needs no more than the right code.
async fn sync(shop: &Shop) -> Result<Synced, ConnectorError> {
    sync_with(shop, "").await
}

async fn sync_with(shop: &Shop, settings: &str) -> Result<Synced, ConnectorError> {
    Connection::of(USERNAME, PASSWORD).sync(&*shop.connector(settings), |_| CODE.to_owned()).await
}

fn code_of(result: Result<Synced, ConnectorError>) -> SyncErrorCode {
    result.unwrap_err().code
}

fn recipe() -> RecipeSignIn {
    RecipeSignIn(Arc::new(CheckedRecipe::load("oscar", shipped("oscar"), None).unwrap().into_pages()))
}

/// Reads the first page of the list.
fn read_list(html: &str, document: &Html, settings: &Settings) -> Result<OrderList, Unread> {
    let (url, base): (Url, Url) = (LIST.parse().unwrap(), "http://shop.test/".parse().unwrap());
    let next_page = Address::parse("accounts/orders/?page={page}").unwrap();
    let source = Source {
        url: url.clone(),
        number: 1,
        is_whole: source::is_whole(html),
        order_page: url.path().to_owned(),
        mentioned: source::mentioned_after(url.path(), html),
        list: url,
        paging: PageAddress::of(&base, &next_page),
    };
    list::read(document, &source, &recipe(), settings)
}
