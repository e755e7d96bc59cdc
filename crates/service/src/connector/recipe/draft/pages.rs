//! A first recipe from pages: the table of orders and an order, with their columns by their headings, or else by what is in
//! them.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use scraper::Html;
use url::Url;

use super::line_amounts::{LineAmounts, Lines};
use super::tables::{SeenCell, SeenTable, naming, next_page, tables};
use super::text::{Writer, Written, quoted, words};
use super::vocabulary::{Column, Vocabulary};
use crate::connector::kit::dates::NumericDates;
use crate::connector::kit::locale::Locale;
use crate::connector::kit::text::{normalised, selector};
use crate::connector::recipe::amount::looks_like_amount;

/// What was recognised of a list of orders.
#[derive(Debug)]
pub(super) struct SeenList {
    table: SeenTable,
    number: usize,
    date: usize,
    total: usize,
    items: Option<usize>,
    status: Option<usize>,
    /// The column with the link to the order.
    link: Option<usize>,
    next_page: Option<String>,
    locale: Option<Locale>,
    /// The newest order's number.
    first: String,
    /// The orders: their numbers and their pages.
    pub(super) orders: Vec<Listed>,
}

/// What was recognised of an order.
#[derive(Debug)]
pub(super) struct SeenOrder {
    lines: SeenTable,
    title: usize,
    quantity: usize,
    /// The columns of amounts.
    amounts: Vec<usize>,
    sku: Option<usize>,
    /// The table of figures, if it is another.
    figures: Option<SeenTable>,
    named: Option<(String, String)>,
    status_below: Option<String>,
    /// The number of items that the list has for it.
    pub(super) listed: Option<u64>,
}

/// An order in the list.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) number: String,
    pub(super) url: Url,
    /// How many items it has.
    pub(super) items: Option<u64>,
}

/// A number of an order in a text.
fn number_in(text: &str) -> Option<&str> {
    let digits = Regex::new(r"[A-Za-z]*[-_]?\d[\w-]*").ok()?;
    digits.find(text).map(|found| found.as_str())
}

impl SeenList {
    /// The list of a page; `None`: it has no table with a date and an amount in each row.
    pub(super) fn read(page: &Html, url: &Url) -> Option<Self> {
        let lang = page.select(selector!("html[lang]")).next().and_then(|html| html.attr("lang"));
        let locale = lang.and_then(Locale::from_tag).or_else(|| Locale::from_tag("en"));
        let vocabulary = Vocabulary::shipped();
        let next = next_page(page, url);
        tables(page, url).into_iter().find_map(|table| Self::of(table, &vocabulary, locale, next.clone()))
    }

    fn of(
        table: SeenTable,
        vocabulary: &Vocabulary,
        locale: Option<Locale>,
        next_page: Option<String>,
    ) -> Option<Self> {
        let columns = 0..table.headings.len();
        table.full_rows().next()?;
        let all = |column: usize, is: &dyn Fn(&SeenCell) -> bool| table.column(column).into_iter().all(is);
        let is_date = |cell: &SeenCell| {
            cell.time.is_some() || locale.is_some_and(|locale| date_kind(&cell.text, locale).is_some())
        };
        let has_link = |cell: &SeenCell| !cell.links.is_empty();
        let named = |wanted: Column| columns.clone().find(|column| vocabulary.is(wanted, &table.headings[*column]));
        let date = named(Column::Date).filter(|column| all(*column, &is_date));
        let date = date.or_else(|| columns.clone().find(|column| all(*column, &is_date)))?;
        let is_amount = |cell: &SeenCell| looks_like_amount(&cell.text) && !is_date(cell);
        let amounts: Vec<usize> = columns.clone().filter(|column| all(*column, &is_amount)).collect();
        let total =
            named(Column::Total).filter(|column| amounts.contains(column)).or_else(|| amounts.last().copied())?;
        let is_number = |cell: &SeenCell| number_in(&cell.text).is_some() && !looks_like_amount(&cell.text);
        let is_unique = |column: usize| {
            let texts: BTreeSet<&str> = table.column(column).into_iter().map(|cell| cell.text.as_str()).collect();
            texts.len() == table.full_rows().count()
        };
        let may_be = |column: usize| column != date && column != total && all(column, &is_number) && is_unique(column);
        let number = named(Column::Number).filter(|column| may_be(*column));
        let number = number.or_else(|| columns.clone().find(|column| may_be(*column) && all(*column, &has_link)));
        let number = number.or_else(|| columns.clone().find(|column| may_be(*column)))?;
        let link =
            if all(number, &has_link) { Some(number) } else { columns.clone().find(|column| all(*column, &has_link)) };
        let is_count = |cell: &SeenCell| cell.text.bytes().all(|byte| byte.is_ascii_digit()) && !cell.text.is_empty();
        let items =
            named(Column::Items).filter(|column| ![number, date, total].contains(column) && all(*column, &is_count));
        let status = named(Column::Status).filter(|column| ![number, date, total].contains(column));
        let numbers = table.column(number).into_iter().map(|cell| number_in(&cell.text).map(str::to_owned));
        let urls = table.column(link?).into_iter().map(|cell| cell.links.first().cloned());
        let counts = items.map(|items| table.column(items)).unwrap_or_default();
        let counts = counts.into_iter().map(|cell| cell.text.parse().ok()).chain(std::iter::repeat(None));
        let orders = numbers.zip(urls).zip(counts);
        let orders: Vec<_> =
            orders.filter_map(|((number, url), items)| Some(Listed { number: number?, url: url?, items })).collect();
        let first = orders.first()?.number.clone();
        Some(Self { number, date, total, items, status, link, next_page, locale, first, orders, table })
    }

