//! What WordPress says of itself to programs: `/wp-json/` has the name of the shop and its time zone, and the Store API of
//! WooCommerce the currency. Shops may hide both.

use ordersync_api::look::Shop;
use serde_json::Value;
use url::Url;

use super::marks::short;
use super::visit::Visit;
use crate::connector::kit::currency::Currency;
use crate::connector::woocommerce::clock::ShopClock;

/// Asks WordPress and WooCommerce for what their pages do not show.
pub(super) async fn ask(visit: &mut Visit, base: &Url, shop: &mut Shop, signs: &mut Vec<String>) {
    let json = async |visit: &mut Visit, path: &str| match base.join(path) {
        Ok(url) => visit.json(&url).await,
        Err(_) => None,
    };
    if let Some(site) = json(visit, "wp-json/").await {
        let text = |name: &str| site.get(name).and_then(Value::as_str).and_then(short);
        shop.name = text("name").or(shop.name.take());
        let zone = ShopClock::read(&site).and_then(ShopClock::zone);
        shop.time_zone = zone.map(|zone| zone.name().to_owned());
        let namespaces = site.get("namespaces").and_then(Value::as_array);
        if namespaces
            .is_some_and(|names| names.iter().any(|name| name.as_str().is_some_and(|name| name.starts_with("wc/"))))
        {
            signs.push("/wp-json/ lists the interface of WooCommerce".to_owned());
        }
    }
    let cart = json(visit, "wp-json/wc/store/v1/cart").await;
    let code = |value: &Value| Currency::from_code(value.as_str()?).map(|currency| currency.code().to_owned());
    shop.currency = cart.as_ref().and_then(|cart| code(cart.pointer("/totals/currency_code")?));
    if shop.currency.is_none() {
        let products = json(visit, "wp-json/wc/store/v1/products?per_page=1").await;
        shop.currency = products.as_ref().and_then(|all| code(all.pointer("/0/prices/currency_code")?));
    }
}
