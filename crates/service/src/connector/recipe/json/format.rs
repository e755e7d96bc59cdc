//! The format of recipes for shops that answer with JSON. `docs/recipes.md` describes every key.

use std::collections::BTreeMap;

use ordersync_api::ShipmentStatus;
use serde::Deserialize;
use serde_json::Value;

use super::next::NextAt;
use super::path::{DateFormat, MinorUnits, Path, Paths};
use super::send::{Send, Template};
use super::shipments::ShipmentsAt;
use super::token::{TokenAt, TokenHeader};
use crate::connector::kit::figures::Summary;
use crate::connector::kit::shows::Shows;
use crate::connector::kit::text::normalised;
use crate::connector::recipe::common::{Statuses, Version, default_username_label};
use crate::connector::recipe::value::Word;

/// A recipe for a shop that answers with JSON, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::connector::recipe) struct JsonRecipe {
    #[serde(rename = "recipe")]
    _version: Version,
    #[serde(rename = "kind")]
    _kind: String,
    pub(in crate::connector::recipe) name: String,
    /// What the operator has to say of each shop, and what that is. Requests name it in braces.
    #[serde(default)]
    pub(super) values: BTreeMap<String, String>,
    /// Headers of every request.
    #[serde(default)]
    pub(super) headers: BTreeMap<String, Template>,
    pub(super) sign_in: SignIn,
    /// What the shop answers to the request for the list before a sign-in, as only shops of this platform do.
    #[serde(default)]
    pub(super) recognize: Vec<When>,
    /// What an answer has that says that nobody is signed in, apart from status 401.
    #[serde(default)]
    pub(super) signed_out: Vec<When>,
    pub(super) list: List,
    pub(super) order: Order,
    #[serde(default)]
    pub(super) amounts: Amounts,
    pub(super) shows: Shows,
    #[serde(default)]
    pub(super) words: Words,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignIn {
    #[serde(default = "default_username_label")]
    pub(super) username_label: String,
    /// Has `{username}` and `{password}`.
    pub(super) send: Send,
    /// Where the answer has the token.
    pub(super) token: Option<TokenAt>,
    /// How the answer says that name or password are wrong, that the account is locked, and that a code is wanted.
    pub(super) refused: Vec<When>,
    #[serde(default)]
    pub(super) locked: Vec<When>,
    /// That the shop takes no sign-in for a while, whatever the password is.
    #[serde(default)]
    pub(super) delayed: Vec<When>,
    #[serde(default)]
    pub(super) code_wanted: Vec<When>,
    /// Values of the answer that the request with the code needs.
    #[serde(default)]
    pub(super) keep: BTreeMap<String, Path>,
    /// Without it, cookies show that the customer is signed in.
    pub(super) token_header: Option<TokenHeader>,
    /// The request with the second factor, if the shop may ask for one.
    pub(super) code: Option<Code>,
}

/// The second factor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Code {
    /// Has `{code}`, and the kept values.
    pub(super) send: Send,
    /// Where the token is, if not where it is without a code.
    pub(super) token: Option<TokenAt>,
    /// The code was wrong.
    pub(super) refused: Vec<When>,
    /// The sign-in was forgotten meanwhile.
    #[serde(default)]
    pub(super) forgotten: Vec<When>,
}

/// What an answer has to have, all of it, to mean something.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::connector::recipe) struct When {
    status: Option<u16>,
    path: Option<Path>,
    /// One of these is the value there. Without it, any value will do.
    #[serde(default)]
    is: Vec<Value>,
    /// One of these is a part of the text there, in lower case.
    #[serde(default)]
    says: Vec<Word>,
}

impl When {
    /// Whether an answer is one of these.
    pub(super) fn any(all: &[Self], status: u16, answer: &Value) -> bool {
        all.iter().any(|one| one.fits(status, answer))
    }

    fn fits(&self, status: u16, answer: &Value) -> bool {
        let is_meant = |value: &Value| {
            let says = || {
                let text = normalised(value.as_str().unwrap_or_default());
                self.says.iter().any(|word| text.contains(word.as_str()))
            };
            (self.is.is_empty() || self.is.contains(value)) && (self.says.is_empty() || says())
        };
        self.status.is_none_or(|known| known == status)
            && self.path.as_ref().is_none_or(|path| path.all(answer).any(is_meant))
    }

