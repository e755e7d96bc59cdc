//! A page of the order list: number, date, total and number of items of each order.
//!
//! Every order that the page's source mentions has to be a row that was read, and every row of the table an order. Anything
//! else is a failed page.

use std::collections::HashSet;

use ego_tree::NodeId;
use ordersync_api::SyncErrorCode;
use rust_decimal::Decimal;
use scraper::{ElementRef, Html};

use super::amount::{Amounts, Decimals, Shown, looks_like_amount, no_amount};
use super::cell::{Cell, Headings, Row, only};
use super::coverage::{is_nested, unknown_rows};
use super::format::{DateKind, End, Recipe};
use super::list_page::{has_headings_only, outermost, says_more, says_none};
use super::list_source::Source;
use super::sign_in::RecipeSignIn;
use super::value::{Css, Place, address_of};
use crate::connector::ConnectorError;
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::dates::NumericDates;
use crate::connector::kit::list_view::ListView;
use crate::connector::kit::listed::{ListedOrder, NamedRow, OrderList, parted};
use crate::connector::kit::locale::Locale;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::placed::{DateShown, Placed};
use crate::connector::kit::settings::Settings;
use crate::connector::kit::site::SignInPages as _;
use crate::connector::kit::table::{Table, is_shown};
use crate::connector::kit::text::{is_directional, quoted, selector, shape, text};
use crate::connector::kit::{quantity, source};

/// Rows that a page may have.
const MAX_ROWS: usize = 200;
/// The longest text that names an order, in bytes.
const MAX_NAME: usize = 80;
/// The longest status, in characters.
const MAX_STATUS: usize = 200;

/// Reads a page of the list.
/// Fails with [`Unread::Failed`] if the page shows an order that cannot be read for certain, or is cut; otherwise what
/// other kind of page it is.
pub(super) fn read(
    document: &Html,
    source: &Source,
    recipe: &RecipeSignIn,
    settings: &Settings,
) -> Result<OrderList, Unread> {
    let sign_in = recipe;
    let recipe = &*recipe.0;
    let reader = Reader { source, document, recipe, settings };
    let rows = reader.all_rows()?;
    if rows.is_empty() && document.select(recipe.list.content.get()).next().is_none() {
        return Err(sign_in.instead(document));
    }
    if !source.is_whole {
        return Err(failed("the page is cut off: it has no end."));
    }
    if rows.len() > MAX_ROWS {
        return Err(failed(format!("the table of orders has more than {MAX_ROWS} rows.")));
    }
    let others = reader.other_tables();
    let is_own = |row: &ElementRef<'_>| {
        let mut above = row.ancestors().filter_map(ElementRef::wrap);
        above.find(|above| recipe.list.table.is(*above)).is_none_or(|table| !others.contains(&table.id()))
    };
    let rows: Vec<ElementRef<'_>> = rows.into_iter().filter(is_own).collect();
    let list = if rows.is_empty() { reader.none(&others, sign_in)? } else { reader.rows(&rows, &others)? };
    let view = ListView {
        document,
        list: &source.list,
        within: outermost(document, recipe.list.around.as_ref().unwrap_or(&recipe.list.content)),
        page_of: &|url| source.page_of(url),
        says_none: &|text| rows.is_empty() && recipe.words.says_no_orders(text),
        is_status: &|word| settings.status(word).known().is_some() || recipe.words.status(word).is_some(),
    };
    if recipe.list.end == End::OnePage && links_to_pages(document, source) {
        return Err(failed("it links to another page of the list, but `list.end` says that there is one page only."));
    }
    // A filtered list is to show less.
    if source.number > 0 {
        let named: Vec<(&str, &str)> = list.iter().map(|row| (&*row.number, &*row.path)).collect();
        view.shows_all(&named)?;
    }
    let linked_pages = view.linked_pages(source.number);
    let pages = linked_pages.max(view.stated_pages(source.number));
    // A pager may have numbers in place of a link to the next page.
    let has_link = |link: &Css| document.select(link.get()).next().is_some() || linked_pages > source.number;
    let has_next = recipe.list.next_link.as_ref().map(has_link);
    let stated_orders = view.stated_orders(source.number, list.len()).max(view.orders_in_tabs());
    let (rows, unread) = parted(list);
    let has_filter = recipe.list.filter.as_ref().is_some_and(|filter| document.select(filter.get()).next().is_some());
    Ok(OrderList { rows, unread, pages, stated_orders, has_next, has_filter })
}

