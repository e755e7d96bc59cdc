//! A line item as received over the wire, borrowed from the page's bytes: no tree is built, and no digit is lost.

mod scan;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use ordersync_api::list::{WRAPPERS, tells_of_error};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::errors::{Error, codes};

macro_rules! columns {
    ($($column:ident = $name:literal $(, $title:literal)?;)+) => {
        /// A field of a line item.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Column {
            $(#[doc = concat!("`", $name, "`")] $column,)+
        }

        impl Column {
            /// All of them, in the order of the interface; the mark is the last.
            pub(crate) const ALL: [Self; 30] = [$(Self::$column),+];

            /// The field's name in JSON.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$column => $name),+ }
            }

            /// The name as written in a JSON object, quotes, colon and all.
            pub(super) const fn key(self) -> &'static str {
                match self { $(Self::$column => concat!("\"", $name, "\":")),+ }
            }

            /// The specification's title of the column, where it has one.
            pub(crate) const fn title(self) -> Option<&'static str> {
                match self { $(Self::$column => columns!(@title $($title)?)),+ }
            }

            pub(super) fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$column),)+ _ => None }
            }
        }
    };
    (@title $title:literal) => { Some($title) };
    (@title) => { None };
}

columns! {
    Id = "id";
    ConnectionId = "connectionId";
    RetailerId = "retailerId";
    RetailerName = "retailerName", "Retailer";
    OrderId = "orderId", "Retailer Order ID";
    OrderDate = "orderDate", "Order Date";
    ItemName = "itemName", "Item Name";
    BrandName = "brandName", "Brand";
    Department = "department", "Dept";
    Category = "category", "Category";
    SubCategory = "subCategory", "SubCategory";
    RetailerSku = "retailerSku", "SKU";
    Quantity = "quantity", "Quantity";
    Price = "price", "Price";
    LineTotal = "lineTotal";
    Currency = "currency", "Currency";
    ShipmentStatus = "shipmentStatus", "Shipment Status";
    ShipmentText = "shipmentText";
    OrderTotal = "orderTotal", "Order Total";
    MissingSince = "missingSince";
    UpdatedAt = "updatedAt";
    LineNumber = "lineNumber";
    OrderDatePrecision = "orderDatePrecision";
    LineAdjustments = "lineAdjustments";
    OrderAdjustments = "orderAdjustments";
    Mismatch = "mismatch";
    Shipments = "shipments";
    Carrier = "carrier";
    TrackingNumber = "trackingNumber";
    Change = "change";
}

impl Column {
    /// Those that every export of typed columns has: the others are there if `--columns` names them.
    pub(crate) const SERVED: [Self; 21] = {
        let mut served = [Self::Id; 21];
        let mut index = 0;
        while index < served.len() {
            served[index] = Self::ALL[index];
            index += 1;
        }
        served
    };
}

/// A line item.
#[derive(Debug, Clone)]
pub(crate) struct Row<'a> {
    pub(super) raw: &'a str,
    pub(super) cells: Cells<'a>,
    mark: Option<&'static str>,
}

/// The fields of a line item, as text.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells<'a>([Option<Cow<'a, str>>; Column::ALL.len()]);

impl<'a> Cells<'a> {
    pub(super) fn set(&mut self, column: Column, cell: Option<Cow<'a, str>>) {
        self.0[column as usize] = cell;
    }
}

impl<'a> Row<'a> {
    pub(super) const fn new(raw: &'a str, cells: Cells<'a>) -> Self {
        Self { raw, cells, mark: None }
    }

    /// Reads a line item from its JSON. Fails if it is not a JSON object.
    pub(crate) fn read(raw: &'a str) -> serde_json::Result<Self> {
        scan::row(raw).map_or_else(|| Self::read_any(raw), Ok)
    }

    /// Reads any JSON object, slower.
    pub(super) fn read_any(raw: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str::<Cells<'a>>(raw).map(|cells| Self::new(raw, cells))
    }

