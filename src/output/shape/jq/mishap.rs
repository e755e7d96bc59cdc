//! Why a filter failed, with the value that it failed on: `cannot index array with "foo"`, `cannot parse "Lamp" as number`.

use jaq_core::Error;
use jaq_json::Val;

/// The most that is shown of a value within a message, in characters.
const LONGEST_VALUE: usize = 100;
/// The most that is shown of a message of the filter's own, in characters.
const LONGEST: usize = 1000;

/// The reason as a clause.
pub(super) fn told(error: Error<Val>) -> String {
    // The library keeps words and values apart, but formats them only together. This format pads and cuts the words, so
    // that each becomes a NUL. Values are not cut, and contain no NUL, since control characters in them are escaped.
    let marked = format!("{error:\0<1.0}");
    if !marked.starts_with('\0') {
        return short(&text(&error.into_val()), LONGEST);
    }
    let mut told = String::new();
    let all = error.to_string();
    let mut rest = all.as_str();
    for value in marked.split('\0').filter(|value| !value.is_empty()) {
        let Some((words, after)) = rest.split_once(value) else { break };
        told.push_str(words);
        // Of an array or object, whose type says enough, the beginning would not help.
        match value.as_bytes().first() {
            Some(b'[') => told.push_str("array"),
            Some(b'{') => told.push_str("object"),
            _ => told.push_str(&short(value, LONGEST_VALUE)),
        }
        rest = after;
    }
    told + rest
}

/// A string without its quotes; any other value as JSON.
pub(super) fn text(value: &Val) -> String {
    match value {
        Val::TStr(text) => String::from_utf8_lossy(text).trim_end_matches('\n').to_owned(),
        value => value.to_string(),
    }
}

/// The beginning of a text, if it is long.
fn short(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The beginning of a message, if it is long.
pub(super) fn message(text: &str) -> String {
    short(text, LONGEST)
}
