//! A seed file as it is written. Unknown keys are refused by name.

use serde::Deserialize;
use toml::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) today: Option<Value>,
    #[serde(default)]
    pub(super) clients: Vec<Client>,
    #[serde(default)]
    pub(super) users: Vec<User>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) secret: Option<String>,
    #[serde(default)]
    pub(super) public: bool,
    #[serde(default)]
    pub(super) redirect_uris: Vec<String>,
    #[serde(default)]
    pub(super) return_urls: Vec<String>,
    #[serde(default)]
    pub(super) frame_ancestors: Vec<String>,
    pub(super) scopes: Option<String>,
    pub(super) requests_per_minute: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct User {
    pub(super) phone: String,
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) bindings: Vec<Binding>,
    #[serde(default)]
    pub(super) connections: Vec<Connection>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Binding {
    pub(super) client: String,
    pub(super) external_user_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Connection {
    /// The id, or the name.
    pub(super) retailer: Value,
    pub(super) account: Option<String>,
    pub(super) shared_with: Option<Vec<String>>,
    pub(super) state: Option<String>,
    pub(super) orders: Option<Vec<Order>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Order {
    pub(super) id: String,
    pub(super) ordered: Value,
    pub(super) currency: Option<String>,
    pub(super) total: Option<Value>,
    pub(super) status: Option<String>,
    pub(super) items: Vec<Item>,
    #[serde(default)]
    pub(super) adjustments: Vec<Adjustment>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Adjustment {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) amount: Value,
    pub(super) text: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) price: Option<Value>,
    pub(super) line_total: Option<Value>,
    pub(super) quantity: Option<Value>,
    pub(super) sku: Option<String>,
    pub(super) brand: Option<String>,
    pub(super) department: Option<String>,
    pub(super) category: Option<String>,
    pub(super) sub_category: Option<String>,
    pub(super) status: Option<String>,
}

/// The file of a text.
/// Fails with the line, and without what the file says there: it may be a secret.
pub(super) fn parse(text: &str) -> Result<File, String> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let message = unquoted(error.message());
        line.map_or_else(|| message.clone(), |line| format!("line {line}: {message}"))
    })
}

/// The message without a value of the file.
fn unquoted(message: &str) -> String {
    let message = message.trim().replace('\n', "; ");
    let Some((before, rest)) = message.split_once("string \"") else { return message };
    let after = rest.rsplit_once("\",").map_or("", |(_, after)| after);
    format!("{before}a text,{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_line_and_key_and_quotes_no_value() {
        let of = |text: &str| parse(text).err().unwrap();
        assert!(of("\n[[clients]]\nid = \"a\"\nsecrett = \"s3cret\"").starts_with("line 4: unknown field `secrett`"));
        let wrong = of("[[clients]]\nid = \"a\"\npublic = \"s3\\\"cret\"");
        assert!(wrong.starts_with("line 3: ") && wrong.contains("boolean") && !wrong.contains("cret"), "{wrong}");
        assert!(!of("[[clients]]\nsecret = \"s3cret").contains("s3cret"));
        assert!(of("[[users]]\n").contains("phone"));
    }
}
