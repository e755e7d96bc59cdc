//! The requests that a recipe describes: an address, and what is sent, with names in braces for what is not known beforehand.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde::de::{self, Deserializer};
use serde_json::{Map, Value};
use url::Url;
use url::form_urlencoded::Serializer;
use zeroize::Zeroizing;

use crate::connector::egress::Body;

/// A request.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Send {
    /// From the address of the shop on.
    pub(super) path: Template,
    #[serde(default)]
    query: BTreeMap<String, Template>,
    /// Beside those of every request.
    #[serde(default)]
    pub(super) headers: BTreeMap<String, Template>,
    /// What to post: JSON, a form, or a GraphQL document with its variables. Without any of them the request is a GET.
    json: Option<toml::Table>,
    form: Option<BTreeMap<String, Template>>,
    pub(super) graphql: Option<String>,
    variables: Option<toml::Table>,
}

/// A text with names in braces.
#[derive(Debug, Clone)]
pub(super) struct Template(String);

/// What the names stand for.
#[derive(Default)]
pub(super) struct Names<'a>(Vec<(&'a str, Filled<'a>)>);

#[derive(Clone)]
enum Filled<'a> {
    Text(&'a str),
    Number(u64),
    /// A text that may be written down nowhere.
    Secret(&'a str),
}

impl<'a> Names<'a> {
    pub(super) fn text(mut self, name: &'a str, text: &'a str) -> Self {
        self.0.push((name, Filled::Text(text)));
        self
    }

    pub(super) fn number(mut self, name: &'a str, number: u64) -> Self {
        self.0.push((name, Filled::Number(number)));
        self
    }

    pub(super) fn secret(mut self, name: &'a str, text: &'a str) -> Self {
        self.0.push((name, Filled::Secret(text)));
        self
    }

    fn get(&self, name: &str) -> Option<&Filled<'a>> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, filled)| filled)
    }
}

impl Template {
    /// The names in braces.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split('{').skip(1).filter_map(|rest| rest.split('}').next())
    }

    /// The text with everything filled in; secrets only if `with_secrets`.
    pub(super) fn fill(&self, names: &Names<'_>, with_secrets: bool) -> Zeroizing<String> {
        let mut parts = self.0.split('{');
        let mut filled = Zeroizing::new(parts.next().unwrap_or_default().to_owned());
        for part in parts {
            let (name, rest) = part.split_once('}').unwrap_or((part, ""));
            match names.get(name) {
                Some(Filled::Text(text)) => filled.push_str(text),
                Some(Filled::Secret(text)) if with_secrets => filled.push_str(text),
                Some(Filled::Number(number)) => _ = write!(filled, "{number}"),
                Some(Filled::Secret(_)) | None => _ = write!(filled, "{{{name}}}"),
            }
            filled.push_str(rest);
        }
        filled
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let is_closed = text.split('{').skip(1).all(|rest| rest.contains('}'));
        if text.contains(|sign: char| sign.is_control()) || !is_closed {
            return Err(de::Error::custom(format!("\"{text}\" has an open brace or a control character")));
        }
        Ok(Self(text))
    }
}

impl Send {
    /// The names in braces, wherever they are.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.names_in_address().map(str::to_owned).collect();
        let pairs = self.headers.values().chain(self.form.iter().flat_map(BTreeMap::values));
        names.extend(pairs.flat_map(Template::names).map(str::to_owned));
        for table in self.json.iter().chain(&self.variables) {
            names_in(&toml::Value::Table(table.clone()), &mut names);
        }
        names
    }

    /// Those in the address, which other people may see.
    pub(super) fn names_in_address(&self) -> impl Iterator<Item = &str> {
        self.path.names().chain(self.query.values().flat_map(Template::names))
    }

    /// What contradicts itself in it.
    pub(super) fn contradiction(&self) -> Option<String> {
        let bodies = [self.json.is_some(), self.form.is_some(), self.graphql.is_some()];
        if bodies.iter().filter(|is_there| **is_there).count() > 1 {
            return Some("has more than one of `json`, `form` and `graphql`".to_owned());
        }
        if self.variables.is_some() && self.graphql.is_none() {
            return Some("has `variables`, which belong to `graphql`".to_owned());
        }
        let path = &self.path.0;
        (path.starts_with('/') || path.contains(['?', '#', '\\']) || path.contains("//") || path.contains("..")).then(
            || format!("has the path \"{path}\": write it from the address of the shop on, as in \"store/orders\""),
        )
    }

    /// The address. `base` ends with a slash.
    pub(super) fn url(&self, base: &Url, names: &Names<'_>) -> Option<Url> {
        let mut url = base.clone();
        {
            let mut segments = url.path_segments_mut().ok()?;
            segments.pop_if_empty();
            for segment in self.path.0.split('/') {
                // Signs of a value that have a meaning in addresses are encoded, and so lead nowhere else.
                let filled = Template(segment.to_owned()).fill(names, true);
                if matches!(filled.as_str(), "." | "..") {
                    return None;
                }
                segments.push(&filled);
            }
        }
        if !self.query.is_empty() {
            let pairs = self.query.iter().map(|(name, value)| (name, value.fill(names, true).to_string()));
            url.query_pairs_mut().extend_pairs(pairs);
        }
        Some(url)
    }

    /// What to post; `None`: the request is a GET.
    pub(super) fn body(&self, names: &Names<'_>) -> Option<Body> {
        if let Some(form) = &self.form {
            let mut body = Serializer::new(String::new());
            for (name, value) in form {
                body.append_pair(name, &value.fill(names, true));
            }
            return Some(Body::Form(Zeroizing::new(body.finish())));
        }
        let text = |with_secrets| Some(self.json_body(names, with_secrets)?.to_string());
        Some(Body::Json { text: Zeroizing::new(text(true)?), named: text(false)? })
    }

    fn json_body(&self, names: &Names<'_>, with_secrets: bool) -> Option<Value> {
        let object = |table: &toml::Table| json(&toml::Value::Table(table.clone()), names, with_secrets);
        if let Some(query) = &self.graphql {
            let mut body = Map::new();
            body.insert("query".to_owned(), Value::String(query.clone()));
            if let Some(variables) = &self.variables {
                body.insert("variables".to_owned(), object(variables));
            }
            return Some(Value::Object(body));
        }
        self.json.as_ref().map(object)
    }
}

