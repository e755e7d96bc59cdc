//! Recipes that are drafted from a shop read it as the recipes of the documentation do.

use secrecy::SecretString;
use serde_json::Value;
use url::Url;

use super::json::{Shop as JsonShop, VALUES, example as json_example};
use super::shop::{PASSWORD, Shop, USERNAME};
use super::tokens::moved;
use super::{configured, example};
use crate::connector::drive::{Connection, Synced};
use crate::connector::recipe::{Draft, DraftError, DraftRequest, draft_recipe};
use crate::domain::order::RetailerOrder;

async fn drafted(list: &str, sign_in: Option<&str>, password: &str) -> Result<Draft, DraftError> {
    let url = |text: &str| Url::parse(text).unwrap();
    let headers = [("x-shop-key".to_owned(), "pk_1".to_owned())];
    let request = DraftRequest {
        name: "Corner Shop",
        list: url(list),
        sign_in: sign_in.map(url),
        headers: if sign_in.is_some() { &headers } else { &[] },
        fields: &[],
        allow_private_network: true,
        username: &SecretString::from(USERNAME),
        password: &SecretString::from(password),
    };
    draft_recipe(&request).await
}

async fn of_json(shop: &JsonShop, query: &str, password: &str) -> Result<Draft, DraftError> {
    let at = |path: &str| format!("{}/api/{path}", shop.uri());
    drafted(&at(&format!("orders{query}")), Some(&at("login")), password).await
}

async fn synced(base: &str, recipe: &str, lines: &str) -> Synced {
    let connector = configured(base, recipe, lines).unwrap_or_else(|error| panic!("{error}\n{recipe}"));
    Connection::of(USERNAME, PASSWORD).sync(&*connector, |_| String::new()).await.unwrap()
}

/// What matters of orders: all but what a draft leaves to a person.
fn facts(synced: &Synced) -> Vec<String> {
    let line = |order: &RetailerOrder| -> Vec<String> {
        let text = |item: &crate::domain::order::LineItem| {
            format!("{:?} {:?} {:?} {:?}", item.title, item.sku, item.quantity, item.line_total)
        };
        order.items.iter().map(text).collect()
    };
    let of = |order: &RetailerOrder| {
        format!("{} {:?} {:?} {:?} {:?}", order.order_id, order.placed_at, order.total, order.currency, line(order))
    };
    synced.orders.iter().map(of).collect()
}

#[tokio::test]
async fn a_shop_of_json_is_drafted_from_its_answers() {
    let shop = JsonShop::with(30).await;
    let draft = of_json(&shop, "?limit=20&offset=0", PASSWORD).await.unwrap();
    assert_eq!(shop.count("POST /api/login"), 1, "no wrong password on purpose");
    let known = synced(&shop.uri(), json_example(), VALUES).await;
    assert_eq!(facts(&synced(&shop.uri(), &draft.recipe, "").await), facts(&known), "{}", draft.recipe);
    assert!(!draft.recipe.contains(USERNAME) && !draft.recipe.contains(PASSWORD) && draft.decide.len() >= 2);
    assert!(draft.pages.iter().all(|(_, text)| !text.contains("\"t-")), "the token is in no page");

    let before = shop.count("POST /api/login");
    let refused = of_json(&shop, "", "wrong").await.unwrap_err();
    assert!(matches!(refused, DraftError::Refused(401)), "{refused}");
    assert_eq!(shop.count("POST /api/login"), before + 1, "what is refused is not sent again");
}

#[tokio::test]
async fn a_number_above_the_orders_shown_is_the_count_and_one_that_equals_them_is_to_be_decided() {
    let shop = JsonShop::with(30).await;
    let drafted = async |total: Option<u32>| {
        shop.edit(move |path, answer| {
            if path == "/api/orders" {
                answer["count"] = 20.into();
                answer["total"] = total.into();
            }
        });
        of_json(&shop, "?limit=20&offset=0", PASSWORD).await.unwrap().recipe
    };
    let undecided = "whether this is the number of all orders";
    let counted = drafted(Some(30)).await;
    assert!(counted.contains("count = \"$.total\"") && !counted.contains(undecided), "{counted}");
    let doubtful = drafted(None).await;
    assert!(doubtful.contains("count = \"$.count\"") && doubtful.contains(undecided), "{doubtful}");
}

