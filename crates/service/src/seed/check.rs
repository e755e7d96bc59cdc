//! Checks a seed file: everything that can be wrong in it is found before anything is stored.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use ordersync_api::order::AdjustmentType;
use ordersync_api::sandbox::{CLIENT, CLIENT_SECRET};
use ordersync_api::scope::parse_scopes;
use ordersync_api::share::EXTERNAL_USER_ID_LENGTH;
use ordersync_api::{Retailer, Scope, ShipmentStatus};
use rust_decimal::Decimal;
use sha2::{Digest as _, Sha256};
use toml::Value;
use url::Url;

use super::file::{self, Adjustment, Client, Connection, Item, Order, User};
use super::{OwnAccount, Seed, SeedClient, SeedConnection, SeedUser, State};
use crate::connector::simulated::{OwnAdjustment, OwnItem, OwnOrder, code_of, is_account, listed};
use crate::keys::token_digest;
use crate::known_clients::{COMMAND_LINE, LOCAL};
use crate::own_hosts::is_protected;
use crate::signin::otp::sandbox_phone;

/// What the secrets of a sandbox begin with.
const SECRET_PREFIX: &str = "ordersync_sandbox_cs_";
const SECRET_LENGTH: usize = 200;
const MOST_CLIENTS: usize = 100;
const MOST_ORDERS: usize = 10_000;
const MOST_ITEMS: usize = 500;
const TEXT_LENGTH: usize = 500;
/// The account that asks for a code, if a connection is to wait for one and names none.
const ASKS: &str = "user_mfa_enter";

type Checked<T> = Result<T, String>;

/// What is known while the users are checked.
struct Known {
    retailers: Vec<Retailer>,
    clients: HashSet<String>,
    today: NaiveDate,
    accounts: HashMap<(i64, String), Vec<OwnOrder>>,
    orders: usize,
    bound: HashSet<(String, String)>,
}

pub(super) fn seed(text: &str, now: DateTime<Utc>) -> Checked<Seed> {
    let file = file::parse(text)?;
    let today = file.today.as_ref().map(|value| at("today", day(value))).transpose()?;
    if let Some(day) = today.filter(|day| midnight(*day) > now) {
        return Err(format!("today: {day} has not begun in UTC; use {} or an earlier day", now.date_naive()));
    }
    if file.clients.len() > MOST_CLIENTS {
        return Err(format!("clients: there are {}; at most {MOST_CLIENTS} are allowed", file.clients.len()));
    }
    let clients = file.clients.iter().map(client).collect::<Checked<Vec<_>>>()?;
    let ids: HashSet<String> = clients.iter().map(|client| client.id.clone()).collect();
    if ids.len() < clients.len() {
        let mut seen = HashSet::new();
        let twice = clients.iter().find(|client| !seen.insert(&client.id)).map_or("", |client| &client.id);
        return Err(format!("client \"{twice}\": there are two of this id"));
    }
    let mut known = Known {
        retailers: listed(),
        clients: ids.into_iter().chain([CLIENT.to_owned(), COMMAND_LINE.to_owned()]).collect(),
        today: today.unwrap_or_else(|| now.date_naive()),
        accounts: HashMap::new(),
        orders: 0,
        bound: HashSet::new(),
    };
    // Own accounts first: a connection may name one of another user's.
    for user in &file.users {
        for (place, connection) in user.connections.iter().enumerate() {
            let place = place_of(user, place, connection);
            at(&place, own_account(&mut known, user, connection))?;
        }
    }
    let users = file.users.iter().map(|entry| user(&mut known, entry)).collect::<Checked<Vec<_>>>()?;
    let mut phones = HashSet::new();
    if let Some(twice) = users.iter().find(|user| !phones.insert(&user.phone)) {
        return Err(format!("user {}: there are two of this phone", twice.phone));
    }
    let mut accounts: Vec<OwnAccount> = known
        .accounts
        .into_iter()
        .map(|((retailer_id, username), orders)| OwnAccount { retailer_id, username, orders })
        .collect();
    accounts.sort_by(|one, other| (one.retailer_id, &one.username).cmp(&(other.retailer_id, &other.username)));
    Ok(Seed { digest: Sha256::digest(text).into(), today, clients, users, accounts })
}

