//! The description of a format: which columns or paths have which fields, and how values are written. The formats that are
//! built in and a user's own mapping have one form.

use std::collections::BTreeMap;
use std::path::Path;

use ordersync_api::{AdjustmentType, ShipmentStatus};
use ordersync_values::zone::Tz;
use serde::Deserialize;
use serde_json_path::JsonPath;

use crate::finding::{Finding, FindingCode, Refused};

/// A field of an order or of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Field {
    OrderId,
    OrderDate,
    OrderTotal,
    Currency,
    Retailer,
    LineId,
    ItemName,
    BrandName,
    Department,
    Category,
    SubCategory,
    RetailerSku,
    Seller,
    Quantity,
    Price,
    LineTotal,
    ShipmentStatus,
    Shipments,
}

/// How an amount is read that each row of an order repeats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Repeated {
    /// The order's: it has to be the same on all rows that have it.
    #[default]
    Once,
    /// The row's: the order's is the sum.
    Sum,
}

/// The meaning of the amount in the column of the price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Price {
    /// The price of one.
    #[default]
    Each,
    /// None is shown: it is the line's total, divided by the quantity, if that is exact.
    Derived,
    /// The price of one, or of the line: the total of the order has to prove which.
    Proven,
}

/// A description.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Format {
    /// Such as `amazon-order-history`.
    pub(crate) name: String,
    /// Whether it is the user's own mapping.
    #[serde(skip)]
    pub(crate) is_own: bool,
    /// For people.
    pub(crate) title: String,
    /// The name of a built-in format whose description this one changes.
    pub(crate) like: Option<String>,
    /// Formats with the same family number the same orders.
    pub(crate) family: Option<String>,
    /// Of two formats that have the same order, the higher one wins.
    pub(crate) rank: u32,
    /// The columns or paths that it is recognised by; without them, those that are read. Paths begin at an order.
    pub(crate) needs: Vec<Source>,
    /// All other columns: any that is in neither list is reported. Empty: they are not known.
    pub(crate) known: Vec<String>,
    /// Whether it describes what the reader of mails hands over.
    pub(crate) mails: bool,
    /// Whether it describes what the reader of saved pages hands over.
    pub(crate) pages: bool,
    /// Texts in rows that are no orders, such as the count below a table.
    pub(crate) footers: Vec<String>,
    /// Why files of this format are refused.
    pub(crate) refuse: Option<String>,

    pub(crate) retailer: Option<String>,
    /// Whether the retailer is the name of the file, if nothing else names one.
    pub(crate) retailer_from_file: bool,
    pub(crate) currency: Option<String>,
    /// All places of the currency have to agree. Otherwise, the first with a value counts.
    pub(crate) one_currency: bool,
    pub(crate) time_zone: Option<Tz>,
    pub(crate) encoding: Option<String>,
    pub(crate) delimiter: Option<char>,
    /// The decimal sign; none: each number has to have one reading.
    pub(crate) decimal: Option<char>,
    /// Whether amounts are in millionths.
    pub(crate) micros: bool,
    /// Words that mean that there is no value.
    pub(crate) missing: Vec<String>,
    /// `iso`, `usec` since 1970, or as strftime writes it; of several, the whole file has to prove which.
    pub(crate) date_format: Words,
    /// True if the date is that of the line: the lines of an order may have several, and the first counts.
    pub(crate) date_of_line: bool,
    /// The text between the values of several parcels in one cell.
    pub(crate) joined: Option<String>,

    /// Where orders are, in each record of a document.
    pub(crate) records: Option<Source>,
    /// Where groups of lines are, in an order.
    pub(crate) groups: Option<Source>,
    /// Where lines are, in a group or an order.
    pub(crate) lines: Option<Source>,
    /// Where lines of every kind are, of which `lines` leads to some: an order with others is marked.
    pub(crate) all_lines: Option<Source>,
    pub(crate) columns: BTreeMap<Field, Source>,
    /// The columns that tell orders without a number apart.
    pub(crate) key: Vec<Source>,
    pub(crate) adjustments: Vec<AdjustmentRule>,
    /// Words for statuses, in lower case.
    pub(crate) statuses: BTreeMap<String, ShipmentStatus>,
    /// Whether these are the beginnings of statuses, which a day may follow.
    pub(crate) statuses_begin: bool,
    /// Whether a line without a quantity has one piece, if the total of the order proves it.
    pub(crate) one_piece_proven: bool,
    pub(crate) order_total: Repeated,
    pub(crate) price: Price,
    /// Whether the rows of an order with one `lineId` are parts of one line.
    pub(crate) components: Option<Components>,
    /// The beginning of the title of a line that is the discount of another line, whose SKU follows.
    pub(crate) discount_title: Option<String>,
    /// The total of a row, to be checked.
    pub(crate) row_total: Option<Source>,
    pub(crate) subtotal: Option<Subtotal>,
    /// Which rows count. Refunds, for example, can be taken back.
    pub(crate) only_if: Option<OnlyIf>,
    /// Whether the file only adds adjustments to orders of other files, and what it means that a row repeats.
    pub(crate) adds: Option<Repeated>,
}

