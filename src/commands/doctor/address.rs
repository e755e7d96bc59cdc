//! The way to a service: proxy, name, connection, TLS, and whether it is the service that answers.

use std::net::SocketAddr;

use bytes::BytesMut;
use chrono::{DateTime, Utc};
use hyper_util::client::proxy::matcher::Matcher;
use ordersync_api::{List, Retailer};
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, DATE, HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::json;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use url::{Host, Url};

use super::{Check, CheckReport, PATIENCE, tls};
use crate::client::endpoints::Operation;
use crate::client::{api_error, http, redact};
use crate::config::Remote;
use crate::context::Context;
use crate::errors::codes::network::SET_CLOCK;
use crate::errors::{Advice, Exit, Hint, Result, transport};
use crate::net::is_loopback;

/// The most that is read of an answer.
const MAX_ANSWER: usize = 4 << 20;
/// If the clocks differ by more, tokens look expired to one of the two.
const FAR: i64 = 300;
/// The command that shows the address, and where it comes from.
const GET_ADDRESS: &str = "ordersync config get base_url";
/// Worth a word.
const NOTICEABLE: i64 = 30;

/// Goes the way step by step, and says whether the service answers at its end.
pub(super) async fn check(context: &Context, remote: &Remote, report: &mut CheckReport) -> Result<bool> {
    let base = &remote.base_url.value;
    let Hop { host, port, is_proxy } = first_hop(base);
    report.add(Check::ok(
        "proxy",
        if is_proxy { format!("{host}:{port} (from HTTPS_PROXY or the system)") } else { "none".to_owned() },
    ))?;
    let addresses = match resolve(&host, port).await {
        Ok(addresses) => addresses,
        Err(why) => {
            let check = format!("Check the address (it comes from {})", remote.base_url.origin);
            let hints =
                [Hint::run(check, GET_ADDRESS), Hint::run("Is there a network?", format!("getent hosts {host}"))];
            report.add(Check::failed("dns", Exit::Network, format!("{host} has no address: {why}")).hint(hints))?;
            return skip(report, &["connection", "tls", "service", "request-id", "clock"], "the name has no address");
        }
    };
    report.add(Check::ok("dns", list(&host, &addresses)))?;
    if let Err(why) = connect(&addresses).await {
        let hint = if is_proxy {
            Hint::run("That is the proxy. Correct HTTPS_PROXY, or leave it out for this service", "NO_PROXY=HOST")
        } else if is_loopback(base) {
            Hint::run("Start a service there", format!("ordersync serve --sandbox --listen {host}:{port}"))
        } else {
            Hint::say("Is the address right, and does a firewall let it through? A proxy is named in HTTPS_PROXY.")
        };
        report.add(
            Check::failed("connection", Exit::Network, format!("nothing answers at {host}:{port}: {why}")).hint(hint),
        )?;
        return skip(report, &["tls", "service", "request-id", "clock"], "there is no connection");
    }
    report.add(Check::ok("connection", format!("{host}:{port} answers")))?;
    ask(context, remote, report).await
}

fn skip(report: &mut CheckReport, checks: &[&'static str], why: &str) -> Result<bool> {
    for check in checks {
        report.add(Check::skipped(check, why))?;
    }
    Ok(false)
}

/// Where a connection goes first.
struct Hop {
    host: String,
    port: u16,
    is_proxy: bool,
}

/// To the service, or to the proxy before it, as requests will find it.
fn first_hop(base: &Url) -> Hop {
    let intercept = match (is_loopback(base), base.as_str().parse()) {
        (false, Ok(uri)) => Matcher::from_system().intercept(&uri),
        _ => None,
    };
    let Some(uri) = intercept.as_ref().map(|intercept| intercept.uri()) else {
        return Hop { host: host(base), port: base.port_or_known_default().unwrap_or(443), is_proxy: false };
    };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    Hop { host, port, is_proxy: true }
}

fn host(base: &Url) -> String {
    match base.host() {
        // Without the brackets.
        Some(Host::Ipv6(address)) => address.to_string(),
        Some(host) => host.to_string(),
        None => String::new(),
    }
}

async fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
    match timeout(PATIENCE, lookup_host((host, port))).await {
        Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
        Ok(Err(why)) => Err(why.to_string()),
        Ok(Ok(addresses)) => {
            let addresses: Vec<SocketAddr> = addresses.collect();
            if addresses.is_empty() { Err("the answer is empty".to_owned()) } else { Ok(addresses) }
        }
    }
}

fn list(host: &str, addresses: &[SocketAddr]) -> String {
    let mut texts: Vec<String> = addresses.iter().map(|address| address.ip().to_string()).collect();
    texts.dedup();
    if texts.iter().all(|text| text == host) {
        format!("no lookup needed: {host} is an address")
    } else {
        format!("{host} is {}", texts.join(", "))
    }
}

async fn connect(addresses: &[SocketAddr]) -> Result<(), String> {
    let mut last = String::new();
    let all = async {
        for address in addresses {
            match TcpStream::connect(address).await {
                Ok(_) => return true,
                Err(why) => last = why.to_string(),
            }
        }
        false
    };
    match timeout(PATIENCE, all).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(last),
        Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
    }
}

