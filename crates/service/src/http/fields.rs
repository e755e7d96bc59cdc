//! The input of a request, read field by field, so that every error names its field.

use std::str::FromStr;

use axum::http::Uri;
use ordersync_api::exact;
pub(crate) use ordersync_api::exact::LARGEST_INTEGER as LARGEST;
use ordersync_api::open::UnknownWord;
use rust_decimal::prelude::ToPrimitive;
use serde_json::{Map, Number, Value};

use super::Problem;
use super::problem::shown;

/// The query of a request, or the form in its body. The gate refuses unknown parameters of a query; those of a form are
/// ignored.
#[derive(Clone)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    pub(crate) fn of(uri: &Uri) -> Self {
        Self::of_form(uri.query().unwrap_or_default().as_bytes())
    }

    /// The fields of a form (`application/x-www-form-urlencoded`).
    pub(crate) fn of_form(body: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(body).into_owned().collect())
    }

    /// The names of the parameters, in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The parameter's value, if it is given.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        let mut values = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let value = values.next();
        if values.next().is_some() {
            return Err(Problem::invalid(name, format!("The parameter {name} is given more than once.")));
        }
        Ok(value)
    }

    /// The parameter, parsed as a `T`; `what` describes the expected value for the error.
    pub(crate) fn read<T: FromStr>(&self, name: &str, what: &str) -> Result<Option<T>, Problem> {
        self.text(name)?
            .map(|text| {
                text.parse()
                    .map_err(|_| Problem::invalid(name, format!("{name} has to be {what}, not \"{}\".", shown(text))))
            })
            .transpose()
    }

    /// The parameter as a retailer's number.
    pub(crate) fn retailer(&self, name: &str) -> Result<Option<i64>, Problem> {
        match self.read(name, "a retailer's whole number")? {
            Some(number) if !(-LARGEST..=LARGEST).contains(&number) => Err(too_large(name)),
            read => Ok(read),
        }
    }

    /// The parameter as one of an enumeration's words.
    pub(crate) fn word<T: FromStr<Err = UnknownWord>>(&self, name: &str) -> Result<Option<T>, Problem> {
        self.text(name)?.map(|text| text.parse().map_err(|why| unknown_word(name, why))).transpose()
    }
}

/// The JSON object in a request's body. Unknown fields are ignored unless [`Fields::only`] refuses them.
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Problem> {
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(Problem::invalid("body", "The body has to be a JSON object.")),
            // Report line and column, but never the text, which may be a secret.
            Err(error) => {
                let at = format!("line {} column {}", error.line(), error.column());
                Err(Problem::invalid("body", format!("The body is not valid JSON ({at}).")))
            }
        }
    }

    /// Refuses all other fields: a sandbox control with a misspelt field should not appear to work.
    pub(crate) fn only(&self, names: &[&str]) -> Result<(), Problem> {
        match self.0.keys().find(|name| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => {
                let name = shown(name);
                Err(Problem::invalid(&name, format!("There is no field \"{name}\" here.")))
            }
        }
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str, Problem> {
        self.optional_text(name)?.ok_or_else(|| missing(name))
    }

    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&str>, Problem> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.contains('\0') => {
                Err(Problem::invalid(name, format!("{name} has a NUL character, which no text may have.")))
            }
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Problem::invalid(name, format!("{name} has to be text."))),
        }
    }

    pub(crate) fn integer(&self, name: &str) -> Result<i64, Problem> {
        let number = match self.0.get(name) {
            None | Some(Value::Null) => return Err(missing(name)),
            Some(Value::Number(number)) => whole(number),
            Some(_) => None,
        }
        .ok_or_else(|| Problem::invalid(name, format!("{name} has to be a whole number.")))?;
        if (-LARGEST..=LARGEST).contains(&number) { Ok(number) } else { Err(too_large(name)) }
    }

    pub(crate) fn optional_integer(&self, name: &str) -> Result<Option<i64>, Problem> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.integer(name).map(Some),
        }
    }

    pub(crate) fn optional_flag(&self, name: &str) -> Result<Option<bool>, Problem> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(Problem::invalid(name, format!("{name} has to be true or false."))),
        }
    }

    /// The field as one of an enumeration's words.
    pub(crate) fn word<T: FromStr<Err = UnknownWord>>(&self, name: &str) -> Result<T, Problem> {
        self.text(name)?.parse().map_err(|why| unknown_word(name, why))
    }
}

/// The number, if it is an integer in any notation: for JSON Schema, `12.0` is the integer 12.
fn whole(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let decimal = exact::parse(&number.to_string()).ok()?;
        decimal.is_integer().then(|| decimal.to_i64()).flatten()
    })
}

fn unknown_word(name: &str, mut why: UnknownWord) -> Problem {
    why.word = shown(&why.word).into_owned();
    Problem::invalid(name, format!("{name}: {why}."))
}

fn too_large(name: &str) -> Problem {
    Problem::invalid(name, format!("{name} has to be from -{LARGEST} to {LARGEST}."))
}

fn missing(name: &str) -> Problem {
    Problem::invalid(name, format!("{name} is missing."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_may_be_written_with_a_fraction_of_zero() {
        let read = |json: &str| Fields::parse(format!("{{\"n\":{json}}}").as_bytes()).unwrap().integer("n").ok();
        for (json, number) in [("12", 12), ("12.0", 12), ("-3.00", -3), ("1e3", 1000), ("9007199254740991", LARGEST)] {
            assert_eq!(read(json), Some(number), "{json}");
        }
        for json in [
            "12.5",
            "9007199254740992",
            "-9007199254740992",
            "9223372036854775808",
            "1e300",
            "1e-1",
            "\"12\"",
            "true",
            "null",
            "1.00000000000000000000000000001",
        ] {
            assert_eq!(read(json), None, "{json}");
        }
    }
}