/// One word or several.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "OneOrMany")]
pub(crate) struct Words(pub(crate) Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
    Fixed { value: String },
}

impl From<OneOrMany> for Words {
    fn from(words: OneOrMany) -> Self {
        Self(match words {
            OneOrMany::One(word) | OneOrMany::Fixed { value: word } => vec![word],
            OneOrMany::Many(words) => words,
        })
    }
}

/// Where a value is: a column, or a path; the first of several that has a value; or the value itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "OneOrMany")]
pub(crate) struct Source {
    pub(crate) places: Vec<Place>,
    pub(crate) value: Option<String>,
}

/// A place of a value.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    Column(String),
    /// JSONPath (RFC 9535), from the line, or from the group or the order that it is in.
    Path(Base, JsonPath, String),
}

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    Line,
    Group,
    Order,
}

impl Place {
    fn parse(text: &str) -> Result<Self, String> {
        let (from, path) = match text.split_once(':') {
            Some(("order", path)) if path.starts_with('$') => (Base::Order, path),
            Some(("group", path)) if path.starts_with('$') => (Base::Group, path),
            _ => (Base::Line, text),
        };
        if !(path.starts_with("$.") || path.starts_with("$[") || path == "$") {
            return Ok(Self::Column(text.to_owned()));
        }
        // A descendant or a filter in a filter takes time that grows faster than the file.
        if path.contains("..") || path.matches('?').count() > 1 {
            return Err(format!("\"{path}\" may take too long: leave out \"..\", and write one filter at most"));
        }
        let parsed = JsonPath::parse(path).map_err(|why| format!("\"{path}\" is no JSONPath: {why}"))?;
        Ok(Self::Path(from, parsed, path.to_owned()))
    }
}

impl TryFrom<OneOrMany> for Source {
    type Error = String;

    fn try_from(given: OneOrMany) -> Result<Self, String> {
        let places = match given {
            OneOrMany::Fixed { value } => return Ok(Self { places: Vec::new(), value: Some(value) }),
            OneOrMany::One(place) => vec![place],
            OneOrMany::Many(places) => places,
        };
        let places = places.iter().map(|place| Place::parse(place)).collect::<Result<_, _>>()?;
        Ok(Self { places, value: None })
    }
}

impl Source {
    /// The columns and paths, as they are written.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| match place {
            Place::Column(name) | Place::Path(_, _, name) => name.as_str(),
        })
    }

    /// The first of them, for messages.
    pub(crate) fn name(&self) -> &str {
        self.names().next().unwrap_or_default()
    }
}

