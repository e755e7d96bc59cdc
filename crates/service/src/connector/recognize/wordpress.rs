//! What WordPress says of itself to programs: `/wp-json/` has the name of the shop and its time zone, and the Store API of
//! WooCommerce the currency. Shops may hide both.

use chrono_tz::Tz;
use ordersync_api::look::Shop;
use serde_json::Value;
use url::Url;

use super::marks::short;
use super::visit::Visit;
use crate::connector::kit::currency::Currency;

/// Asks WordPress and WooCommerce for what their pages do not show.
pub(super) async fn ask(visit: &mut Visit, base: &Url, shop: &mut Shop, signs: &mut Vec<String>) {
    let json = async |visit: &mut Visit, path: &str| match base.join(path) {
        Ok(url) => visit.json(&url).await,
        Err(_) => None,
    };
    if let Some(site) = json(visit, "wp-json/").await {
        let text = |name: &str| site.get(name).and_then(Value::as_str).and_then(short);
        shop.name = text("name").or(shop.name.take());
        shop.time_zone = zone(&site);
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

/// The zone that WordPress names; an offset of whole hours is a zone, too.
fn zone(site: &Value) -> Option<String> {
    let named = site.get("timezone_string").and_then(Value::as_str).filter(|name| !name.is_empty());
    if let Some(zone) = named.and_then(|name| name.parse::<Tz>().ok()) {
        return Some(zone.name().to_owned());
    }
    let offset = site.get("gmt_offset")?;
    let hours = offset.as_f64().or_else(|| offset.as_str()?.parse().ok())?;
    if hours == 0.0 {
        return Some("UTC".to_owned());
    }
    // The signs of these names are the other way round.
    let sign = if hours > 0.0 { '-' } else { '+' };
    let name = format!("Etc/GMT{sign}{}", hours.abs());
    name.parse::<Tz>().ok().map(|zone| zone.name().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_zone_has_a_name_or_whole_hours() {
        for (site, expected) in [
            (json!({"timezone_string": "America/Los_Angeles", "gmt_offset": -7}), Some("America/Los_Angeles")),
            (json!({"timezone_string": "", "gmt_offset": 2}), Some("Etc/GMT-2")),
            (json!({"timezone_string": "", "gmt_offset": "-3"}), Some("Etc/GMT+3")),
            (json!({"timezone_string": "", "gmt_offset": 0}), Some("UTC")),
            (json!({"timezone_string": "", "gmt_offset": 5.5}), None),
            (json!({"timezone_string": "Mars/Base"}), None),
            (json!([]), None),
        ] {
            assert_eq!(zone(&site).as_deref(), expected, "{site}");
        }
    }
}
