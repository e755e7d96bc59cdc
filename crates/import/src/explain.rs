//! A proposal of a mapping for a file in no known format: its columns or paths, by what their names say and by what their
//! values prove. The user corrects it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use ordersync_values::locale;
use serde_json::Value;

use crate::build::status_of;
use crate::document;
use crate::finding::{Finding, FindingCode, Findings, Refused};
use crate::format::Format;
use crate::input::{collect, is_text};
use crate::layout::Dates;
use crate::mailbox;
use crate::table::{Charset, Table, delimiter};

/// Rows that are looked at.
const SAMPLE: usize = 500;

/// Fields, and parts of the names that columns with them have, in lower case and without spaces. The first that fits wins.
const NAMES: &[(&str, &[&str])] = &[
    (
        "orderId",
        &[
            "orderid",
            "ordernumber",
            "orderno",
            "bestellnummer",
            "auftragsnummer",
            "numérodecommande",
            "order",
            "receipt",
        ],
    ),
    ("orderDate", &["orderdate", "purchasedate", "bestelldatum", "createdat", "datum", "date", "time"]),
    ("lineTotal", &["linetotal", "itemtotal", "gesamt", "subtotal", "total", "amount", "betrag", "summe"]),
    ("price", &["unitprice", "einzelpreis", "priceperunit", "price", "preis", "prix", "prezzo", "precio"]),
    ("itemName", &["itemname", "productname", "title", "product", "article", "artikel", "description", "item", "name"]),
    ("quantity", &["quantity", "qty", "menge", "anzahl", "quantité", "quantità", "cantidad", "units"]),
    ("retailerSku", &["sku", "asin", "articlenumber", "artikelnummer", "itemnumber", "productid"]),
    ("currency", &["currencycode", "currency", "währung", "devise", "valuta"]),
    ("shipmentStatus", &["status", "état", "stato", "estado"]),
    ("seller", &["seller", "vendor", "merchant", "verkäufer"]),
];

/// Fields of the order: in a document, their paths begin at the order.
const OF_ORDER: &[&str] = &["orderId", "orderDate", "currency"];

const DATES: &[&str] = &[
    "iso",
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%Y/%m/%d",
    "%d-%m-%Y",
    "%Y-%m-%d %H:%M:%S %z",
    "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M:%S",
    "%b %d, %Y",
    "%d %b %Y",
];

/// Names, and values below them.
type Columns = Vec<(String, Vec<String>)>;

/// The names of a file and what is below them, and what is known of it.
#[derive(Default)]
struct Seen {
    values: Columns,
    /// Lines of TOML that say how the file is written.
    about: String,
    /// Of a document: its lines, by their path and their names.
    lines: Option<(String, Columns)>,
}

/// Proposes a mapping, in TOML, for a CSV or JSON file.
/// Fails if the file cannot be read, or is neither.
pub fn explain(path: &Path) -> Result<String, Refused> {
    let inputs = collect(&[path.to_owned()], false, &mut Findings::default())?;
    let [input] = inputs.as_slice() else {
        let message = "A mapping is for one CSV or JSON file. Name that file.";
        return Err(Finding::new(FindingCode::FormatUnknown, &path.display().to_string(), message).into());
    };
    let start = input.start()?;
    let seen = if !is_text(&start) {
        let message = "The file is neither CSV nor JSON. Export it as one of them, in UTF-8.";
        return Err(Finding::new(FindingCode::FormatUnknown, &input.shown, message).into());
    } else if mailbox::recognise(&start).is_some() {
        let message = "Mails need no mapping: import the file as it is.";
        return Err(Finding::new(FindingCode::FormatUnknown, &input.shown, message).into());
    } else if document::is_json(&start) {
        let first = document::Records::of(input)?.next()?;
        json(&first.map_or(Value::Null, |(_, record)| record))
    } else {
        let delimiter = delimiter(&start);
        csv(Table::new(input.open()?, &input.shown, delimiter, Charset::new(None))?, delimiter)?
    };
    Ok(proposal(&input.shown, &input.stem(), &seen))
}

fn csv(mut table: Table, delimiter: u8) -> Result<Seen, Refused> {
    let names = table.next()?.map_or_else(Vec::new, |row| row.cells);
    let mut values: Columns = names.into_iter().map(|name| (name.trim().to_owned(), Vec::new())).collect();
    for _ in 0..SAMPLE {
        let Some(row) = table.next()? else { break };
        for ((_, column), cell) in values.iter_mut().zip(row.cells) {
            column.push(cell);
        }
    }
    let mut about = format!("delimiter = {}\n", quoted(&char::from(delimiter).to_string()));
    if table.charset.is_presumed() {
        about.push_str("encoding = \"windows-1252\" # the file is not UTF-8: look at its titles\n");
    }
    Ok(Seen { values, about, lines: None })
}

fn json(record: &Value) -> Seen {
    let scalars = |value: &Value| -> Columns {
        let of = |(name, value): (&String, &Value)| match value {
            Value::String(text) => Some((name.clone(), vec![text.clone()])),
            Value::Number(number) => Some((name.clone(), vec![number.to_string()])),
            _ => None,
        };
        value.as_object().into_iter().flatten().filter_map(of).collect()
    };
    let lists = record.as_object().into_iter().flatten().filter_map(|(name, value)| {
        let first = value.as_array()?.first().filter(|first| first.is_object())?;
        Some((format!("$[{}][*]", single(name)), scalars(first)))
    });
    // The lines are the list whose elements have the most values.
    let lines = lists.max_by_key(|(_, names)| names.len());
    Seen { values: scalars(record), about: String::new(), lines }
}

