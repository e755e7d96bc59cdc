//! The orders of an answer: as the list shows them, and whole.

use ordersync_api::{Open, ShipmentStatus, hex};
use ordersync_values::zone::Tz;
use rust_decimal::Decimal;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::answer::failed;
use super::format::{FigureAt, JsonRecipe, Order, Zone};
use super::path::{Path, Wrong, needed};
use super::shipments::Sent;
use crate::connector::kit::check::{Check, Failure};
use crate::connector::kit::currency::Currency;
use crate::connector::kit::figures::{Figure, LineColumn, ReadLine, ShownOrder, Title};
use crate::connector::kit::listed::{ListedOrder, NamedRow};
use crate::connector::kit::pieces::Pieces;
use crate::connector::kit::placed::Placed;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::text::{is_directional, quoted};

impl JsonRecipe {
    /// What the shop's word for a status means: the operator says it, or the recipe.
    pub(super) fn status(&self, text: &str, settings: &Settings) -> Open<ShipmentStatus> {
        match settings.status(text) {
            Open::Other(text) => self.words.status(&text).map_or(Open::Other(text), Open::Known),
            known => known,
        }
    }

    /// The number of an order of the list.
    pub(super) fn number(&self, order: &Value) -> Result<String, Failure> {
        let path = &self.list.number;
        let number = needed(path.id(order), path).map_err(|wrong| failed(Check::ListPage, wrong))?;
        if number.contains(is_directional) {
            let wrong = format!("a number with signs that nobody sees at `{}`", path.as_str());
            return Err(failed(Check::ListPage, wrong));
        }
        Ok(number)
    }

    /// An order of the list. `place`: where the list has it.
    /// Fails if it has no number: then the whole list cannot be read.
    pub(super) fn listed(&self, order: &Value, place: &str, settings: &Settings) -> Result<NamedRow, Failure> {
        let number = self.number(order)?;
        let path = match &self.list.key {
            Some(key) if self.order.send.is_some() => {
                needed(key.id(order), key).map_err(|wrong| failed(Check::ListPage, wrong))?
            }
            _ if self.order.send.is_some() => number.clone(),
            _ => place.to_owned(),
        };
        let shown = self
            .figures_of_list(order, number.clone(), path.clone(), settings)
            .map_err(|wrong| failed(Check::ListPage, wrong));
        Ok(NamedRow { number, path, shown })
    }

    fn figures_of_list(
        &self,
        order: &Value,
        number: String,
        path: String,
        settings: &Settings,
    ) -> Result<ListedOrder, Wrong> {
        let list = &self.list;
        let currency = currency_at(&list.currency, order)?;
        let minor = self.amounts.minor_units;
        let date = needed(list.date.path.get(order), &list.date.path)?;
        let zone = if list.date.zone == Zone::Utc { Tz::UTC } else { settings.time_zone };
        let placed_at = list.date.format.read(date, zone).and_then(Placed::of);
        if let Some(Value::String(total)) = list.total.get(order)?
            && has_two_readings(total, &currency)
        {
            return Err(format!("{} at `{}`, which can be read in two ways", quoted(total), list.total.as_str()));
        }
        let left = match &list.left {
            Some(left) => left.money(order, &currency, minor)?.map(|money| money.amount()),
            None => None,
        };
        Ok(ListedOrder {
            number,
            path,
            placed_at: placed_at.ok_or_else(|| format!("{date} at `{}`, which is no date", list.date.path.as_str()))?,
            total: needed(list.total.money(order, &currency, minor), &list.total)?,
            left,
            status: list.status.text(order)?.map(str::to_owned),
            items: list.items.as_ref().map_or(Ok(None), |items| items.decimal(order))?,
            content: self.order.send.is_none().then(|| digest(order)),
        })
    }

    /// A whole order.
    /// Fails if anything of it cannot be read.
    pub(super) fn shown(&self, order: &Value, listed: &ListedOrder) -> Result<ShownOrder, Failure> {
        if let Some(number) = &self.order.number {
            let found = needed(number.id(order), number).map_err(|wrong| failed(Check::OrderNumber, wrong))?;
            if found != listed.number {
                return Err(Failure::new(Check::OrderNumber, "the answer is another order than the one asked for."));
            }
        }
        let status = self.order.status.text(order);
        let status = match status.map_err(|wrong| failed(Check::Status, wrong))? {
            None if self.order.status.is_empty() => listed.status.clone(),
            status => status.map(str::to_owned),
        };
        let currency = listed.total.currency();
        if let Some(path) = &self.order.currency {
            let found = currency_at(path, order).map_err(|wrong| failed(Check::Currency, wrong))?;
            if found != *currency {
                let (listed, found) = (currency.code(), found.code());
                let found = format!("the list shows its total in {listed}, and the order is in {found}.");
                return Err(Failure::new(Check::Currency, found));
            }
        }
        let lines = needed(self.order.lines.each(order), &self.order.lines);
        let lines = lines.map_err(|wrong| failed(Check::Lines, wrong))?;
        let sent = self.order.shipments.as_ref().map_or(Ok(Vec::new()), |shipments| shipments.read(order));
        let sent = sent.map_err(|wrong| failed(Check::Lines, wrong))?;
        let mut are_placed = vec![false; sent.len()];
        let lines = lines.into_iter().map(|line| self.line(line, currency, &sent, &mut are_placed));
        let lines = lines.collect::<Result<_, _>>().map_err(|wrong| failed(Check::Lines, wrong))?;
        let mut figures = Vec::new();
        for figure in &self.order.figures {
            self.add(figure, order, currency, &mut figures).map_err(|wrong| failed(Check::Figures, wrong))?;
        }
        let has_other_shipments = are_placed.iter().any(|is_placed| !is_placed);
        Ok(ShownOrder { status, lines, figures, doubts: Vec::new(), has_other_shipments, is_converted: false })
    }

