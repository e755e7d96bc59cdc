//! Services of others that do not do what they are asked for: the error says what is wrong with which item.

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, ResponseTemplate};

use super::export::{run, serving};
use super::list_peer::{Answer, Peer, http, items, slice};
use super::support::Home;
use super::unfinished::watched;

#[tokio::test]
async fn a_service_that_ignores_a_filter_is_noticed_and_one_that_applies_it_is_not() {
    let item = |id: &str, more: Value| {
        let mut item = json!({"id": id, "retailerId": 1, "orderDate": "2026-06-02T10:00:00Z", "price": 1});
        item.as_object_mut().expect("an item").extend(more.as_object().expect("fields").clone());
        item
    };
    let other = "Item b is of retailer 2, but retailer_id=1 was requested: the service ignores this filter.";
    let older = "Item b is of 2026-05-31T23:59:59Z, but start_date=2026-06-01T00:00:00Z was requested";
    let newer = "Item b is of 2026-06-02T10:00:00Z, but end_date=2026-06-02T10:00:00Z was requested";
    for (more, filter, says) in [
        (json!({"retailerId": 2}), ["--retailer", "1"], Some(other)),
        (json!({"retailerId": "2"}), ["--retailer", "1"], Some(other)),
        (json!({"retailerId": "1"}), ["--retailer", "1"], None),
        (json!({"retailerId": null}), ["--retailer", "1"], None),
        (json!({"orderDate": "2026-05-31T23:59:59Z"}), ["--since", "2026-06-01"], Some(older)),
        (json!({"orderDate": "2026-06-01T02:00:00+02:00"}), ["--since", "2026-06-01"], None),
        (json!({}), ["--until", "2026-06-02T10:00:00Z"], Some(newer)),
        (json!({}), ["--until", "2026-06-02T10:00:01Z"], None),
        (json!({"orderDate": null}), ["--until", "2026-06-03"], None),
        (json!({"orderDate": "2026-05-31"}), ["--since", "2026-06-01"], None),
        (json!({"orderDate": "2026-05-29"}), ["--since", "2026-06-01"], Some("Item b is of 2026-05-29, but")),
        (json!({"orderDate": "2026-06-05"}), ["--until", "2026-06-03"], Some("Item b is of 2026-06-05, but")),
    ] {
        let items = if filter[0] == "--until" {
            vec![item("b", more.clone())]
        } else {
            vec![item("a", json!({})), item("b", more.clone())]
        };
        let server = serving(move |asked| {
            let rows: Vec<&Value> = items.iter().skip(asked.offset).take(asked.limit).collect();
            ResponseTemplate::new(200).insert_header("x-total-count", items.len().to_string()).set_body_json(rows)
        })
        .await;
        let retailers = json!([{"retailerId": 1, "displayName": "Quay"}, {"retailerId": 2, "displayName": "Harbor"}]);
        let retailers = ResponseTemplate::new(200).set_body_json(retailers);
        Mock::given(path("/sync/retailers")).respond_with(retailers).mount(&server).await;
        for command in
            [&["export", "--out", "x.csv"][..], &["summary"], &["list", "-o", "json"], &["list", "--all", "-o", "json"]]
        {
            let home = Home::new();
            let arguments = [&["orders"], command, &filter, &["--time-zone", "UTC"]].concat();
            let ran = run(&home, &server, &arguments);
            match says {
                Some(says) => {
                    ran.ends(1).says(says).says("Report it to the operator of the service.");
                    assert!(!home.path().join("x.csv").exists(), "{more} {filter:?} {command:?}");
                }
                None => drop(ran.ends(0)),
            }
        }
    }
}

