//! An order out of its rows. What its rows do not say stays unknown.

use ordersync_api::{Adjustment, AdjustmentType, ImportedItem, ImportedOrder, Open, Shipment, ShipmentStatus};
use ordersync_values::currency::Currency;
use rust_decimal::Decimal;

use crate::checks::{Line, exact_quotient, product, sum_of, tidy};
use crate::finding::FindingCode;
use crate::format::{AdjustmentRule, Components, Field, Format, OnlyIf, Price, Repeated, Source};
use crate::layout::{Dates, When, nodes};
use crate::number::bare;
use crate::reading::{At, Data, Reading, View};
use crate::website;

/// An order as one file has it.
#[derive(Debug, Clone)]
pub(crate) struct Built {
    pub(crate) retailer: Option<String>,
    pub(crate) order: ImportedOrder,
}

/// An adjustment for an order that another file has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Added {
    pub(crate) line_id: Option<String>,
    pub(crate) adjustment: Adjustment,
}

/// The number of an order; without one, what makes it unique.
pub(crate) fn key(view: &View<'_>, format: &Format, dates: &Dates) -> Option<String> {
    if let Some(source) = format.source(Field::OrderId) {
        return bare(&view.text(source, format)?);
    }
    let time = format.source(Field::OrderDate).map(Source::name);
    let parts: Option<Vec<String>> = format
        .key
        .iter()
        .map(|source| {
            let text = view.text(source, format)?;
            // One instant has many forms, and the next export may have another one.
            Some(match dates.reading(&text) {
                Some(When::Instant(at)) if time == Some(source.name()) => ordersync_api::Timestamp(at).to_string(),
                _ => text,
            })
        })
        .collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(" "))
}

/// The status that a word in lower case stands for in every format.
pub(crate) fn status_of(word: &str) -> Option<ShipmentStatus> {
    match word {
        "canceled" => Some(ShipmentStatus::Cancelled),
        "complete" => Some(ShipmentStatus::Completed),
        word => word.parse().ok(),
    }
}