    /// What the addresses of all orders begin with.
    fn order_page(&self, base: &Url) -> String {
        let paths: Vec<String> = self.orders.iter().map(|order| relative(&order.url, base)).collect();
        let Some(first) = paths.first() else { return String::new() };
        let number = first.find(&self.first);
        let common = |end: &usize| paths.iter().all(|path| path.starts_with(&first[..*end]));
        let ends = (0..=first.len()).rev().filter(|end| first.is_char_boundary(*end));
        let mut end = ends.into_iter().find(common).unwrap_or_default();
        if let Some(number) = number.filter(|_| paths.len() == 1 || first.get(..end).is_some()) {
            end = end.min(number);
        }
        let begin = first[..end].trim_end_matches(|sign: char| sign.is_ascii_alphanumeric());
        begin.to_owned()
    }

    fn place(&self, column: usize, pattern: Option<String>) -> String {
        let pattern = pattern.map(|pattern| format!(", pattern = {}", quoted(&pattern))).unwrap_or_default();
        format!("{{ heading = {}{pattern} }}", words([self.table.headings[column].as_str()]))
    }
}

impl SeenOrder {
    /// The order of a page; `None`: it has no table of lines.
    pub(super) fn read(page: &Html, url: &Url, number: &str) -> Option<Self> {
        let vocabulary = Vocabulary::shipped();
        let all = tables(page, url);
        let (place, mut order) = all.iter().enumerate().find_map(|(place, table)| {
            let order = Self::of(table, &vocabulary)?;
            Some((place, order))
        })?;
        if order.lines.figures().next().is_none() {
            let is_figures = |table: &&SeenTable| table.headings.is_empty() && table.figures().count() > 1;
            let others = all.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, table)| table);
            order.figures = others.clone().find(is_figures).cloned();
        }
        order.named = naming(page, number);
        order.status_below = page
            .select(selector!("h1, h2, h3, h4, h5, th, dt, strong"))
            .map(|element| normalised(&crate::connector::kit::text::text(element)))
            .find(|text| vocabulary.is(Column::Status, text));
        Some(order)
    }

    fn of(table: &SeenTable, vocabulary: &Vocabulary) -> Option<Self> {
        let columns = 0..table.headings.len();
        table.full_rows().next()?;
        let all = |column: usize, is: &dyn Fn(&SeenCell) -> bool| table.column(column).into_iter().all(is);
        let named = |wanted: Column| columns.clone().find(|column| vocabulary.is(wanted, &table.headings[*column]));
        let is_amount = |cell: &SeenCell| looks_like_amount(&cell.text);
        let amounts: Vec<usize> = columns.clone().filter(|column| all(*column, &is_amount)).collect();
        let is_count = |cell: &SeenCell| !cell.text.is_empty() && cell.text.bytes().all(|byte| byte.is_ascii_digit());
        let quantity = named(Column::Quantity).filter(|column| all(*column, &is_count));
        let quantity = quantity.or_else(|| columns.clone().find(|column| all(*column, &is_count)))?;
        amounts.first()?;
        let sku = named(Column::Sku).filter(|column| !amounts.contains(column) && *column != quantity);
        let is_title = |column: &usize| *column != quantity && !amounts.contains(column) && Some(*column) != sku;
        let length = |column: &usize| table.column(*column).iter().map(|cell| cell.text.len()).sum::<usize>();
        let title =
            named(Column::Title).filter(is_title).or_else(|| columns.clone().filter(is_title).max_by_key(length))?;
        Some(Self {
            lines: table.clone(),
            title,
            quantity,
            amounts,
            sku,
            figures: None,
            named: None,
            status_below: None,
            listed: None,
        })
    }

    /// What is beside the name in its cell.
    fn aside(&self) -> BTreeSet<&str> {
        self.lines.column(self.title).into_iter().flat_map(|cell| &cell.aside).map(String::as_str).collect()
    }

    fn place(&self, column: usize) -> String {
        format!("{{ heading = {} }}", words([self.lines.headings[column].as_str()]))
    }

    fn lines(&self) -> Lines<'_> {
        Lines { table: &self.lines, quantity: self.quantity, amounts: &self.amounts, figures: self.figures() }
    }

    fn figures(&self) -> Vec<(&SeenCell, &SeenCell)> {
        self.figures.as_ref().unwrap_or(&self.lines).figures().collect()
    }

    /// Lines, and the pieces of all lines.
    fn counts(&self) -> (u64, u64) {
        let pieces = self.lines.column(self.quantity).iter().filter_map(|cell| cell.text.parse::<u64>().ok()).sum();
        (self.lines.full_rows().count() as u64, pieces)
    }
}