struct Reader<'a> {
    source: &'a Source,
    document: &'a Html,
    recipe: &'a Recipe,
    settings: &'a Settings,
}

impl<'a> Reader<'a> {
    /// The rows that the recipe selects, or else all that lie below the headings of tables that lead to orders.
    fn all_rows(&self) -> Result<Vec<ElementRef<'a>>, Unread> {
        let list = &self.recipe.list;
        if let Some(row) = &list.row {
            return Ok(self.document.select(row.get()).take(MAX_ROWS + 1).collect());
        }
        let mut rows = Vec::new();
        for table in self.tables().filter(|table| self.leads_to_order(*table)) {
            let table =
                Table::read(table).map_err(|_| failed("the table of orders has headings that cannot be read."))?;
            rows.extend(table.rows.into_iter().map(|row| row.element));
        }
        Ok(rows)
    }

    fn tables(&self) -> impl Iterator<Item = ElementRef<'a>> + use<'a> {
        self.document.select(self.recipe.list.table.get()).filter(|table| is_shown(*table))
    }

    /// Whether a table leads to an order by itself, and not by another table in it.
    fn leads_to_order(&self, table: ElementRef<'a>) -> bool {
        let is_table = |above: &ElementRef<'_>| self.recipe.list.table.is(*above);
        table.select(selector!("a[href]")).any(|link| {
            self.address(link).is_some_and(|address| self.source.order_in(&address).is_some())
                && link.ancestors().filter_map(ElementRef::wrap).find(is_table) == Some(table)
        })
    }

    /// Tables in which no row leads to an order, beside one that does, or beside the words that there are none: subscriptions.
    fn other_tables(&self) -> HashSet<NodeId> {
        let (own, others): (Vec<_>, Vec<_>) = self.tables().partition(|table| self.leads_to_order(*table));
        let leads_elsewhere = |table: &&ElementRef<'a>| table.select(selector!("tbody a[href]")).next().is_some();
        let is_known = !own.is_empty()
            || says_none(self.document, self.recipe) && others.iter().all(|table| leads_elsewhere(&table));
        if is_known { others.iter().map(|table| table.id()).collect() } else { HashSet::new() }
    }

    /// A page without orders, which has to say so.
    fn none(&self, others: &HashSet<NodeId>, sign_in: &RecipeSignIn) -> Result<Vec<NamedRow>, Unread> {
        let list = &self.recipe.list;
        let of_orders = |table: &ElementRef<'a>| !others.contains(&table.id());
        let mut tables = self.tables().filter(of_orders).peekable();
        let has_table = tables.peek().is_some();
        // What holds rows that are no table's may be there without any.
        let has_rows = || self.tables().filter(of_orders).any(|table| table.value().name() == "table");
        let is_empty = |table| has_headings_only(table) && !says_more(self.document, &list.content, table);
        if has_table && list.empty_table && self.source.mentioned.is_empty() && only(tables).is_some_and(is_empty) {
            return Ok(Vec::new());
        }
        if has_rows() || !self.source.mentioned.is_empty() {
            return Err(failed("it shows orders in a table that cannot be read."));
        }
        if !says_none(self.document, self.recipe) {
            let page = if self.source.number == 1 { "it" } else { "the page after the last one" };
            let lack = failed(format!("{page} lacks the table of orders, and does not say that there are none."));
            return Err(sign_in.lacking(self.document, lack));
        }
        Ok(Vec::new())
    }

    fn rows(&self, rows: &[ElementRef<'a>], others: &HashSet<NodeId>) -> Result<Vec<NamedRow>, Unread> {
        if is_nested(rows) {
            return Err(failed("it has rows within rows."));
        }
        let mut headings = Headings::default();
        let mut read: Vec<NamedRow> = Vec::with_capacity(rows.len());
        let mut first_unread = None;
        for row in rows {
            let row = headings.row(*row);
            let (number, path) = self.name(&row)?;
            let shown = match self.row(&row, &number, &path) {
                Ok(order) => Ok(order),
                Err(unread) => {
                    let failure = unread.of_one_order()?;
                    first_unread.get_or_insert(unread);
                    Err(failure)
                }
            };
            read.push(NamedRow { number, path, shown });
        }
        // A first page of which nothing can be read is no doubt about an order, but about the shop.
        if let Some(unread) =
            first_unread.filter(|_| self.source.number == 1 && read.iter().all(|row| row.shown.is_err()))
        {
            return Err(unread);
        }
        read = without_copies(read);
        let numbers: HashSet<&str> = read.iter().map(|row| row.number.as_str()).collect();
        // Some shops have no slash at the end of their addresses.
        let paths: HashSet<&str> = read.iter().map(|row| row.path.trim_end_matches('/')).collect();
        if numbers.len() != read.len() || paths.len() != read.len() {
            return Err(failed("it shows an order twice."));
        }
        self.mentions_no_other(&read, &paths)?;
        self.names_no_other(&numbers)?;
        let tables: Vec<ElementRef<'_>> = self.tables().filter(|table| !others.contains(&table.id())).collect();
        let ids: HashSet<NodeId> = tables.iter().map(|table| table.id()).collect();
        let is_known = |row: &ElementRef<'_>| row.ancestors().any(|above| ids.contains(&above.id()));
        let notes = self.recipe.list.note.iter().flat_map(|note| self.document.select(note.get()));
        let notes: Vec<ElementRef<'_>> = notes.filter(|note| !rows.contains(note)).collect();
        if notes.iter().any(|note| looks_like_amount(&text(*note))) {
            return Err(failed("an element of `list.note` shows an amount, which may be that of an order."));
        }
        let known: Vec<ElementRef<'_>> = rows.iter().copied().chain(notes).collect();
        if !rows.iter().all(is_known) || tables.iter().any(|table| unknown_rows(*table, &known)) {
            return Err(failed("the table of orders has rows that are not known."));
        }
        Ok(read)
    }

    /// Every page of an order is below the same address.
    fn mentions_no_other(&self, read: &[NamedRow], paths: &HashSet<&str>) -> Result<(), Unread> {
        let below = read.first().and_then(|row| {
            let path = row.path.trim_end_matches('/');
            path.rfind(['/', '=']).map(|end| path[..=end].to_owned())
        });
        for beginning in [Some(&self.source.order_page), below.as_ref()].into_iter().flatten() {
            let links = self.document.select(selector!("a[href]")).filter_map(|link| self.address(link));
            let number = |address: &str| source::number_at(address.strip_prefix(beginning.as_str())?);
            let rows: HashSet<String> = paths.iter().filter_map(|path| number(path)).collect();
            let linked = links.filter_map(|link| Some((number(&link)?, link)));
            let is_known = *beginning == self.source.order_page;
            let mentioned = self.source.mentioned.iter().filter(|_| is_known);
            let mentioned = mentioned.map(|number| (number.clone(), format!("{beginning}{number}")));
            if let Some((_, address)) = linked.chain(mentioned).find(|(number, _)| !rows.contains(number)) {
                let rest = shape(address.strip_prefix(beginning.as_str()).unwrap_or_default());
                return Err(failed(format!(
                    "it mentions an order that is no row that can be read, at an address like {beginning}{rest}"
                )));
            }
        }
        Ok(())
    }

    /// No text of the list names another order in the way in which its rows do, as in "Order #1999".
    fn names_no_other(&self, numbers: &HashSet<&str>) -> Result<(), Unread> {
        let Some(pattern) = &self.recipe.list.number.pattern else { return Ok(()) };
        let contents = self.document.select(self.recipe.list.content.get());
        let texts = contents
            .flat_map(|content| content.descendants())
            .filter_map(|node| Some(node.value().as_text()?.trim().to_owned()));
        for shown in texts.filter(|text| text.len() <= MAX_NAME) {
            let Ok(number) = pattern.read(&shown) else { continue };
            let words = shown.replacen(&number, "", 1);
            let is_name = words.chars().filter(|sign| sign.is_alphabetic()).count() > 1;
            if is_name && number.contains(|sign: char| sign.is_ascii_digit()) && !numbers.contains(number.as_str()) {
                let shape = shape(&shown);
                return Err(failed(format!("it names an order that is no row, in a text like \"{shape}\".")));
            }
        }
        Ok(())
    }

    /// Where a link leads, if it stays in the shop.
    fn address(&self, link: ElementRef<'_>) -> Option<String> {
        let url = self.source.url.join(link.attr("href")?).ok()?;
        (url.origin() == self.source.url.origin()).then(|| address_of(&url))
    }

    /// The number of the order that a row is about, and the path of its page.
    fn name(&self, row: &Row<'a, '_>) -> Result<(String, String), Unread> {
        let number = cell(row, &self.recipe.list.number, "number")?;
        if self.recipe.list.number_in_address {
            return self.name_in_address(number);
        }
        let path = self.path(row, number)?;
        let is_odd = |sign: char| sign.is_whitespace() && sign != ' ' || sign.is_control() || is_directional(sign);
        let number = number.words().map_err(|misfit| failed(format!("of `list.number`, {misfit}")))?;
        if number.is_empty() || number.contains(is_odd) {
            return Err(failed(format!(
                "{} is no number of an order: it is empty, or has signs that nobody sees. A pattern of `list.number` can say \
                 which part of it is meant.",
                quoted(&number)
            )));
        }
        Ok((number, path))
    }

    /// Number and path of an order whose address holds its number. The text of the cell has to name the same number.
    fn name_in_address(&self, cell: Cell<'a>) -> Result<(String, String), Unread> {
        let mut addresses: Vec<String> = cell
            .links()
            .filter_map(|link| self.address(link))
            .filter(|link| self.source.order_in(link).is_some())
            .collect();
        addresses.dedup();
        let address = only(addresses.into_iter()).ok_or_else(|| failed("a row does not have one link of an order."))?;
        let number = self.source.order_in(&address).and_then(source::number_at);
        let number = number.ok_or_else(|| failed("the address of an order has no number that can be read."))?;
        if !source::names(&text(cell.element), &number) {
            return Err(failed("the number of an order is not the one that its link leads to."));
        }
        let path = address.split_once('?').map_or(&*address, |(path, _)| path);
        let path = if self.source.order_page.contains('?') { &*address } else { path };
        Ok((number, path.to_owned()))
    }

    fn row(&self, row: &Row<'a, '_>, number: &str, path: &str) -> Result<ListedOrder, Unread> {
        let locale = self.settings.locale_of(self.document)?;
        let list = &self.recipe.list;
        let placed_at = self.date(cell(row, &list.date, "date")?, locale)?;
        if list.date_shown == DateKind::TextWithTime && has_second_date(row, &list.date, locale) {
            return Err(failed("the table of orders has several columns of dates."));
        }
        let amounts = Amounts {
            recipe: &self.recipe.amounts,
            struck: self.recipe.order.struck,
            page: PageKind::OrderList,
            check: Check::ListPage,
            locale,
            currencies: &self.settings.currencies,
            zero: (&self.recipe.words.zero, None),
            decimals: Decimals::of(self.document, &self.recipe.amounts, self.settings),
        };
        let total = cell(row, &list.total, "total")?;
        let shown = amounts.read(total)?;
        let no_total = || failed(format!("the total of an order cannot be read: {}", no_amount(total.element)));
        let Shown { ordered: total, left } = shown.ok_or_else(no_total)?;
        let left = left.map(|left| left.amount());
        let items = list.items.as_ref().map(|place| self.items(row, place, locale)).transpose()?.flatten();
        let status = list.status.as_ref().map(|place| status(row, place)).transpose();
        // The page of the order may have it, too.
        let status = if self.recipe.order.status.is_some() { status.unwrap_or_default() } else { status? }.flatten();
        Ok(ListedOrder {
            number: number.to_owned(),
            path: path.to_owned(),
            placed_at,
            total,
            left,
            status,
            items,
            content: None,
        })
    }

    /// The address of the order's page.
    fn path(&self, row: &Row<'a, '_>, number: Cell<'a>) -> Result<String, Unread> {
        let cell = self.recipe.list.link.as_ref().map(|place| cell(row, place, "link")).transpose()?.unwrap_or(number);
        let link = cell.link().ok_or_else(|| failed("a row does not have one link of an order."))?;
        let address = self.address(link).ok_or_else(|| failed("the link of an order leads to another host."))?;
        // An address with a query has to be of the known form: anything may be in it.
        let beginning = &self.source.order_page;
        if address.contains('?') && !(beginning.contains('?') && address.starts_with(beginning)) {
            let rest = shape(address.split_once('?').map_or("", |(_, query)| query));
            return Err(failed(format!(
                "the link of an order has a query, ?{rest}, and does not begin with `list.order_page`, {beginning}"
            )));
        }
        Ok(address)
    }

    fn date(&self, cell: Cell<'_>, locale: Locale) -> Result<Placed, Unread> {
        let numeric = self.recipe.list.numeric_dates.unwrap_or(NumericDates::Unknown);
        let shown = match self.recipe.list.date_shown {
            DateKind::TextWithTime => DateShown::TextWithTime,
            DateKind::Instant => DateShown::Instant,
            DateKind::ShopClock => DateShown::ShopClock,
            DateKind::Day => DateShown::Day(numeric),
        };
        let words = cell.date().map_err(|misfit| failed(format!("of `list.date`, {misfit}")))?;
        let zone = self.settings.time_zone;
        let read = Placed::read_words(cell.element, &words, shown, locale, zone);
        if shown == DateShown::Day(numeric) && read.is_err() && locale.day(&words, numeric.turned()).is_some() {
            return Err(turned_dates(&words, numeric).into());
        }
        let is_on_page = shown == DateShown::ShopClock && self.recipe.order.date.is_some();
        Ok(read.or_else(|failure| {
            if is_on_page { Placed::read_stamp(cell.element, &words, locale, zone) } else { Err(failure) }
        })?)
    }

    /// The number of items: the whole text, or its only number, as in "for 8 items". `None`: the row shows no number.
    fn items(&self, row: &Row<'a, '_>, place: &'a Place, locale: Locale) -> Result<Option<Decimal>, Unread> {
        let words = cell(row, place, "number of items")?.number();
        let words = words.map_err(|misfit| failed(format!("of `list.items`, {misfit}")))?;
        if !words.contains(|sign: char| sign.is_numeric()) {
            return Ok(None);
        }
        let items = quantity::count(&words, locale).or_else(|| only_number(&words));
        let found = || failed(format!("the number of items of an order, {}, cannot be read.", quoted(&words)));
        items.map(Some).ok_or_else(found)
    }
}