/// Adds where it is to an error.
fn at<T>(place: &str, checked: Checked<T>) -> Checked<T> {
    checked.map_err(|message| format!("{place}: {message}"))
}

fn client(entry: &Client) -> Checked<SeedClient> {
    at(&format!("client \"{}\"", entry.id), checked_client(entry))
}

fn checked_client(entry: &Client) -> Checked<SeedClient> {
    let named = (1..=100).contains(&entry.id.len())
        && entry.id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if !named {
        return Err("id: use 1 to 100 letters, digits, dots, hyphens and underscores".into());
    }
    if [CLIENT, COMMAND_LINE, LOCAL].contains(&&*entry.id) {
        return Err("id: this client exists in every sandbox; choose another id".into());
    }
    if entry.public && entry.secret.is_some() {
        return Err("secret: a public client has none; remove secret or public".into());
    }
    let secret = entry.secret.as_deref().unwrap_or(CLIENT_SECRET);
    let is_secret = secret.len() > SECRET_PREFIX.len()
        && secret.len() <= SECRET_LENGTH
        && secret.starts_with(SECRET_PREFIX)
        && secret.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_secret {
        return Err(format!(
            "secret: begin it with {SECRET_PREFIX}, so that nobody mistakes it for a real one; at most {SECRET_LENGTH} visible ASCII characters"
        ));
    }
    for (key, uris) in [("redirect_uris", &entry.redirect_uris), ("return_urls", &entry.return_urls)] {
        for uri in uris {
            if !Url::parse(uri).is_ok_and(|url| url.fragment().is_none() && is_protected(&url)) {
                return Err(format!("{key}: \"{uri}\" has to be https, or http on 127.0.0.1 or [::1]"));
            }
        }
    }
    for origin in &entry.frame_ancestors {
        if !Url::parse(origin).is_ok_and(|url| is_protected(&url) && url.origin().ascii_serialization() == *origin) {
            return Err(format!("frame_ancestors: \"{origin}\" is no origin: write it as https://app.example"));
        }
    }
    let scopes = match &entry.scopes {
        Some(text) => parse_scopes(text).map_err(|why| format!("scopes: {why}"))?,
        None => Scope::ALL.to_vec(),
    };
    if scopes.is_empty() {
        return Err("scopes: a client needs at least one".into());
    }
    let requests_per_minute = match entry.requests_per_minute {
        Some(number) => Some(NonZeroU32::new(number).ok_or("requests_per_minute: give at least 1")?),
        None => None,
    };
    Ok(SeedClient {
        id: entry.id.clone(),
        name: text("name", entry.name.as_deref().unwrap_or(&entry.id), 100)?,
        secret_digest: (!entry.public).then(|| token_digest(secret)),
        redirect_uris: entry.redirect_uris.clone(),
        return_urls: entry.return_urls.clone(),
        frame_ancestors: entry.frame_ancestors.clone(),
        scopes,
        requests_per_minute,
    })
}

