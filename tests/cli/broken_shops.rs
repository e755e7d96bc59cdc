//! A shop whose recipe has a mistake: it alone cannot be synced, and what is wrong is said.

use super::small_shops::{lamps, with_credentials};
use super::support::{Home, Run};
use super::web_peer::Site;

const RECIPE: &str = include_str!("../../recipes/woocommerce.toml");

fn entry(id: u32, name: &str, source: &str, shop: &Site) -> String {
    format!(
        "[[retailer]]\nid = {id}\ndisplay_name = \"{name}\"\n{source}\nbase_url = \"{}\"\nallow_private_network = true\n\
         time_zone = \"UTC\"\ncurrency = \"USD\"\n",
        shop.uri
    )
}

fn write(home: &Home, name: &str, text: &str) {
    std::fs::create_dir_all(home.path().join("config")).expect("folder");
    std::fs::write(home.path().join("config").join(name), text).expect("write");
}

fn connect(home: &Home, name: &str) -> Run {
    with_credentials(home, &["connect", name, "--yes"])
}

#[test]
fn a_mistake_in_one_recipe_stops_no_other_shop_and_is_named_by_every_command() {
    let (good, own) = (Site::start(|_| lamps), Site::start(|_| lamps));
    let home = Home::new();
    let shops = entry(301, "Good", "connector = \"woocommerce\"", &good)
        + &entry(302, "Corner", "recipe = \"corner.toml\"", &own);
    write(&home, "retailers.toml", &shops);
    write(&home, "corner.toml", RECIPE);
    connect(&home, "Good").ends(0);
    connect(&home, "Corner").ends(0);
    let rows = home.run(&["orders", "export"]).ends(0).out;

    for (recipe, said) in [
        (RECIPE.replace("[list]", "[list]\ncolour = \"red\""), "corner.toml: list.colour: unknown field `colour`"),
        (RECIPE.replace("[list]", "[list"), "corner.toml: TOML parse error at line"),
        (String::new(), "corner.toml: missing field"),
    ] {
        write(&home, "corner.toml", &recipe);
        let own_requests = own.asked().len();
        let sync = home.run(&["sync"]).ends(9).prints("Good: ").says("Corner").says(said);
        sync.says("ordersync retailers check 302").says("retailers.toml");
        assert_eq!(own.asked().len(), own_requests);
        home.run(&["retailers"]).ends(0).prints("302").says("Corner cannot be used: ").says(said);
        let connections = home.run(&["connections", "-o", "json"]).ends(0).says("Corner cannot be synced: ").says(said);
        let both = connections.json();
        assert!(both.as_array().expect("a list").iter().all(|one| one["status"] == "valid"), "{both}");
        let export = home.run(&["orders", "export"]).ends(0).says(said);
        let export = export.says("Corner may not be complete, because it cannot be synced: ");
        assert_eq!(export.out, rows);
        home.run(&["doctor"]).ends(1).prints("1 cannot be used: 302: ").prints(said).prints("✓ service");
        home.run(&["connect", "corner"]).ends(1).says("Corner is in the catalog").says(said);
        home.run(&["fix", "--retailer", "302"]).ends(1).says(said);
        home.run(&["retailers", "check", "good"]).ends(2).says("credentials");
    }
    std::fs::remove_file(home.path().join("config/corner.toml")).expect("removed");
    home.run(&["sync"]).ends(9).prints("Good: ").says("corner.toml cannot be read");

    write(&home, "corner.toml", RECIPE);
    home.run(&["sync"]).ends(0);
    assert!(!home.run(&["orders", "export"]).ends(0).err.contains("Corner"));
}

#[test]
fn a_shop_with_a_broken_recipe_can_be_removed_and_what_stays_is_named() {
    let (shop, home) = (Site::start(|_| lamps), Home::new());
    write(&home, "retailers.toml", &entry(302, "Corner", "recipe = \"corner.toml\"", &shop));
    write(&home, "corner.toml", "recipe = 1\n");
    std::fs::create_dir(home.path().join("config/corner-pages")).expect("folder");
    let removed = home.run(&["retailers", "remove", "Corner", "--yes"]).ends(0).says("Removed Corner (retailer 302)");
    let [recipe, pages] = ["corner.toml", "corner-pages"].map(|name| home.path().join("config").join(name));
    removed.says(&format!("rm -r {} {}", recipe.display(), pages.display()));
    assert!(recipe.exists() && pages.exists());
}