/// Rows that show an order in the same way twice, such as for narrow screens, count once.
fn without_copies(rows: Vec<NamedRow>) -> Vec<NamedRow> {
    let mut kept: Vec<NamedRow> = Vec::with_capacity(rows.len());
    for row in rows {
        if !kept.contains(&row) {
            kept.push(row);
        }
    }
    kept
}

/// Whether a column beside this one holds a date, too, and the heading is one word, such as "Date", which fits both.
fn has_second_date<'a>(row: &Row<'a, '_>, place: &'a Place, locale: Locale) -> bool {
    let Some((heading, others)) = row.beside(place) else { return false };
    !heading.contains(' ') && others.iter().any(|cell| locale.date_time(&text(*cell)).is_some())
}

/// The status of an order, in the shop's own words; `None`: the row shows none.
fn status(row: &Row<'_, '_>, place: &Place) -> Result<Option<String>, Unread> {
    let cell = cell(row, place, "status")?;
    if text(cell.element).is_empty() {
        return Ok(None);
    }
    let status = cell.words().map_err(|misfit| failed(format!("of `list.status`, {misfit}")))?;
    if status.is_empty() || status.chars().count() > MAX_STATUS {
        return Err(failed(format!("the status of an order, {}, is empty or too long.", quoted(&status))));
    }
    Ok(Some(status))
}

