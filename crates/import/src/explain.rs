//! A proposal of a mapping for a file in no known format: its columns or paths, by what their names say and by what their
//! values prove. The user corrects it.

mod nested;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use ordersync_values::locale;
use serde_json::Value;

use self::nested::{Column, lists, scalars, single};
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
/// Records of JSON that are looked at begin before this byte.
const MAX_OFFSET: u64 = 1 << 20;
/// Fields, and parts of the names that columns with them have, in lower case and without spaces. The first that fits wins.
const NAMES: &[(&str, &[&str])] = &[
    (
        ORDER_ID,
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
    (
        ORDER_DATE,
        &["orderdate", "purchasedate", "bestelldatum", "createdat", "placedat", "orderedat", "datum", "date", "time"],
    ),
    (ORDER_TOTAL, &["ordertotal", "orderamount", "grandtotal", "bestellsumme", "bestellwert", "gesamtsumme"]),
    (LINE_TOTAL, &["linetotal", "itemtotal", "lineamount", "gesamt", "subtotal", "total", "amount", "betrag", "summe"]),
    ("price", &["unitprice", "einzelpreis", "priceperunit", "price", "preis", "prix", "prezzo", "precio"]),
    ("itemName", &["itemname", "productname", "title", "product", "article", "artikel", "description", "item", "name"]),
    ("quantity", &["quantity", "qty", "menge", "anzahl", "quantité", "quantità", "cantidad", "units"]),
    ("retailerSku", &["sku", "asin", "articlenumber", "artikelnummer", "itemnumber", "productid"]),
    ("currency", &["currencycode", "currency", "währung", "devise", "valuta"]),
    (STATUS, &["status", "état", "stato", "estado"]),
    (SELLER, &["seller", "vendor", "merchant", "verkäufer"]),
];
const ORDER_ID: &str = "orderId";
const ORDER_DATE: &str = "orderDate";
const ORDER_TOTAL: &str = "orderTotal";
const LINE_TOTAL: &str = "lineTotal";
const STATUS: &str = "shipmentStatus";
const SELLER: &str = "seller";

/// Fields that are looked for first: an "Order date" is no number of an order.
const FIRST: &[&str] = &[ORDER_DATE, ORDER_TOTAL];
/// Fields of the order: in a document, their paths begin at the order.
const OF_ORDER: &[&str] = &[ORDER_ID, ORDER_DATE, ORDER_TOTAL, "currency"];
/// Fields of the line that some documents have at the order.
const OF_EITHER: &[&str] = &[STATUS, SELLER];
/// Beside the lines of a document, names of the order's own values that say enough.
const BESIDE_LINES: &[(&str, &[&str])] =
    &[(ORDER_ID, &["=id", "=number", "=no"]), (ORDER_TOTAL, &["total", "amount", "gesamt", "betrag", "summe"])];
/// Totals of a part of the order.
const PARTS: &[&str] = &["sub", "tax", "ship", "discount", "refund", "paid", "item", "versand", "steuer", "rabatt"];
/// Totals that are the line's by their name.
const OF_LINE: &[&str] = &["line", "item", "artikel", "position", "zeile"];
/// Fields without which a proposal is of little use.
const WANTED: &[&str] = &[ORDER_ID, ORDER_DATE, LINE_TOTAL, "price", "itemName"];

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

/// Where orders and lines are, and what they have.
#[derive(Default)]
struct Seen {
    /// Lines of TOML that say how the file is written.
    about: String,
    /// Of a document: the paths of its orders, groups of lines and lines, where these are in lists.
    records: Option<String>,
    groups: Option<String>,
    lines: Option<String>,
    of_order: Vec<Column>,
    of_line: Vec<Column>,
}

/// A field, and where it is.
struct Match<'a> {
    field: &'static str,
    path: String,
    column: &'a Column,
    /// The comment beside it, if nothing proves it.
    doubt: Option<&'static str>,
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
        let mut records = document::Records::of(input)?;
        let mut sample = vec![records.next()?.map_or(Value::Null, |(_, record)| record)];
        // What cannot be read further down is for the import to say.
        while let Ok(Some((row, record))) = records.next() {
            sample.push(record);
            if sample.len() >= SAMPLE || row.offset > MAX_OFFSET {
                break;
            }
        }
        json(&sample.iter().collect::<Vec<_>>())
    } else {
        let delimiter = delimiter(&start);
        csv(Table::new(input.open()?, &input.shown, delimiter, Charset::new(None))?, delimiter)?
    };
    Ok(proposal(&input.shown, &input.shop(), &seen))
}

