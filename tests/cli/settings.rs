//! Settings, as far as only a process has them: its environment, its locks, its end at the deadline.

use super::support::{Home, Run};

#[test]
fn a_timeout_holds_for_settings_that_another_process_locks() {
    let home = Home::new();
    home.run(&["config", "set", "accessible", "true"]).ends(0);
    let lock = std::fs::File::open(home.path().join("config/config.lock")).expect("a lock");
    lock.lock().expect("locked");
    home.run(&["config", "set", "accessible", "false", "--timeout", "1s"]).ends(8).says("The time of --timeout is up.");
    home.run(&["profiles", "add", "a", "--base-url", "https://a.test", "--timeout", "1s"]).ends(8);
    home.run(&["config", "get", "accessible"]).ends(0).prints("true");
}

#[test]
fn folders_and_proxies_that_cannot_be_used_are_an_error() {
    let home = Home::new();
    let shell = |line: &str| home.shell(&format!("unset ORDERSYNC_HOME; {line}"));
    shell("HOME=relative \"$BIN\" config list").ends(2).says("HOME has to be absolute");
    let remote = "ORDERSYNC_BASE_URL=https://orders.invalid ORDERSYNC_TOKEN=t \"$BIN\" connections --timeout 1s";
    home.shell(&format!("HTTPS_PROXY=$'http://\\xff' {remote}")).ends(2).says("HTTPS_PROXY is not the address");
    home.shell("ORDERSYNC_HOME=$'\\xff' \"$BIN\" retailers").ends(2).says("is not UTF-8");
}

#[tokio::test]
async fn a_token_is_sent_to_the_address_that_it_belongs_to_alone() {
    let server = wiremock::MockServer::start().await;
    let answer = wiremock::ResponseTemplate::new(200).set_body_json(serde_json::json!([]));
    wiremock::Mock::given(wiremock::matchers::any()).respond_with(answer).mount(&server).await;
    let home = Home::new();
    for (belongs_to, code) in [(server.uri(), 0), ("https://shop.test".to_owned(), 4)] {
        let mut command = home.command(&["connections", "--base-url", &server.uri()]);
        command.env("ORDERSYNC_TOKEN", "canary").env("ORDERSYNC_TOKEN_URL", &belongs_to);
        let run = Run::of(command).ends(code);
        if code == 4 {
            run.says("ORDERSYNC_TOKEN is not sent here: it belongs to https://shop.test");
        }
    }
    let requests = server.received_requests().await.expect("requests");
    assert_eq!(requests.iter().filter(|request| request.headers.contains_key("authorization")).count(), 1);
}