    /// A line. `sent`: what was sent of the order; what it is in gets a mark in `are_placed`.
    fn line(
        &self,
        line: &Value,
        currency: &Currency,
        sent: &[Sent],
        are_placed: &mut [bool],
    ) -> Result<ReadLine, Wrong> {
        let (order, minor) = (&self.order, self.amounts.minor_units);
        let quantity = needed(order.quantity.decimal(line), &order.quantity)?;
        let unit_price = match &order.unit_price {
            Some(price) => price.money(line, currency, minor)?,
            None => None,
        };
        let total = match (&order.line_total, &unit_price) {
            (Some(total), _) => Some(needed(total.money(line, currency, minor), total)?),
            (None, Some(price)) => price.times(quantity).map(|total| total.to_coins()),
            (None, None) => None,
        };
        let mut amounts = vec![(LineColumn::Total, total)];
        if order.unit_price.is_some() {
            amounts.push((LineColumn::UnitPrice, unit_price));
        }
        let text = needed(order.title.text(line), &order.title)?.to_owned();
        let key = order.line_key.as_ref().map_or(Ok(None), |key| key.id(line))?;
        let mut shipments = Vec::new();
        for (sent, is_placed) in sent.iter().zip(are_placed).filter(|(sent, _)| sent.has(key.as_ref())) {
            *is_placed = true;
            shipments.extend(sent.parcels().iter().cloned());
        }
        Ok(ReadLine {
            title: Title { text, product: None, is_doubtful: false, others: Vec::new(), is_cut: false },
            quantity,
            sku: order.sku.as_ref().map_or(Ok(None), |sku| sku.id(line))?,
            pieces: order.pieces(line)?,
            shipments,
            amounts,
        })
    }

    fn add(&self, at: &FigureAt, order: &Value, currency: &Currency, figures: &mut Vec<Figure>) -> Result<(), Wrong> {
        let each = match &at.each {
            None => vec![order],
            Some(each) => match each.each(order)? {
                None if at.optional => Vec::new(),
                elements => needed(Ok(elements), each)?,
            },
        };
        for one in each {
            let money = match at.amount.money(one, currency, self.amounts.minor_units)? {
                None if at.optional && at.each.is_none() => continue,
                None => return Err(at.amount.lacking()),
                Some(money) => money,
            };
            let kind = at.kind.summary();
            let is_sum = kind.is_some_and(|kind| kind.is_sum());
            // Shops of pages leave out what is nothing.
            if money.amount().is_zero() && !is_sum {
                continue;
            }
            let label = at.label_at.as_ref().map_or(Ok(None), |label| label.text(one))?;
            figures.push(Figure {
                label: label.unwrap_or(&at.label).to_owned(),
                kind,
                is_discount: kind.is_none(),
                is_of_rest: false,
                money,
            });
        }
        Ok(())
    }
}

impl Order {
    /// How far the pieces of a line got. Of what the recipe does not name, there are none.
    fn pieces(&self, line: &Value) -> Result<Pieces, Wrong> {
        let of = |path: &Option<Path>| match path {
            Some(path) => path.pieces(line),
            None => Ok(Decimal::ZERO),
        };
        Ok(Pieces {
            shipped: of(&self.shipped)?,
            delivered: of(&self.delivered)?,
            cancelled: of(&self.cancelled)?,
            returned: of(&self.returned)?,
            refunded: of(&self.refunded)?,
            struck: Decimal::ZERO,
        })
    }
}

fn currency_at(path: &Path, order: &Value) -> Result<Currency, Wrong> {
    let code = needed(path.text(order), path)?.to_uppercase();
    Currency::from_code(&code).ok_or_else(|| format!("\"{code}\", which is no currency"))
}

/// Whether a text such as `1.234` may be a number of thousands. The total of an order has no thousandth of a pound.
fn has_two_readings(total: &str, currency: &Currency) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = total.trim().trim_start_matches('-').split_once('.');
    currency.minor_units() != 3
        && parts.is_some_and(|(whole, rest)| whole.len() <= 3 && rest.len() == 3 && digits(whole) && digits(rest))
}

/// Changes with anything that the list has of the order.
fn digest(order: &Value) -> String {
    hex::encode(&Sha256::digest(order.to_string())[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_with_thousandths_is_taken_in_currencies_that_have_them_alone() {
        for (total, code, has_two) in [
            ("1.234", "EUR", true),
            ("-12.500", "EUR", true),
            ("1.234", "JPY", true),
            ("1.234", "KWD", false),
            ("1.23", "EUR", false),
            ("1.2345", "EUR", false),
            ("1234.567", "EUR", false),
        ] {
            assert_eq!(has_two_readings(total, &Currency::from_code(code).unwrap()), has_two, "{total} {code}");
        }
    }
}