/// The body of a sign-in with these fields.
pub(in crate::connector::recipe) fn sign_in_body(fields: &toml::Table, username: &str, password: &str) -> Body {
    let names = Names::default().secret("username", username).secret("password", password);
    let text = |with_secrets| json(&toml::Value::Table(fields.clone()), &names, with_secrets).to_string();
    Body::Json { text: Zeroizing::new(text(true)), named: text(false) }
}

fn names_in(value: &toml::Value, names: &mut Vec<String>) {
    match value {
        toml::Value::String(text) => names.extend(Template(text.clone()).names().map(str::to_owned)),
        toml::Value::Array(values) => values.iter().for_each(|value| names_in(value, names)),
        toml::Value::Table(table) => table.values().for_each(|value| names_in(value, names)),
        _ => {}
    }
}

/// The JSON of a value of the recipe. A text that is the name of a number is that number.
fn json(value: &toml::Value, names: &Names<'_>, with_secrets: bool) -> Value {
    match value {
        toml::Value::String(text) => {
            let name = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            match name.and_then(|name| names.get(name)) {
                Some(Filled::Number(number)) => Value::from(*number),
                _ => Value::String(Template(text.clone()).fill(names, with_secrets).to_string()),
            }
        }
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => Value::from(*number),
        toml::Value::Boolean(is) => Value::Bool(*is),
        toml::Value::Datetime(at) => Value::String(at.to_string()),
        toml::Value::Array(values) => values.iter().map(|value| json(value, names, with_secrets)).collect(),
        toml::Value::Table(table) => {
            let pairs = table.iter().map(|(key, value)| (key.clone(), json(value, names, with_secrets)));
            Value::Object(pairs.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(text: &str) -> Send {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn values_lead_to_no_other_address() {
        let base: Url = "https://a.test/shop/".parse().unwrap();
        let send = send("path = \"store/orders/{key}\"\nquery = { limit = \"{size}\", q = \"{key}\" }");
        let url = |key: &str| send.url(&base, &Names::default().text("key", key).number("size", 20));
        assert_eq!(url("o_1").unwrap().as_str(), "https://a.test/shop/store/orders/o_1?limit=20&q=o_1");
        assert_eq!(url("a/b?c#d").unwrap().path(), "/shop/store/orders/a%2Fb%3Fc%23d");
        assert_eq!(url(".."), None);
    }

    #[test]
    fn secrets_are_in_what_is_sent_and_in_nothing_else() {
        let send = send(
            "path = \"graphql\"\ngraphql = \"mutation($p: String!) { a }\"\nvariables = { p = \"{password}\", n = \"{page}\", all = [\"x{page}\", true, 1] }",
        );
        let names = Names::default().secret("password", "s3\"cret").number("page", 3);
        let Some(Body::Json { text, named }) = send.body(&names) else { panic!("not JSON") };
        let sent: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(sent["variables"], serde_json::json!({ "p": "s3\"cret", "n": 3, "all": ["x3", true, 1] }));
        assert!(!named.contains("cret\"") && named.contains("{password}"), "{named}");
        assert!(!format!("{:?}", send.body(&names)).contains("s3"));
    }
}