/// Where an adjustment is.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdjustmentRule {
    #[serde(rename = "type")]
    pub(crate) kind: AdjustmentType,
    pub(crate) amount: Source,
    /// Whether it is the line's. Otherwise it is the order's, and has to be the same on all of its rows.
    #[serde(default)]
    pub(crate) of_line: bool,
    /// The list whose elements are one adjustment each.
    pub(crate) each: Option<Source>,
    pub(crate) date: Option<Source>,
    pub(crate) text: Option<Source>,
    /// Whether the amount is that of one piece.
    #[serde(default)]
    pub(crate) times_quantity: bool,
    /// Whether it takes away, whichever sign it has in the file.
    #[serde(default)]
    pub(crate) negative: bool,
    /// Whether 0 is said too.
    #[serde(default)]
    pub(crate) keep_zero: bool,
    #[serde(default)]
    pub(crate) included: bool,
    /// Whether it is included if the total is right without it.
    #[serde(default)]
    pub(crate) included_if_total: bool,
}

/// A column, and the words in it that rows with another one do not count beside, in lower case. A row without any counts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnlyIf {
    pub(crate) column: Source,
    pub(crate) is: Vec<String>,
}

/// Rows that are parts of a line: its price, and its tax.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Components {
    pub(crate) column: Source,
    pub(crate) amount: Source,
    /// The word of the price. If it is negative, it is a discount.
    pub(crate) price: String,
    /// The word of the tax.
    pub(crate) tax: String,
    /// The name of a discount.
    pub(crate) discount_text: Source,
}

/// A subtotal that repeats on all rows that have something in common.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subtotal {
    pub(crate) column: Source,
    pub(crate) per: Source,
}

macro_rules! embedded {
    ($($name:literal),+ $(,)?) => { &[ $( ($name, include_str!(concat!("../formats/", $name, ".toml"))), )+ ] };
}

/// The built-in formats, by name.
const BUILT_IN: &[(&str, &str)] = embedded![
    "amazon-order-details-pages",
    "amazon-order-history",
    "amazon-order-history-pages",
    "amazon-order-print-pages",
    "amazon-retail-order-history",
    "amazon-items",
    "amazon-digital-orders",
    "amazon-digital-returns",
    "amazon-refunds",
    "amazon-portability-orders",
    "amazon-portability-returns",
    "apple-media",
    "costco-receipts",
    "costco-receipts-answer",
    "ebay-orders",
    "etsy-sold-items",
    "google-play",
    "google-takeout",
    "instacart-orders",
    "order-mails",
    "shopify-orders",
    "temu",
    "uber-eats",
    "walmart-order",
];

impl Format {
    /// The built-in formats.
    /// Fails if one is not valid, which a test rules out.
    pub(crate) fn built_in() -> Result<Vec<Self>, Refused> {
        BUILT_IN.iter().map(|(name, text)| Self::parse(text, name).map_err(|why| invalid(name, &why))).collect()
    }

