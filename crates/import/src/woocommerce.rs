//! Order mails of shops that run on WooCommerce: HTML, which is known by its classes, and plain text, which is known by its
//! rules and signs. Both are those of the templates that come with it, from version 3 on.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ordersync_values::amount::Written;
use ordersync_values::currency::Currency;
use ordersync_values::locale;
use scraper::node::Element;
use scraper::{ElementRef, Html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::format::Format;
use crate::page::{all, children, day_in_words, has_class, is_quoted, spaced, text, text_before, within};
use crate::told::{Told, Unread};

const KIND: &str = "an order mail of a WooCommerce shop";
/// Between the lines and the figures of a plain text.
const RULE: &str = "==========";
const AMOUNT: &str = "woocommerce-Price-amount";
/// The classes that newer mails give their figures.
const TYPES: [(&str, &str); 8] = [
    ("order-totals-subtotal", "basket"),
    ("order-totals-discount", "discount"),
    ("order-totals-shipping", "shipping"),
    ("order-totals-fee", "fee"),
    ("order-totals-tax", "tax"),
    ("order-totals-payment_method", "payment"),
    ("order-totals-refund", "refund"),
    ("order-totals-total", "total"),
];

/// The words of the recipe for WooCommerce's pages, which are those of its mails.
static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let recipe: Result<Recipe, _> = toml::from_str(include_str!("../../../recipes/woocommerce.toml"));
    recipe.map(|recipe| recipe.words).unwrap_or_default()
});

#[derive(Deserialize)]
struct Recipe {
    words: Words,
}

#[derive(Default, Deserialize)]
struct Words {
    labels: BTreeMap<String, Vec<String>>,
    in_labels: BTreeMap<String, Vec<String>>,
}

impl Words {
    /// The kind of a figure, by its label.
    fn kind(&self, label: &str) -> Option<&str> {
        let bare = label.to_lowercase();
        let bare = bare.split('(').next().unwrap_or_default().trim().trim_end_matches([':', '：']).trim_end();
        let whole = self.labels.iter().find(|(_, words)| words.iter().any(|word| word == bare));
        let part = || {
            let mut found = self.in_labels.iter().filter(|(_, words)| words.iter().any(|word| has_word(bare, word)));
            // "Fee for taxes" may be either.
            found.next().filter(|_| found.next().is_none())
        };
        whole.or_else(part).map(|(kind, _)| kind.as_str())
    }
}

/// Whether a word is in a text: between other signs than letters, unless its language has no spaces.
fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphabetic() && sign < '\u{3000}');
    text.match_indices(word)
        .any(|(at, _)| !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + word.len()..].chars().next()))
}

/// A row below the lines.
struct Figure {
    /// As in the recipe.
    kind: Option<String>,
    label: String,
    amount: String,
    /// Whether it is an amount for certain: its label alone may be that of a note.
    is_amount: bool,
    /// Whether the amount was struck out, and another one put in its place, when money was paid back.
    is_struck: bool,
}

/// Adds the order of an HTML mail.
pub(crate) fn html(page: &Html, format: &Format, told: &mut Told) {
    let rows = all(page, "tr.order_item");
    if rows.is_empty() {
        return;
    }
    if rows.iter().any(is_quoted) {
        return told.quoted();
    }
    told.add(KIND, read_html(page, &rows, format));
}

