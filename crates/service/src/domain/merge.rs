//! One order, as two sources tell it: two files of its retailer, or a file and the retailer's account.
//!
//! A file adds and corrects; what it does not say stays as it is, and nothing goes because a file lacks it. A file that is
//! known to be older than what is stored only adds. Of an order that the account and a file both have, the account knows the
//! status and the file the money.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use ordersync_api::order::Mismatch;
use ordersync_api::{Adjustment, AdjustmentType, Contradiction, Open, Timestamp};
use rust_decimal::Decimal;

use crate::domain::line::keys;
use crate::domain::matching::{Candidate, pair};
use crate::domain::order::{ACCOUNT, LineItem, RetailerOrder};

/// The account and a file tell different totals of the order: the account's is `computed`.
const TOTAL: &str = "account_total";
/// The account and a file tell different totals of a line. There is one mark for each such line.
const LINE_TOTAL: &str = "account_line_total";
/// The sources have other lines: how many the file has is `shown`, and how many are known `computed`.
const LINES: &str = "file_lines";

/// A page or file has a part of the items: how many there are is `shown`, where the page says so, and how many are known `computed`.
const PAGE_LINES: &str = "page_lines";
/// The word for the status of a line that was undone is not known.
const STATUS: &str = "status";

/// A file's version of an order over what was known of it; under it, if what is known was stated later.
pub(crate) fn files(known: &RetailerOrder, told: &RetailerOrder) -> RetailerOrder {
    let is_older = told.stated_at.zip(known.stated_at).is_some_and(|(told, known)| told < known);
    let (older, newer) = if is_older { (told, known) } else { (known, told) };
    let newer = &*with_undone(older, newer);
    let mut items = Vec::with_capacity(newer.items.len());
    let pairs = pairs(older, newer);
    for (line, pair) in newer.items.iter().zip(&pairs) {
        items.push(match pair.and_then(|index| older.items.get(index)) {
            Some(before) => filled(line, before),
            None => line.clone(),
        });
    }
    items.extend(unpaired(older, &pairs).cloned());
    let (placed_at, is_day_alone) = date(older, newer);
    RetailerOrder {
        order_id: newer.order_id.clone(),
        fingerprint: None,
        placed_at,
        is_day_alone,
        total: newer.total.or(older.total),
        currency: newer.currency.clone().or_else(|| older.currency.clone()),
        mismatch: marks(older, newer, items.len()),
        adjustments: Some(adjusted(older.adjustments.as_deref(), newer.adjustments.as_deref())),
        sources: sources(older, newer, false),
        stated_at: if has_status(newer) { newer.stated_at } else { older.stated_at },
        items,
    }
}

/// An order that its retailer's account and a file have, and what they tell differently.
pub(crate) fn account_and_file(account: &RetailerOrder, file: &RetailerOrder) -> (RetailerOrder, Vec<Contradiction>) {
    let mut both = with_undone(file, account).into_owned();
    let mut told = Told { order_id: &account.order_id, differently: Vec::new() };
    both.sources = sources(account, file, true);
    both.stated_at = None;
    (both.placed_at, both.is_day_alone) = date(file, account);
    both.currency = account.currency.clone().or_else(|| file.currency.clone());
    if told.apart("currency", account.currency.as_ref(), file.currency.as_ref()) {
        // Amounts of two currencies are never mixed.
        return (both, told.differently);
    }
    // Of an order that was merged before, the marks have the account's own totals.
    if file.total.is_some() {
        let mut marked: Vec<Mismatch> = both.mismatch.extract_if(.., |one| one.check == TOTAL).collect();
        both.mismatch.extend(told.total("orderTotal", TOTAL, account.total, file.total, &mut marked));
    }
    both.total = file.total.or(account.total);
    both.adjustments = match (&account.adjustments, &file.adjustments) {
        (None, None) => None,
        (known, told) => Some(adjusted(known.as_deref(), told.as_deref())),
    };
    if file.items.is_empty() {
        return (both, told.differently);
    }
    both.mismatch.retain(|one| one.check != LINES);
    let is_part = |order: &RetailerOrder| order.mismatch.iter().any(|one| one.check == PAGE_LINES);
    let pairs = pairs(account, file);
    let is_whole = pairs.iter().all(Option::is_some) && account.items.len() == file.items.len();
    if account.items.is_empty() || is_part(account) && !is_part(file) {
        both.items.clone_from(&file.items);
        both.mismatch.retain(|one| one.check != PAGE_LINES);
        without_those_of_lines(&mut both);
    } else if is_whole {
        let mut marked: Vec<Mismatch> = both.mismatch.extract_if(.., |one| one.check == LINE_TOTAL).collect();
        for (line, index) in file.items.iter().zip(pairs.into_iter().flatten()) {
            if let Some(known) = both.items.get_mut(index) {
                told.apart("quantity", known.quantity.map(|it| it.normalize()), line.quantity.map(|it| it.normalize()));
                both.mismatch.extend(told.total(
                    "lineTotal",
                    LINE_TOTAL,
                    known.line_total,
                    line.line_total,
                    &mut marked,
                ));
                with_money_of(known, line);
            }
        }
        without_those_of_lines(&mut both);
    } else {
        let [known, read] = [account, file].map(|order| order.items.len().to_string());
        told.apart("items", Some(known), Some(read));
        both.mismatch.push(count_of_lines(file, account.items.len()));
    }
    (both, told.differently)
}

