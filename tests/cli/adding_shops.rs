//! Shops that are added by their address, and removed.

use serde_json::json;

use super::serve::Sandbox;
use super::support::{Home, Run};
use super::web_peer::{Answer, Asked, Site};

const WOO_SIGN_IN: &str = "<!DOCTYPE html><html lang='en-US'><head><title>My account</title>{head}</head><body><form class='login' method='post'>\
    <input type='text' name='username'><input type='password' name='password'>\
    <input type='hidden' name='woocommerce-login-nonce' value='n'><button name='login' value='Log in'>Log in</button></form></body></html>";
const OSCAR_SIGN_IN: &str = "<!DOCTYPE html><html lang='en-gb'><body><form action='/accounts/login/' method='post'>\
    <input type='email' name='login-username'><input type='password' name='login-password'><button name='login_submit' value='1'>Log In</button></form></body></html>";

/// A WooCommerce shop that tells everything of itself.
fn open_woocommerce(asked: &Asked) -> Answer {
    let head = "<meta name='generator' content='WordPress 6.6'><meta name='generator' content='WooCommerce 9.2.5'>";
    match asked.path.as_str() {
        "/" => Answer::page(format!(
            "<html lang='en'><head>{head}</head><body><a href='/mein-konto/'>Account</a></body></html>"
        )),
        "/mein-konto/" => Answer::page(WOO_SIGN_IN.replace("{head}", head)),
        "/wp-json/" => Answer::json(&json!({
            "name": "Lamps & More", "timezone_string": "Europe/Berlin", "gmt_offset": 1, "namespaces": ["wp/v2", "wc/store/v1"],
        })),
        "/wp-json/wc/store/v1/cart" => Answer::json(&json!({ "totals": { "currency_code": "EUR" } })),
        _ => Answer::new(404, "<html><title>Not found</title><h1>Not found</h1></html>"),
    }
}

/// A shop of which only the sign-in page can be seen.
fn only(path: &'static str, page: &'static str) -> Site {
    Site::start(|_| move |asked: &Asked| if asked.path == path { Answer::page(page) } else { Answer::new(404, "") })
}

fn add(home: &Home, url: &str, more: &[&str]) -> Run {
    home.run(&[&["retailers", "add", url, "--allow-private-network"], more].concat())
}

fn file(home: &Home) -> String {
    std::fs::read_to_string(home.path().join("config/retailers.toml")).unwrap_or_default()
}

#[test]
fn a_shop_that_tells_of_itself_is_added_with_all_that_it_tells() {
    let (home, shop) = (Home::new(), Site::start(|_| open_woocommerce));
    let run =
        add(&home, &shop.uri, &[]).ends(0).prints("Added Lamps & More (retailer 101): WooCommerce 9.2.5 at http://");
    let run = run.prints("certain").prints("Europe/Berlin").prints("EUR").says("ordersync connect 'Lamps & More'");
    run.says("and those whose symbol may stand for EUR and for others, are taken for EUR.");
    let text = file(&home);
    for line in ["id = 101", "account_path = \"mein-konto\"", "time_zone = \"Europe/Berlin\"", "currency = \"EUR\""] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(shop.asked().len() <= 8, "{:?}", shop.asked());
    home.run(&["retailers", "--search", "lamps"]).ends(0).prints("101");
    // The same shop, whichever of its pages is given.
    for path in ["", "/", "/mein-konto/"] {
        let again = add(&home, &format!("{}{path}", shop.uri), &["--name", "Other"]).ends(2);
        again.says("This shop is added already: Lamps & More (retailer 101)").says("ordersync connect");
    }
    assert_eq!(file(&home), text);
}

#[test]
fn a_page_to_which_several_addresses_lead_is_named_once() {
    let shop = Site::start(|_| {
        |asked: &Asked| match asked.path.as_str() {
            "/welcome" => Answer::page("<title>Welcome</title>"),
            _ => Answer::redirect("/welcome"),
        }
    });
    let run = add(&Home::new(), &shop.uri, &[]).says("/welcome: status 200, the page \"Welcome\" (");
    assert_eq!(run.err.matches("/welcome").count(), 1, "{}", run.err);
    run.says(" addresses lead there)");
}