fn csv(mut table: Table, delimiter: u8) -> Result<Seen, Refused> {
    let names = table.next()?.map_or_else(Vec::new, |row| row.cells);
    let column = |name: String| Column { path: vec![name.trim().to_owned()], values: Vec::new() };
    let mut of_order: Vec<Column> = names.into_iter().map(column).collect();
    for _ in 0..SAMPLE {
        let Some(row) = table.next()? else { break };
        for (column, cell) in of_order.iter_mut().zip(row.cells) {
            column.values.push(cell);
        }
    }
    let mut about = format!("delimiter = {}\n", quoted(&char::from(delimiter).to_string()));
    if table.charset.is_presumed() {
        about.push_str("encoding = \"windows-1252\" # the file is not UTF-8: look at its titles\n");
    }
    Ok(Seen { about, of_order, ..Seen::default() })
}

/// The reading of a document that finds most fields; of equal ones, that with the fewest lists.
fn json(records: &[&Value]) -> Seen {
    let mut readings = vec![Seen { of_order: scalars(records), ..Seen::default() }];
    for (first, orders) in lists(records) {
        let [of_records, of_first] = [records, &orders].map(scalars);
        readings.push(Seen { lines: Some(first.clone()), of_order: of_records, of_line: of_first, ..Seen::default() });
        readings.push(Seen { records: Some(first.clone()), of_order: scalars(&orders), ..Seen::default() });
        for (second, inner) in lists(&orders) {
            readings.push(Seen {
                records: Some(first.clone()),
                lines: Some(second.clone()),
                of_order: scalars(&orders),
                of_line: scalars(&inner),
                ..Seen::default()
            });
            readings.push(Seen {
                groups: Some(first.clone()),
                lines: Some(second.clone()),
                of_order: scalars(records),
                of_line: scalars(&inner),
                ..Seen::default()
            });
            for (third, innermost) in lists(&inner) {
                readings.push(Seen {
                    records: Some(first.clone()),
                    groups: Some(second.clone()),
                    lines: Some(third),
                    of_order: scalars(&orders),
                    of_line: scalars(&innermost),
                    ..Seen::default()
                });
            }
        }
    }
    // Neither a list of anything nor an order without lines is worth as much as a number and titles.
    let weight = |field: &str| match field {
        ORDER_ID => 4,
        "itemName" => 2,
        _ => 1,
    };
    let score = |seen: &Seen| matches(seen).iter().map(|found| weight(found.field)).sum::<u32>();
    let lists = |seen: &Seen| [&seen.records, &seen.groups, &seen.lines].into_iter().flatten().count();
    readings.sort_by_key(|seen| (std::cmp::Reverse(score(seen)), lists(seen)));
    readings.into_iter().next().unwrap_or_default()
}