/// An order with the status that is known of lines that were undone, and a mark, if the word for theirs is not known: its source may have
/// another name for it now.
pub(crate) fn with_undone<'a>(known: &RetailerOrder, order: &'a RetailerOrder) -> Cow<'a, RetailerOrder> {
    let mut order = Cow::Borrowed(order);
    if !order.items.iter().any(is_unclear) {
        return order;
    }
    for (place, pair) in pairs(known, &order).into_iter().enumerate() {
        let before = pair.and_then(|pair| known.items.get(pair)?.shipment_status.clone());
        let is_undone =
            before.as_ref().and_then(Open::known).is_some_and(|status| status.is_undone() && status.is_settled());
        if is_undone && order.items.get(place).is_some_and(is_unclear) {
            let order = order.to_mut();
            order.items[place].shipment_status = before;
            if order.mismatch.iter().all(|mark| mark.check != STATUS) {
                order.mismatch.push(Mismatch { check: STATUS.to_owned(), shown: None, computed: None });
            }
        }
    }
    order
}

/// True if the word for the status of the line is not known.
pub(crate) fn is_unclear(line: &LineItem) -> bool {
    matches!(line.shipment_status, Some(Open::Other(_)))
}

/// The account shows for the order as a whole what a file may tell of each line, such as taxes: it counts once.
fn without_those_of_lines(order: &mut RetailerOrder) {
    let of_lines: Vec<_> = order.items.iter().flat_map(|line| &line.adjustments).map(|one| one.kind.clone()).collect();
    if let Some(of_order) = &mut order.adjustments {
        of_order.retain(|one| is_refund(one) || !of_lines.contains(&one.kind));
    }
}

fn is_refund(adjustment: &Adjustment) -> bool {
    matches!(adjustment.kind, Open::Known(AdjustmentType::Refund | AdjustmentType::Return))
}

fn has_status(order: &RetailerOrder) -> bool {
    order.items.iter().any(|line| line.shipment_status.is_some())
}

/// When the order was placed, and whether only the day is known: as `new` tells it, unless that is the day of a known time.
fn date(known: &RetailerOrder, new: &RetailerOrder) -> (Option<DateTime<Utc>>, bool) {
    let is_near = |(one, other): (DateTime<Utc>, DateTime<Utc>)| Timestamp(one).is_near(Timestamp(other));
    let is_its_day = new.is_day_alone && !known.is_day_alone && known.placed_at.zip(new.placed_at).is_some_and(is_near);
    let told = if new.placed_at.is_none() || is_its_day { known } else { new };
    (told.placed_at, told.is_day_alone)
}