fn user(known: &mut Known, entry: &User) -> Checked<SeedUser> {
    let place = format!("user {}", entry.phone);
    if sandbox_phone(&entry.phone).is_none() {
        return Err(format!("{place}: phone: use one of the sandbox's numbers, +15550100 to +15550199"));
    }
    let name = entry.name.as_deref().map(|name| at(&place, text("name", name, 100))).transpose()?;
    let mut bindings = Vec::new();
    for binding in &entry.bindings {
        let external = binding.external_user_id.clone();
        if !(1..=EXTERNAL_USER_ID_LENGTH).contains(&external.chars().count()) {
            return Err(format!("{place}: bindings: external_user_id: use 1 to {EXTERNAL_USER_ID_LENGTH} characters"));
        }
        at(&format!("{place}: bindings: client"), known_client(known, &binding.client))?;
        if !known.bound.insert((binding.client.clone(), external.clone())) {
            return Err(format!("{place}: bindings: \"{external}\" of client \"{}\" is bound twice", binding.client));
        }
        bindings.push((binding.client.clone(), external));
    }
    let mut retailers = HashSet::new();
    let mut connections = Vec::new();
    for (number, connection) in entry.connections.iter().enumerate() {
        let place = place_of(entry, number, connection);
        let checked = at(&place, checked_connection(known, entry, connection))?;
        if !retailers.insert(checked.retailer_id) {
            return Err(format!("{place}: the user has another connection to this retailer"));
        }
        connections.push(checked);
    }
    Ok(SeedUser { phone: entry.phone.clone(), name, bindings, connections })
}

fn place_of(user: &User, number: usize, connection: &Connection) -> String {
    let retailer = match &connection.retailer {
        Value::String(name) => name.clone(),
        other => other.to_string(),
    };
    format!("user {}, connection {} ({retailer})", user.phone, number + 1)
}

fn known_client(known: &Known, id: &str) -> Checked<()> {
    if known.clients.contains(id) { Ok(()) } else { Err(format!("the file has no client \"{id}\"")) }
}

fn retailer<'a>(known: &'a Known, connection: &Connection) -> Checked<&'a Retailer> {
    let found = match &connection.retailer {
        Value::Integer(id) => known.retailers.iter().find(|retailer| retailer.retailer_id == *id),
        Value::String(name) => known.retailers.iter().find(|retailer| retailer.display_name.eq_ignore_ascii_case(name)),
        _ => return Err("retailer: give the id or the name of a simulated retailer".into()),
    };
    let found = found.ok_or("retailer: there is no simulated retailer of this id or name")?;
    if found.sync_config.server_side {
        Ok(found)
    } else {
        Err("retailer: this one is only listed and cannot be connected".into())
    }
}

