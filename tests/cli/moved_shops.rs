//! Shops whose entry gets another address: stored credentials do not follow them.

use serde_json::Value;

use super::small_shops::{PASSWORD, lamps, page, with_credentials, woo_list, woocommerce};
use super::support::Home;
use super::web_peer::{Answer, Asked, Site};

fn connected(shop: &Site) -> Home {
    let home = Home::new();
    let add = ["retailers", "add", &shop.uri, "--allow-private-network", "--name", "Lamps", "--currency", "USD"];
    home.run(&add).ends(0);
    with_credentials(&home, &["connect", "lamps", "--yes"]).ends(0);
    home
}

/// Gives the shop's entry another address.
fn move_to(home: &Home, from: &str, to: &str) {
    let file = home.path().join("config/retailers.toml");
    let text = std::fs::read_to_string(&file).expect("retailers");
    assert!(text.contains(from), "{text}");
    std::fs::write(&file, text.replace(from, to)).expect("write");
}

fn connection(home: &Home) -> Value {
    home.run(&["connections", "-o", "json"]).ends(0).json()[0].clone()
}

#[test]
fn credentials_are_not_sent_to_another_address_until_they_are_given_for_it() {
    let (old, new) = (Site::start(|_| lamps), Site::start(|_| lamps));
    let home = connected(&old);
    let orders = home.run(&["orders", "list", "-o", "json"]).ends(0).json();
    move_to(&home, &old.uri, &new.uri);
    let run = home.run(&["sync"]).ends(9).says(&old.uri).says(&new.uri).says("Nothing was sent there.");
    let run = run.says("ordersync fix --retailer 101").says("an id of its own");
    assert!(!run.err.contains(PASSWORD), "{}", run.err);
    assert_eq!(new.asked(), Vec::<String>::new());
    let invalid = connection(&home);
    assert_eq!((&invalid["status"], &invalid["statusReason"]), (&"invalid".into(), &"retailer_moved".into()));
    let kept = home.run(&["orders", "list", "-o", "json"]).ends(0).says("Lamps");
    assert_eq!(kept.json(), orders);

    let fix = with_credentials(&home, &["fix", "--retailer", "101", "--yes"]).ends(0);
    fix.says(&format!("Its address is now {}", new.uri));
    assert!(new.asked().iter().any(|asked| asked.starts_with("POST ")));
    home.run(&["sync"]).ends(0);
    assert_eq!(connection(&home)["status"], "valid");
    let before = old.asked().len();
    move_to(&home, &new.uri, &old.uri);
    home.run(&["sync"]).ends(9).says(&new.uri);
    assert_eq!(old.asked().len(), before);
}

#[test]
fn a_connection_does_not_become_one_to_another_shop_that_gets_its_id() {
    let other = |asked: &Asked| -> Answer {
        if asked.path == "/my-account/orders/" && asked.cookie.contains("session=in") {
            return page("en-US", &woo_list(&["5001"], false));
        }
        if asked.path.ends_with("/5001/") {
            let asked = Asked { path: "/my-account/view-order/7/".to_owned(), ..asked.clone() };
            return woocommerce(&asked).replacing(">7<", ">5001<");
        }
        woocommerce(asked)
    };
    let (shop, other) = (Site::start(|_| lamps), Site::start(move |_| other));
    let home = connected(&shop);
    let orders = home.run(&["orders", "list", "-o", "json"]).ends(0).json();
    move_to(&home, &shop.uri, &other.uri);
    home.run(&["sync"]).ends(9);
    assert_eq!(other.asked(), Vec::<String>::new());
    // The same user name: nevertheless, it is another account.
    with_credentials(&home, &["fix", "--retailer", "101", "--yes"]).ends(9).says("another account");
    assert_eq!(home.run(&["orders", "list", "-o", "json"]).ends(0).json(), orders);
    move_to(&home, &other.uri, &shop.uri);
    with_credentials(&home, &["fix", "--retailer", "101", "--yes"]).ends(0);
    home.run(&["sync"]).ends(0);
}

#[test]
fn an_operator_does_not_give_the_id_of_a_connected_shop_to_another() {
    let (shop, other) = (Site::start(|_| lamps), Site::start(|_| lamps));
    let home = connected(&shop);
    let add = ["admin", "retailers", "add", &other.uri, "--allow-private-network", "--retailers", "shared.toml"];
    let store = ["--database", "data/service.sqlite3"];
    home.run(&[&add[..], &store].concat()).ends(0).prints("(retailer 102)");
}