/// The marks of an order that two files tell of, and that has `lines` lines in all.
fn marks(stored: &RetailerOrder, new: &RetailerOrder, lines: usize) -> Vec<Mismatch> {
    if new.items.is_empty() {
        // It only adds to the order.
        return stored.mismatch.clone();
    }
    let mut marks = new.mismatch.clone();
    if lines > new.items.len() {
        // Of an order that was merged before: there is a new count.
        marks.retain(|mark| mark.check != LINES);
    }
    let is_of_page = |mark: &Mismatch| mark.check == PAGE_LINES;
    let was_part = stored.mismatch.iter().any(is_of_page);
    match marks.iter().position(is_of_page).map(|place| marks.remove(place)) {
        None if lines == new.items.len() => {}
        // A line that the page shows and a whole order lacks may be one of its lines with another title.
        Some(_) if !was_part && lines > stored.items.len() => marks.push(count_of_lines(new, lines)),
        None => marks.push(count_of_lines(new, lines)),
        Some(mark) => {
            let is_whole = mark.shown.map_or(!was_part, |shown| shown == Decimal::from(lines));
            if !is_whole {
                marks.push(Mismatch { computed: Some(lines.into()), ..mark });
            }
        }
    }
    marks
}

/// For each line of the second, the place of the same line in the first.
fn pairs(first: &RetailerOrder, second: &RetailerOrder) -> Vec<Option<usize>> {
    let keys = [first, second].map(keys);
    let [first, second] = [(first, &keys[0]), (second, &keys[1])].map(|(order, keys)| {
        keys.iter().zip(&order.items).map(|(key, item)| Candidate::read(key, item)).collect::<Vec<_>>()
    });
    pair(&first, &second)
}

fn unpaired<'a>(stored: &'a RetailerOrder, pairs: &[Option<usize>]) -> impl Iterator<Item = &'a LineItem> {
    let taken: Vec<usize> = pairs.iter().copied().flatten().collect();
    stored.items.iter().enumerate().filter(move |(index, _)| !taken.contains(index)).map(|(_, line)| line)
}

fn count_of_lines(file: &RetailerOrder, known: usize) -> Mismatch {
    let [shown, computed] = [file.items.len(), known].map(|count| Some(Decimal::from(count)));
    Mismatch { check: LINES.to_owned(), shown, computed }
}

/// A line, with what an earlier file said of it where this one says nothing.
fn filled(line: &LineItem, before: &LineItem) -> LineItem {
    let text = |new: &Option<String>, before: &Option<String>| new.clone().or_else(|| before.clone());
    LineItem {
        line_id: text(&line.line_id, &before.line_id),
        title: text(&line.title, &before.title),
        brand: text(&line.brand, &before.brand),
        department: text(&line.department, &before.department),
        category: text(&line.category, &before.category),
        sub_category: text(&line.sub_category, &before.sub_category),
        sku: text(&line.sku, &before.sku),
        seller: text(&line.seller, &before.seller),
        quantity: line.quantity.or(before.quantity),
        unit_price: line.unit_price.or(before.unit_price),
        line_total: line.line_total.or(before.line_total),
        adjustments: adjusted(Some(&before.adjustments), Some(&line.adjustments)),
        shipment_status: line.shipment_status.clone().or_else(|| before.shipment_status.clone()),
        shipment_text: text(&line.shipment_text, &before.shipment_text),
        shipments: if line.shipments.is_empty() { before.shipments.clone() } else { line.shipments.clone() },
        secondary_unknown: false,
        status_unknown: false,
    }
}

/// The account's line with the money of the file's, and with what the account does not show.
fn with_money_of(account: &mut LineItem, file: &LineItem) {
    let fill = |known: &mut Option<String>, told: &Option<String>| {
        if known.is_none() {
            known.clone_from(told);
        }
    };
    fill(&mut account.title, &file.title);
    fill(&mut account.brand, &file.brand);
    fill(&mut account.department, &file.department);
    fill(&mut account.category, &file.category);
    fill(&mut account.sub_category, &file.sub_category);
    fill(&mut account.sku, &file.sku);
    fill(&mut account.seller, &file.seller);
    fill(&mut account.shipment_text, &file.shipment_text);
    account.quantity = account.quantity.or(file.quantity);
    account.unit_price = file.unit_price.or(account.unit_price);
    account.line_total = file.line_total.or(account.line_total);
    account.adjustments = adjusted(Some(&account.adjustments), Some(&file.adjustments));
    account.shipment_status = account.shipment_status.take().or_else(|| file.shipment_status.clone());
    if account.shipments.is_empty() {
        account.shipments.clone_from(&file.shipments);
    }
}