/// The user name of a connection, in lower case.
fn account_of(user: &User, connection: &Connection) -> Checked<String> {
    let last4 = user.phone.get(user.phone.len().saturating_sub(4)..).unwrap_or_default();
    let name = match (&connection.account, &connection.orders) {
        (Some(name), _) => name.trim().to_lowercase(),
        (None, Some(_)) => format!("own_{last4}"),
        (None, None) if connection.state.as_deref() == Some("pending_mfa") => ASKS.to_owned(),
        (None, None) => return Err("account: give a user name such as \"user_good\", or orders".into()),
    };
    let fits = (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-@".contains(&byte));
    if fits { Ok(name) } else { Err("account: use 1 to 64 letters, digits and _ . - @".into()) }
}

fn own_account(known: &mut Known, user: &User, connection: &Connection) -> Checked<()> {
    let Some(orders) = &connection.orders else { return Ok(()) };
    let retailer_id = retailer(known, connection)?.retailer_id;
    let name = account_of(user, connection)?;
    if is_account(&name) {
        return Err(format!("account: \"{name}\" has the orders of every sandbox; give its own another name"));
    }
    known.orders += orders.len();
    if known.orders > MOST_ORDERS {
        return Err(format!("orders: at most {MOST_ORDERS} are allowed in a file"));
    }
    let mut ids = HashSet::new();
    let mut own = Vec::with_capacity(orders.len());
    for order in orders {
        let place = format!("order \"{}\"", order.id);
        let checked = at(&place, checked_order(known.today, order))?;
        if !ids.insert(&order.id) {
            return Err(format!("{place}: there are two of this id"));
        }
        own.push(checked);
    }
    if known.accounts.insert((retailer_id, name.clone()), own).is_some() {
        return Err(format!(
            "account: another connection gives \"{name}\" orders, too; name the account without orders"
        ));
    }
    Ok(())
}

fn checked_connection(known: &Known, user: &User, connection: &Connection) -> Checked<SeedConnection> {
    let retailer_id = retailer(known, connection)?.retailer_id;
    let account = account_of(user, connection)?;
    let is_own = known.accounts.contains_key(&(retailer_id, account.clone()));
    if !is_own && !is_account(&account) {
        return Err(format!(
            "account: no simulated retailer has \"{account}\", and no connection of the file gives it orders"
        ));
    }
    let state = match connection.state.as_deref() {
        None => None,
        Some("valid") => Some(State::Valid),
        Some("invalid") => Some(State::Invalid),
        Some("pending_mfa") if code_of(&account).is_some() => Some(State::PendingMfa),
        Some("pending_mfa") => {
            return Err(format!("state: \"{account}\" asks for no code; use {ASKS} or user_mfa_choose"));
        }
        Some(_) => return Err("state: use valid, invalid or pending_mfa".into()),
    };
    let mut shared_with = match &connection.shared_with {
        Some(clients) => clients.clone(),
        None => known.clients.iter().cloned().collect(),
    };
    shared_with.sort();
    for client in &shared_with {
        at("shared_with", known_client(known, client))?;
    }
    shared_with.dedup();
    if shared_with.is_empty() {
        return Err("shared_with: name at least one client; without the key, all of them see it".into());
    }
    Ok(SeedConnection { retailer_id, account, shared_with, state })
}

fn checked_order(today: NaiveDate, order: &Order) -> Checked<OwnOrder> {
    text("id", &order.id, 100)?;
    let placed_at = at("ordered", moment(&order.ordered, today))?;
    if placed_at > midnight(today) {
        return Err("ordered: this is after the beginning of the day of the seed".into());
    }
    if placed_at.timestamp() < 0 {
        return Err("ordered: this is before 1970".into());
    }
    let currency = order.currency.clone();
    if currency.as_ref().is_some_and(|code| code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_uppercase())) {
        return Err("currency: give an ISO 4217 code such as \"EUR\"".into());
    }
    if order.items.is_empty() || order.items.len() > MOST_ITEMS {
        return Err(format!("items: give 1 to {MOST_ITEMS}"));
    }
    let status = order.status.as_deref().map(status).transpose()?.unwrap_or(ShipmentStatus::Delivered);
    let items = order.items.iter().enumerate();
    let items = items.map(|(place, entry)| at(&format!("item {}", place + 1), item(entry, status)));
    Ok(OwnOrder {
        id: order.id.clone(),
        placed_at: placed_at.timestamp(),
        currency,
        total: order.total.as_ref().map(|value| at("total", decimal(value, 4))).transpose()?,
        items: items.collect::<Checked<_>>()?,
        adjustments: order.adjustments.iter().enumerate().map(adjustment).collect::<Checked<_>>()?,
    })
}

fn adjustment((place, entry): (usize, &Adjustment)) -> Checked<OwnAdjustment> {
    let place = format!("adjustment {}", place + 1);
    let kind = entry.kind.parse::<AdjustmentType>().map_err(|_| {
        let words = AdjustmentType::ALL.iter().map(|known| known.as_str()).collect::<Vec<_>>().join(", ");
        format!("{place}: type: use one of {words}")
    })?;
    let text = entry.text.as_deref().map(|value| at(&place, title("text", value))).transpose()?;
    Ok(OwnAdjustment { kind, amount: at(&place, at("amount", decimal(&entry.amount, 4)))?, text })
}

fn item(entry: &Item, of_order: ShipmentStatus) -> Checked<OwnItem> {
    let optional = |name: &str, value: &Option<String>| value.as_deref().map(|value| title(name, value)).transpose();
    let amount =
        |name: &str, value: &Option<Value>| value.as_ref().map(|value| at(name, decimal(value, 4))).transpose();
    let (price, line_total) = (amount("price", &entry.price)?, amount("line_total", &entry.line_total)?);
    if price.is_none() && line_total.is_none() {
        return Err("price: give one, or line_total".into());
    }
    let quantity =
        entry.quantity.as_ref().map_or_else(|| Ok("1".to_owned()), |value| at("quantity", decimal(value, 4)))?;
    Ok(OwnItem {
        name: title("name", &entry.name)?,
        brand: optional("brand", &entry.brand)?,
        department: optional("department", &entry.department)?,
        category: optional("category", &entry.category)?,
        sub_category: optional("sub_category", &entry.sub_category)?,
        sku: optional("sku", &entry.sku)?,
        quantity,
        price,
        line_total,
        status: entry.status.as_deref().map(status).transpose()?.unwrap_or(of_order),
    })
}