fn read_html(page: &Html, rows: &[ElementRef<'_>], format: &Format) -> Result<Value, Unread> {
    let times = all(page, "h1 time[datetime], h2 time[datetime], h3 time[datetime]");
    let [time] = times.as_slice() else {
        return Err("it has no heading, or several, with an order and its date".into());
    };
    let is_heading = |one: &ElementRef<'_>| matches!(one.value().name(), "h1" | "h2" | "h3");
    let heading = time.ancestors().filter_map(ElementRef::wrap).find(is_heading).unwrap_or(*time);
    let about = text(heading, |inner| inner.name() == "time");
    let number = number(about.split(" (").next().unwrap_or_default()).ok_or("its heading has no number of an order")?;
    // Only those for the shop have a link to the order, and the SKUs.
    let has_skus = within(heading).any(|inner| inner.value().name() == "a");
    let lines = rows.iter().map(|row| line_of(*row, has_skus)).collect::<Option<Vec<_>>>();
    let lines = lines.ok_or_else(|| {
        Unread::order(&number, "one of its lines has other columns than a product, a quantity and a price")
    })?;
    let mut figures = Vec::new();
    for row in all(page, "tr") {
        if let [label, amount] = children(row).as_slice()
            && label.value().name() == "th"
            && label.attr("scope") == Some("row")
        {
            figures_of(row, *label, *amount, &mut figures);
        }
    }
    let status = status(&text_before(page, heading), format);
    order(&number, time.attr("datetime"), lines, &figures, status)
}

fn line_of(row: ElementRef<'_>, has_skus: bool) -> Option<Value> {
    let cells = children(row);
    let [product, quantity, price] = cells.as_slice() else { return None };
    let is_aside = |inner: &Element| {
        matches!(inner.name(), "ul" | "small" | "style")
            || inner.classes().any(|class| matches!(class, "wc-item-meta" | "email-order-item-meta"))
    };
    let title = text(*product, is_aside);
    let (title, sku) = if has_skus { with_sku(&title) } else { (title.as_str(), None) };
    // As ordered, also if some were paid back.
    let quantity = struck(*quantity).unwrap_or_else(|| text(*quantity, |_| false));
    let price = text(*price, |inner| matches!(inner.name(), "small" | "ins"));
    Some(json!({
        "title": title, "sku": sku, "quantity": quantity.trim_start_matches(['×', 'x']).trim(), "total": leading_amount(&price),
    }))
}

/// A title, and the SKU that mails for the shop have behind it.
fn with_sku(title: &str) -> (&str, Option<&str>) {
    let parts = title.strip_suffix(')').and_then(|title| title.rsplit_once("(#"));
    parts.map_or((title, None), |(title, sku)| (title.trim_end(), Some(sku)))
}

fn figures_of(row: ElementRef<'_>, label: ElementRef<'_>, cell: ElementRef<'_>, figures: &mut Vec<Figure>) {
    let label = text(label, |_| false);
    let class = row.value().classes().find_map(|class| TYPES.iter().find(|(known, _)| *known == class));
    let kind = class.map(|(_, kind)| *kind).or_else(|| WORDS.kind(&label)).map(str::to_owned);
    let before = struck(cell);
    let is_struck = before.is_some();
    let is_amount = is_struck || within(cell).any(|inner| has_class(inner, AMOUNT));
    let amount = before.unwrap_or_else(|| text(cell, |inner| inner.name() == "small"));
    let is_total = kind.as_deref() == Some("total");
    figures.push(Figure { kind, label, amount, is_amount, is_struck });
    // After a refund, the tax that is shown is no longer that of the order.
    if is_total && !is_struck {
        for note in within(cell).filter(|inner| has_class(*inner, "includes_tax")) {
            for amount in within(note).filter(|inner| has_class(*inner, AMOUNT)) {
                let (kind, [label, amount]) =
                    (Some("tax_included".to_owned()), [note, amount].map(|it| text(it, |_| false)));
                figures.push(Figure { kind, label, amount, is_amount: true, is_struck });
            }
        }
    }
}

/// The text that is struck out.
fn struck(element: ElementRef<'_>) -> Option<String> {
    within(element).find(|inner| inner.value().name() == "del").map(|del| text(del, |_| false))
}

/// The words of the format for a status that a text has, as they are in the format.
fn status(text: &str, format: &Format) -> Option<String> {
    let text = spaced(text).to_lowercase().replace('’', "'");
    format
        .statuses
        .keys()
        .filter(|words| words.contains(' ') && text.contains(words.as_str()))
        .max_by_key(|words| words.len())
        .cloned()
}

/// The number in `[Order #24]` or `Order #24`.
fn number(heading: &str) -> Option<String> {
    let bare = heading.trim().trim_end_matches(']').trim_end();
    let number = match bare.rsplit_once(['#', '№', '°', 'º']) {
        Some((_, number)) => number.trim(),
        None => bare.rsplit(char::is_whitespace).next()?.trim_start_matches('['),
    };
    (number.contains(|sign: char| sign.is_ascii_digit()) && number.len() < 100).then(|| number.to_owned())
}

/// Adds the order of a plain text.
pub(crate) fn plain(body: &str, format: &Format, told: &mut Told) {
    if !body.contains(RULE) {
        return;
    }
    let lines: Vec<&str> = body.lines().map(str::trim_end).collect();
    let rules: Vec<usize> = (0..lines.len()).filter(|index| lines[*index] == RULE).collect();
    if rules.is_empty() {
        let quoted = || lines.iter().filter_map(|line| Some(line.strip_prefix('>')?.trim_start_matches(['>', ' '])));
        if quoted().any(|line| line == RULE) && quoted().any(|line| heading(line).is_some()) {
            told.quoted();
        }
        return;
    }
    // Newer mails have one below the heading, too.
    let (Some(end), true) = (rules.last().copied(), rules.len() <= 2) else { return };
    let Some((start, (number, date))) = (0..end).rev().find_map(|index| Some((index, heading(lines[index])?))) else {
        return;
    };
    told.add(KIND, read_plain(&lines, (start, end), (&number, &date), format));
}

/// The number and the date in `[ORDER #24] (JANUARY 14, 2023)` or `Order #24 (January 14, 2023)`.
fn heading(line: &str) -> Option<(String, String)> {
    let (order, date) = line.strip_suffix(')')?.rsplit_once(" (")?;
    let is_order = order.starts_with('[') && order.ends_with(']') || order.contains(['#', '№', '°', 'º']);
    let begins = order.chars().next().is_some_and(|sign| sign == '[' || sign.is_alphabetic());
    (is_order && begins && date.contains(|sign: char| sign.is_ascii_digit()))
        .then(|| Some((number(order)?, date.to_owned())))?
}

fn read_plain(
    lines: &[&str],
    (start, end): (usize, usize),
    (number, date): (&str, &str),
    format: &Format,
) -> Result<Value, Unread> {
    let has_skus = lines[end..].iter().any(|line| line.contains("wp-admin/"));
    let of_items: Vec<&str> = lines[start + 1..end].iter().copied().filter(|line| *line != RULE).collect();
    let paragraphs =
        of_items.split(|line| line.is_empty()).filter(|lines| !lines.is_empty()).map(|lines| lines.join(" "));
    let items: Vec<Value> = paragraphs.filter_map(|paragraph| plain_line(&spaced(&paragraph), has_skus)).collect();
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in lines[end + 1..].iter().skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()) {
        match (line.split_once(':'), rows.last_mut()) {
            (Some((label, value)), _) => rows.push((label.trim().to_owned(), spaced(value))),
            // A long line is broken.
            (None, Some((_, value))) => *value = format!("{value} {}", spaced(line)),
            (None, None) => {}
        }
    }
    let figure = |(label, value): (String, String)| {
        let kind = WORDS.kind(&label).map(str::to_owned);
        let amount = leading_amount(&value);
        let is_amount = Written::read(&amount).is_some_and(|written| !written.symbol.is_empty());
        let is_struck = kind.as_deref() == Some("total") && Written::read(&value).is_none();
        Figure { kind, label, amount, is_amount, is_struck }
    };
    let figures: Vec<Figure> = rows.into_iter().map(figure).collect();
    if items.is_empty() {
        return Err(Unread::order(number, "it has no lines"));
    }
    order(number, day_in_words(date).as_deref(), items, &figures, status(&lines[..start].join(" "), format))
}