    /// What is missing in it.
    pub(in crate::connector::recipe) fn contradiction(&self) -> Option<&'static str> {
        let needs_path = !self.is.is_empty() || !self.says.is_empty();
        match &self.path {
            None if needs_path => Some("`is` and `says` need `path`"),
            None if self.status.is_none() => Some("needs `status` or `path`"),
            _ => None,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// Has `{page}`, `{offset}` or `{cursor}`, and may have `{size}`.
    pub(super) send: Send,
    pub(super) paging: Paging,
    /// The number of the first page.
    #[serde(default = "default_first_page")]
    pub(super) first_page: u32,
    /// How many orders a page has at most.
    #[serde(default = "default_page_size")]
    pub(super) page_size: u32,
    /// How many orders there are in all, as each page says it.
    pub(super) count: Option<Path>,
    /// Where the page after this one begins, for `paging = "cursor"`.
    pub(super) next: Option<NextAt>,
    pub(super) orders: Path,
    pub(super) number: Path,
    /// What requests know the order by, as `{key}`; default: its number.
    pub(super) key: Option<Path>,
    pub(super) date: Date,
    pub(super) total: Path,
    pub(super) currency: Path,
    #[serde(default)]
    pub(super) status: Paths,
    /// How many items it has.
    pub(super) items: Option<Path>,
    /// The total less refunds.
    pub(super) left: Option<Path>,
}

const fn default_first_page() -> u32 {
    1
}

const fn default_page_size() -> u32 {
    20
}

/// How the pages of a list are addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Paging {
    /// By their number, from 1.
    Page,
    /// By the number of orders before.
    Offset,
    /// By a text that the page before has.
    Cursor,
    /// There is one page.
    One,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Date {
    pub(super) path: Path,
    pub(super) format: DateFormat,
    #[serde(default)]
    pub(super) zone: Zone,
}

/// The zone of a date without an offset.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Zone {
    /// The shop's: `time_zone` of the retailer.
    #[default]
    Shop,
    Utc,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Order {
    /// Its own request, which has `{key}`; without it, the list has the whole order.
    pub(super) send: Option<Send>,
    /// Where the order is in the answer to that.
    pub(super) path: Option<Path>,
    /// Where that order has its number, which has to be the one that was asked for.
    pub(super) number: Option<Path>,
    /// Where that order has its currency, which has to be the list's.
    pub(super) currency: Option<Path>,
    #[serde(default)]
    pub(super) status: Paths,
    pub(super) lines: Path,
    pub(super) title: Path,
    pub(super) sku: Option<Path>,
    pub(super) quantity: Path,
    /// Of the pieces of a line, how many got how far.
    pub(super) shipped: Option<Path>,
    pub(super) delivered: Option<Path>,
    pub(super) cancelled: Option<Path>,
    pub(super) returned: Option<Path>,
    pub(super) refunded: Option<Path>,
    /// What tells the lines apart for `shipments`.
    pub(super) line_key: Option<Path>,
    pub(super) shipments: Option<ShipmentsAt>,
    pub(super) unit_price: Option<Path>,
    /// The total of a line; without it, the price of one times the quantity.
    pub(super) line_total: Option<Path>,
    pub(super) figures: Vec<FigureAt>,
}

/// A figure below the lines, or a list of such.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FigureAt {
    pub(super) kind: FigureKind,
    /// What it is called, unless the order says so itself.
    pub(super) label: String,
    /// Where the order has a list of these; the other paths begin at each of them.
    pub(super) each: Option<Path>,
    pub(super) label_at: Option<Path>,
    pub(super) amount: Path,
    /// Whether it may be missing.
    #[serde(default)]
    pub(super) optional: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FigureKind {
    Basket,
    BasketBeforeDiscounts,
    BasketAfterDiscounts,
    Discount,
    Shipping,
    ShippingBeforeDiscounts,
    ShippingAfterDiscounts,
    Tax,
    Fee,
    Refund,
    Payment,
    Owed,
    GiftCard,
    Reward,
    Tip,
    Deposit,
    Total,
}

impl FigureKind {
    /// What it is; `None`: a discount.
    pub(super) const fn summary(self) -> Option<Summary> {
        Some(match self {
            Self::Discount => return None,
            Self::Basket => Summary::Basket,
            Self::BasketBeforeDiscounts => Summary::BasketBeforeDiscounts,
            Self::BasketAfterDiscounts => Summary::BasketAfterDiscounts,
            Self::Shipping => Summary::Shipping,
            Self::ShippingBeforeDiscounts => Summary::ShippingBeforeDiscounts,
            Self::ShippingAfterDiscounts => Summary::ShippingAfterDiscounts,
            Self::Tax => Summary::Tax,
            Self::Fee => Summary::Fee,
            Self::Refund => Summary::Refund,
            Self::Payment => Summary::Payment,
            Self::Owed => Summary::Owed,
            Self::GiftCard => Summary::GiftCard,
            Self::Reward => Summary::Reward,
            Self::Tip => Summary::Tip,
            Self::Deposit => Summary::Deposit,
            Self::Total => Summary::OrderTotal,
        })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Amounts {
    /// Whether every amount is a whole number, as in `1999` for 19.99.
    pub(super) minor_units: MinorUnits,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Words {
    statuses: Statuses,
}

impl Words {
    pub(super) fn status(&self, text: &str) -> Option<ShipmentStatus> {
        self.statuses.meaning(text)
    }
}

impl JsonRecipe {
    /// A key that contradicts another, and what would be right.
    pub(in crate::connector::recipe) fn contradiction(&self) -> Option<(&'static str, String)> {
        self.wrong_request()
            .or_else(|| self.wrong_name())
            .or_else(|| self.wrong_paging())
            .or_else(|| self.wrong_order())
            .or_else(|| self.wrong_answer())
            .or_else(|| self.wrong_words())
    }

    fn requests(&self) -> impl Iterator<Item = (&'static str, &Send, Vec<&str>)> {
        let kept = self.sign_in.keep.keys().map(String::as_str);
        let code = self
            .sign_in
            .code
            .as_ref()
            .map(|code| ("sign_in.code.send", &code.send, ["code"].into_iter().chain(kept).collect()));
        let order = self.order.send.as_ref().map(|send| ("order.send", send, vec!["key"]));
        [
            ("sign_in.send", &self.sign_in.send, vec!["username", "password"]),
            ("list.send", &self.list.send, vec!["page", "offset", "cursor", "size"]),
        ]
        .into_iter()
        .chain(code)
        .chain(order)
    }

    fn wrong_request(&self) -> Option<(&'static str, String)> {
        self.requests().find_map(|(key, send, _)| Some((key, send.contradiction()?)))
    }

    fn wrong_name(&self) -> Option<(&'static str, String)> {
        for (key, send, known) in self.requests() {
            let is_known = |name: &String| known.contains(&name.as_str()) || self.values.contains_key(name);
            if let Some(name) = send.names().iter().find(|name| !is_known(name)) {
                return Some((key, format!("has {{{name}}}, which nothing stands for")));
            }
        }
        let headers = self.headers.values().flat_map(Template::names);
        if let Some(name) = headers.into_iter().find(|name| !self.values.contains_key(*name)) {
            return Some(("headers", format!("has {{{name}}}, which is none of `values`")));
        }
        let code = self.sign_in.code.as_ref().map(|code| ("sign_in.code.send", &code.send, &["code"][..]));
        let forms = [("sign_in.send", &self.sign_in.send, &["username", "password"][..])].into_iter().chain(code);
        forms.into_iter().find_map(|(key, send, names)| {
            let names_there = send.names();
            let missing = names.iter().find(|name| !names_there.iter().any(|known| known == *name));
            let shown = send.names_in_address().find(|name| names.contains(name));
            let missing = missing.map(|missing| format!("lacks {{{missing}}}"));
            let shown = shown.map(|shown| format!("has {{{shown}}} in its address, where others may see it"));
            Some((key, missing.or(shown)?))
        })
    }

    fn wrong_paging(&self) -> Option<(&'static str, String)> {
        let wanted = match self.list.paging {
            Paging::Page => "page",
            Paging::Offset => "offset",
            Paging::Cursor => "cursor",
            Paging::One => "",
        };
        let names = self.list.send.names();
        if !wanted.is_empty() && !names.iter().any(|name| name == wanted) {
            return Some(("list.send", format!("lacks {{{wanted}}}, which addresses the pages")));
        }
        if (self.list.paging == Paging::Cursor) != self.list.next.is_some() {
            return Some(("list.next", "belongs to `paging = \"cursor\"`, which needs it".to_owned()));
        }
        (self.list.page_size == 0 || self.list.page_size > 1000)
            .then(|| ("list.page_size", "has to be from 1 to 1000".to_owned()))
    }

    fn wrong_order(&self) -> Option<(&'static str, String)> {
        let order = &self.order;
        if order.send.is_some() != (order.path.is_some() && order.number.is_some()) {
            return Some(("order.send", "needs `path` and `number`, and they need it".to_owned()));
        }
        if order.line_total.is_none() && order.unit_price.is_none() {
            return Some(("order.line_total", "is missing, and so is `unit_price`".to_owned()));
        }
        let shipments = order.shipments.as_ref();
        if let Some((key, wrong)) = shipments.and_then(|at| at.contradiction(order.line_key.is_some())) {
            return Some((key, wrong.to_owned()));
        }
        let has = |kind| order.figures.iter().any(|figure| figure.kind == kind);
        (!has(FigureKind::Total)).then(|| ("order.figures", "lacks the order total, `kind = \"total\"`".to_owned()))
    }

    fn wrong_words(&self) -> Option<(&'static str, String)> {
        self.words.statuses.ambiguous().map(|word| ("words.statuses", format!("\"{word}\" has two meanings")))
    }

    fn wrong_answer(&self) -> Option<(&'static str, String)> {
        let answer = &self.sign_in;
        let code = self.sign_in.code.as_ref();
        let all = answer
            .refused
            .iter()
            .chain(&answer.locked)
            .chain(&answer.delayed)
            .chain(&answer.code_wanted)
            .chain(&self.signed_out)
            .chain(&self.recognize);
        let of_code = code.into_iter().flat_map(|code| code.refused.iter().chain(&code.forgotten));
        if let Some(wrong) = all.chain(of_code).find_map(When::contradiction) {
            return Some(("sign_in", format!("an answer {wrong}")));
        }
        if answer.code_wanted.is_empty() == code.is_some() {
            return Some(("sign_in.code", "belongs to `sign_in.code_wanted`, which needs it".to_owned()));
        }
        if answer.token.is_some() != self.sign_in.token_header.is_some() {
            return Some(("sign_in.token_header", "belongs to `sign_in.token`, which needs it".to_owned()));
        }
        let header = self.sign_in.token_header.as_ref()?;
        (!header.value.names().eq(["token"]))
            .then(|| ("sign_in.token_header", "has to have {token} in its value, once, and no other name".to_owned()))
    }
}