#[test]
fn the_file_is_private_and_what_is_in_it_stays() {
    use std::os::unix::fs::PermissionsExt as _;

    let (home, shop) = (Home::new(), Site::start(|_| open_woocommerce));
    add(&home, &shop.uri, &[]).ends(0);
    let path = home.path().join("config/retailers.toml");
    assert_eq!(std::fs::metadata(&path).expect("metadata").permissions().mode() & 0o777, 0o600);
    let mine = "# Mine.\n[[retailer]]\nid = 300 # far up\ndisplay_name = \"Own\"\nconnector = \"oscar\"\nbase_url = \"https://own.example\"\n";
    std::fs::write(&path, mine).expect("write");
    add(&home, &shop.uri, &["--name", "Lamps"]).ends(0).prints("retailer 301");
    assert!(file(&home).starts_with(mine), "{}", file(&home));
    std::fs::write(&path, "[[retailer]]\nid = 1\n").expect("write");
    add(&home, &shop.uri, &[]).ends(2).says("The retailers' configuration cannot be used");
    assert_eq!(file(&home), "[[retailer]]\nid = 1\n");
}

#[test]
fn doctor_finds_a_file_that_cannot_be_used_and_repeats_what_it_does_not_say() {
    let home = Home::new();
    let path = home.path().join("config/retailers.toml");
    std::fs::create_dir_all(path.with_file_name("")).expect("folder");
    let doctor = |id: &str, more: &str| {
        let entry =
            format!("[[retailer]]\nid = {id}\ndisplay_name = \"Own\"\nbase_url = \"https://own.example\"\n{more}");
        std::fs::write(&path, entry).expect("write");
        home.run(&["doctor"])
    };
    let broken =
        doctor("101", "recipe = \"own.toml\"").ends(1).prints("✗ retailers: ").prints("own.toml cannot be read");
    broken.prints(&format!("Correct the recipe of 101, or its entry in {}", path.display())).prints("✓ service");
    home.run(&["retailers"]).ends(0).says("own.toml").says(&format!("or the entry in {}", path.display()));
    let broken = doctor("101", "connector = \"shop\"").ends(1).prints("✗ retailers: ").prints("\"shop\" is unknown");
    broken.prints(&format!("Correct the entry in {}, or", path.display())).prints("- service: skipped");
    home.run(&["retailers"]).ends(2).says(&format!("Correct the entry in {}", path.display()));
    doctor("101", "[[retailer").ends(1).prints(&format!("Correct {}.", path.display()));
    doctor("1", "connector = \"oscar\"").ends(1).prints("retailer 1 has the id of a simulated").prints("above 100");
    let unsaid = doctor("101", "connector = \"oscar\"").ends(0).prints("! retailers: 1 shop in ");
    unsaid.prints("without a time zone, which is taken for UTC: 101").prints("time_zone = \"Europe/Berlin\"");
    doctor("101", "connector = \"oscar\"\ntime_zone = \"UTC\"").ends(0).prints("✓ retailers: 1 shop in ");
}

#[test]
fn the_sign_in_page_alone_is_enough_and_what_is_not_known_is_said_with_its_remedy() {
    let page = Box::leak(WOO_SIGN_IN.replace("{head}", "").into_boxed_str());
    for (path, page, platform) in
        [("/my-account/", &*page, "WooCommerce"), ("/accounts/login/", OSCAR_SIGN_IN, "django-oscar")]
    {
        let (home, shop) = (Home::new(), only(path, page));
        let run = add(&home, &shop.uri, &["--name", "Small"]).ends(0).prints(platform);
        let run = run.prints("likely: its sign-in page is the only sign").prints("not known");
        run.says("time_zone = \"Europe/Berlin\" to its entry in").says("currency = \"USD\" to its entry in");
        let run = home.run(&["retailers", "remove", "Small", "--yes"]).ends(0);
        run.says("Removed Small (retailer 101)");
        let more = ["--time-zone", "Asia/Tokyo", "--currency", "JPY", "-o", "json", "--no-input"];
        let added = add(&home, &shop.uri, &more).ends(0).json();
        assert_eq!(added["unknown"], json!([]));
        assert_eq!((added["timeZone"].as_str(), added["certain"].as_bool()), (Some("Asia/Tokyo"), Some(false)));
        assert_eq!(added["displayName"], "127.0.0.1", "its host, for want of a name");
    }
}

