//! The contract and the service are held together: neither has what the other lacks. The contract is in two documents:
//! openapi.yaml, the API, and openapi-pages.yaml, what browsers show.

use std::collections::{BTreeMap, BTreeSet};

use ordersync_api::{
    ConnectMode, ConnectionStatus, ErrorCode, EventType, MfaEventType, SessionStatus, SyncErrorCode, SyncStartedStatus,
    SyncStatus,
};
use ordersync_service::{Query, routes};
use serde_json::Value;

const API: &str = "openapi.yaml";
const PAGES: &str = "openapi-pages.yaml";

fn document(name: &str) -> Value {
    let text = std::fs::read_to_string(format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    serde_yaml_ng::from_str(&text).unwrap()
}

pub fn contract() -> Value {
    document(API)
}

/// The operations of a document, by method and path.
pub fn operations(document: &Value) -> BTreeMap<(String, String), Value> {
    let methods = ["get", "put", "post", "delete", "patch"];
    let items = document["paths"].as_object().unwrap().iter();
    items
        .flat_map(|(path, item)| {
            let operations = item.as_object().unwrap().iter().filter(|(key, _)| methods.contains(&key.as_str()));
            operations.map(|(method, operation)| ((method.to_uppercase(), path.clone()), operation.clone()))
        })
        .collect()
}

#[test]
fn every_route_stands_in_the_contract_and_every_operation_is_served() {
    let (api, pages) = (operations(&document(API)), operations(&document(PAGES)));
    let both: Vec<_> = api.keys().filter(|operation| pages.contains_key(operation)).collect();
    assert!(both.is_empty(), "in both documents: {both:?}");
    let promised: BTreeSet<(String, String)> = api.into_keys().chain(pages.into_keys()).collect();
    let served: BTreeSet<(String, String)> =
        routes(true).iter().map(|route| (route.method.to_string(), route.path.to_owned())).collect();
    assert_eq!(served, promised);
}

#[test]
fn what_people_see_is_described_with_the_pages_and_nothing_else_is() {
    let pages = operations(&document(PAGES));
    for route in routes(true).iter().filter(|route| route.is_page()) {
        assert!(pages.contains_key(&(route.method.to_string(), route.path.to_owned())), "{}", route.path);
    }
    for (method, path) in pages.keys() {
        let of_pages = ["/widget/", "/assets/"].iter().any(|place| path.starts_with(place));
        let is_page = routes(true).iter().any(|route| route.is_page() && route.path == path);
        assert!(is_page || of_pages, "{method} {path}");
    }
}

#[test]
fn a_route_is_public_exactly_if_the_contract_asks_for_no_access_token() {
    let (mut promised, pages) = (operations(&document(API)), operations(&document(PAGES)));
    promised.extend(pages);
    for route in routes(true) {
        let operation = &promised[&(route.method.to_string(), route.path.to_owned())];
        // What an operation does not say itself is said for all: an access token.
        let needs_token =
            operation["security"].as_array().is_none_or(|ways| ways.iter().any(|way| way.get("bearer").is_some()));
        assert_eq!(route.is_public(), !needs_token, "{} {}", route.method, route.path);
    }
}

/// The names of an operation's query parameters, in their order.
fn query_parameters(document: &Value, operation: &Value) -> Vec<String> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let resolved = parameters.map(|parameter| resolved(document, parameter));
    resolved
        .filter(|parameter| parameter["in"] == "query")
        .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_route_takes_exactly_the_query_parameters_of_the_contract() {
    let api = document(API);
    let promised = operations(&api);
    for route in routes(true) {
        let place = format!("{} {}", route.method, route.path);
        let operation = promised.get(&(route.method.to_string(), route.path.to_owned()));
        match (route.parameters(), operation) {
            (Query::Only(names), Some(operation)) => assert_eq!(names, query_parameters(&api, operation), "{place}"),
            (Query::Only(_), None) => panic!("{place}: a page does not refuse parameters"),
            (Query::Any, Some(_)) => {
                let of_oauth = route.path.starts_with("/oauth/") || route.path.starts_with("/.well-known/oauth-");
                assert!(of_oauth, "{place} ignores parameters that it does not know");
            }
            (Query::Any, None) => {}
        }
    }
}

/// A response may be named where it is used, in this document or the other one, or written out.
fn resolved(document: &Value, response: &Value) -> Value {
    let Some(name) = response["$ref"].as_str() else { return response.clone() };
    let (file, pointer) = name.split_once('#').unwrap();
    let other = (!file.is_empty()).then(|| self::document(file));
    other.as_ref().unwrap_or(document).pointer(pointer).unwrap_or_else(|| panic!("{name}")).clone()
}

#[test]
fn every_answer_lists_the_headers_that_every_answer_has() {
    let mut seen = 0;
    for document in [document(API), document(PAGES)] {
        for ((method, path), operation) in operations(&document) {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let headers = &resolved(&document, response)["headers"];
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
fn every_operation_lists_what_the_gate_answers() {
    let (mut promised, pages) = (operations(&document(API)), operations(&document(PAGES)));
    promised.extend(pages);
    for route in routes(true) {
        let operation = &promised[&(route.method.to_string(), route.path.to_owned())];
        let mut statuses = vec!["400", "403", "500", "504"];
        if !route.is_public() {
            statuses.push("401");
        }
        if !route.is_unlimited() {
            statuses.extend(["429", "503"]);
        }
        if operation["requestBody"].is_object() {
            statuses.push("413");
        }
        if operation["requestBody"]["content"]["application/json"].is_object() {
            statuses.push("415");
        }
        for status in statuses {
            assert!(operation["responses"][status].is_object(), "{} {} lists no {status}", route.method, route.path);
        }
    }
}

#[test]
fn outside_the_sandbox_its_controls_are_not_there() {
    assert!(routes(false).iter().all(|route| !route.path.starts_with("/sandbox") && route.path != "/"));
}

#[test]
fn every_enumeration_of_the_contract_has_the_values_of_the_service() {
    let contract = contract();
    let listed = |name: &str| -> BTreeSet<String> {
        let values = contract["components"]["schemas"][name]["enum"].as_array().unwrap_or_else(|| panic!("{name}"));
        values.iter().map(|value| value.as_str().unwrap().to_owned()).collect()
    };
    macro_rules! same {
        ($($name:literal: $type:ty),*) => {
            $(assert_eq!(listed($name), <$type>::ALL.iter().map(|value| value.as_str().to_owned()).collect(), $name);)*
        };
    }
    same!(
        "KnownErrorCode": ErrorCode, "KnownSyncErrorCode": SyncErrorCode, "KnownSyncStatus": SyncStatus,
        "KnownSessionStatus": SessionStatus, "KnownConnectionStatus": ConnectionStatus, "KnownEventType": EventType,
        "KnownMfaEventType": MfaEventType, "KnownSyncStartedStatus": SyncStartedStatus, "ConnectMode": ConnectMode
    );
}

#[test]
fn a_response_lists_the_codes_of_its_status_and_no_others() {
    let contract = contract();
    let mut unused: BTreeSet<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    for ((method, path), operation) in operations(&contract) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = resolved(&contract, response);
            for code in response["x-codes"].as_array().into_iter().flatten() {
                let code: ErrorCode = code.as_str().unwrap().parse().unwrap();
                assert_eq!(code.http_status().to_string(), *status, "{method} {path}: {code}");
                unused.remove(code.as_str());
            }
        }
    }
    // Of what is not in the contract, and of a page.
    assert_eq!(unused, BTreeSet::from(["METHOD_NOT_ALLOWED", "USER_ALREADY_BOUND"]));
}

#[test]
fn every_test_that_the_interface_table_names_is_there() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{root}/docs/dev/interface.md")).unwrap();
    let mut named = 0;
    assert!(!page.contains("\n|"), "a table, where a list is read");
    for row in page.lines().filter(|line| line.starts_with("- ")) {
        let quoted = row.split('`').skip(1).step_by(2);
        let tests: Vec<&str> = quoted.filter(|text| text.contains(".rs: ") || text.contains(".js: ")).collect();
        assert!(!tests.is_empty(), "no test in: {row}");
        for test in tests {
            let (file, function) = test.split_once(": ").unwrap();
            let folder = if file.contains('/') { "" } else { "crates/service/tests/service/" };
            let text = std::fs::read_to_string(format!("{root}/{folder}{file}")).unwrap_or_else(|_| panic!("{file}"));
            assert!(text.contains(function), "{file} has no {function}");
            named += 1;
        }
    }
    assert!(named > 50);
}
