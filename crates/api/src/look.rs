//! Operations of the service inside a command, absent everywhere else: looking at a shop by its address, and signing a browser in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Body of `POST /local/look`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LookRequest {
    /// The address of the shop, with or without a scheme.
    pub url: String,
    /// Whether addresses outside the public internet may be reached.
    #[serde(default)]
    pub allow_private_network: bool,
}

/// Answer to `POST /local/browser`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrowserPass {
    /// The path of a page that signs a browser in, once, within a minute.
    pub path: String,
}

/// Answer to `POST /local/look`: what was seen at the address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Look {
    /// The address that answered: after a redirect to `https` or to the same name with or without `www.`, another than the
    /// given one.
    pub url: String,
    /// The shop, if it can be read.
    pub shop: Option<Shop>,
    /// What it seems to be, if it is no shop that can be read: the name of a platform, or of the kind of page.
    pub seems: Option<String>,
    /// Whether `seems` is a platform that can be read, so that only the sign-in page was not found.
    pub can_be_read: bool,
    /// Whether the pages look like those of a shop.
    pub looks_like_shop: bool,
    /// Whether its name leads to an address outside the public internet, which was not allowed.
    #[serde(default)]
    pub kept_out: bool,
    /// Whether no request got an answer.
    #[serde(default)]
    pub unreachable: bool,
    /// The requests and their answers.
    pub seen: Vec<Seen>,
}

/// `details.reason` of an address on a private network, which is not looked at unless that is allowed.
pub const PRIVATE_NETWORK: &str = "privateNetwork";
/// `details.reason` of an http address on the public internet, which is never looked at.
pub const CLEAR_TEXT: &str = "clearText";

/// A shop that can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shop {
    /// What reads it: `connector` in the file of retailers.
    pub connector: String,
    /// The name of the platform.
    pub platform: String,
    /// The version of the platform, if its pages say it.
    pub version: Option<String>,
    /// Whether there are several signs of the platform, and not its sign-in page alone.
    pub certain: bool,
    /// The signs, in words.
    pub signs: Vec<String>,
    /// The number that orders of files have under the shop's name, if they name it alike everywhere.
    pub retailer_id: Option<i64>,
    /// The address that the paths of the shop begin with.
    pub base_url: String,
    /// Where the page of the customer's account is, if the platform lets shops choose.
    pub account_path: Option<String>,
    /// Whether that is where the platform has it, unless the shop has renamed it.
    pub has_usual_account: bool,
    /// The shop's own name.
    pub name: Option<String>,
    /// IANA name of the zone of its dates.
    pub time_zone: Option<String>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// The language of its pages (BCP 47), if it is none that can be read.
    pub unread_language: Option<String>,
    /// The oldest version that can be read, if the shop's is older.
    pub oldest_version: Option<u32>,
    /// Values that the operator has to set (`values` in the file of retailers), each with a description.
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// Whether times and amounts name their zone and their currency.
    #[serde(default)]
    pub is_exact: bool,
}

/// A request and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Where it went.
    pub url: String,
    /// The answer, in words.
    pub what: String,
}
