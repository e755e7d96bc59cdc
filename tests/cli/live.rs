//! The live display on a real pseudo-terminal: a line for each connection, as wide as the terminal, and what is waited for.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::pty::{ends_restored, expect, start_in_shell};
use super::support::Home;

/// A session of three retailers, of which two have the same name; the second request meets the rate limit.
struct ThreeRetailers(AtomicUsize);

impl Respond for ThreeRetailers {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let seen = self.0.fetch_add(1, Ordering::SeqCst);
        if seen == 1 {
            return ResponseTemplate::new(429).insert_header("retry-after", "3");
        }
        let is_over = seen > 2;
        let part = |id: u32, name: &str, status: &str| {
            json!({"retailerId": id, "connectionId": format!("c{id}"), "displayName": name, "itemsFound": 12,
                "itemsNew": 3, "syncStatus": if is_over { status } else { "scanning" },
                "error": (is_over && status == "error").then(|| json!({"code": "retailer_changed", "message": "Changed."}))})
        };
        let long = "A retailer whose name is far longer than anybody would like it to be";
        let parts = [part(1, "Harbor", "completed"), part(2, "Harbor", "error"), part(3, long, "completed")];
        let status = if is_over { "normal" } else { "syncing" };
        ResponseTemplate::new(200)
            .set_body_json(json!({"batchId": "b1", "status": status, "retailerSyncSessions": parts, "events": []}))
    }
}

async fn watched(columns: &'static str, accessible: &'static str) -> String {
    let server = MockServer::start().await;
    let get = Mock::given(method("GET")).and(path("/sync/sessions/b1"));
    get.respond_with(ThreeRetailers(AtomicUsize::new(0))).mount(&server).await;
    let address = server.uri();
    let environment = [
        ("ORDERSYNC_BASE_URL", address.as_str()),
        ("ORDERSYNC_TOKEN", "t"),
        ("ORDERSYNC_ACCESSIBLE", accessible),
        ("COLS", columns),
    ];
    let home = Home::new();
    let mut session = start_in_shell(&home, &["sessions", "watch", "b1"], &environment);
    let mut seen = expect(&mut session, "3 s.");
    if accessible == "0" {
        seen += &expect(&mut session, "2 s.");
        seen += &expect(&mut session, "1 s.");
    }
    seen + &ends_restored(session, 9)
}

#[tokio::test]
async fn each_connection_has_a_line_no_wider_than_the_terminal_and_a_wait_counts_down() {
    for columns in ["40", "60", "200"] {
        let seen = watched(columns, "0").await;
        let live = seen.split("\u{2717}").next().unwrap_or_default();
        assert!(live.contains("Harbor (1)") && live.contains("Harbor (2)"), "{live}");
        assert!(live.contains("scanning"), "{live}");
        let width: usize = columns.parse().expect("a number");
        for line in live.split(['\n', '\r']) {
            let shown = console::strip_ansi_codes(line).into_owned();
            assert!(console::measure_text_width(&shown) < width, "{columns}: {shown:?}");
        }
        assert!(seen.contains("3 retailers in all: 9 new, 1 failed."), "{seen}");
        assert!(seen.contains("Harbor (2): Changed"), "{seen}");
    }
}

#[tokio::test]
async fn an_accessible_display_has_one_line_for_each_change() {
    let seen = watched("60", "1").await;
    assert_eq!(seen.matches("Harbor (1): scanning").count(), 1, "{seen}");
    assert_eq!(seen.matches("Rate limited").count(), 1, "{seen}");
    assert!(seen.contains("Failed: Harbor (2): Changed") && !seen.contains("\x1b[J"), "{seen}");
}