#[tokio::test]
async fn a_field_of_another_kind_is_read_where_its_meaning_is_plain_and_named_where_not() {
    let about = |fields: &str| format!(r#"{{"id":"a1","orderId":"A-1","price":1,{fields}}}"#);
    for (fields, result) in [
        (r#""retailerSku":123,"retailerId":"1""#, Ok("123")),
        (r#""shipments":[{"carrier":"UPS","trackingNumber":12345}]"#, Ok("12345")),
        (r#""mismatch":null,"shipments":null,"sources":null"#, Ok("A-1")),
        (r#""itemName":"Lamp \ud83d","brandName":"\ud83d\ude00""#, Ok("Lamp \u{fffd}")),
        (r#""brandName":{"name":"x"}"#, Err("Item a1: brandName: invalid type: map, expected a string.")),
        (r#""retailerId":"Quay""#, Err("Item a1: retailerId: \"Quay\" is not an integer.")),
        (r#""orderTotal":"5,00""#, Err("Item a1: orderTotal: \"5,00\" cannot be held exactly as a decimal")),
    ] {
        let (item, list) = (about(fields), format!("[{}]", about(fields)));
        let server = serving(move |asked| {
            let page = if asked.offset > 0 { "[]" } else { &list };
            ResponseTemplate::new(200).set_body_raw(page, "application/json")
        })
        .await;
        let one = ResponseTemplate::new(200).set_body_raw(item, "application/json");
        Mock::given(path("/sync/orders/a1")).respond_with(one).mount(&server).await;
        let lists = [&["list", "-o", "table"][..], &["list", "--all", "-o", "table"]];
        for command in [&lists[..], &[&["get", "a1"], &["get", "A-1"]]].concat() {
            let ran = run(&Home::new(), &server, &[&["orders"], command].concat());
            match result {
                Ok(shown) if command[0] == "get" => drop(ran.ends(0).prints(shown)),
                Ok(_) => drop(ran.ends(0).prints("A-1")),
                Err(says) => drop(ran.ends(1).says(says).says("ordersync orders list -o json")),
            }
        }
        let json = run(&Home::new(), &server, &["orders", "list", "-o", "json"]).ends(0).json();
        assert_eq!(json[0]["id"], "a1");
        if fields.contains("5,00") {
            run(&Home::new(), &server, &["orders", "export"])
                .ends(1)
                .says("Item a1: orderTotal: \"5,00\"")
                .says("Report it");
        }
    }
}

fn refusal(status: u16, headers: &str, message: &str) -> Answer {
    let body = json!({"code": if status == 429 { "TOO_MANY_REQUESTS" } else { "INVALID_REQUEST" }, "message": message});
    Answer::Bytes(http(status, headers, body.to_string().as_bytes()))
}

#[test]
fn a_page_size_that_was_accepted_is_not_blamed_for_a_refusal_further_down() {
    let peer = Peer::start(items(0..4500), |asked, _| match asked.offset {
        0..1900 => Answer::Page,
        _ => refusal(400, "", "offset too large"),
    });
    let ran = peer.run(&Home::new(), &["orders", "export", "--out", "x.csv"]).ends(1).says("offset too large.");
    assert!(!ran.err.contains("refuses pages"), "{}", ran.err);
}

#[test]
fn a_time_to_wait_beyond_all_reason_is_named_and_one_that_cannot_be_read_is_not_waited_for_long() {
    for (value, said) in [
        ("4000000000", "Try again in 46297 days"),
        ("99999999999999999999", "Try again in 49711 days"),
        ("Wed, 01 Jan 2200 00:00:00 GMT", " days, or"),
        ("-1", "Try again in a minute"),
        ("soon", "Try again in a minute"),
    ] {
        let peer = Peer::start(Vec::new(), move |_, _| refusal(429, &format!("retry-after: {value}\r\n"), "Slow down"));
        peer.run(&Home::new(), &["orders", "export", "--timeout", "5s"]).ends(6).says("Slow down.").says(said);
    }
}

#[test]
fn a_service_that_takes_the_offset_as_the_number_of_a_page_is_told_from_one_whose_list_changes() {
    let peer =
        Peer::start(items(0..2500), |asked, list| Answer::Items(slice(list, asked.offset * asked.limit, asked.limit)));
    let ran = peer.run(&Home::new(), &["orders", "export", "--out", "x.csv"]).ends(1);
    ran.says("nothing from offset 999 on").says("it seems to take offset as the number of a page");
    let peer = Peer::start(items(0..90), |asked, list| {
        let size = asked.limit.min(20);
        Answer::Items(slice(list, asked.offset * size, size))
    });
    let ran = peer.run(&Home::new(), &["orders", "list"]).ends(8);
    ran.says("the service takes offset as the number of a page: nothing is listed from offset 19 on");
}

#[tokio::test]
async fn a_request_for_verification_of_an_unknown_kind_is_not_answered_with_a_code() {
    let session = |mfa: Value| {
        let part = json!([{"retailerId": 3, "connectionId": "c1", "syncStatus": "userintervention"}]);
        let event = json!({"seq": 1, "type": "mfa", "connectionId": "c1", "reqId": "r1", "mfa": mfa});
        let body = json!({"batchId": "b1", "status": "syncing", "retailerSyncSessions": part, "events": [event]});
        ResponseTemplate::new(200).set_body_json(body)
    };
    let means = ["--mfa-command", "echo 123456", "--timeout", "3s"];
    let (ran, codes) =
        watched(session(json!({"eventType": "approve", "prompt": "Confirm it in the app"})), &means).await;
    let ran = ran.ends(7).says("Confirm it in the app. This version does not know how to answer");
    ran.says("of the kind \"approve\"").says("Update ordersync").says("ordersync sessions watch b1");
    assert_eq!(codes, 0);
    for mfa in [json!({"eventType": "ENTER"}), json!({"eventType": "otp", "attemptsLeft": 3})] {
        assert_eq!(watched(session(mfa), &means).await.1, 1);
    }
}
