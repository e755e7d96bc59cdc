//! The controls of a sandbox that make requests fail, and those that read what was sent.

use super::serve::Sandbox;

#[test]
fn a_forced_error_is_met_once_and_a_lost_answer_is_asked_for_again() {
    let sandbox = Sandbox::start(&[]);
    let fail = |more: &[&str]| sandbox.run(&[&["sandbox", "fail"][..], more].concat());
    fail(&["--code", "INTERNAL_ERROR", "--path", "/sync/connections"])
        .ends(0)
        .says("The next request to /sync/connections will get INTERNAL_ERROR.");
    sandbox.run(&["connections"]).ends(1).says("(POST /sandbox/fail)");
    sandbox.run(&["connections"]).ends(0);
    // What a retry overcomes is not seen.
    fail(&["--drop"]).ends(0);
    sandbox.run(&["connections"]).ends(0);
    let asked = fail(&["--status", "503", "--count", "9", "-o", "json"]).ends(0).json();
    assert_eq!(asked, serde_json::json!({ "status": 503, "count": 9 }));
    fail(&["--clear"]).ends(0).says("No failures are waiting any more.");
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