/// The fields that are found, in the order of their names.
fn matches(seen: &Seen) -> Vec<Match<'_>> {
    let mut found: Vec<Match<'_>> = Vec::new();
    let first = NAMES.iter().filter(|(field, _)| FIRST.contains(field));
    for (field, names) in first.chain(NAMES.iter().filter(|(field, _)| !FIRST.contains(field))) {
        let has_lines = seen.lines.is_some();
        let columns = if has_lines && !OF_ORDER.contains(field) { &seen.of_line } else { &seen.of_order };
        let of = |columns: &'_ [Column], names: &[&str]| {
            let is_used = |column: &Column| found.iter().any(|used| std::ptr::eq(used.column, column));
            let fits = |column: &Column, part: &str| is_named(field, &column.path, part) && !is_used(column);
            names.iter().find_map(|part| columns.iter().position(|column| fits(column, part)))
        };
        let beside = BESIDE_LINES.iter().find(|(of, _)| has_lines && of == field).map_or(&[][..], |(_, names)| *names);
        let own = of(columns, names).or_else(|| of(columns, beside)).and_then(|index| columns.get(index));
        let of_order = || of(&seen.of_order, names).and_then(|index| seen.of_order.get(index));
        let (column, base) = match own {
            Some(column) => (column, ""),
            None if has_lines && OF_EITHER.contains(field) => match of_order() {
                Some(column) => (column, "order:"),
                None => continue,
            },
            None => continue,
        };
        found.push(Match { field, path: format!("{base}{}", path(seen, column)), column, doubt: None });
    }
    if seen.lines.is_none() {
        whose_total(&mut found);
    }
    let place = |field: &str| NAMES.iter().position(|(name, _)| *name == field);
    found.sort_by_key(|one| place(one.field));
    found
}

/// Whether a name has a part by which it is a field.
fn is_named(field: &str, path: &[String], part: &str) -> bool {
    let name = bare(&path.concat());
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if let Some(whole) = part.strip_prefix('=') {
        return name == whole;
    }
    let is_other = match (field, part) {
        // "Price amount" and "Order amount".
        (LINE_TOTAL, "amount") => has(&["price", "preis", "order"]),
        (LINE_TOTAL, "total") => name.contains("order") && !has(OF_LINE),
        (ORDER_TOTAL, "total" | "amount" | "gesamt" | "betrag" | "summe") => has(PARTS),
        // "Order status" and "Order items".
        (ORDER_ID, "order" | "receipt") => has(&["total", "amount", "status", "item", "name", "currency", "price"]),
        _ => false,
    };
    name.contains(part) && !is_other
}

/// A total without the word of an order or a line: that of the order if all rows of each order repeat it, and no prices prove
/// another.
fn whose_total(found: &mut [Match<'_>]) {
    let values = |field: &str| found.iter().find(|one| one.field == field).map(|one| one.column.values.as_slice());
    let (Some(ids), Some(totals)) = (values(ORDER_ID), values(LINE_TOTAL)) else { return };
    if ids.len() != totals.len() || values(ORDER_TOTAL).is_some() {
        return;
    }
    let number = |text: &str| {
        let text = text.trim_matches(|sign: char| !sign.is_ascii_digit());
        locale::number(text, '.').or_else(|| locale::number(text, ','))
    };
    let is_product = match (values("price"), values("quantity")) {
        (Some(prices), Some(counts)) if prices.len() == totals.len() && counts.len() == totals.len() => {
            let mut rows = prices.iter().zip(counts).zip(totals);
            rows.all(|((price, count), total)| {
                number(price).zip(number(count)).is_some_and(|(price, count)| number(total) == Some(price * count))
            })
        }
        _ => false,
    };
    let mut of_orders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, total) in ids.iter().zip(totals) {
        of_orders.entry(id.trim()).or_default().push(total.trim());
    }
    let mut several = of_orders.values().filter(|totals| totals.len() > 1).peekable();
    let has_several = several.peek().is_some();
    let is_repeated = has_several && several.all(|totals| totals.iter().all(|total| *total == totals[0]));
    for one in found.iter_mut().filter(|one| one.field == LINE_TOTAL) {
        let name = bare(&one.column.path.concat());
        if is_product || OF_LINE.iter().chain(&["sub"]).any(|part| name.contains(part)) {
            continue;
        }
        if is_repeated {
            one.field = ORDER_TOTAL;
        } else if !has_several {
            one.doubt = Some("or orderTotal: nothing in the file proves which");
        }
    }
}