/// `Mug X 2 = $25.00`, or `Mug × 2 $25.00`. A note about a product is no line.
fn plain_line(text: &str, has_skus: bool) -> Option<Value> {
    let is_quantity = |text: &str| text.parse::<rust_decimal::Decimal>().is_ok();
    let older = text.rsplit_once(" = ").and_then(|(left, price)| {
        let (title, quantity) = left.rsplit_once(" X ")?;
        Some((title, quantity, price)).filter(|_| is_quantity(quantity))
    });
    let newer = || {
        let (title, rest) = text.rsplit_once(" × ")?;
        let (quantity, price) = rest.split_once(' ')?;
        Some((title, quantity, price)).filter(|_| is_quantity(quantity))
    };
    let (title, quantity, price) = older.or_else(newer)?;
    let (title, sku) = if has_skus { with_sku(title) } else { (title, None) };
    let sku = sku.or_else(|| with_sku(price).1.filter(|_| has_skus));
    Some(json!({ "title": title, "sku": sku, "quantity": quantity, "total": leading_amount(price) }))
}

/// The amount that a text begins with: `$4.90` of `$4.90 via Flat rate`. The whole text, if it begins with none.
fn leading_amount(text: &str) -> String {
    let ends = text.char_indices().map(|(at, sign)| at + sign.len_utf8()).collect::<Vec<_>>();
    let is_end =
        |end: &usize| !text[*end..].starts_with(|sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ','));
    let amount = ends.into_iter().rev().filter(is_end).map(|end| text[..end].trim()).find(|part| is_amount(part));
    amount.unwrap_or(text).to_owned()
}

fn is_amount(text: &str) -> bool {
    Written::read(text).is_some_and(|written| {
        let symbol = written.symbol.as_str();
        let is_number = ['.', ','].iter().any(|sign| locale::number(written.number, *sign).is_some());
        let is_symbol =
            symbol.is_empty() || Currency::from_code(symbol).is_some() || !Currency::of_symbol(symbol).is_empty();
        is_number && is_symbol
    })
}

/// The order of a mail, as the format describes it.
fn order(
    number: &str,
    date: Option<&str>,
    lines: Vec<Value>,
    figures: &[Figure],
    status: Option<String>,
) -> Result<Value, Unread> {
    let is_of = |figure: &&Figure, kind: &str| figure.kind.as_deref() == Some(kind);
    let totals: Vec<&Figure> = figures.iter().filter(|figure| is_of(figure, "total")).collect();
    let [total] = totals.as_slice() else {
        return Err(Unread::order(number, "it has no total, or several: it may be cut off"));
    };
    let mut adjustments = Vec::new();
    let mut is_paid = false;
    for figure in figures {
        let kind = match figure.kind.as_deref() {
            Some("basket" | "total") => continue,
            Some(kind @ ("payment" | "owed" | "note")) => {
                is_paid = true;
                if kind == "note" || !figure.is_amount {
                    continue;
                }
                kind
            }
            Some(kind) if figure.is_amount => kind,
            // Older mails show the reason of a refund in place of a label, below how it was paid.
            None if figure.is_amount && is_paid && total.is_struck && figure.amount.starts_with(['-', '−']) => {
                "refund"
            }
            None if figure.is_amount => "other",
            // "Free shipping", or a note.
            _ => continue,
        };
        let label = figure.label.trim_end_matches([':', '：']).trim_end();
        adjustments.push(json!({ "type": kind, "amount": figure.amount, "label": label }));
    }
    Ok(json!({
        "number": number, "date": date, "total": total.amount, "status": status, "lines": lines, "adjustments": adjustments,
    }))
}