/// How a date is written, and in which order if it is one of numbers.
fn date_kind(text: &str, locale: Locale) -> Option<(&'static str, Option<&'static str>)> {
    if locale.date_time(text).is_some() {
        return Some(("text_with_time", None));
    }
    if locale.day(text, NumericDates::Unknown).is_some() {
        return Some(("day", None));
    }
    let of = |order| locale.day(text, order).is_some();
    match (of(NumericDates::DayFirst), of(NumericDates::MonthFirst)) {
        (true, true) => Some(("day", Some("unknown"))),
        (true, false) => Some(("day", Some("day_first"))),
        (false, true) => Some(("day", Some("month_first"))),
        (false, false) => None,
    }
}

/// A pattern for what tells texts apart, if they say more than that.
fn pattern(text: &str, number: &str) -> Option<String> {
    let (before, after) = text.split_once(number)?;
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let group = if number.bytes().all(|byte| byte.is_ascii_digit()) { r"(\d+)" } else { r"([\w-]+)" };
    let end = if after.is_empty() { "$" } else { r"\b" };
    Some(format!("^{}{group}{end}", regex::escape(before)))
}

/// An address from the shop's on.
pub(super) fn relative(url: &Url, base: &Url) -> String {
    let path = url.path().strip_prefix(base.path()).unwrap_or(url.path()).to_owned();
    url.query().map_or_else(|| path.clone(), |query| format!("{path}?{query}"))
}

/// The recipe.
pub(super) fn recipe(
    name: &str,
    base: &Url,
    (sign_in, list_url): (&Url, &Url),
    list: &SeenList,
    orders: &[SeenOrder],
) -> Written {
    let mut to = Writer::default();
    to.line("# A first recipe, as far as the pages could be understood. docs/recipes.md describes the keys.");
    to.line("");
    to.raw("recipe", "1");
    to.text("name", name);
    to.table("sign_in");
    to.text("page", &relative(sign_in, base));
    write_list(&mut to, base, list_url, list);
    let vocabulary = Vocabulary::shipped();
    let lines: Vec<Lines<'_>> = orders.iter().map(SeenOrder::lines).collect();
    let amounts = LineAmounts::of(&lines, &vocabulary);
    match orders.first().zip(amounts.as_ref()) {
        Some((order, amounts)) => write_order(&mut to, list, (order, amounts), orders),
        None => {
            to.table("order");
            to.decide("the page of the order has no table of lines: describe it");
        }
    }
    write_words(&mut to, list, orders, &vocabulary, amounts.is_some_and(|amounts| amounts.unit_price.is_some()));
    to.finish()
}

