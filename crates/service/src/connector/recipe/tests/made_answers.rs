//! Orders that no saved shop has, put into its saved answers: cancelled pieces, currencies without coins, several deliveries.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::connector::trial::{Trial, TrialShop};

/// Reads the saved answers of a platform, after a change of each. `change` gets the name of the file and its JSON.
async fn read(platform: &str, change: impl Fn(&str, &mut Value)) -> Trial {
    let folder = tempfile::tempdir().unwrap();
    let saved = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/shops/saved").join(platform);
    for file in fs::read_dir(saved).unwrap() {
        let file = file.unwrap();
        let (name, mut text) = (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap());
        if name.ends_with(".json") && name != "requests.json" {
            let mut answer = serde_json::from_str(&text).unwrap();
            change(&name, &mut answer);
            text = answer.to_string();
        }
        fs::write(folder.path().join(name), text).unwrap();
    }
    TrialShop::of_saved(folder.path()).unwrap().run_saved().await
}

/// What was read of the first order: its total, lines and adjustments; or why it was kept back.
fn first(trial: &Trial) -> String {
    let Some(order) = trial.orders.first() else { return trial.failure.clone().unwrap_or_default() };
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let lines = order.items.iter().map(|item| {
        let [quantity, price, total] = [&item.quantity, &item.price, &item.line_total].map(text);
        format!("{quantity} x {price} = {total} {}", text(&item.status))
    });
    let figures = order.adjustments.iter().flatten().map(|one| format!("{} {}", one.kind, one.amount));
    let all: Vec<String> = lines.chain(figures).chain(order.mismatch.iter().map(|mark| format!("{mark}?"))).collect();
    format!("{} {}: {}", text(&order.total), text(&order.currency), all.join(", "))
}

/// A Vendure whose only order has this state, these lines (quantity, price of one, total, pieces that were sent), this shipping and total,
/// and one refund.
async fn vendure(currency: &str, state: &str, lines: &[[i64; 4]], shipping: i64, total: i64, refund: i64) -> Trial {
    let (currency, state) = (currency.to_owned(), state.to_owned());
    let quantity: i64 = lines.iter().map(|line| line[0]).sum();
    let lines: Vec<Value> = lines
        .iter()
        .enumerate()
        .map(|(place, [quantity, price, total, sent])| {
            let sent = [json!({ "quantity": sent, "fulfillment": { "state": "Shipped" } })];
            json!({
                "id": place.to_string(), "quantity": quantity, "unitPriceWithTax": price, "linePriceWithTax": total,
                "productVariant": { "name": format!("Lamp {place}"), "sku": "L" }, "fulfillmentLines": sent,
            })
        })
        .collect();
    read("vendure", move |name, answer| {
        if let Some(list) = answer.pointer_mut("/data/activeCustomer/orders") {
            let row = &mut list["items"][0];
            row["currencyCode"] = json!(currency);
            row["state"] = json!(state);
            row["totalWithTax"] = json!(total);
            row["totalQuantity"] = json!(quantity);
            *list = json!({ "totalItems": 1, "items": [row] });
        }
        if name == "04.json" {
            let order = &mut answer["data"]["orderByCode"];
            order["state"] = json!(state);
            order["totalWithTax"] = json!(total);
            order["lines"] = json!(lines);
            order["taxSummary"] = json!([]);
            order["fulfillments"] = json!([]);
            order["shippingLines"] = json!([{ "priceWithTax": shipping, "shippingMethod": { "name": "Post" } }]);
            order["payments"] = json!([{ "refunds": [{ "total": refund, "state": "Settled", "reason": "Broken" }] }]);
        }
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn vendure_s_cancelled_pieces_are_part_of_no_quantity_and_of_no_total() {
    for (state, lines, total, refund, expected) in [
        // One of three was cancelled and paid back, the others were sent.
        (
            "Shipped",
            &[[2, 1000, 2000, 2]][..],
            2500,
            1000,
            "25.00 USD: 2 x 10.00 = 20.00 Shipped, shipping 5.00, refund -10.00",
        ),
        // One of three was cancelled before anything was sent, and the refund is still to come.
        (
            "PaymentSettled",
            &[[2, 1000, 2000, 0]],
            2500,
            0,
            "25.00 USD: 2 x 10.00 = 20.00 PaymentSettled, shipping 5.00",
        ),
        // A whole line was cancelled.
        (
            "PartiallyShipped",
            &[[1, 1000, 1000, 1], [0, 1336, 0, 0]],
            1500,
            1336,
            "15.00 USD: 1 x 10.00 = 10.00 PartiallyShipped, 0 x - = 0.00 PartiallyShipped, shipping 5.00, refund -13.36",
        ),
        // The total still has the piece that was cancelled.
        ("Shipped", &[[2, 1000, 2000, 2]], 3500, 1000, "the lines and the figures below them do not add up"),
    ] {
        let read = first(&vendure("USD", state, lines, 500, total, refund).await);
        assert!(read.contains(expected), "{state} {lines:?}: {read}");
    }
}

#[tokio::test(start_paused = true)]
async fn vendure_s_yen_have_two_decimals_and_orders_that_differ_by_a_fraction_are_kept_back() {
    for (lines, shipping, total, expected) in [
        (&[[2, 120_000, 240_000, 0]][..], 50_000, 290_000, "2900 JPY: 2 x 1200 = 2400 PaymentSettled, shipping 500"),
        // A fraction of a yen is kept as it is: a discount in percent, or a tax, was not rounded.
        (&[[3, 33_333, 99_999, 0]], 50_000, 149_999, "1499.99 JPY: 3 x - = 999.99 PaymentSettled, shipping 500"),
        (&[[3, 33_333, 99_999, 0]], 50_000, 150_000, "do not add up"),
        (&[[3, 33_333, 99_998, 0]], 50_000, 149_999, "do not add up"),
        // Beside a fraction, a yen is no rounding of whole ones.
        (&[[2, 120_000, 240_000, 0]], 50_050, 290_050, "2900.5 JPY: 2 x 1200 = 2400 PaymentSettled, shipping 500.5"),
        (&[[2, 120_000, 240_000, 0]], 50_050, 290_150, "do not add up"),
    ] {
        let read = first(&vendure("JPY", "PaymentSettled", lines, shipping, total, 0).await);
        assert!(read.contains(expected), "{lines:?}: {read}");
    }
}

#[tokio::test(start_paused = true)]
async fn shopware_s_several_deliveries_have_one_status_or_the_order_is_kept_back() {
    for (second, expected) in [("shipped", "shipped"), ("open", "several values at")] {
        let trial = read("shopware", |_, answer| {
            let Some(order) = answer.pointer_mut("/orders/elements/0") else { return };
            order["deliveries"][0]["stateMachineState"]["technicalName"] = json!("shipped");
            let mut other = order["deliveries"][0].clone();
            other["stateMachineState"]["technicalName"] = json!(second);
            order["deliveries"].as_array_mut().unwrap().push(other);
        })
        .await;
        let read = if second == "open" { trial.failure.clone().unwrap_or_default() } else { first(&trial) };
        assert!(read.contains(expected), "{second}: {read}");
    }
}
