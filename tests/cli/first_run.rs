//! `ordersync` alone: where the user stands, and the next step.

use crate::support::Home;

#[test]
fn with_nothing_configured_it_says_how_to_begin_and_makes_nothing() {
    let home = Home::new();
    let run =
        home.run(&[]).ends(0).prints("Connections  none yet").prints("ordersync demo").prints("ordersync connect");
    assert_eq!(run.err, "");
    assert_eq!(std::fs::read_dir(home.path()).expect("a folder").count(), 0, "looking makes no store");
}

#[test]
fn the_next_step_follows_from_what_is_there() {
    let home = Home::new();
    home.connect("user_good", &[]).ends(0);
    home.run(&[]).ends(0).prints("Connections  1 valid").prints("ordersync orders export --out orders.csv");
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    home.run(&[]).ends(0).prints("Connections  1 invalid").prints("ordersync fix");
    let document = home.run(&["-o", "json"]).ends(0).json();
    assert_eq!(document["connections"]["invalid"], 1);
    assert_eq!(document["next"][0], "ordersync fix");
}

#[test]
fn a_service_at_an_address_is_not_waited_for() {
    let home = Home::new();
    // An address that answers nothing: whoever asked it would wait.
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    home.run(&["--base-url", &url])
        .ends(0)
        .prints("nobody is signed in")
        .prints(&format!("ordersync auth login --base-url {url}"));
}