#[test]
fn what_cannot_be_set_or_is_taken_is_refused_before_anything_is_written() {
    let (home, shop) = (Home::new(), Site::start(|_| open_woocommerce));
    for (more, said) in [
        (&["--currency", "euros"][..], "--currency: \"euros\" is no ISO 4217 code"),
        (&["--time-zone", "Berlin"], "--time-zone: this is no time zone"),
        (&["--locale", "tr"], "--locale: \"tr\" is none of the languages that can be read"),
        (&["--name", "marrowby MARKET"], "The name marrowby MARKET is taken: retailer 1 is called Marrowby Market."),
        (&["--name", "7"], "The shop needs a name of letters."),
    ] {
        add(&home, &shop.uri, more).ends(2).says(said);
    }
    let remote = ["--base-url", "http://127.0.0.1:9"];
    home.run(&[&["retailers", "add", "shop.example"], &remote[..]].concat())
        .ends(2)
        .says("ordersync admin retailers add");
    assert_eq!(file(&home), "");
}

#[test]
fn private_addresses_need_the_flag_and_no_request_is_sent_without_it() {
    let (home, shop) = (Home::new(), Site::start(|_| open_woocommerce));
    for url in [
        shop.uri.as_str(),
        "http://localhost:1",
        "10.1.2.3",
        "https://[::1]/",
        "http://2130706433",
        "http://169.254.169.254/latest",
    ] {
        let run = home.run(&["retailers", "add", url]).ends(2).says("This address is on a private network");
        run.says("--allow-private-network");
    }
    assert_eq!(shop.asked(), [""; 0]);
    for url in ["file:///etc/passwd", "ftp://shop.example", "https://me:pass@shop.example"] {
        home.run(&["retailers", "add", url]).ends(2).says("has to be plain");
    }
    add(&home, "http://1.1.1.1", &[]).ends(2).says("http on the public internet");
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_leads_to_this_machine_is_refused_when_it_is_resolved() {
    // Nothing in the name itself says where it leads.
    let hosts = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    let names =
        hosts.lines().filter_map(|line| line.strip_prefix("127.0.")).flat_map(|line| line.split_whitespace().skip(1));
    let Some(name) = names.into_iter().find(|name| !name.contains("localhost") && !name.contains('#')) else { return };
    let shop = Site::start(|_| open_woocommerce);
    let port = shop.uri.rsplit(':').next().expect("a port");
    let run = Home::new().run(&["retailers", "add", &format!("{name}:{port}")]).ends(1);
    run.says("the retailer's name leads to an address that may not be reached").says("--allow-private-network");
    assert_eq!(shop.asked(), [""; 0]);
    let url = format!("http://{name}:{port}");
    let run = Home::new().run(&["retailers", "add", &url, "--allow-private-network"]).ends(0);
    run.prints("Added Lamps & More");
}

#[test]
fn redirects_to_another_site_are_told_and_not_followed() {
    let other = Site::start(|_| open_woocommerce);
    let elsewhere = other.uri.clone();
    for target in
        [elsewhere.as_str(), "http://169.254.169.254/latest/meta-data/", "http://localhost:1/", "file:///etc/passwd"]
    {
        let to = target.to_owned();
        let shop = Site::start(|_| move |_: &Asked| Answer::redirect(&to));
        let run = add(&Home::new(), &shop.uri, &[]).ends(1).says("No shop was recognized");
        run.says("redirects to another site, which was not followed");
    }
    assert_eq!(other.asked(), [""; 0]);
    let circle = Site::start(|_| |_: &Asked| Answer::redirect("/again/"));
    add(&Home::new(), &circle.uri, &[]).ends(1).says("redirects in a circle");
    assert!(circle.asked().len() <= 12, "{:?}", circle.asked());
}

#[test]
fn pages_that_are_no_shop_are_said_to_be_none_with_what_was_tried() {
    let blog = "<html><head><meta name='generator' content='WordPress 6.6'><title>A blog</title></head><body>Hello<form method='post'><input name='log'><input type='password' name='pwd'></form></body></html>";
    let django = "<html><title>Django administration</title><form method='post'><input name='username'><input type='password' name='password'></form></html>";
    let allauth = "<html><title>Forum</title><form method='post'><input type='text' name='login'><input type='password' name='password'></form></html>";
    let fake = "<html><title>Talk</title><p>woocommerce-login-nonce and login-username are names of fields.</p></html>";
    let shopify = "<html><title>Mugs</title><script src='https://cdn.shopify.com/s/x.js'></script><a href='/cart'>Cart</a></html>";
    let unknown = "<html><title>Cheese</title><a href='/warenkorb'>Warenkorb</a></html>";
    let wall = "<html><title>Just a moment...</title><body>Checking your browser</body></html>";
    for (make, said) in [
        (Answer::page(blog), "seems to run on WordPress without WooCommerce"),
        (Answer::page(django), "the page \"Django administration\""),
        (Answer::page(allauth), "the page \"Forum\""),
        (Answer::page(fake), "the page \"Talk\""),
        (Answer::page(shopify), "seems to run on Shopify, which cannot be read yet"),
        (Answer::page(unknown), "looks like a shop, but not like one of a kind that can be read"),
        (Answer::page(wall), "a check that no robot is at work"),
        (Answer::page("just words").with("Content-Type", "text/plain"), "plain text"),
        (Answer::page("{\"a\": 1}").with("Content-Type", "application/json"), "data, and no page"),
        (Answer::page(""), "an empty page"),
        (Answer::page(vec![0x89, b'P', b'N', b'G']).with("Content-Type", "image/png"), "an empty page"),
        (Answer::new(500, "oops"), "a failure of its own (status 500)"),
        (Answer::endless(), "a page of more than"),
        (Answer::page(vec![0xff, 0xfe, 0x00]), "text that is not UTF-8"),
        (Answer::new(403, "<title>Forbidden</title>"), "status 403, the page \"Forbidden\""),
        (Answer::new(429, "").with("Retry-After", "3600"), "What was tried"),
    ] {
        let answer = std::sync::Arc::new(make);
        let site = Site::start(|_| move |_: &Asked| answer.again());
        let home = Home::new();
        let run = add(&home, &site.uri, &[]).ends(1).says(said);
        run.says("What was tried:").says("docs/recipes.md");
        assert!(site.asked().len() <= 12, "{:?}", site.asked());
        assert_eq!(file(&home), "");
    }
    let nobody = add(&Home::new(), "http://127.0.0.1:9", &["-o", "json"]).ends(3);
    assert_eq!(nobody.error()["code"], "SHOP_UNREACHABLE");
    assert_eq!(nobody.error()["details"]["seen"][0]["url"], "http://127.0.0.1:9/");
}

#[test]
fn a_shop_is_removed_by_its_whole_name_and_not_while_it_is_connected() {
    let (home, shop) = (Home::new(), only("/accounts/login/", OSCAR_SIGN_IN));
    add(&home, &shop.uri, &["--name", "Small Shop"]).ends(0);
    home.run(&["retailers", "remove", "Small"]).ends(5).says("101   Small Shop");
    home.run(&["retailers", "remove", "1"]).ends(5);
    let run = home.run(&["retailers", "remove", "101"]).ends(2);
    run.says("To remove Small Shop without a question: ordersync retailers remove 101 --yes");
    let connect = ["connect", "Small Shop", "--credentials-file", &home.credentials("user")];
    home.run(&connect).ends(9);
    let id = home.connection();
    let run = home.run(&["retailers", "remove", "101", "--yes"]).ends(1);
    run.says(&format!("Small Shop is connected ({id}), so it was not removed.")).says("connections remove");
    home.run(&["connections", "remove", &id, "--yes"]).ends(0);
    home.run(&["retailers", "remove", "101", "--yes"]).ends(0).says("Removed Small Shop");
    assert!(!file(&home).contains("Small"), "{}", file(&home));
}

#[test]
fn an_operator_adds_and_removes_shops_of_a_service_on_its_machine() {
    let (home, shop) = (Home::new(), Site::start(|_| open_woocommerce));
    let path = home.path().join("shops.toml");
    let path = path.to_str().expect("text");
    let nowhere = ["admin", "retailers", "add", &shop.uri, "--retailers", "no/such/shops.toml"];
    home.run(&nowhere).ends(2).says("there is no folder no/such");
    home.run(&["admin", "retailers", "add", &shop.uri]).ends(2).says("--retailers is missing");
    let add = ["admin", "retailers", "add", &shop.uri, "--retailers", path];
    home.run(&add).ends(2).says("private network").says("--allow-private-network");
    let added = home.run(&[&add[..], &["--allow-private-network"]].concat()).ends(0);
    added.prints("Added Lamps & More (retailer 101)").says("SIGHUP");
    let remove = ["admin", "retailers", "remove", "Lamps & More", "--retailers", path, "--yes"];
    home.run(&remove).ends(5).says("There is no store");
    // Both are in the audit log of the service whose store is named.
    let sandbox = Sandbox::start_in(home, &["--database", "db.sqlite3"]);
    let of_service = |command: &[&str]| sandbox.run(&[command, &["--database", "db.sqlite3"]].concat());
    of_service(&remove).ends(0).says("SIGHUP");
    let absent = [&add[..], &["--allow-private-network", "--database", "none.sqlite3"]].concat();
    sandbox.run(&absent).ends(5).says("There is no store");
    of_service(&[&add[..], &["--allow-private-network"]].concat()).ends(0).prints("(retailer 101)");
    let told = of_service(&["admin", "audit", "-o", "json"]).ends(0).json();
    let told: Vec<String> = told
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| format!("{} {}", entry["action"].as_str().expect("text"), entry["target"].as_str().expect("text")))
        .collect();
    assert_eq!(told, ["retailer.add 101", "retailer.remove 101"]);
}