impl Reading<'_> {
    /// The order that `rows` are of. `lines`: its lines; the same in a table. None: it cannot be stored, which is reported.
    pub(crate) fn order(&mut self, rows: &[View<'_>], lines: &[View<'_>]) -> Option<Built> {
        let format = self.format;
        let first = rows.first()?;
        let code = self.currency_of(rows)?;
        let presumed = code.clone().or_else(|| format.currency.clone()).or_else(|| self.options.currency.clone());
        self.presume(presumed.as_deref());
        let mut lines = match &format.components {
            Some(components) => self.assembled(lines, components),
            None => lines.iter().map(|view| self.line(view)).collect(),
        };
        let rows = self.listed_once(rows, &mut lines);
        let rows = rows.as_slice();
        let mut adjustments = Vec::new();
        for rule in format.adjustments.iter().filter(|rule| !rule.of_line) {
            adjustments.extend(self.of_order(rows, rule));
        }
        adjustments.extend(self.discount_lines(&mut lines));
        let mut total = self.total(rows, &mut lines);
        let mut mismatch = Vec::new();
        if format.price == Price::Proven {
            self.prove_prices(&mut lines, &adjustments, total);
        }
        if format.one_piece_proven {
            self.prove_one_piece(&mut lines, &adjustments, total);
        }
        self.subtotals(&lines, &mut mismatch);
        if format.order_total == Repeated::Once {
            self.check_total(&mut adjustments, &lines, total, &mut mismatch);
        } else {
            self.check_rows(&lines, &mut total, &mut mismatch);
        }
        let currency = self.settled_currency(code, presumed, first.at)?;
        let date = format.source(Field::OrderDate).and_then(|source| {
            let dated = rows.iter().find(|row| self.text(row, Some(source)).is_some())?;
            self.compare_dates(rows, source);
            self.time(dated, source)
        });
        let of_lines = lines.iter_mut().flat_map(|line| &mut line.item.adjustments);
        for adjustment in of_lines.chain(&mut adjustments) {
            adjustment.currency.clone_from(&currency);
        }
        let retailer = self.retailer(rows);
        let order = ImportedOrder {
            order_id: self.order_id.clone(),
            only_adds: false,
            stated_at: None,
            order_date: date.map(|(at, _)| at),
            order_date_precision: date.and_then(|(_, precision)| precision),
            order_total: total,
            currency,
            mismatch,
            adjustments,
            items: lines.into_iter().map(|line| line.item).collect(),
        };
        Some(Built { retailer, order })
    }

    /// The retailer: as its rows name it, as the user does, or the file.
    pub(crate) fn retailer(&mut self, rows: &[View<'_>]) -> Option<String> {
        let named = self.format.source(Field::Retailer).and_then(|source| {
            let name = self.once(rows, source, |reading, row| reading.text(row, Some(source)))?;
            if !self.format.names_websites() {
                return Some(name);
            }
            if let (website::Known::No, Some(row)) = (website::known(&name), rows.first()) {
                let message = format!(
                    "The website \"{name}\" is not known. Its orders are stored under this name: look whether it is right."
                );
                let finding = self.finding(FindingCode::SiteUnknown, row.at, message);
                self.findings.add_once(finding.column(source.name()).shown(&name));
            }
            Some(website::bare(&name))
        });
        named.or_else(|| self.options.retailer.clone()).or_else(|| self.format.retailer.clone())
    }

    /// A value that all rows that have it have in common.
    fn once<T: PartialEq>(
        &mut self,
        rows: &[View<'_>],
        source: &Source,
        read: impl Fn(&mut Self, &View<'_>) -> Option<T>,
    ) -> Option<T> {
        let mut found: Option<T> = None;
        for row in rows {
            let Some(value) = read(self, row) else { continue };
            if found.as_ref().is_some_and(|found| *found != value) {
                let message = "The value is the order's, but differs between its rows, and is left out.";
                let finding = self.finding(FindingCode::ValuesDiffer, row.at, message);
                self.findings.add(finding.column(source.name()));
                return None;
            }
            found = found.or(Some(value));
        }
        found
    }

    /// The currency that the rows name. None: they name two.
    fn currency_of(&mut self, rows: &[View<'_>]) -> Option<Option<String>> {
        let Some(source) = self.format.source(Field::Currency) else { return Some(None) };
        let mut named: Option<String> = None;
        let texts_of = |row| View::texts(row, source, self.format, self.format.one_currency);
        for (row, text) in rows.iter().flat_map(|row| texts_of(row).into_iter().map(move |text| (row, text))) {
            let code = match (Currency::from_code(&text.to_uppercase()), Currency::of_symbol(&text)) {
                (Some(currency), _) => currency.code().to_owned(),
                (None, [only]) => (*only).to_owned(),
                (None, _) => {
                    let message =
                        format!("\"{text}\" is no currency: name it with --currency, such as --currency USD.");
                    let finding = self.finding(FindingCode::CurrencyUnknown, row.at, message);
                    self.findings.add_once(finding.column(source.name()).shown(&text));
                    continue;
                }
            };
            if named.as_ref().is_some_and(|named| *named != code) {
                let message = "The order is in several currencies, and was left out.";
                let finding = self.finding(FindingCode::CurrencyConflict, row.at, message);
                self.findings.add(finding.column(source.name()).shown(&text));
                return None;
            }
            named = Some(code);
        }
        Some(named)
    }

    /// The currency of the order. None: its amounts are in several.
    fn settled_currency(&mut self, code: Option<String>, presumed: Option<String>, at: At) -> Option<Option<String>> {
        let named: Vec<&String> = self.named.iter().collect();
        let settled = match (code, named.as_slice()) {
            (Some(code), []) => Some(Some(code)),
            (Some(code), [only]) if code == **only => Some(Some(code)),
            (None, []) => Some(presumed),
            (None, [only]) => Some(Some((*only).clone())),
            _ => None,
        };
        let may_be = |code: &str| self.open.iter().all(|symbol| Currency::of_symbol(symbol).contains(&code));
        let settled = settled.filter(|code| code.as_deref().is_none_or(may_be));
        if settled.is_none() {
            let message = match self.options.currency {
                Some(_) => {
                    "The amounts of the order are in several currencies, or in another one than --currency names: it \
                            was left out."
                }
                None => "The amounts of the order are in several currencies: it was left out.",
            };
            let finding = self.finding(FindingCode::CurrencyConflict, at, message);
            let shown = self.named.iter().chain(&self.open).cloned().collect::<Vec<_>>().join(" ");
            self.findings.add(finding.shown(shown));
        }
        settled
    }

    fn line(&mut self, view: &View<'_>) -> Line {
        let format = self.format;
        let source = |field| format.source(field);
        let quantity = source(Field::Quantity).and_then(|source| self.quantity(view, source));
        let price = source(Field::Price).and_then(|source| self.amount(view, source));
        let shown_total = source(Field::LineTotal).and_then(|source| self.amount(view, source));
        let mut adjustments = Vec::new();
        for rule in format.adjustments.iter().filter(|rule| rule.of_line) {
            adjustments.extend(self.adjustments(view, rule, quantity));
        }
        let is_unclear = format.price == Price::Proven && price.is_some();
        let product = quantity.zip(price).and_then(|(quantity, price)| product(quantity, price));
        let mut line_total = shown_total.or(product.filter(|_| !is_unclear)).map(tidy);
        if let (Some(shown), Some(product)) = (shown_total, product.filter(|_| !is_unclear))
            && shown != product
        {
            let message = "The price, times the quantity, is not the total of the line. The total counts.";
            let finding = self.finding(FindingCode::UnitPrice, view.at, message);
            self.findings.add(finding.figures(shown, product));
        }
        let row_total = format.row_total.as_ref().and_then(|source| self.amount(view, source));
        let parts: Decimal = sum_of(&adjustments);
        if quantity == Some(Decimal::ZERO)
            && let Some(total) = row_total.filter(|total| !total.is_zero())
        {
            line_total = Some(total - parts);
            let message = "The quantity is 0, but the row has an amount: the amount counts, and how many pieces there are is not \
                           known.";
            let finding = self.finding(FindingCode::QuantityZeroWithAmount, view.at, message);
            self.findings.add(finding.shown(total));
        }
        let derived = || line_total.zip(quantity).and_then(|(total, quantity)| exact_quotient(total, quantity));
        let unproven = price.filter(|_| is_unclear);
        let price = match format.price {
            Price::Each => price,
            Price::Proven if is_unclear => None,
            Price::Proven | Price::Derived => price.or_else(derived),
        };
        let shared = format
            .subtotal
            .as_ref()
            .and_then(|subtotal| Some((self.text(view, Some(&subtotal.per))?, self.amount(view, &subtotal.column)?)));
        self.report_rounded(view);
        let shipment_text = self.text(view, source(Field::ShipmentStatus));
        let shipment_status = shipment_text.as_deref().map(|text| self.status(text, view.at));
        let text = |field| self.text(view, source(field));
        let item = ImportedItem {
            line_id: self.line_id(view),
            item_name: text(Field::ItemName),
            brand_name: text(Field::BrandName),
            department: text(Field::Department),
            category: text(Field::Category),
            sub_category: text(Field::SubCategory),
            retailer_sku: text(Field::RetailerSku),
            seller: text(Field::Seller),
            quantity,
            price,
            line_total,
            shipment_status,
            shipment_text,
            shipments: text(Field::Shipments).map_or_else(Vec::new, |text| self.shipments(&text)),
            adjustments,
        };
        let row = row_total.zip(line_total).map(|(shown, total)| (shown, total + parts));
        Line { at: view.at, item, row, shared, unproven }
    }

    /// The status that a text stands for. If several parcels have different ones, none.
    fn status(&mut self, text: &str, at: At) -> Open<ShipmentStatus> {
        let meanings: Vec<_> = self.parts(text).into_iter().map(|word| (word.trim(), self.meaning(word))).collect();
        // The built-in formats know the words that cancel a line; a mapping has to name them.
        if self.format.is_own
            && let Some((word, _)) = meanings.iter().find(|(_, status)| status.is_none())
        {
            let message = format!("The status \"{word}\" is not known: its lines count as bought.");
            self.findings.add_once(self.finding(FindingCode::StatusUnknown, at, message).shown(word));
        }
        match meanings[..] {
            [(_, Some(status)), ref others @ ..] if others.iter().all(|(_, other)| *other == Some(status)) => {
                Open::Known(status)
            }
            _ => Open::Other(text.to_owned()),
        }
    }

    /// The status that a word stands for in this format.
    fn meaning(&self, word: &str) -> Option<ShipmentStatus> {
        let word = word.trim().to_lowercase();
        let is_begun = |(begin, _): &(&String, &ShipmentStatus)| {
            word.strip_prefix(begin.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
        };
        let begun = || self.format.statuses.iter().filter(is_begun).max_by_key(|(begin, _)| begin.len());
        let known = self.format.statuses.get(&word).copied();
        let known = known.or_else(|| begun().filter(|_| self.format.statuses_begin).map(|(_, status)| *status));
        known.or_else(|| status_of(&word))
    }

    /// The values of several parcels in one cell.
    fn parts<'t>(&self, text: &'t str) -> Vec<&'t str> {
        match &self.format.joined {
            Some(joined) => text.split(joined.as_str()).collect(),
            None => vec![text],
        }
    }

    /// Parcels, as in `UPS(1Z999)`.
    fn shipments(&self, text: &str) -> Vec<Shipment> {
        let parcel = |text: &str| match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            Some((carrier, number)) => Shipment {
                carrier: Some(carrier.trim().to_owned()).filter(|carrier| !carrier.is_empty()),
                tracking_number: Some(number.to_owned()).filter(|number| !number.is_empty()),
            },
            None => Shipment { carrier: Some(text.to_owned()), tracking_number: None },
        };
        self.parts(text).into_iter().map(parcel).collect()
    }

    /// The adjustments of a rule at a record or a line.
    fn adjustments(&mut self, view: &View<'_>, rule: &AdjustmentRule, quantity: Option<Decimal>) -> Vec<Adjustment> {
        let elements = match (&rule.each, view.data) {
            (Some(each), Data::Json { order, group, line }) => {
                let data = |line| Data::Json { order, group, line };
                nodes(each, line).into_iter().map(|node| View { at: view.at, data: data(node) }).collect()
            }
            _ => vec![*view],
        };
        elements.iter().filter_map(|view| self.adjustment(view, rule, quantity)).collect()
    }

    fn adjustment(&mut self, view: &View<'_>, rule: &AdjustmentRule, quantity: Option<Decimal>) -> Option<Adjustment> {
        let mut amount = self.amount(view, &rule.amount)?;
        if rule.times_quantity {
            amount = tidy(product(amount, quantity.unwrap_or_default().max(Decimal::ONE))?);
        }
        if amount.is_zero() && !rule.keep_zero {
            return None;
        }
        if rule.negative {
            amount = -amount.abs();
        }
        let date = rule.date.as_ref().and_then(|source| self.time(view, source)).map(|(at, _)| Open::Known(at));
        let text = self.text(view, rule.text.as_ref());
        Some(Adjustment { kind: rule.kind.into(), amount, currency: None, date, text, included: rule.included })
    }

    /// The adjustments of the order itself, which its rows repeat.
    fn of_order(&mut self, rows: &[View<'_>], rule: &AdjustmentRule) -> Vec<Adjustment> {
        if rule.each.is_some() {
            return rows.first().map_or_else(Vec::new, |row| self.adjustments(row, rule, None));
        }
        self.once(rows, &rule.amount, |reading, row| reading.adjustment(row, rule, None)).into_iter().collect()
    }

    /// Lines out of their components: price, tax, discounts.
    fn assembled(&mut self, views: &[View<'_>], components: &Components) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        for view in views {
            let id = self.line_id(view);
            let known = lines.iter().position(|line| id.is_some() && line.item.line_id == id);
            let index = known.unwrap_or_else(|| {
                lines.push(self.line(view));
                lines.len() - 1
            });
            let Some(amount) = self.amount(view, &components.amount) else { continue };
            let word = self.text(view, Some(&components.column)).unwrap_or_default();
            let item = &mut lines[index].item;
            let is_price = word == components.price;
            if is_price && !amount.is_sign_negative() {
                if item.line_total.is_some_and(|total| !total.is_zero()) && !amount.is_zero() {
                    let message = "The line has a further price, which was added. If the file was joined with itself, import \
                                   each part once.";
                    self.findings.add(self.finding(FindingCode::LineRepeated, view.at, message).shown(amount));
                }
                item.line_total = Some(item.line_total.unwrap_or_default() + amount);
                continue;
            }
            let (kind, text) = match word {
                _ if is_price => (AdjustmentType::Discount, self.text(view, Some(&components.discount_text))),
                word if word == components.tax => (AdjustmentType::Tax, None),
                word => (AdjustmentType::Other, Some(word)),
            };
            if !amount.is_zero() {
                let adjustment =
                    Adjustment { kind: kind.into(), amount, currency: None, date: None, text, included: false };
                item.adjustments.push(adjustment);
            }
        }
        for line in &mut lines {
            let (total, quantity) = (line.item.line_total, line.item.quantity);
            line.item.price = total.zip(quantity).and_then(|(total, quantity)| exact_quotient(total, quantity));
        }
        lines
    }

    /// Lines that are discounts of others become these others' adjustments; the order's, if the other is missing.
    fn discount_lines(&self, lines: &mut Vec<Line>) -> Vec<Adjustment> {
        let Some(begins) = &self.format.discount_title else { return Vec::new() };
        let mut of_order = Vec::new();
        let mut index = 0;
        while index < lines.len() {
            let item = &lines[index].item;
            let of = item.item_name.as_deref().and_then(|title| title.strip_prefix(begins.as_str()));
            let (Some(of), Some(amount)) = (of, item.line_total) else {
                index += 1;
                continue;
            };
            let text = [item.retailer_sku.as_deref(), item.item_name.as_deref()].into_iter().flatten();
            let text = Some(text.collect::<Vec<_>>().join(" "));
            let kind = AdjustmentType::Discount.into();
            let adjustment = Adjustment { kind, amount, currency: None, date: None, text, included: false };
            let target = lines.iter().position(|line| line.item.retailer_sku.as_deref() == Some(of.trim()));
            match target {
                Some(target) => lines[target].item.adjustments.push(adjustment),
                None => of_order.push(adjustment),
            }
            lines.remove(index);
        }
        of_order
    }

    fn total(&mut self, rows: &[View<'_>], lines: &mut [Line]) -> Option<Decimal> {
        let source = self.format.source(Field::OrderTotal)?;
        if self.format.order_total == Repeated::Once {
            return self.once(rows, source, |reading, row| reading.amount(row, source));
        }
        // Components are rows of their own; a line that is checked against the total of its row has read it already.
        if self.format.components.is_none() && lines.iter().all(|line| line.row.is_some()) {
            return lines
                .iter()
                .filter_map(|line| line.row)
                .try_fold(Decimal::ZERO, |sum, (shown, _)| sum.checked_add(shown));
        }
        rows.iter().try_fold(Decimal::ZERO, |sum, row| sum.checked_add(self.amount(row, source)?))
    }

    /// The adjustments in a row that belong to an order of another file.
    pub(crate) fn added(&mut self, row: &View<'_>) -> Option<Vec<Added>> {
        if let Some(OnlyIf { column, is }) = &self.format.only_if
            && let Some(word) = self.text(row, Some(column)).filter(|word| !is.contains(&word.to_lowercase()))
        {
            let message = format!("The refund is \"{word}\", and was left out: it is not known whether it was paid.");
            let finding = self.finding(FindingCode::RefundNotFinal, row.at, &message);
            self.findings.add(finding.column(column.name()).shown(&word));
            return None;
        }
        let code = self.currency_of(&[*row])?;
        let presumed = code.clone().or_else(|| self.format.currency.clone());
        self.presume(presumed.as_deref());
        let line_id = self.line_id(row);
        let mut added = Vec::new();
        for rule in &self.format.adjustments {
            for mut adjustment in self.adjustments(row, rule, None) {
                adjustment.currency.clone_from(&presumed);
                added.push(Added { line_id: line_id.clone(), adjustment });
            }
        }
        Some(added)
    }
}
