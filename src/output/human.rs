//! Values for people: times in the local zone, amounts with their currency. The other output formats have the exact
//! values.

use chrono::{DateTime, Local, Utc};
use ordersync_api::{Open, Timestamp};
use serde_json::Value;

use crate::time_zone::TimeZone;

/// A point in time, in the local zone, to the minute.
pub(crate) fn time(at: Option<&Open<Timestamp>>) -> String {
    known(at, |at| local(at, "%Y-%m-%d %H:%M"))
}

/// The same, to the second and with the zone.
pub(crate) fn time_with_zone(at: Option<&Open<Timestamp>>) -> String {
    known(at, full_time)
}

/// A time as it is written; what is none is shown as it is.
fn known(at: Option<&Open<Timestamp>>, written: impl FnOnce(DateTime<Utc>) -> String) -> String {
    match at {
        None => String::new(),
        Some(Open::Known(at)) => written(at.0),
        Some(Open::Other(text)) => text.clone(),
    }
}

/// A point in time, in the local zone, to the second and with the zone.
pub(crate) fn full_time(at: DateTime<Utc>) -> String {
    local(at, "%Y-%m-%d %H:%M:%S %:z")
}

/// The day of an order.
pub(crate) fn day(at: Option<&Open<Timestamp>>, zone: TimeZone) -> String {
    known(at, |at| zone.day(at).to_string())
}

/// An amount with its currency, every digit as received.
pub(crate) fn money(amount: Option<&impl ToString>, currency: Option<&str>) -> String {
    match (amount, currency) {
        (None, _) => String::new(),
        (Some(amount), None) => amount.to_string(),
        (Some(amount), Some(currency)) => format!("{} {currency}", amount.to_string()),
    }
}

/// Why a connection or a sync does not work, in words. An unknown code is shown with spaces for underscores.
pub(crate) fn reason(code: &str) -> String {
    let words = match code {
        "mfa_failed" => "wrong codes",
        "mfa_expired" => "code expired",
        "retailer_session_expired" => "sign-in expired",
        _ => return code.replace('_', " "),
    };
    words.to_owned()
}

/// A JSON value as text for a cell.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.len() >= 20 && text.contains('T') => match text.parse::<Timestamp>() {
            Ok(at) => local(at.0, "%Y-%m-%d %H:%M %:z"),
            Err(_) => text.clone(),
        },
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn local(at: DateTime<Utc>, format: &str) -> String {
    at.with_timezone(&Local).format(format).to_string()
}

/// A number of things, as `1 mail` or `2 mails`.
pub(crate) fn counted(count: u64, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

/// The end of a sentence about what is new: how many were there before.
pub(crate) fn there_already(count: u64) -> String {
    match count {
        0 => String::new(),
        1 => "; 1 was there already".to_owned(),
        count => format!("; {count} were there already"),
    }
}

pub(crate) fn items(count: u64) -> String {
    counted(count, "item")
}

/// A number of bytes, as `1.50 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}
