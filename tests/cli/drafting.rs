//! Recipes that are begun from a shop: what is written, that the shop can then be read, and what is said if it cannot be begun.

use serde_json::json;

use super::small_shops::{PASSWORD, USER, json_shop, oscar, with_credentials, with_password};
use super::support::{Home, Run};
use super::web_peer::{Answer, Asked, Site};

fn draft(home: &Home, password: &str, arguments: &[&str]) -> Run {
    let begin = ["retailers", "draft", "--allow-private-network", "--currency", "GBP"];
    with_password(home, password, &[&begin[..], arguments].concat())
}

#[test]
fn a_recipe_is_begun_from_the_orders_and_the_shop_can_be_tried() {
    let (shop, home) = (Site::start(|_| oscar), Home::new());
    let list = format!("{}/accounts/orders/", shop.uri);
    let run = draft(&home, PASSWORD, &[&list, "--name", "Corner Shop"]).ends(0);
    let run = run.prints("corner-shop.toml").prints("Decide 1").says("ordersync retailers check 'Corner Shop'");
    assert!(!run.out.contains(PASSWORD) && !run.err.contains(PASSWORD));
    let folder = home.path().join("config");
    let recipe = std::fs::read_to_string(folder.join("corner-shop.toml")).expect("a recipe");
    assert!(recipe.contains("# DECIDE: ") && !recipe.contains(PASSWORD) && !recipe.contains(USER), "{recipe}");
    let pages = std::fs::read_dir(folder.join("corner-shop-pages")).expect("pages").count();
    assert!(pages >= 4, "{pages}");
    let check = with_credentials(&home, &["retailers", "check", "corner"]).ends(0);
    check.says("Corner Shop can be read.").prints("Marmalade jar").prints("34.95 GBP");

    draft(&home, PASSWORD, &[&list, "--name", "corner shop"])
        .ends(2)
        .says("A shop called corner shop is added already");
}

