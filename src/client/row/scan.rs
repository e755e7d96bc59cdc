//! The fast path for a page: reads the flat JSON that a service usually sends in one pass, without copying. Anything
//! else is left to the JSON library, which reads it or reports what is wrong.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{Cells, Column, Row};

/// The rows of a bare array of flat objects. `None`: this is something else, or this path cannot recognise it.
pub(super) fn rows(page: &str) -> Option<Vec<Row<'_>>> {
    if has_control(page) {
        return None;
    }
    let mut rows = Vec::with_capacity(page.len() / 400);
    let mut rest = page.strip_prefix('[')?;
    if rest == "]" {
        return Some(rows);
    }
    loop {
        rows.push(Row::new("", Cells::default()));
        let after = rows.last_mut()?.fill(rest)?;
        match after.as_bytes() {
            [b',', ..] => rest = after.get(1..)?,
            [b']'] => return Some(rows),
            _ => return None,
        }
    }
}

/// Whether there are control characters: valid JSON needs none between values, and allows none in strings.
fn has_control(text: &str) -> bool {
    // Scanning everything, many bytes at once, is faster than stopping early.
    text.bytes().fold(u8::MAX, u8::min) < b' '
}

/// A flat object with nothing after it. `None`: this is something else, or this path cannot recognise it.
pub(super) fn row(text: &str) -> Option<Row<'_>> {
    let mut row = Row::new("", Cells::default());
    (!has_control(text) && row.fill(text)?.is_empty()).then_some(row)
}

impl<'a> Row<'a> {
    /// Reads an object, and returns what follows it.
    fn fill(&mut self, text: &'a str) -> Option<&'a str> {
        let mut rest = text.strip_prefix('{')?;
        let mut expected = 0;
        loop {
            // Fields usually arrive in the order of [`Column::ALL`].
            let in_order =
                Column::ALL.get(expected).and_then(|column| Some((*column, rest.strip_prefix(column.key())?)));
            let (column, after) = match in_order {
                Some((column, after)) => (Some(column), after),
                None => {
                    let Text { inside, has_escapes: false, after } = string(rest)? else { return None };
                    (Column::named(inside), after.strip_prefix(':')?)
                }
            };
            expected = column.map_or(expected, |column| column as usize + 1);
            let (cell, after) = value(after)?;
            if let Some(column) = column {
                self.cells.set(column, cell);
            }
            match after.as_bytes() {
                [b',', ..] => rest = after.get(1..)?,
                [b'}', ..] => {
                    let after = after.get(1..)?;
                    self.raw = text.get(..text.len() - after.len())?;
                    return Some(after);
                }
                _ => return None,
            }
        }
    }
}

/// A string: its content with escapes unresolved, and what follows it.
struct Text<'a> {
    inside: &'a str,
    has_escapes: bool,
    after: &'a str,
}

fn string(text: &str) -> Option<Text<'_>> {
    let inside = text.strip_prefix('"')?;
    let (mut from, mut has_escapes) = (0, false);
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', inside.as_bytes().get(from..)?)?;
        if inside.as_bytes().get(at) == Some(&b'"') {
            return Some(Text { inside: inside.get(..at)?, has_escapes, after: inside.get(at + 1..)? });
        }
        (from, has_escapes) = (at + 2, true);
    }
}

fn value(text: &str) -> Option<(Option<Cow<'_, str>>, &str)> {
    if text.starts_with('[') {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        let list = values.next()?.ok()?.get();
        return Some((Some(Cow::Borrowed(list)), text.get(values.byte_offset()..)?));
    }
    if text.starts_with('"') {
        let Text { inside, has_escapes, after } = string(text)?;
        let cell = if has_escapes {
            Cow::Owned(serde_json::from_str(text.get(..inside.len() + 2)?).ok()?)
        } else {
            Cow::Borrowed(inside)
        };
        return Some((Some(cell), after));
    }
    if let Some(after) = text.strip_prefix("null") {
        return Some((None, after));
    }
    let (number, after) = text.split_at(number(text.as_bytes())?);
    Some((Some(Cow::Borrowed(number)), after))
}

/// The length of the number at the start (RFC 8259 §6), without an exponent.
fn number(text: &[u8]) -> Option<usize> {
    let digits =
        |from: usize| text.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(text.first() == Some(&b'-'));
    let whole = digits(sign);
    if whole == 0 || (whole > 1 && text.get(sign) == Some(&b'0')) {
        return None;
    }
    let mut end = sign + whole;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if fraction == 0 {
            return None;
        }
        end += 1 + fraction;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(page: &str) -> Option<Vec<Vec<Option<String>>>> {
        let of = |row: &Row<'_>| Column::ALL.iter().map(|column| row.text(*column).map(str::to_owned)).collect();
        rows(page).map(|rows| rows.iter().map(of).collect())
    }

    fn read_slowly(page: &str) -> Option<Vec<Vec<Option<String>>>> {
        let items: Vec<Box<serde_json::value::RawValue>> = serde_json::from_str(page).ok()?;
        let of = |row: Row<'_>| Column::ALL.iter().map(|column| row.text(*column).map(str::to_owned)).collect();
        items.iter().map(|item| Row::read_any(item.get()).ok().map(of)).collect()
    }

    #[test]
    fn what_is_no_flat_json_is_left_to_the_library() {
        let whole = r#"[{"id":"a","price":-1.50,"itemName":"27\" \u00fc \\","new":7,"brandName":null,"mismatch":[{"check":"a]}"},1e5]},{"price":0,"id":"b"}]"#;
        assert_eq!(rows(whole).expect("flat")[1].raw(), r#"{"price":0,"id":"b"}"#);
        assert_eq!(read(whole), read_slowly(whole));
        assert_eq!(read("[]"), Some(vec![]));
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]), None, "{}", &whole[..end]);
        }
        for other in [
            "[1]",
            "{}",
            "[{}]",
            "[{\"id\":1},]",
            "[{\"id\":01}]",
            "[{\"id\":1.}]",
            "[{\"id\":1}] ",
            "[{\"id\":[}]",
            "[{\"id\":{}}]",
            "[{\"id\":\"\\x\"}]",
            "[{\"id\":\"a\nb\"}]",
            "[{\"i\\u0064\":1}]",
            "[{\"id\":true}]",
            "[{\"id\":1e5}]",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn both_ways_read_the_same(
            texts in prop::collection::vec((any::<String>(), any::<Option<String>>(), "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,9})?"), 0..5),
            cut in any::<prop::sample::Index>(),
            put in prop::sample::select(vec!["", "\"", "\\", "{", "}", ",", ":", "0", "-", "null", "\u{1}", "ü"]),
        ) {
            let item = |(id, name, price): &(String, Option<String>, String)| {
                let price: Value = serde_json::from_str(price).expect("a number");
                json!({"id": id, "itemName": name, "price": price, "unknown": id})
            };
            let mut page = Value::from(texts.iter().map(item).collect::<Vec<_>>()).to_string();
            prop_assert_eq!(read(&page), read_slowly(&page));
            let at = (0..=cut.index(page.len() + 1)).rev().find(|at| page.is_char_boundary(*at)).unwrap_or(0);
            page.insert_str(at, put);
            // A corrupted page is either refused or read exactly as by the library.
            if let Some(read) = read(&page) {
                prop_assert_eq!(Some(read), read_slowly(&page));
            }
        }
    }
}