    /// The user's own mapping.
    pub(crate) fn mapping(path: &Path) -> Result<Self, Refused> {
        let shown = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|why| invalid(&shown, &format!("it cannot be read: {why}")))?;
        let mut format = Self::parse(&text, "mapping").map_err(|why| invalid(&shown, &why))?;
        format.is_own = true;
        if format.title.is_empty() {
            format.title = format!("the mapping {shown}");
        }
        Ok(format)
    }

    fn parse(text: &str, name: &str) -> Result<Self, String> {
        let mut table: toml::Table = toml::from_str(text).map_err(|why| why.to_string())?;
        if let Some(like) = table.get("like").and_then(toml::Value::as_str) {
            let base = BUILT_IN.iter().find(|(known, _)| *known == like);
            let (_, base) =
                base.ok_or_else(|| format!("like: no format is named \"{like}\"; there are {}", names()))?;
            let mut base: toml::Table = toml::from_str(base).map_err(|why| why.to_string())?;
            let own = table.entry("columns").or_insert_with(|| toml::Table::new().into());
            if let (Some(toml::Value::Table(columns)), toml::Value::Table(own)) = (base.remove("columns"), own) {
                for (field, source) in columns {
                    own.entry(field).or_insert(source);
                }
            }
            for (key, value) in base {
                table.entry(key).or_insert(value);
            }
        }
        let mut format: Self = table.try_into().map_err(|why| why.to_string())?;
        if format.name.is_empty() {
            name.clone_into(&mut format.name);
        }
        if format.needs.is_empty() {
            let of_lines = if format.is_document() { None } else { Some(format.columns.values()) };
            // Of lines in groups, the order has the groups.
            let lists = format.groups.as_ref().or(format.lines.as_ref());
            let of_order = format.columns.get(&Field::OrderId).into_iter().chain(lists);
            let needs = of_lines.into_iter().flatten().chain(of_order).filter(|source| source.value.is_none());
            format.needs = needs.cloned().collect();
        }
        format.complete().map(|()| format)
    }

    /// Whether it says enough to be read.
    fn complete(&self) -> Result<(), String> {
        if self.refuse.is_some() {
            return Ok(());
        }
        if !self.columns.contains_key(&Field::OrderId) && self.key.is_empty() {
            return Err("columns.orderId is missing: name the column that has the number of the order".to_owned());
        }
        if self.currency.as_ref().is_some_and(|code| ordersync_values::currency::Currency::from_code(code).is_none()) {
            return Err("currency: this is no code of ISO 4217, such as \"EUR\"".to_owned());
        }
        if self.delimiter.is_some_and(|sign| !sign.is_ascii() || matches!(sign, '"' | '\n' | '\r')) {
            return Err("delimiter: use one ASCII sign, such as \";\"".to_owned());
        }
        if self.decimal.is_some_and(|sign| !matches!(sign, '.' | ',')) {
            return Err("decimal: use \".\" or \",\"".to_owned());
        }
        if let Some(label) = &self.encoding
            && encoding_rs::Encoding::for_label(label.as_bytes()).is_none()
        {
            return Err(format!("encoding: \"{label}\" is not known; use \"utf-8\" or \"windows-1252\""));
        }
        Ok(())
    }

    /// True if a row is a text around the table, such as the count of its rows.
    pub(crate) fn is_footer(&self, cells: &[String]) -> bool {
        let mut texts = cells.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty());
        !self.footers.is_empty()
            && texts.clone().count() <= 3
            && texts.any(|text| self.footers.iter().any(|footer| text.contains(footer.as_str())))
    }

    /// Whether it is for documents: JSON with lists in its records.
    pub(crate) fn is_document(&self) -> bool {
        self.columns.values().any(|source| source.places.iter().any(|place| matches!(place, Place::Path(..))))
    }

    pub(crate) fn source(&self, field: Field) -> Option<&Source> {
        self.columns.get(&field)
    }

    /// The family of its order numbers: those of different retailers may be the same.
    pub(crate) fn family(&self) -> &str {
        self.family.as_deref().unwrap_or(&self.name)
    }

    /// True if its retailers are websites of Amazon.
    pub(crate) fn names_websites(&self) -> bool {
        self.family.as_deref() == Some("amazon")
    }

    /// All sources that it reads.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Source> {
        let of_rules = self
            .adjustments
            .iter()
            .flat_map(|rule| [Some(&rule.amount), rule.date.as_ref(), rule.text.as_ref()].into_iter().flatten());
        let of_parts = self.components.iter().flat_map(|parts| [&parts.column, &parts.amount, &parts.discount_text]);
        let of_subtotal = self.subtotal.iter().flat_map(|subtotal| [&subtotal.column, &subtotal.per]);
        let of_rows = self.only_if.iter().map(|only| &only.column);
        let of_order = self.columns.values().chain(&self.key).chain(&self.row_total);
        of_order.chain(of_rules).chain(of_parts).chain(of_subtotal).chain(of_rows)
    }
}

/// The names of the built-in formats.
pub(crate) fn names() -> String {
    BUILT_IN.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn invalid(name: &str, why: &str) -> Refused {
    Finding::new(FindingCode::MappingInvalid, name, format!("The mapping is not valid: {}", why.trim_end())).into()
}