fn write_list(to: &mut Writer, base: &Url, url: &Url, list: &SeenList) {
    to.table("list");
    to.text("page", &relative(url, base));
    match &list.next_page {
        Some(next) => {
            to.text("next_page", next);
            to.text("end", "page_after");
        }
        None => {
            to.decide("no link to a second page was seen: if the list can have several, set `next_page` and `end`");
            to.text("end", "one_page");
        }
    }
    to.text("content", &list.table.around);
    if !list.table.is_only {
        to.decide("`table` selects other tables, too: find a selector for this one alone");
    }
    to.text("table", &list.table.css);
    let order_page = list.order_page(base);
    to.text("order_page", &order_page);
    to.decide(
        "how a list without orders looks: which element says so (`empty`), and in which words (`words.no_orders`)",
    );
    to.text("empty", "p");
    let number = list.table.column(list.number);
    let shown = number.first().map(|cell| cell.text.as_str()).unwrap_or_default();
    to.raw("number", &list.place(list.number, pattern(shown, &list.first)));
    if list.link.is_some_and(|link| link != list.number) {
        to.text("link", &format!("a[href*='{}']", order_page.trim_start_matches('/')));
    }
    write_date(to, list);
    to.raw("total", &list.place(list.total, None));
    if let Some(items) = list.items {
        to.raw("items", &list.place(items, None));
    }
    if let Some(status) = list.status {
        to.raw("status", &list.place(status, None));
    }
    let read = [Some(list.number), Some(list.date), Some(list.total), list.items, list.status, list.link];
    write_unread(to, &list.table, "the list", read);
}

/// Columns that are not read: the shop may show something there that no other place has.
fn write_unread(to: &mut Writer, table: &SeenTable, of: &str, read: impl IntoIterator<Item = Option<usize>>) {
    let read: BTreeSet<usize> = read.into_iter().flatten().collect();
    let unread = table.headings.iter().enumerate().filter(|(column, heading)| {
        let has_text = table.column(*column).iter().any(|cell| cell.links.is_empty() && !cell.text.is_empty());
        !read.contains(column) && !heading.is_empty() && has_text
    });
    let unread: Vec<String> = unread.map(|(_, heading)| format!("\"{heading}\"")).collect();
    if !unread.is_empty() {
        to.decide(&format!("whether anything is needed of columns of {of} that are not read: {}", unread.join(", ")));
    }
}

fn write_date(to: &mut Writer, list: &SeenList) {
    to.raw("date", &list.place(list.date, None));
    let cells = list.table.column(list.date);
    if cells.iter().all(|cell| cell.time.is_some()) {
        to.decide(
            "whether the offset in `<time datetime>` is right (`instant`), or it is the shop's clock (`shop_clock`)",
        );
        to.text("date_shown", "instant");
        to.needs_zone();
        return;
    }
    let kinds = cells.iter().filter_map(|cell| date_kind(&cell.text, list.locale?));
    let kinds: BTreeSet<_> = kinds.collect();
    let kind = kinds.first().map_or("day", |(kind, _)| kind);
    to.text("date_shown", kind);
    if kind == "text_with_time" {
        to.needs_zone();
    }
    let orders: BTreeSet<&str> = kinds.iter().filter_map(|(_, order)| *order).collect();
    let certain = orders.iter().find(|order| **order != "unknown");
    match (orders.is_empty(), certain) {
        (true, _) => {}
        (false, Some(certain)) => to.text("numeric_dates", certain),
        (false, None) => {
            to.decide("whether 08/10 is the 8th of October (`day_first`) or the 10th of August (`month_first`)");
            to.text("numeric_dates", "day_first");
        }
    }
}