/// A shop with an interface: what it answers to a request without a sign-in.
fn answering(path: &'static str, status: u16, answer: serde_json::Value) -> Site {
    Site::start(move |_| {
        move |asked: &Asked| {
            let is_it = asked.path.split('?').next() == Some(path);
            if is_it { Answer::json(&answer).of_status(status) } else { Answer::new(404, "<h1>Not found</h1>") }
        }
    })
}

#[test]
fn a_shop_with_an_interface_is_known_by_its_answer_and_what_it_asks_for_is_given() {
    let home = Home::new();
    let signed_out = json!({
        "errors": [{ "message": "The current customer isn't authorized.", "extensions": { "category": "graphql-authorization" } }],
        "data": { "customer": null },
    });
    let shop = answering("/graphql", 200, signed_out);
    let run =
        add(&home, &shop.uri, &["--name", "Lamps"]).ends(0).prints("Added Lamps (retailer 101): Magento at http://");
    run.prints("named with each order").says("ordersync connect Lamps");
    assert!(file(&home).contains("connector = \"magento\""), "{}", file(&home));
    assert!(shop.asked().iter().any(|asked| asked.contains("/graphql")), "{:?}", shop.asked());

    let nobody = json!({ "data": { "__typename": "Query", "activeCustomer": null } });
    let shop = answering("/shop-api", 200, nobody);
    add(&home, &shop.uri, &["--name", "Plants"]).ends(0).prints("Vendure at").prints("named with each order");

    let lacks_key = json!({ "type": "not_allowed", "message": "Publishable API key required in the request header: x-publishable-api-key." });
    let shop = answering("/store/orders", 400, lacks_key);
    let before = file(&home);
    let run = add(&home, &shop.uri, &["--name", "Shirts"]).ends(2);
    run.says("Medusa asks for publishable_key: ").says("Give it with --value publishable_key=TEXT.");
    add(&home, &shop.uri, &["--name", "Shirts", "--value", "key=pk_1"])
        .ends(2)
        .says("--value key: Medusa asks for no such value.");
    assert_eq!(file(&home), before);
    add(&home, &shop.uri, &["--name", "Shirts", "--value", "publishable_key=pk_1"]).ends(0).prints("Medusa at");
    assert!(file(&home).contains("publishable_key = \"pk_1\""), "{}", file(&home));
}