/// A shop whose sign-in has fields of its own: without them, nothing is drafted, and with them, the shop can be tried.
#[test]
fn the_fields_of_a_sign_in_are_named_if_they_are_not_the_usual_ones() {
    let own = |asked: &Asked| -> Answer {
        if asked.path != "/login" {
            return json_shop(asked);
        }
        let own = json!({ "client": "web", "user": { "login": USER, "pass": PASSWORD } }).to_string();
        let is_own = asked.body == own;
        let body = json!({ "email": USER, "password": PASSWORD }).to_string();
        if is_own { json_shop(&Asked { body, ..asked.clone() }) } else { Answer::new(422, "{}") }
    };
    let (shop, home) = (Site::start(move |_| own), Home::new());
    let [list, sign_in] = ["orders", "login"].map(|path| format!("{}/{path}", shop.uri));
    let plain = [&list, "--sign-in", &sign_in, "--name", "Corner Shop"];
    draft(&home, PASSWORD, &plain)
        .ends(2)
        .says("`email` with `password`, or `username` with `password`")
        .says("--field");
    let field = |texts: &[&'static str]| texts.iter().flat_map(|text| ["--field", text]).collect::<Vec<_>>();
    let fields = field(&["user.login={username}", "user.pass={password}", "client=web"]);
    let run = draft(&home, PASSWORD, &[&plain[..], &fields].concat()).ends(0);
    assert!(!run.out.contains(PASSWORD) && !run.err.contains(PASSWORD));
    let recipe = std::fs::read_to_string(home.path().join("config/corner-shop.toml")).expect("a recipe");
    assert!(recipe.contains("user = { login = \"{username}\", pass = \"{password}\" }"), "{recipe}");
    assert!(!recipe.contains(PASSWORD) && !recipe.contains(USER), "{recipe}");
    let pages = std::fs::read_dir(home.path().join("config/corner-shop-pages")).expect("pages").count();
    assert_eq!(pages, 2, "the sign-in, and the list once");
    let check = with_credentials(&home, &["retailers", "check", "corner"]).ends(0);
    check.says("Corner Shop can be read.").prints("Marmalade jar").prints("35.50 USD");

    let home = Home::new();
    for (texts, said) in [
        (&["user={username}"][..], "one field needs {username}, one {password}"),
        (&["user={username}", "pass={password}", "key={key}"], "nothing else may be in braces"),
        (&["user={username}", "user={password}"], "The field \"user\" contradicts another one"),
        (&["user={username}", "user.pass={password}"], "The field \"user.pass\" contradicts"),
        (&["user"], "--field user: write it as NAME=TEXT."),
    ] {
        draft(&home, PASSWORD, &[&plain[..], &field(texts)].concat()).ends(2).says(said);
    }
    let form = Site::start(|_| oscar);
    let form = [&format!("{}/accounts/orders/", form.uri), "--sign-in", &format!("{}/accounts/login/", form.uri)];
    let fields = field(&["user={username}", "pass={password}"]);
    draft(&home, PASSWORD, &[&form[..], &fields].concat()).ends(2).says("has a form to sign in");
}

/// Of two columns with amounts, the quantity tells which is the price of one, whatever their headings and their order are.
#[test]
fn the_price_of_one_and_the_total_of_a_line_are_told_apart_by_the_quantity() {
    let both = |asked: &Asked| {
        let answer = oscar(asked).replacing("Line price excl. tax", "Price").replacing("Line price incl. tax", "Each");
        answer.replacing("<tr><th colspan='3'>Basket total</th><td>£30.00</td></tr>", "")
    };
    let prices = move |asked: &Asked| both(asked).replacing("<td>2</td><td>£20.00</td>", "<td>2</td><td>£10.00</td>");
    let totals =
        move |asked: &Asked| both(asked).replacing("<td>£20.00</td><td>£20.00</td>", "<td>£20.00</td><td>£10.00</td>");
    let single = move |asked: &Asked| both(asked).replacing("<td>2</td>", "<td>1</td>");
    let drafted = |shop: Site| {
        let home = Home::new();
        let list = format!("{}/accounts/orders/", shop.uri);
        let decides = draft(&home, PASSWORD, &[&list, "--name", "Shop"]).ends(0).out;
        let recipe = std::fs::read_to_string(home.path().join("config/shop.toml")).expect("a recipe");
        (recipe, decides)
    };
    let has = |recipe: &str, price: &str, total: &str| {
        let of = |key: &str, heading: &str| recipe.contains(&format!("{key} = {{ heading = [\"{heading}\"] }}"));
        assert!(of("\nunit_price", price) && of("\ntotal", total), "{recipe}");
    };
    let doubt = "which of these columns is the total of a line, and which the price of one";
    let (recipe, decides) = drafted(Site::start(|_| prices));
    has(&recipe, "price", "each");
    assert!(!decides.contains(doubt), "{decides}");
    let (recipe, decides) = drafted(Site::start(|_| totals));
    has(&recipe, "each", "price");
    assert!(!decides.contains(doubt), "{decides}");
    let (recipe, decides) = drafted(Site::start(|_| single));
    assert!(recipe.contains(&format!("# DECIDE: {doubt}: \"Price\", \"Each\".")), "{recipe}");
    assert!(decides.contains(doubt), "{decides}");
    // Neither is the other times the quantity.
    let (recipe, decides) = drafted(Site::start(|_| both));
    assert!(
        recipe.contains("# DECIDE: where a line has its total and the price of one: the column \"Price\" times"),
        "{recipe}"
    );
    assert!(!recipe.contains("\nunit_price = {") && recipe.contains("unit_price = \"never\""), "{decides}");
}

/// A column that the recipe does not read is named, and a zone is asked for only if there are times.
#[test]
fn columns_that_are_not_read_are_named_and_days_need_no_zone() {
    let more = |asked: &Asked| {
        let answer = oscar(asked).replacing("<th>Date submitted</th>", "<th>Date submitted</th><th>Gift note</th>");
        let answer = answer.replacing("6:20 p.m.</td>", "6:20 p.m.</td><td>Ribbon</td>");
        let answer = answer.replacing("<th>Qty</th>", "<th>Qty</th><th>Colour</th>");
        answer
            .replacing("</td><td>1</td>", "</td><td>1</td><td>red</td>")
            .replacing("<td>2</td>", "<td>2</td><td>blue</td>")
    };
    let days = move |asked: &Asked| more(asked).replacing(", 6:20 p.m.", "");
    let drafted = |shop: Site| {
        let list = format!("{}/accounts/orders/", shop.uri);
        draft(&Home::new(), PASSWORD, &[&list, "--name", "Shop"]).ends(0).out
    };
    let (plain, times, days) =
        (drafted(Site::start(|_| oscar)), drafted(Site::start(|_| more)), drafted(Site::start(|_| days)));
    for (what, named) in [("the list", "Gift note"), ("the lines", "Colour")] {
        let text = format!("columns of {what} that are not read: \"{named}\"");
        let told = |out: &str| out.split_whitespace().collect::<Vec<_>>().join(" ").contains(&text);
        assert!(told(&times) && told(&days) && !told(&plain), "{text}: {times}");
    }
    let asks_zone = |out: &str| out.contains("`time_zone`");
    assert!(asks_zone(&plain) && asks_zone(&times) && !asks_zone(&days), "{days}");
}

/// The credentials of a connection must not go to another shop, although nobody told the service that its entry is gone.
#[test]
fn the_id_of_a_connected_shop_is_not_given_to_another() {
    let (shop, home) = (Site::start(|_| oscar), Home::new());
    let list = format!("{}/accounts/orders/", shop.uri);
    draft(&home, PASSWORD, &[&list, "--name", "First"]).ends(0);
    with_credentials(&home, &["connect", "First", "--no-wait"]).ends(0);
    let file = home.path().join("config/retailers.toml");
    let entry = std::fs::read_to_string(&file).expect("retailers");
    assert!(entry.contains("id = 101"), "{entry}");
    std::fs::write(&file, "").expect("write");
    draft(&home, PASSWORD, &[&list, "--name", "Second"]).ends(0);
    let entry = std::fs::read_to_string(&file).expect("retailers");
    assert!(entry.contains("id = 102"), "{entry}");
}

#[test]
fn what_cannot_be_begun_says_why_and_writes_nothing() {
    let robot_check = |asked: &Asked| -> Answer {
        let form = "<form method='post'><input name='user'><input type='password' name='pw'><div class='g-recaptcha'></div></form>";
        if asked.method == "POST" { Answer::page(form) } else { oscar(asked) }
    };
    let plain = |_: &Asked| Answer::page("<p>Nothing here</p>");
    for (shop, path, password, why) in [
        (Site::start(|_| oscar), "accounts/orders/", "wrong", "did not sign in with this user name and password"),
        (Site::start(|_| oscar), "accounts/", PASSWORD, "no table with an order, a date and an amount"),
        (Site::start(move |_| robot_check), "accounts/orders/", PASSWORD, "no robot signs in"),
        (Site::start(move |_| plain), "orders", PASSWORD, "has no form with one user name and one password"),
    ] {
        let home = Home::new();
        draft(&home, password, &[&format!("{}/{path}", shop.uri), "--name", "Shop"]).ends(2).says(why);
        assert!(!home.path().join("config/shop.toml").exists());
    }
    let home = Home::new();
    let nobody = ["http://127.0.0.1:9/orders"];
    let down = draft(&home, PASSWORD, &[&nobody[..], &["-o", "json"]].concat()).ends(3);
    assert_eq!(down.error()["code"], "SHOP_UNREACHABLE", "{}", down.err);
    let failing = Site::start(|_| |_: &Asked| Answer::new(503, "later"));
    let failed = draft(&home, PASSWORD, &[&failing.uri, "-o", "json"]).ends(1);
    assert_eq!(failed.error()["code"], "NO_SHOP", "{}", failed.err);
    let private = [&["retailers", "draft"][..], &nobody].concat();
    with_credentials(&home, &private).ends(2).says("--allow-private-network");
    draft(&home, PASSWORD, &["ftp://shop.example"]).ends(2).says("is no web address");
    draft(&home, PASSWORD, &["shop.example/orders", "--header", "key"]).ends(2).says("write it as 'NAME: VALUE'");
}
