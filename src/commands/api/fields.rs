//! Fields of a request, and bodies from files.

use std::io::Read as _;
use std::path::Path;

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::errors::{Error, Result, codes};
use crate::input;

/// More than the service takes.
const MAX: u64 = 16 << 20;

#[derive(Debug, PartialEq)]
pub(super) struct Field {
    name: String,
    /// As a query has it.
    text: String,
    /// As a body has it, if that is not the text.
    value: Option<Value>,
}

impl Field {
    /// `KEY=VALUE`, the value a text.
    pub(super) fn raw(text: &str) -> Result<Self> {
        let (name, value) = split(text)?;
        Ok(Self { name: name.to_owned(), text: value.to_owned(), value: None })
    }

    /// `KEY=VALUE`. A value that is JSON is sent as that: `true`, `false`, `null`, a number as it was typed, an object, an
    /// array. `@FILE` is read, and is a text; so is everything else, quoted texts included.
    pub(super) fn typed(text: &str) -> Result<Self> {
        let (name, value) = split(text)?;
        let name = name.to_owned();
        if let Some(path) = value.strip_prefix('@') {
            let text = String::from_utf8(read(Path::new(path))?.to_vec())
                .map_err(|_| Error::usage(format!("{path} is no text.")))?;
            return Ok(Self { name, text: text.trim_end_matches(['\r', '\n']).to_owned(), value: None });
        }
        let json = serde_json::from_str::<Value>(value).ok().filter(|json| !json.is_string());
        Ok(Self { name, text: value.to_owned(), value: json })
    }

    /// For a query.
    pub(super) fn into_text(self) -> (String, String) {
        (self.name, self.text)
    }

    /// For a body.
    fn into_value(self) -> (String, Value) {
        (self.name, self.value.unwrap_or(Value::String(self.text)))
    }
}

fn split(text: &str) -> Result<(&str, &str)> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name, value)),
        // What was given may be half a secret.
        _ => Err(Error::usage("A field is KEY=VALUE.").hint("-f name=text, or -F count=5 where JSON is meant")),
    }
}

/// A JSON object of the fields.
pub(super) fn body(fields: Vec<Field>) -> Result<Bytes> {
    let object: Map<String, Value> = fields.into_iter().map(Field::into_value).collect();
    serde_json::to_vec(&object)
        .map(Bytes::from)
        .map_err(|why| Error::of(&codes::command::FAULT, format!("The request cannot be written: {why}.")))
}

/// Reads a file, or standard input for `-`.
pub(super) fn read(path: &Path) -> Result<Bytes> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        input::stdin()?.take(MAX + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX + 1).read_to_end(&mut bytes))
    };
    match read {
        Ok(length) if length as u64 > MAX => {
            Err(Error::usage(format!("{} is larger than any request may be.", path.display())))
        }
        Ok(_) => Ok(bytes.into()),
        Err(why) => Err(Error::file("read", path, &why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_fields_are_json_where_they_look_like_it() {
        let typed = |text: &str| Field::typed(text).map(|field| field.into_value().1.to_string()).expect("field");
        assert_eq!(typed("a=true"), "true");
        assert_eq!(typed("a=null"), "null");
        assert_eq!(typed("a=5"), "5");
        assert_eq!(typed("a=1430.710"), "1430.710");
        assert_eq!(typed("a=12345678901234567890123"), "12345678901234567890123");
        assert_eq!(typed("a=05"), "\"05\"");
        assert_eq!(typed("a=+15550100"), "\"+15550100\"");
        assert_eq!(typed("a={}"), "{}");
        assert_eq!(typed("a={ \"b\": [1.50, null] }"), r#"{"b":[1.50,null]}"#);
        assert_eq!(typed("a=[1"), "\"[1\"");
        assert_eq!(typed("a=\"b\""), r#""\"b\"""#);
        assert_eq!(Field::typed("a={ }").expect("field").into_text().1, "{ }");
        assert_eq!(typed("a=b=c"), "\"b=c\"");
        assert_eq!(Field::raw("a=5").expect("field").into_value().1.to_string(), "\"5\"");
        for bad in ["a", "=b", ""] {
            assert!(Field::typed(bad).is_err() && Field::raw(bad).is_err(), "{bad}");
        }
    }
}