/// Adjustments over those that were known: refunds stay, each once for each time that a source has it; of every other kind,
/// those of the newer source are all, if it has any.
fn adjusted(known: Option<&[Adjustment]>, new: Option<&[Adjustment]>) -> Vec<Adjustment> {
    let mut all = new.unwrap_or_default().to_vec();
    let mut unmatched: Vec<usize> = (0..all.len()).collect();
    let is_told = |one: &Adjustment| new.unwrap_or_default().iter().any(|other| other.kind == one.kind);
    let (refunds, others): (Vec<_>, Vec<_>) = known.unwrap_or_default().iter().partition(|one| is_refund(one));
    // Text and date may be better known now; the same payment is one payment. Equal dates are paired before those that may be equal.
    let mut left = refunds;
    for is_date in [is_same_date, may_be_date] {
        left.retain(|one| {
            let is_same = |place: &usize| {
                let other = &all[*place];
                other.kind == one.kind && other.amount == one.amount && is_date(one, other)
            };
            let Some(place) = unmatched.iter().position(is_same) else { return true };
            let other = &mut all[unmatched.remove(place)];
            if let Some(Open::Known(at)) = &one.date
                && !at.may_be_noon()
            {
                // A time is not replaced by its day.
                other.date.clone_from(&one.date);
            }
            false
        });
    }
    all.extend(left.into_iter().chain(others.into_iter().filter(|one| !is_told(one))).cloned());
    all
}

fn is_same_date(known: &Adjustment, new: &Adjustment) -> bool {
    known.date.is_none() || known.date == new.date
}

fn may_be_date(known: &Adjustment, new: &Adjustment) -> bool {
    matches!((&known.date, &new.date), (Some(Open::Known(known)), Some(Open::Known(new))) if known.may_be(*new))
}

fn sources(known: &RetailerOrder, new: &RetailerOrder, has_account: bool) -> Vec<String> {
    let files = known.sources.iter().chain(&new.sources).filter(|source| *source != ACCOUNT);
    let mut all: Vec<String> = files.cloned().collect();
    all.sort();
    all.dedup();
    if has_account {
        all.insert(0, ACCOUNT.to_owned());
    }
    all
}

/// Collects facts that the account and the file tell differently.
struct Told<'a> {
    order_id: &'a str,
    differently: Vec<Contradiction>,
}

impl Told<'_> {
    fn apart<T: PartialEq + ToString>(&mut self, field: &str, account: Option<T>, file: Option<T>) -> bool {
        let (Some(account), Some(file)) = (account, file) else { return false };
        if account == file {
            return false;
        }
        self.differently.push(Contradiction {
            order_id: self.order_id.to_owned(),
            field: field.to_owned(),
            account: Some(account.to_string()),
            file: Some(file.to_string()),
        });
        true
    }

    /// The mark of a total that differs. A total that was merged before has the file's figure, and one of the marks the
    /// account's; if this file has none, the mark stays.
    fn total(
        &mut self,
        field: &str,
        check: &str,
        known: Option<Decimal>,
        file: Option<Decimal>,
        marked: &mut Vec<Mismatch>,
    ) -> Option<Mismatch> {
        let mark = marked.iter().position(|one| one.shown == known).map(|place| marked.remove(place));
        let (Some(shown), Some(computed)) = (file, mark.as_ref().map_or(known, |mark| mark.computed)) else {
            return mark;
        };
        let differs = self.apart(field, Some(computed.normalize()), Some(shown.normalize()));
        differs.then(|| Mismatch { check: check.to_owned(), shown: Some(shown), computed: Some(computed) })
    }
}

#[cfg(test)]
mod tests;