/// Without a count, a list that is read from its second page on would look complete.
#[tokio::test]
async fn pages_that_are_counted_from_0_and_lines_without_totals_are_drafted() {
    let shop = JsonShop::with(30).await;
    let known = synced(&shop.uri(), json_example(), VALUES).await;
    shop.edit(|_, answer| {
        answer.as_object_mut().unwrap().remove("count");
        for line in answer.pointer_mut("/order/items").and_then(Value::as_array_mut).into_iter().flatten() {
            line.as_object_mut().unwrap().remove("total");
        }
    });
    let draft = of_json(&shop, "?limit=20&page=0", PASSWORD).await.unwrap();
    assert!(draft.recipe.contains("first_page = 0") && !draft.recipe.contains("line_total"), "{}", draft.recipe);
    assert!(draft.decide.iter().any(|what| what.contains("1999")), "{:?}", draft.decide);
    assert_eq!(facts(&synced(&shop.uri(), &draft.recipe, "").await), facts(&known), "{}", draft.recipe);
}

#[tokio::test]
async fn a_token_in_a_header_is_drafted_with_the_header_that_the_shop_takes() {
    for (wanted, header) in [
        (None, "token_header = { name = \"authorization\", value = \"Bearer {token}\" }"),
        (Some("x-auth-token"), "token_header = { name = \"x-auth-token\", value = \"{token}\" }"),
    ] {
        let shop = JsonShop::with(3).await;
        shop.dress(|_, answer, response| moved(answer, response));
        wanted.into_iter().for_each(|wanted| shop.want_tokens_in(wanted));
        let draft = of_json(&shop, "?limit=20&offset=0", PASSWORD).await.unwrap();
        assert!(draft.recipe.contains("token = { header = \"x-auth-token\" }"), "{}", draft.recipe);
        assert!(draft.recipe.contains(header), "{}", draft.recipe);
        assert_eq!(synced(&shop.uri(), &draft.recipe, "").await.orders.len(), 3);
        assert_eq!(draft.pages.len(), 5, "the page of the sign-in, the list, three orders");
    }
}

/// Tax that the prices contain is no part of the sum, and is drafted as a figure all the same.
#[tokio::test]
async fn tax_that_is_part_of_the_prices_is_drafted() {
    let shop = JsonShop::with(3).await;
    shop.edit(|_, answer| {
        if let Some(order) = answer.get_mut("order") {
            (order["tax_total"], order["shipping_tax"], order["tax_rate"]) = (567.into(), 64.into(), 19.into());
        }
    });
    let draft = of_json(&shop, "?limit=20&offset=0", PASSWORD).await.unwrap();
    let what = "whether $.tax_total is all of the tax that the prices contain";
    assert!(draft.decide.iter().any(|decide| decide == what), "{:?}", draft.decide);
    let (drafted, known) =
        (synced(&shop.uri(), &draft.recipe, "").await, synced(&shop.uri(), json_example(), VALUES).await);
    assert_eq!(facts(&drafted), facts(&known), "{}", draft.recipe);
    for (drafted, known) in drafted.orders.iter().zip(&known.orders) {
        let tax = drafted.adjustments.iter().flatten().find(|one| one.text.as_deref() == Some("Tax")).unwrap();
        assert!(tax.included && drafted.adjustments == known.adjustments, "{:?}", drafted.adjustments);
    }
}

/// The orders of an answer, in a list or alone.
fn orders_in(answer: &mut Value) -> Vec<&mut Value> {
    let fields = answer.as_object_mut().into_iter().flatten();
    let orders = fields.flat_map(|(key, value)| match (key.as_str(), value) {
        ("orders", Value::Array(list)) => list.iter_mut().collect(),
        ("order", order) => vec![order],
        _ => Vec::new(),
    });
    orders.collect()
}

/// A subtotal adds up without any figure, and is no total all the same.
#[tokio::test]
async fn tax_on_top_of_the_prices_is_drafted_as_part_of_the_total_that_the_list_has() {
    let shop = JsonShop::with(3).await;
    shop.edit(|_, answer| {
        for order in orders_in(answer) {
            let shipping = if order["id"] == "o2" { 400 } else { 0 };
            order.as_object_mut().unwrap().remove("total");
            order["grand_total"] = (3150 + shipping + 630).into();
            if order.get("items").is_some() {
                (order["shipping_total"], order["tax_total"]) = (shipping.into(), 630.into());
            }
        }
    });
    let recipe = of_json(&shop, "?limit=20&offset=0", PASSWORD).await.unwrap().recipe;
    assert!(recipe.contains("total = \"$.grand_total\""), "{recipe}");
    let adjustments: Vec<String> = synced(&shop.uri(), &recipe, "")
        .await
        .orders
        .iter()
        .flat_map(|order| order.adjustments.as_ref().unwrap())
        .map(|one| format!("{} {}", one.kind, one.amount))
        .collect();
    assert_eq!(adjustments, ["tax 6.30", "shipping 4.00", "tax 6.30", "tax 6.30"], "{recipe}");
}

