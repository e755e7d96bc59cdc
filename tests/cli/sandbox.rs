//! The controls of a sandbox that make requests fail, and those that read what was sent.

use super::serve::Sandbox;
use super::support::Home;

#[test]
fn a_reset_of_the_local_profile_asks_and_one_of_a_sandbox_does_not() {
    let home = Home::new();
    home.run(&["sandbox", "reset"]).ends(0).says("Deleted all data");
    home.connect("user_items_40", &[]).ends(0);
    let refused = home.run(&["sandbox", "reset"]).ends(2).says("1 connection with 40 items");
    refused.says("ordersync sandbox reset --yes");
    assert_eq!(home.run(&["connections", "--jq", "length"]).out, "1\n");
    home.run(&["sandbox", "reset", "--yes"]).ends(0).says("Deleted all data");
    assert_eq!(home.run(&["connections", "--jq", "length"]).out, "0\n");
    let sandbox = Sandbox::start(&[]);
    sandbox.connect("1", "user_good", &[]).ends(0);
    sandbox.run(&["sandbox", "reset"]).ends(0);
    assert_eq!(sandbox.run(&["connections", "--jq", "length"]).out, "0\n");
}

#[test]
fn only_yes_deletes_and_no_is_no_success() {
    use super::pty::{ends, expect, send, start};

    let home = Home::connected("user_items_40", 0);
    for (keys, code, left) in [("no\r", 130, "1\n"), ("\x03", 130, "1\n"), ("\r\rn\r", 130, "1\n"), ("yes\r", 0, "0\n")]
    {
        let mut session = start(&home, &["sandbox", "reset"]);
        expect(&mut session, "Delete 1 connection with 40 items? yes or no");
        send(&mut session, keys);
        let said = ends(session, code);
        assert_eq!(said.contains("Nothing was deleted."), code == 130, "{said}");
        // Only what was interrupted is resumed.
        assert_eq!(said.contains("sandbox reset --yes"), keys == "\x03", "{said}");
        assert_eq!(home.run(&["connections", "--jq", "length"]).out, left, "{keys:?}");
    }
}

#[test]
fn a_forced_error_is_met_once_and_a_lost_answer_is_asked_for_again() {
    let sandbox = Sandbox::start(&[]);
    let fail = |more: &[&str]| sandbox.run(&[&["sandbox", "fail"][..], more].concat());
    fail(&["--code", "INSUFFICIENT_SCOPE", "--path", "/sync/connections"])
        .ends(0)
        .says("The next request to /sync/connections will get INSUFFICIENT_SCOPE.");
    sandbox.run(&["connections"]).ends(4).says("(POST /sandbox/fail)");
    sandbox.run(&["connections"]).ends(0);
    // A retry overcomes what a fault of the service or the network spoils once.
    fail(&["--code", "INTERNAL_ERROR"]).ends(0).says("give --count 3.");
    sandbox.run(&["connections"]).ends(0);
    fail(&["--status", "502"]).ends(0).says("up to 4 times").says("give --count 5.");
    sandbox.run(&["connections"]).ends(0);
    fail(&["--status", "502", "--count", "5"]).ends(0);
    sandbox.run(&["connections"]).ends(3);
    fail(&["--drop"]).ends(0);
    sandbox.run(&["connections"]).ends(0);
    let asked = fail(&["--status", "503", "--count", "9", "-o", "json"]).ends(0).json();
    assert_eq!(asked, serde_json::json!({ "status": 503, "count": 9 }));
    fail(&["--clear"]).ends(0).says("No failures are pending any more.");
    sandbox.run(&["connections"]).ends(0);
}

#[test]
fn a_failure_that_makes_no_sense_is_refused_before_it_is_sent_or_by_the_field() {
    let sandbox = Sandbox::start(&[]);
    let fail = |more: &[&str]| sandbox.run(&[&["sandbox", "fail"][..], more].concat());
    fail(&[]).ends(2).says("<--status <STATUS>|--code <CODE>|--drop|--latency <MILLISECONDS>|--clear>");
    fail(&["--status", "503", "--drop"]).ends(2).says("cannot be used with");
    fail(&["--after-bytes", "5", "--status", "500"]).ends(2).says("cannot be used with");
    fail(&["--after-bytes", "5", "--latency", "9"]).ends(2).says("--drop");
    fail(&["--clear", "--count", "2"]).ends(2).says("cannot be used with");
    fail(&["--code", "NO_SUCH_CODE"]).ends(2).says("--code");
    fail(&["--status", "503", "--path", "/nowhere"]).ends(1).says("path has to be a path of the interface");
}

#[tokio::test]
async fn the_one_time_passwords_of_the_users_own_phone_are_listed() {
    let sandbox = Sandbox::start(&[]);
    sandbox.run(&["sandbox", "otp", "+15550100"]).ends(0).says("No one-time password was sent to +15550100 yet.");
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = reqwest::Client::builder().no_proxy().cookie_store(true).build().expect("client");
    let page = client.get(format!("{}/device", sandbox.address)).header("accept", "text/html").send().await;
    let page = page.expect("page").text().await.expect("text");
    let csrf = page.split("name=\"csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("field");
    let form = [("phone", "+15550100"), ("next", "/device"), ("csrf", csrf)];
    let sent = client.post(format!("{}/sign-in", sandbox.address)).form(&form).send().await.expect("answer");
    assert_eq!(sent.status(), 200);
    sandbox.run(&["sandbox", "otp", "+15550100"]).ends(0).prints("424242");
    assert_eq!(sandbox.run(&["sandbox", "otp", "+15550100", "--jq", ".[].otp"]).ends(0).out, "424242\n");
    sandbox.run(&["sandbox", "otp", "+15550101"]).ends(5).says("not the phone of the token's user");
    sandbox.run(&["sandbox", "otp", "+4930123456"]).ends(1).says("+15550100 to +15550199");
}

#[test]
fn a_clients_requests_fail_and_its_creation_is_noted() {
    let sandbox = Sandbox::start(&[]);
    let noted = sandbox.run(&["sandbox", "token", "--client-id", "my-app"]).ends(0);
    assert!(noted.out.trim().starts_with("ordersync_sandbox_at_") && noted.out.lines().count() == 1, "{}", noted.out);
    noted.says("Created the client my-app");
    let again = sandbox.run(&["sandbox", "token", "--client-id", "my-app"]).ends(0);
    assert!(!again.err.contains("Created"), "{}", again.err);
    let failing = sandbox.run(&["sandbox", "fail", "--client-id", "my-app", "--status", "503", "--count", "2"]).ends(0);
    failing.says("The next 2 requests of the client my-app will get 503.");
    sandbox.run(&["profile"]).ends(0).prints(" +00:00");
    sandbox.run(&["sandbox", "fail", "--clear", "--client-id", "my-app"]).ends(0);
    for what in [&["--status", "503"][..], &["--clear"]] {
        sandbox.run(&[&["sandbox", "fail", "--client-id", "my-ap"], what].concat()).ends(5).says("client_id");
    }
    sandbox.run(&["sandbox", "unbind", "customer-1"]).ends(5).says("bound to nobody").says("--client-id");
}