fn proposal(shown: &str, stem: &str, seen: &Seen) -> String {
    let mut columns: BTreeMap<usize, (&str, String, &[String])> = BTreeMap::new();
    let mut used: Vec<&str> = Vec::new();
    for (position, (field, names)) in NAMES.iter().enumerate() {
        let (of, path): (&[_], fn(&str) -> String) = match &seen.lines {
            Some((_, lines)) if !OF_ORDER.contains(field) => (lines, |name| format!("$[{}]", single(name))),
            Some(_) => (&seen.values, |name| format!("$[{}]", single(name))),
            None => (&seen.values, str::to_owned),
        };
        let fits = |name: &str, part: &str| bare(name).contains(part) && !used.contains(&name);
        let found = names.iter().find_map(|part| of.iter().find(|(name, _)| fits(name, part)));
        if let Some((name, values)) = found {
            used.push(name);
            columns.insert(position, (field, path(name), values));
        }
    }
    let values_of = |wanted: &str| columns.values().find(|(field, ..)| *field == wanted).map(|(_, _, values)| *values);
    let mut text = format!(
        "# A mapping for {shown}. Check each line, then: ordersync import --map mapping.toml {shown}\nretailer = {}\n",
        quoted(stem)
    );
    text.push_str(&seen.about);
    let amounts = ["price", "lineTotal"].iter().filter_map(|field| values_of(field)).flatten();
    text.push_str(&decimal(amounts));
    text.push_str(&dates(values_of("orderDate").unwrap_or_default()));
    if values_of("currency").is_none() {
        text.push_str("# currency = \"EUR\" # if the amounts have none\n");
    }
    text.push_str("# time_zone = \"Europe/Berlin\" # if the times have none\n");
    if let Some((lines, _)) = &seen.lines {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "lines = {}", quoted(lines));
    }
    text.push_str("\n[columns]\n");
    for (field, path, _) in columns.values() {
        let _ = writeln!(text, "{field} = {}", quoted(path));
    }
    for (field, _) in NAMES.iter().take(5).filter(|(field, _)| values_of(field).is_none()) {
        let _ = writeln!(text, "# {field} = \"\" # not found");
    }
    text.push_str(&statuses(values_of("shipmentStatus").unwrap_or_default()));
    let of_lines = seen.lines.iter().flat_map(|(_, names)| names);
    let others: Vec<String> = seen
        .values
        .iter()
        .chain(of_lines)
        .map(|(name, _)| name)
        .filter(|name| !used.contains(&name.as_str()))
        .map(|name| quoted(name))
        .collect();
    if !others.is_empty() {
        let _ = writeln!(text, "\n# Not used: {}", others.join(", "));
    }
    text
}

/// The words of statuses that no format knows, to be filled in.
fn statuses(values: &[String]) -> String {
    let words = values.iter().map(|value| value.trim().to_lowercase());
    let unknown: BTreeSet<String> = words.filter(|word| !word.is_empty() && status_of(word).is_none()).collect();
    let lines =
        unknown.iter().map(|word| format!("# {} = \"\" # shipped, delivered, completed, cancelled …\n", quoted(word)));
    if unknown.is_empty() { String::new() } else { format!("\n[statuses]\n{}", lines.collect::<String>()) }
}

/// The decimal sign that some amount proves.
fn decimal<'a>(amounts: impl Iterator<Item = &'a String>) -> String {
    let (mut point, mut comma) = (false, false);
    for amount in amounts {
        let number = amount.trim_matches(|sign: char| !sign.is_ascii_digit());
        match (locale::number(number, '.'), locale::number(number, ',')) {
            (Some(_), None) => point = true,
            (None, Some(_)) => comma = true,
            _ => {}
        }
    }
    match (point, comma) {
        (true, false) => "decimal = \".\"\n".to_owned(),
        (false, true) => "decimal = \",\"\n".to_owned(),
        _ => "# decimal = \",\" # the sign before cents, if each amount does not show it\n".to_owned(),
    }
}

/// The ways of writing dates that read all of them.
fn dates(values: &[String]) -> String {
    let mut format = Format::default();
    format.date_format.0 = DATES.iter().map(|form| (*form).to_owned()).collect();
    let mut dates = Dates::new(&format);
    values.iter().filter(|value| !value.is_empty()).for_each(|value| dates.prove(value.trim()));
    match dates.forms() {
        [only] => format!("date_format = {}\n", quoted(only)),
        [first, others @ ..] if others.len() + 1 < DATES.len() => {
            format!("date_format = {} # or {}: nothing in the file proves which\n", quoted(first), others.join(", "))
        }
        _ => "# date_format = \"%d.%m.%Y\" # as strftime writes it; \"iso\" for 2026-01-31\n".to_owned(),
    }
}

/// A name without its spaces and signs.
fn bare(name: &str) -> String {
    name.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A text in TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A name in a JSONPath.
fn single(name: &str) -> String {
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}