/// One public request checks TLS, the service, and its clock.
async fn ask(context: &Context, remote: &Remote, report: &mut CheckReport) -> Result<bool> {
    let base = &remote.base_url.value;
    let is_https = base.scheme() == "https";
    let url = remote.endpoints.url(base, Operation::RetailersList, &[])?;
    let client = match http::built(http::builder(base).tls_info(true)) {
        Ok(client) => client,
        Err(error) => {
            report.add(Check::of_error("tls", &error))?;
            return skip(report, &["service", "request-id", "clock"], "no connection can be made");
        }
    };
    let sent = client.get(url).header(ACCEPT, "application/json").timeout(PATIENCE * 2).send().await;
    let response = match sent {
        Ok(response) => response,
        Err(error) => {
            match tls::failure(&error, base).filter(|_| is_https) {
                Some(check) => {
                    report.add(check)?;
                    return skip(report, &["service", "request-id", "clock"], "there is no TLS connection");
                }
                None => {
                    let why = transport::cause(&error);
                    report.add(Check::skipped("tls", "no answer came"))?;
                    report.add(
                        Check::failed("service", Exit::Network, format!("no answer to GET /sync/retailers: {why}"))
                            .hint(Hint::run("See more", context.command("retailers -vv"))),
                    )?;
                }
            }
            return skip(report, &["request-id", "clock"], "no answer came");
        }
    };
    report.add(if is_https {
        let info = response.extensions().get::<reqwest::tls::TlsInfo>();
        tls::success(info.and_then(reqwest::tls::TlsInfo::peer_certificate), crate::clock::now())
    } else {
        Check::ok("tls", "not needed: plain http on this machine")
    })?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = read(response).await;
    let judged = judge(status, &headers, &body, base);
    let is_service = judged.status == crate::commands::shared::diagnostics::CheckStatus::Ok;
    report.add(judged)?;
    if !is_service {
        skip(report, &["request-id", "clock"], "the service does not answer as it should")?;
        return Ok(false);
    }
    report.add(match headers.get("x-request-id").and_then(|id| id.to_str().ok()) {
        Some(id) => Check::ok("request-id", id),
        None => {
            Check::warning("request-id", "the service sends no X-Request-Id, so a failure cannot be found in its log")
                .hint("A proxy may remove it: tell the operator of the service.")
        }
    })?;
    report.add(clock(&headers, crate::clock::now()))?;
    Ok(true)
}

/// As much as came of the body: a truncated body is not valid JSON, and is reported as such.
async fn read(mut response: reqwest::Response) -> BytesMut {
    let mut body = BytesMut::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ANSWER {
            break;
        }
    }
    body
}

fn judge(status: StatusCode, headers: &HeaderMap, body: &[u8], base: &Url) -> Check {
    let failed = |exit, text: String, advice: Advice| Check::failed("service", exit, text).hint(advice);
    let check_address = || Hint::run("Check the address", GET_ADDRESS);
    let text = |name| headers.get(name).and_then(|value: &reqwest::header::HeaderValue| value.to_str().ok());
    if api_error::is_html(headers, body) {
        return failed(
            Exit::Network,
            format!(
                "a web page answers ({status}): a network that wants a sign-in (hotel, train), a proxy, or another site"
            ),
            [
                Hint::say(format!("Open {base} in a browser; if a network's sign-in page comes, sign in there.")),
                Hint::run("Else check the address", GET_ADDRESS),
            ]
            .into(),
        );
    }
    match status.as_u16() {
        200 => match serde_json::from_slice::<List<Retailer>>(body) {
            Ok(retailers) => {
                Check::ok("service", format!("it is the service: GET /sync/retailers lists {}", retailers.0.len()))
            }
            Err(why) => failed(
                Exit::Failed,
                format!("the answer to GET /sync/retailers is no list of retailers: {why}"),
                check_address().into(),
            ),
        },
        300..=399 => failed(
            Exit::Failed,
            format!(
                "{status}, a redirect to {}, which is not followed",
                text(LOCATION).map(redact::address).unwrap_or_default()
            ),
            "Give the address that it leads to with --base-url, if you trust it.".into(),
        ),
        407 => failed(
            Exit::Network,
            "the proxy wants a user and a password".into(),
            "Give them in HTTPS_PROXY: http://USER:PASSWORD@HOST:PORT".into(),
        ),
        429 => Check::warning("service", "it answers, but no request is left for now")
            .hint(format!("Try again in {} s.", text(RETRY_AFTER).unwrap_or("60"))),
        502..=504 => {
            failed(Exit::Network, format!("{status}: the service is down or overloaded"), "Try again later.".into())
        }
        _ => failed(Exit::Failed, format!("GET /sync/retailers was answered with {status}"), check_address().into()),
    }
}

/// A `Date` has whole seconds, and the answer took a moment.
fn clock(headers: &HeaderMap, now: DateTime<Utc>) -> Check {
    let date = headers.get(DATE).and_then(|date| DateTime::parse_from_rfc2822(date.to_str().ok()?).ok());
    let Some(date) = date else { return Check::skipped("clock", "the service sends no Date header") };
    let ahead = (now - date.to_utc()).num_seconds();
    let details = json!({ "aheadSeconds": ahead });
    if ahead.abs() <= NOTICEABLE {
        return Check::ok("clock", "this machine and the service agree").details(details);
    }
    let direction = if ahead > 0 { "ahead of" } else { "behind" };
    let text = format!("this machine's clock is {} s {direction} the service's", ahead.abs());
    let check = if ahead.abs() > FAR {
        Check::failed("clock", Exit::Failed, format!("{text}: tokens look expired, or are used when they are"))
    } else {
        Check::warning("clock", text)
    };
    check
        .hint([Hint::run("See which is wrong", "date -u"), Hint::run("Let the network set it", SET_CLOCK)])
        .details(details)
}
