//! Why a filter failed, without the data that it worked on: `cannot index array with "foo"`. An error ends up in logs, and
//! what a user bought does not belong there.

use jaq_core::Error;
use jaq_json::Val;

/// Texts of our own definitions (`formats.jq`), which hold no data.
const OWN: [&str; 2] = ["cannot be formatted as ", "an array or object is no cell of "];
/// Beginnings of the library's texts, behind which the data stand.
const LIBRARY: [&str; 3] = ["cannot parse ", "cannot convert ", "cannot use "];
/// A longer key is left out, whatever its source.
const LONGEST_KEY: usize = 60;

/// The reason in a clause; `expression` is the filter, whose own words may be repeated.
pub(super) fn told(error: Error<Val>, expression: &str) -> String {
    // The library keeps its words and the values apart, but shows them only together. Words are padded and cut, and so
    // become NULs here; values are not, and have none, since a control character in them is escaped.
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

/// What a value is; a key is repeated if it is the expression's.
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

/// What `error(…)` threw, or the library as a text.
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