fn only_number(words: &str) -> Option<Decimal> {
    let mut numbers = words.split(|sign: char| !sign.is_ascii_digit()).filter(|part| !part.is_empty());
    let number = numbers.next()?.parse().ok()?;
    numbers.next().is_none().then_some(number)
}

fn cell<'a>(row: &Row<'a, '_>, place: &'a Place, what: &str) -> Result<Cell<'a>, Unread> {
    row.cell(place).ok_or_else(|| failed(format!("a row does not have one {what} of an order.")))
}

/// What is said of a date whose day and month are the other way round. Other dates of the list may be read either way, and would be wrong.
fn turned_dates(words: &str, numeric: NumericDates) -> ConnectorError {
    let (shown, said) = if numeric == NumericDates::DayFirst { ("month", "day_first") } else { ("day", "month_first") };
    ConnectorError::new(SyncErrorCode::RetailerChanged).with_message(format!(
        "The order list has a date with the {shown} first, {}, where `list.numeric_dates` says \"{said}\". If all dates of the shop are \
         like that, change it with `recipe_changes`.",
        quoted(words)
    ))
}

fn failed(found: impl Into<String>) -> Unread {
    Failure::new(Check::ListPage, found).into()
}

/// Whether a page links to another page of the list: its own address, with a number in the query.
fn links_to_pages(document: &Html, source: &Source) -> bool {
    document.select(selector!("a[href], link[href]")).any(|link| {
        let Some(url) = link.attr("href").and_then(|href| source.url.join(href).ok()) else { return false };
        let has_number = || url.query_pairs().any(|(_, value)| value.parse::<u32>().is_ok_and(|number| number > 1));
        let is_list = url.origin() == source.list.origin()
            && url.path() == source.list.path()
            && source.list.query().is_none_or(|list| url.query().is_some_and(|query| query.starts_with(list)));
        let is_order =
            || address_of(&url).strip_prefix(&source.order_page).is_some_and(|rest| source::number_at(rest).is_some());
        is_list && has_number() && !is_order()
    })
}
