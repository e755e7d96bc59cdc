//! Recipes that are begun from a shop: what is written, that the shop can then be read, and what is said if it cannot be begun.

use super::small_shops::{PASSWORD, USER, oscar};
use super::support::{Home, Run};
use super::web_peer::{Answer, Asked, Site};

fn draft(home: &Home, password: &str, arguments: &[&str]) -> Run {
    let credentials = format!("{{\"username\": \"{USER}\", \"password\": \"{password}\"}}");
    let begin = ["retailers", "draft", "--allow-private-network", "--credentials-stdin", "--currency", "GBP"];
    home.run_with_input(&[&begin[..], arguments].concat(), &credentials)
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
    let credentials = format!("{{\"username\": \"{USER}\", \"password\": \"{PASSWORD}\"}}");
    let check = home.run_with_input(&["retailers", "check", "corner", "--credentials-stdin"], &credentials).ends(0);
    check.says("Corner Shop can be read.").prints("Marmalade jar").prints("34.95 GBP");

    draft(&home, PASSWORD, &[&list, "--name", "corner shop"])
        .ends(2)
        .says("A shop called corner shop is added already");
}

/// The credentials of a connection must not go to another shop, although nobody told the service that its entry is gone.
#[test]
fn the_id_of_a_connected_shop_is_not_given_to_another() {
    let (shop, home) = (Site::start(|_| oscar), Home::new());
    let list = format!("{}/accounts/orders/", shop.uri);
    draft(&home, PASSWORD, &[&list, "--name", "First"]).ends(0);
    let credentials = format!("{{\"username\": \"{USER}\", \"password\": \"{PASSWORD}\"}}");
    home.run_with_input(&["connect", "First", "--credentials-stdin", "--no-wait"], &credentials).ends(0);
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
    draft(&home, PASSWORD, &nobody).ends(3).says("cannot be reached");
    let credentials = format!("{{\"username\": \"{USER}\", \"password\": \"{PASSWORD}\"}}");
    let private = [&["retailers", "draft", "--credentials-stdin"][..], &nobody].concat();
    home.run_with_input(&private, &credentials).ends(2).says("--allow-private-network");
    draft(&home, PASSWORD, &["ftp://shop.example"]).ends(2).says("is no web address");
    draft(&home, PASSWORD, &["shop.example/orders", "--header", "key"]).ends(2).says("write it as 'NAME: VALUE'");
}
