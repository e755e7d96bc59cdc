//! Why a filter failed, without the data that it processed: `cannot index array with "foo"`. Errors end up in logs, and
//! a user's purchases do not belong there.

use jaq_core::Error;
use jaq_json::Val;

/// Messages of our own definitions (`formats.jq`), which contain no data.
const OWN: [&str; 2] = ["cannot be formatted as ", "an array or object is no cell of "];
/// Beginnings of the library's messages, which data follow.
const LIBRARY: [&str; 3] = ["cannot parse ", "cannot convert ", "cannot use "];
/// Longer keys are left out, whatever their source.
const LONGEST_KEY: usize = 60;

/// The reason as a clause. `expression` is the filter, whose own words may be repeated.
pub(super) fn told(error: Error<Val>, expression: &str) -> String {
    // The library keeps words and values apart, but formats them only together. This format pads and cuts the words, so
    // that each becomes a NUL. Values are not cut, and contain no NUL, since control characters in them are escaped.
    let marked = format!("{error:\0<1.0}");
    if !marked.starts_with('\0') {
        return thrown(error, expression);
    }
    let mut told = String::new();
    let text = error.to_string();
    let mut rest = text.as_str();
    for value in marked.split('\0').filter(|value| !value.is_empty()) {
        let Some((words, after)) = rest.split_once(value) else { break };
        told.push_str(words);
        told.push_str(&about(value, !told.is_empty() && words == " with ", expression));
        rest = after;
    }
    told + rest
}

/// The type of a value. A key is repeated if it is part of the expression.
fn about(value: &str, is_key: bool, expression: &str) -> String {
    let bare = value.trim_matches('"');
    if is_key && bare.len() <= LONGEST_KEY && !bare.is_empty() && expression.contains(bare) {
        return value.to_owned();
    }
    match value.as_bytes().first() {
        Some(b'[') => "array",
        Some(b'{') => "object",
        Some(b'"') => "string",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        Some(b'b') => "bytes",
        _ => "number",
    }
    .to_owned()
}

/// The message that `error(…)` threw, or that the library threw as a string.
fn thrown(error: Error<Val>, expression: &str) -> String {
    let Val::TStr(text) = error.into_val() else { return "the filter threw a value that is no text".to_owned() };
    let text = String::from_utf8_lossy(&text);
    if OWN.iter().any(|own| text.starts_with(own)) || (!text.is_empty() && expression.contains(&*text)) {
        return text.trim_end_matches('.').to_owned();
    }
    match LIBRARY.iter().find(|begin| text.starts_with(**begin)) {
        Some(begin) => format!("{begin}a value (not shown)"),
        None => "the filter threw an error (its text is not shown: it may hold data)".to_owned(),
    }
}