#[tokio::test]
async fn dates_in_unix_time_are_drafted_with_their_format() {
    for (format, time) in [("unix", 1_769_940_000_u64), ("unix_ms", 1_769_940_000_000)] {
        let shop = JsonShop::with(3).await;
        let known = synced(&shop.uri(), json_example(), VALUES).await;
        shop.edit(move |_, answer| {
            for order in orders_in(answer) {
                order["created_at"] = time.into();
            }
        });
        let recipe = of_json(&shop, "?limit=20&offset=0", PASSWORD).await.unwrap().recipe;
        let date = format!("date = {{ path = \"$.created_at\", format = \"{format}\" }}");
        assert!(recipe.contains(&date), "{recipe}");
        assert_eq!(facts(&synced(&shop.uri(), &recipe, "").await), facts(&known), "{recipe}");
    }
}

/// An integer is a date only where the key says so.
#[tokio::test]
async fn the_list_that_comes_closest_is_named_with_what_it_lacks() {
    let shop = JsonShop::with(3).await;
    shop.edit(|_, answer| {
        for order in orders_in(answer) {
            let order = order.as_object_mut().unwrap();
            order.remove("created_at");
            order.insert("customer".to_owned(), 1_769_940_000.into());
        }
        answer["menu"] = serde_json::json!([{ "title": "Home" }]);
    });
    let error = of_json(&shop, "?limit=20&offset=0", PASSWORD).await.unwrap_err().to_string();
    assert!(error.ends_with("In $.orders, which comes closest, no date was recognised."), "{error}");
}

/// A person decides about figures that do not add up. The recipe still loads, and its orders are kept back.
#[tokio::test]
async fn a_shop_whose_figures_do_not_add_up_gets_a_recipe_that_keeps_its_orders_back() {
    let shop = JsonShop::with(3).await;
    shop.edit(|_, answer| {
        if let Some(order) = answer.get_mut("order") {
            order["total"] = (order["total"].as_u64().unwrap() + 1).into();
        }
        for order in answer.get_mut("orders").and_then(Value::as_array_mut).into_iter().flatten() {
            order["total"] = (order["total"].as_u64().unwrap() + 1).into();
        }
    });
    let draft = of_json(&shop, "?limit=20&offset=0", PASSWORD).await.unwrap();
    assert!(draft.decide.iter().any(|what| what.contains("add up")), "{:?}", draft.decide);
    assert!(draft.decide.iter().any(|what| what.contains("1999")), "{:?}", draft.decide);
    let connector = configured(&shop.uri(), &draft.recipe, "").unwrap();
    let error = Connection::of(USERNAME, PASSWORD).sync(&*connector, |_| String::new()).await.unwrap_err();
    assert!(error.message.contains("3 orders were kept back"), "{}", error.message);
}

#[tokio::test]
async fn a_shop_of_pages_is_drafted_from_its_tables() {
    let shop = Shop::with(30).await;
    let draft = drafted(&format!("{}/orders/", shop.uri()), None, PASSWORD).await.unwrap();
    let known = synced(&shop.uri(), example(), "").await;
    // Decided by a person: how an empty list looks, and what the shop's own words mean.
    let decided = [
        ("empty = \"p\"", "empty = \"main.account p\""),
        ("end = \"one_page\"", "end = \"page_after\"\nnext_page = \"orders/?page={page}\""),
        ("status = \"never\"", "status = \"always\""),
        ("[order]", "[order]\nstatus = \"p.state strong\""),
        ("[words.statuses]", "[words.statuses]\nprocessing = [\"in the works\"]\nshipped = [\"on its way\"]"),
        ("no_orders = [", "no_orders = [\"there are no more orders\", "),
    ];
    let recipe = decided.iter().fold(draft.recipe.clone(), |recipe, (from, to)| {
        assert!(recipe.contains(from), "{from}: {recipe}");
        recipe.replacen(from, to, 1)
    });
    assert_eq!(facts(&synced(&shop.uri(), &recipe, "").await), facts(&known), "{recipe}");

    let refused = drafted(&format!("{}/orders/", shop.uri()), None, "wrong").await.unwrap_err();
    assert!(matches!(refused, DraftError::Refused(_)), "{refused}");
}
