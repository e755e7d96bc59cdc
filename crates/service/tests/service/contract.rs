//! The contract and the service are held together: neither has what the other lacks.

use std::collections::BTreeSet;

use ordersync_api::{ErrorCode, SyncErrorCode};
use ordersync_service::routes;
use serde_json::Value;

fn contract() -> Value {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi.yaml")).unwrap();
    serde_yaml_ng::from_str(&text).unwrap()
}

#[test]
fn every_route_stands_in_the_contract_and_every_operation_is_served() {
    let contract = contract();
    let methods = ["get", "put", "post", "delete", "patch"];
    let promised: BTreeSet<(String, String)> = contract["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            item.as_object()
                .unwrap()
                .keys()
                .filter(|key| methods.contains(&key.as_str()))
                .map(|method| (method.to_uppercase(), path.clone()))
        })
        .collect();
    let served: BTreeSet<(String, String)> =
        routes(true).iter().map(|route| (route.method.to_string(), route.path.to_owned())).collect();
    assert_eq!(served, promised);
}

#[test]
fn a_route_is_public_exactly_if_the_contract_asks_for_no_access_token() {
    let contract = contract();
    for route in routes(true) {
        let operation = &contract["paths"][route.path][route.method.as_str().to_lowercase()];
        // What an operation does not say itself is said for all: an access token.
        let needs_token =
            operation["security"].as_array().is_none_or(|ways| ways.iter().any(|way| way.get("bearer").is_some()));
        assert_eq!(route.is_public(), !needs_token, "{} {}", route.method, route.path);
    }
}

/// A response may be named where it is used, or written out.
fn resolved<'a>(contract: &'a Value, response: &'a Value) -> &'a Value {
    match response["$ref"].as_str() {
        Some(name) => contract.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name}")),
        None => response,
    }
}

#[test]
fn every_answer_lists_the_headers_that_every_answer_has() {
    let contract = contract();
    let mut seen = 0;
    for (path, item) in contract["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap().iter().filter(|(_, value)| value["responses"].is_object())
        {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let headers = &resolved(&contract, response)["headers"];
                for name in ["X-Request-Id", "Idempotency-Key-Supported", "RateLimit-Policy", "RateLimit"] {
                    assert!(headers[name].is_object(), "{method} {path}: {status} lists no {name}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 300);
}

#[test]
fn every_operation_with_a_body_lists_what_a_bad_body_gets() {
    let contract = contract();
    for (path, item) in contract["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap().iter() {
            if operation["requestBody"]["content"]["application/json"].is_object() {
                for status in ["400", "413", "415"] {
                    assert!(operation["responses"][status].is_object(), "{method} {path} lists no {status}");
                }
            }
        }
    }
}

#[test]
fn outside_the_sandbox_its_controls_are_not_there() {
    assert!(routes(false).iter().all(|route| !route.path.starts_with("/sandbox") && route.path != "/"));
}

#[test]
fn every_error_code_stands_in_the_contract() {
    let written = serde_json::to_string(&contract()).unwrap();
    for code in ErrorCode::ALL.iter().map(|code| code.as_str()) {
        assert!(written.contains(&format!("\"{code}\"")), "{code}");
    }
    for code in SyncErrorCode::ALL {
        assert!(written.contains(&format!("\"{code}\"")), "{code}");
    }
}

#[test]
fn every_test_that_the_interface_table_names_is_there() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{root}/docs/interface.md")).unwrap();
    let mut named = 0;
    for row in page.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---")) {
        let shown_by = row.trim_end_matches('|').rsplit('|').next().unwrap().trim();
        if shown_by == "Shown by" {
            continue;
        }
        assert!(shown_by.starts_with('`'), "no test in: {row}");
        for test in shown_by.split('`').skip(1).step_by(2) {
            let (file, function) = test.split_once(": ").unwrap();
            let folder = if file.contains('/') { "" } else { "crates/service/tests/service/" };
            let text = std::fs::read_to_string(format!("{root}/{folder}{file}")).unwrap_or_else(|_| panic!("{file}"));
            assert!(text.contains(function), "{file} has no {function}");
            named += 1;
        }
    }
    assert!(named > 50);
}