fn write_order(to: &mut Writer, list: &SeenList, (order, amounts): (&SeenOrder, &LineAmounts), all: &[SeenOrder]) {
    to.table("order");
    match &order.named {
        Some((css, text)) => {
            let pattern = pattern(text, &list.first).map(|pattern| format!(", pattern = {}", quoted(&pattern)));
            to.raw("number", &format!("{{ select = {}{} }}", quoted(css), pattern.unwrap_or_default()));
        }
        None => {
            to.decide("no heading of the page names the order: where is its number?");
            to.text("named_in", "h1, h2, title");
        }
    }
    if let (None, Some(heading)) = (list.status, &order.status_below) {
        to.raw("status_below", &words([heading.as_str()]));
    }
    if !order.lines.is_only && order.figures.is_some() {
        to.decide("`table` selects other tables, too: find a selector for this one alone");
    }
    to.text("table", &order.lines.css);
    to.raw("title", &order.place(order.title));
    let aside: BTreeSet<&str> = all.iter().flat_map(SeenOrder::aside).collect();
    if !aside.is_empty() {
        to.decide("whether all of this is no part of the name, such as buttons and notes");
        to.text("title_aside", &aside.into_iter().collect::<Vec<_>>().join(", "));
    }
    if let Some(sku) = order.sku {
        to.raw("sku", &order.place(sku));
    }
    to.raw("quantity", &order.place(order.quantity));
    if let Some(doubt) = &amounts.doubt {
        to.decide(doubt);
    }
    if let Some(price) = amounts.unit_price {
        to.raw("unit_price", &order.place(price));
    }
    to.raw("total", &order.place(amounts.total));
    // Which of the amounts are read is decided above.
    let read = [order.title, order.quantity].into_iter().map(Some).chain([order.sku]);
    write_unread(to, &order.lines, "the lines", read.chain(order.amounts.iter().copied().map(Some)));
    if let Some(figures) = &order.figures {
        to.text("figures_table", &figures.css);
        to.text("line", "tbody tr");
        to.text("figure", "tr");
    }
    let figures: Vec<_> = all.iter().flat_map(SeenOrder::figures).collect();
    let tags = figures.first().map(|(label, amount)| (label.tag.as_str(), amount.tag.as_str()));
    let (label, amount) = match tags {
        Some(("th", "td")) | None => ("th", "td"),
        _ => ("td:first-child", "td:last-child"),
    };
    if figures.is_empty() {
        to.decide("no rows with a label and an amount were seen below the lines: where are shipping, tax and total?");
    }
    to.text("label", label);
    to.text("amount", amount);
}

fn write_words(to: &mut Writer, list: &SeenList, orders: &[SeenOrder], vocabulary: &Vocabulary, has_price: bool) {
    let order = orders.first();
    let mut labels = BTreeMap::<&str, BTreeSet<String>>::new();
    let mut unknown = Vec::new();
    for (label, _) in orders.iter().flat_map(SeenOrder::figures) {
        let word = normalised(label.text.trim_end_matches(':'));
        match vocabulary.label(&label.text) {
            Some(key) => _ = labels.entry(key).or_default().insert(word),
            None => unknown.push(word),
        }
    }
    to.table("shows");
    let counts = orders.iter().filter_map(|order| Some((order.listed?, order.counts())));
    let (mut shows_lines, mut shows_pieces) = (false, false);
    for (listed, (lines, pieces)) in counts.filter(|(_, (lines, pieces))| lines != pieces) {
        shows_lines |= listed == lines;
        shows_pieces |= listed == pieces;
    }
    let items = match (list.items, shows_lines, shows_pieces) {
        (None, ..) => "nothing",
        (_, true, false) => "lines",
        (_, false, true) => "pieces",
        _ => {
            to.decide(
                "whether the number of items counts `pieces` or `lines`: the orders that were read do not show it",
            );
            "pieces"
        }
    };
    to.text("items", items);
    let shows = |kind: &str| labels.keys().any(|key| key.starts_with(kind));
    to.text("basket", if shows("basket") { "always" } else { "never" });
    to.text("shipping", if shows("shipping") { "at_times" } else { "never" });
    to.text("tax", if shows("tax") { "at_times" } else { "never" });
    to.text("unit_price", if has_price { "always" } else { "never" });
    if list.status.is_none() && order.is_none_or(|order| order.status_below.is_none()) {
        to.decide("where the status is, `order.status` or `list.status`: none was seen");
        to.text("status", "never");
    }
    to.table("words");
    to.raw("no_orders", &words(["you have no orders", "no orders"]));
    to.table("words.labels");
    if !unknown.is_empty() {
        let all = unknown.join("\", \"");
        to.decide(&format!("what these labels mean, and labels of orders that were not read: \"{all}\""));
    }
    for (key, found) in &labels {
        to.raw(key, &words(found.iter().map(String::as_str)));
    }
    to.table("words.statuses");
    let statuses = list.status.map(|status| list.table.column(status)).unwrap_or_default();
    let statuses: BTreeSet<&str> = statuses.into_iter().map(|cell| cell.text.as_str()).collect();
    for status in statuses.into_iter().filter(|status| !vocabulary.knows_status(status)) {
        to.decide(&format!(
            "what the status \"{status}\" means: processing, shipped, delivered, completed, cancelled …"
        ));
    }
}