    /// The whole of it, as received: what this version does not know is in there too.
    pub(crate) const fn raw(&self) -> &'a str {
        self.raw
    }

    /// Marks it with what it is by comparison with an earlier export.
    pub(crate) fn marked(mut self, mark: &'static str) -> Self {
        self.cells.set(Column::Change, Some(Cow::Borrowed(mark)));
        Self { mark: Some(mark), ..self }
    }

    /// Its JSON: as received, and the mark.
    pub(crate) fn document(&self) -> Cow<'a, str> {
        match (self.mark, self.raw.trim_end().strip_suffix('}')) {
            (Some(mark), Some(open)) => {
                let comma = if open.trim_end().ends_with('{') { "" } else { "," };
                format!("{open}{comma}\"{}\":\"{mark}\"}}", Column::Change.name()).into()
            }
            _ => self.raw.into(),
        }
    }

    /// Whether it has a field, be it null.
    pub(crate) fn has(&self, column: Column) -> bool {
        // Within a text, the second quote would stand behind a backslash.
        self.text(column).is_some() || self.raw.contains(column.key().trim_end_matches(':'))
    }

    /// The text of a column of parcels: those of all parcels of the line, each once.
    pub(crate) fn of_parcels(&self, column: Column) -> String {
        let parcels = self.text(Column::Shipments).map(serde_json::from_str::<Vec<Value>>);
        let mut texts = Vec::new();
        for parcel in parcels.and_then(Result::ok).into_iter().flatten() {
            let text = match &parcel[column.name()] {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            };
            texts.extend(text.filter(|text| !texts.contains(text)));
        }
        texts.join("; ")
    }

    /// The error of a field whose value cannot be used.
    pub(crate) fn unreadable(&self, column: Column, why: &str) -> Error {
        let id = self.text(Column::Id).unwrap_or("without an id");
        Error::of(&codes::network::UNEXPECTED_ANSWER, format!("Item {id}: {}: {why}.", column.name()))
            .hint("Report it to the operator of the service; -vv shows the answer.")
    }

    /// A field as text: a number with the digits that were sent, what is neither text nor number as JSON. `None`: null,
    /// or not there.
    pub(crate) fn text(&self, column: Column) -> Option<&str> {
        self.cells.0[column as usize].as_deref()
    }
}

/// The rows of a page: from a bare array, or an object with a list in it, as [`ordersync_api::List`] reads them.
pub(crate) fn rows(page: &[u8]) -> serde_json::Result<Vec<Row<'_>>> {
    if let Some(rows) = std::str::from_utf8(page).ok().and_then(scan::rows) {
        return Ok(rows);
    }
    raw_rows(page)?.into_iter().map(|item| Row::read(item.get())).collect()
}

fn raw_rows(page: &[u8]) -> serde_json::Result<Vec<&RawValue>> {
    if page.trim_ascii_start().first() != Some(&b'{') {
        return serde_json::from_slice(page);
    }
    let object: BTreeMap<String, &RawValue> = serde_json::from_slice(page)?;
    let is_list = |value: &&RawValue| value.get().starts_with('[');
    let named = WRAPPERS.iter().find_map(|name| object.get(*name).copied().filter(is_list));
    let mut lists = object.values().copied().filter(is_list);
    let tells_of_error = tells_of_error(object.keys().map(String::as_str));
    let only = lists.next().filter(|_| lists.next().is_none() && !tells_of_error);
    let missing = || serde::de::Error::custom("expected a list, or an object with one list in it");
    serde_json::from_str(named.or(only).ok_or_else(missing)?.get())
}

impl<'de> Deserialize<'de> for Cells<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Cells<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a line item")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut cells = Cells::default();
                while let Some(name) = map.next_key::<Cow<'de, str>>()? {
                    match Column::named(&name) {
                        Some(column) => cells.set(column, cell(map.next_value::<&'de RawValue>()?)),
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(cells)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

fn cell(value: &RawValue) -> Option<Cow<'_, str>> {
    let text = value.get();
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(inside) if !inside.contains('\\') => Some(Cow::Borrowed(inside)),
        Some(inside) => Some(Cow::Owned(json(text).unwrap_or_else(|_| inside.to_owned()))),
        None if text == "null" => None,
        None => Some(Cow::Borrowed(text)),
    }
}

/// Reads JSON. U+FFFD stands for half of a surrogate pair, as of an emoji that was cut (Unicode 3.9, U+FFFD substitution).
pub(crate) fn json<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|why| serde_json::from_str(&with_whole_characters(text)).map_err(|_| why))
}

