//! Recipes that are drafted from a shop read it as the recipes of the documentation do.

use secrecy::SecretString;
use url::Url;

use super::json::{Shop as JsonShop, VALUES, example as json_example};
use super::shop::{PASSWORD, Shop, USERNAME};
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
        allow_private_network: true,
        username: &SecretString::from(USERNAME),
        password: &SecretString::from(password),
    };
    draft_recipe(&request).await
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
    let at = |path: &str| format!("{}/{path}", shop.uri());
    let draft = drafted(&at("api/orders?limit=20&offset=0"), Some(&at("api/login")), PASSWORD).await.unwrap();
    let known = synced(&shop.uri(), json_example(), VALUES).await;
    assert_eq!(facts(&synced(&shop.uri(), &draft.recipe, "").await), facts(&known), "{}", draft.recipe);
    assert!(!draft.recipe.contains(USERNAME) && !draft.recipe.contains(PASSWORD) && draft.decide.len() >= 2);
    assert!(draft.pages.iter().all(|(_, text)| !text.contains("\"t-")), "the token is in no page");

    let refused = drafted(&at("api/orders"), Some(&at("api/login")), "wrong").await.unwrap_err();
    assert!(matches!(refused, DraftError::Refused(401)), "{refused}");
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
