//! `open`: the user's orders in a browser, from the service inside the command and from one at an address.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::serve::Sandbox;
use super::support::{Home, Run};

fn browser() -> reqwest::Client {
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder().no_proxy().cookie_store(true).build().expect("client")
}

async fn page(browser: &reqwest::Client, address: &str) -> (u16, String) {
    let response = browser.get(address).header("accept", "text/html").send().await.expect("an answer");
    (response.status().as_u16(), response.text().await.expect("text"))
}

#[tokio::test]
async fn the_local_profile_shows_its_orders_to_the_browser_that_opens_the_link_first() {
    let home = Home::connected("user_items_3", 0);
    let mut command = home.command(&["open", "--no-browser"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout")).lines();
    let link = lines.next().expect("a line").expect("text");
    assert!(link.starts_with("http://127.0.0.1:") && link.contains("/local/browser/"), "{link}");

    let own = browser();
    let (status, orders) = page(&own, &link).await;
    assert_eq!(status, 200, "{orders}");
    assert!(orders.contains("Your orders") && orders.contains("href=\"/account/orders/1-1\""), "{orders}");
    // What is in the local store may be real.
    assert!(!orders.contains("Nothing here is real"), "{orders}");
    let base = link.split("/local").next().expect("an address");
    let (status, order) = page(&own, &format!("{base}/account/orders/1-1")).await;
    assert!(status == 200 && order.contains("Figures"), "{order}");

    let other = browser();
    let (status, refused) = page(&other, &link).await;
    assert!(status == 404 && refused.contains("used before"), "{refused}");
    for path in ["/account/orders", "/account/orders/1-1"] {
        assert!(page(&other, &format!("{base}{path}")).await.1.contains("Phone number"), "{path}");
    }
    // The operation wants the token of the command.
    let asked = other.post(format!("{base}/local/browser")).send().await.expect("an answer");
    assert_eq!(asked.status(), 401);

    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let ended = child.wait_with_output().expect("ends");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{said}");
    // There is no terminal at which anybody could press a key.
    assert!(said.contains(&format!("The service runs until this command is stopped: kill {pid}.")), "{said}");
    assert!(!said.contains("Ctrl-C"), "{said}");
}

#[tokio::test]
async fn at_an_address_the_page_asks_who_it_is() {
    let sandbox = Sandbox::start(&[]);
    let mut command = sandbox.command(&["open", "-o", "json"]);
    command.env_remove("DISPLAY");
    let shown = Run::of(command).ends(0).says("asks you to sign in").json();
    let address = shown["url"].as_str().expect("an address").to_owned();
    assert_eq!((address.as_str(), &shown["opened"]), (&*format!("{}/account/orders", sandbox.address), &false.into()));
    assert!(page(&browser(), &address).await.1.contains("to see your orders"));
    // Only the service inside a command signs browsers in.
    sandbox.run(&["api", "POST", "/local/browser"]).ends(5).says("nothing at");
    assert_eq!(page(&browser(), &format!("{}/local/browser/x", sandbox.address)).await.0, 404);
}