fn status(word: &str) -> Checked<ShipmentStatus> {
    word.parse().map_err(|_| {
        let words = ShipmentStatus::ALL.iter().map(|known| known.as_str()).collect::<Vec<_>>().join(", ");
        format!("status: use one of {words}")
    })
}

/// A text of a retailer's page, on which it may have several lines.
fn title(name: &str, value: &str) -> Checked<String> {
    let fits = (1..=TEXT_LENGTH).contains(&value.trim().chars().count())
        && !value.chars().any(|one| one.is_control() && !matches!(one, '\n' | '\r' | '\t'));
    if fits {
        Ok(value.trim().to_owned())
    } else {
        Err(format!("{name}: use 1 to {TEXT_LENGTH} characters, without control characters"))
    }
}

fn text(name: &str, value: &str, most: usize) -> Checked<String> {
    let fits = (1..=most).contains(&value.trim().chars().count()) && !value.chars().any(char::is_control);
    if fits {
        Ok(value.trim().to_owned())
    } else {
        Err(format!("{name}: use 1 to {most} characters, without line breaks"))
    }
}

/// An exact decimal: a text, or a whole number. A number with a point in TOML is binary.
fn decimal(value: &Value, most_places: u32) -> Checked<String> {
    const LARGEST: i64 = 1_000_000_000_000;
    let text = match value {
        Value::Integer(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return Err("write it as a text with a point, such as \"12.50\"".into()),
    };
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b".-".contains(&byte));
    let number = plain.then(|| Decimal::from_str_exact(&text).ok()).flatten();
    let number = number.ok_or("write it as a text with a point, such as \"12.50\"")?;
    if number.scale() > most_places || number.abs() > Decimal::from(LARGEST) {
        return Err(format!("use at most {most_places} decimals, and no more than {LARGEST}"));
    }
    Ok(number.to_string())
}

/// "-3d", a date (its midnight in UTC) or a date-time.
fn moment(value: &Value, today: NaiveDate) -> Checked<DateTime<Utc>> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Datetime(moment) => moment.to_string(),
        _ => return Err("write it as \"-3d\", \"2026-11-20\" or \"2026-11-20T13:50:00Z\"".into()),
    };
    if text == "today" {
        return Ok(midnight(today));
    }
    if let Some(days) = text.strip_prefix('-').and_then(|rest| rest.strip_suffix('d')) {
        let days = days.bytes().all(|byte| byte.is_ascii_digit()).then(|| days.parse::<u64>().ok()).flatten();
        let day = days.filter(|days| *days <= 36_500).and_then(|days| today.checked_sub_days(Days::new(days)));
        return day.map(midnight).ok_or_else(|| "give a number of days up to 36500, such as \"-3d\"".into());
    }
    if let Ok(day) = text.parse::<NaiveDate>() {
        return Ok(midnight(day));
    }
    let moment = DateTime::parse_from_rfc3339(&text);
    moment
        .map(|moment| moment.to_utc())
        .map_err(|_| "write it as \"-3d\", \"2026-11-20\" or \"2026-11-20T13:50:00Z\"".into())
}

fn day(value: &Value) -> Checked<NaiveDate> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Datetime(day) => day.to_string(),
        _ => String::new(),
    };
    let day = text.parse::<NaiveDate>().ok().filter(|day| midnight(*day).timestamp() > 0 && text.len() == 10);
    day.ok_or_else(|| "write a date such as \"2026-11-24\"".into())
}

pub(super) fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}