fn with_whole_characters(json: &str) -> String {
    let unit = |escape: &str| u16::from_str_radix(escape.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let mut whole = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        let (length, is_half) = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, false),
            (Some(unit), _) => (6, matches!(unit, 0xd800..=0xdfff)),
            (None, _) => (2, false),
        };
        let Some((escape, after)) = escape.split_at_checked(length) else { break };
        whole.extend([before, if is_half { "\\ufffd" } else { escape }]);
        rest = after;
    }
    whole + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_character_takes_nothing_else_away() {
        let raw = r#"{"id":1,"orderId":"A\ud83d\"\\1","itemName":"\udc00 La\u0000mp \ud83d\ude00\n\ud83d","shipments":[{"trackingNumber":17}]}"#;
        let row = Row::read(raw).expect("row");
        assert_eq!(row.text(Column::OrderId), Some("A\u{fffd}\"\\1"));
        assert_eq!(row.text(Column::ItemName), Some("\u{fffd} La\0mp \u{1f600}\n\u{fffd}"));
        assert_eq!(row.of_parcels(Column::TrackingNumber), "17");
    }

    #[test]
    fn fields_keep_their_digits_and_escapes_are_read() {
        let text = r#"[{"id":7,"itemName":"27\" sc\u00fcreen","price":1430.710,"brandName":null,"new":{"a":[1]},"quantity":"2"}]"#;
        let page = rows(text.as_bytes()).expect("rows");
        let row = &page[0];
        assert_eq!(row.text(Column::Id), Some("7"));
        assert_eq!(row.text(Column::ItemName), Some("27\" scüreen"));
        assert_eq!(row.text(Column::Price), Some("1430.710"));
        assert_eq!(row.text(Column::Quantity), Some("2"));
        assert_eq!((row.text(Column::BrandName), row.text(Column::Currency)), (None, None));
        assert_eq!(row.raw(), &text[1..text.len() - 1]);
        assert!(row.has(Column::Price) && row.has(Column::BrandName) && !row.has(Column::Currency));
        assert!(!Row::read(r#"{"itemName":"a \"currency\": b"}"#).expect("row").has(Column::Currency));
        assert!(Row::read("[1]").is_err());
        let marked = row.clone().marked("new");
        assert_eq!(Row::read(&marked.document()).expect("row").text(Column::Change), Some("new"));
        assert_eq!(row.document(), row.raw());
        assert_eq!(Row::read("{ }").expect("row").marked("new").document(), r#"{ "change":"new"}"#);
        for wrapped in [r#" {"data":[{"id":1}],"more":[]}"#, r#"{"total":1,"orders":[{"id":1}]}"#] {
            assert_eq!(rows(wrapped.as_bytes()).expect("rows")[0].raw(), r#"{"id":1}"#);
        }
        for none in [r#"{"a":[1],"b":[2]}"#, "7", r#"{"code":"DOWN","message":"","details":[]}"#] {
            assert!(rows(none.as_bytes()).is_err(), "{none}");
        }
    }

    #[test]
    fn the_titles_are_the_specifications() {
        let titles: Vec<&str> = Column::ALL.iter().filter_map(|column| column.title()).collect();
        assert_eq!(titles, ordersync_api::order::CSV_COLUMNS);
        assert!(Column::ALL.iter().enumerate().all(|(index, column)| *column as usize == index));
    }

    #[test]
    fn fuzz_pages_of_json() {
        let seeds: [&[u8]; 4] = [
            br#"[{"id":7,"itemName":"27\" sc\u00fcreen","price":1430.710,"brandName":null,"new":{"a":[1]}},{"id":"b"}]"#,
            br#" {"data":[{"id":1,"orderDate":"2025-10-16T13:50:00Z"}],"more":[]}"#,
            br#"{"total":1,"orders":[{"id":1,"quantity":1e400,"missingSince":"x"}]}"#,
            br#"[{"id":"a","connectionId":"c","retailerId":1,"orderTotal":-0.00,"updatedAt":"","lineTotal":"1"}]"#,
        ];
        let words = ["[", "]", "{", "}", "\"", "\\", ",", ":", "null", "1e9", "\\u0000", "\u{ff}", "\"id\":", "-", "0"];
        crate::fuzzing::fuzz("pages of json", &seeds, &words, |input, _| {
            // The fast way and the library give the same, and what is given out is JSON again.
            for row in rows(input).unwrap_or_default() {
                let again = Row::read_any(row.raw()).expect("JSON");
                assert!(Column::ALL.iter().all(|column| row.text(*column) == again.text(*column)));
                let marked = row.clone().marked("new");
                assert!(serde_json::from_str::<serde_json::Value>(&marked.document()).is_ok(), "{}", marked.document());
                let _ = Column::ALL.map(|column| crate::export::csv::cell(&row, column).is_ok());
            }
            let _ = serde_json::from_slice::<ordersync_api::List<ordersync_api::OrderItem>>(input);
            let _ = serde_json::from_slice::<ordersync_api::List<ordersync_api::Connection>>(input);
            let _ = serde_json::from_slice::<ordersync_api::Session>(input);
            let _ = crate::client::api_error::decode(input);
        });
    }
}