fn path(seen: &Seen, column: &Column) -> String {
    let is_plain = seen.lines.is_none() && column.path.len() == 1;
    match column.path.as_slice() {
        [name] if is_plain => name.clone(),
        names => format!("${}", names.iter().map(|name| format!("[{}]", single(name))).collect::<String>()),
    }
}

fn proposal(shown: &str, shop: &str, seen: &Seen) -> String {
    let found = matches(seen);
    let values_of = |wanted: &str| found.iter().find(|one| one.field == wanted).map(|one| one.column.values.as_slice());
    let mut text = format!(
        "# A mapping for {shown}. Check each line, then: ordersync import --map mapping.toml {shown}\nretailer = {} # the name \
         of the file: write that of the shop\n",
        quoted(shop)
    );
    text.push_str(&seen.about);
    let amounts = ["price", ORDER_TOTAL, LINE_TOTAL, "quantity"].iter().filter_map(|field| values_of(field)).flatten();
    text.push_str(&decimal(amounts));
    text.push_str(&dates(values_of(ORDER_DATE).unwrap_or_default()));
    if values_of("currency").is_none() {
        text.push_str("# currency = \"EUR\" # if the amounts have none\n");
    }
    text.push_str("# time_zone = \"Europe/Berlin\" # if the times have none\n");
    // Writing to a String cannot fail.
    for (key, path) in [("records", &seen.records), ("groups", &seen.groups), ("lines", &seen.lines)] {
        if let Some(path) = path {
            let _ = writeln!(text, "{key} = {}", quoted(path));
        }
    }
    text.push_str("\n[columns]\n");
    for Match { field, path, doubt, .. } in &found {
        let doubt = doubt.map_or_else(String::new, |doubt| format!(" # {doubt}"));
        let _ = writeln!(text, "{field} = {}{doubt}", quoted(path));
    }
    for field in WANTED.iter().filter(|field| values_of(field).is_none()) {
        let _ = writeln!(text, "# {field} = \"\" # not found");
    }
    text.push_str(&statuses(values_of(STATUS).unwrap_or_default()));
    let is_used = |column: &&Column| found.iter().any(|used| std::ptr::eq(used.column, *column));
    let others = seen.of_order.iter().chain(&seen.of_line).filter(|column| !is_used(column));
    let others: Vec<String> = others.map(|column| quoted(&column.path.join("."))).collect();
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

/// The decimal sign that some number proves.
fn decimal<'a>(numbers: impl Iterator<Item = &'a String>) -> String {
    let (mut point, mut comma, mut doubt) = (false, false, None::<&str>);
    for text in numbers {
        let number = text.trim_matches(|sign: char| !sign.is_ascii_digit());
        match (locale::number(number, '.'), locale::number(number, ',')) {
            (Some(_), None) => point = true,
            (None, Some(_)) => comma = true,
            (one, other) if one != other => doubt = doubt.or(Some(number)),
            _ => {}
        }
    }
    match (point, comma, doubt) {
        (true, false, _) => "decimal = \".\"\n".to_owned(),
        (false, true, _) => "decimal = \",\"\n".to_owned(),
        (_, _, Some(number)) => format!(
            "# decimal = \".\" # or \",\": nothing in the file proves which; without it, numbers such as {number} are left out\n"
        ),
        (_, _, None) => "# decimal = \".\" # or \",\": needed for numbers such as 1.234\n".to_owned(),
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
        // The import refuses the file until it proves one of several, or the user names one.
        forms if forms.len() < DATES.len() => format!(
            "date_format = [{}] # nothing in the file proves which: delete the wrong one\n",
            forms.iter().map(|form| quoted(form)).collect::<Vec<_>>().join(", ")
        ),
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
