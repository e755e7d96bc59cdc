//! Checks of the figures of an order against each other. Nothing is corrected: a figure that does not follow from the others is
//! reported, and stays as the file has it.

use std::collections::BTreeMap;

use ordersync_api::{Adjustment, AdjustmentType, ImportedItem, Mismatch, Open, ShipmentStatus};
use rust_decimal::Decimal;

use crate::finding::FindingCode;
use crate::reading::{At, LARGEST, Reading};

/// A line, and the figures of its row.
pub(crate) struct Line {
    pub(crate) at: At,
    pub(crate) item: ImportedItem,
    /// The total of its row, as shown, and as it follows from its parts.
    pub(crate) row: Option<(Decimal, Decimal)>,
    /// The subtotal that it shares with others, and what they have in common.
    pub(crate) shared: Option<(String, Decimal)>,
    /// The price of one, or of the line.
    pub(crate) unproven: Option<Decimal>,
}

impl Reading<'_> {
    /// Whether the totals of the rows follow from their parts. If each row has the total of the order instead, the order's
    /// total is that.
    pub(crate) fn check_rows(&mut self, lines: &[Line], total: &mut Option<Decimal>, mismatch: &mut Vec<Mismatch>) {
        let rows: Vec<(Decimal, Decimal)> = lines.iter().filter_map(|line| line.row).collect();
        let computed: Decimal = rows.iter().map(|(_, computed)| computed).sum();
        if let [(shown, _), _, ..] = rows.as_slice()
            && rows.len() == lines.len()
            && rows.iter().all(|(other, _)| other == shown)
            && computed == *shown
            && !shown.is_zero()
            && let (Some(line), Some(source)) = (lines.first(), &self.format.row_total)
        {
            *total = Some(*shown);
            let message = "Each row has the total of the order, not its own: it was counted once.";
            let finding = self.finding(FindingCode::OrderTotalRepeated, line.at, message);
            self.findings.add(finding.column(source.name()).shown(shown));
            return;
        }
        for line in lines {
            let Some((shown, computed)) = line.row.filter(|(shown, computed)| shown != computed) else { continue };
            let message = "The total of the row is not its price times its quantity, with tax, shipping and discounts. It was \
                           stored as it is.";
            let finding = self.finding(FindingCode::RowTotal, line.at, message);
            self.findings.add(finding.figures(shown, computed));
            mismatch.push(Mismatch { check: "row_total".into(), shown: Some(shown), computed: Some(computed) });
        }
    }

    /// Whether subtotals are the sums of the lines that share them.
    pub(crate) fn subtotals(&mut self, lines: &[Line], mismatch: &mut Vec<Mismatch>) {
        let mut shipments: BTreeMap<&str, (At, Decimal, Option<Decimal>)> = BTreeMap::new();
        for line in lines {
            let Some((per, shown)) = &line.shared else { continue };
            let (_, _, sum) = shipments.entry(per).or_insert((line.at, *shown, Some(Decimal::ZERO)));
            *sum = sum.zip(line.item.line_total).map(|(sum, total)| sum + total);
        }
        for (at, shown, computed) in shipments.into_values() {
            let Some(computed) = computed.filter(|computed| *computed != shown) else { continue };
            let message =
                "The subtotal of the shipment is not the sum of its rows: a row may be missing, or was changed.";
            let finding = self.finding(FindingCode::ShipmentSubtotal, at, message);
            self.findings.add(finding.figures(shown, computed));
            mismatch.push(Mismatch { check: "shipment_subtotal".into(), shown: Some(shown), computed: Some(computed) });
        }
    }

    /// Whether the total of the order is the sum of its lines and adjustments.
    pub(crate) fn check_total(
        &mut self,
        adjustments: &mut [Adjustment],
        lines: &[Line],
        total: Option<Decimal>,
        mismatch: &mut Vec<Mismatch>,
    ) {
        let (Some(total), Some(first)) = (total, lines.first()) else { return };
        // An order that was cancelled as a whole may still show what it would have cost.
        let is_whole = !total.is_zero() && lines.iter().all(is_cancelled);
        let kept = lines.iter().filter(|line| is_whole || !is_cancelled(line));
        let of_lines: Option<Decimal> =
            kept.map(|line| Some(line.item.line_total? + sum_of(&line.item.adjustments))).sum();
        let Some(of_lines) = of_lines else { return };
        let rules = &self.format.adjustments;
        let may_be_included = |adjustment: &Adjustment| {
            rules.iter().any(|rule| rule.included_if_total && adjustment.kind.is(&rule.kind) && !rule.of_line)
        };
        let rest: Decimal = adjustments.iter().filter(|one| may_be_included(one)).map(|one| one.amount).sum();
        if !rest.is_zero() && of_lines + sum_of(adjustments) - rest == total {
            adjustments.iter_mut().filter(|one| may_be_included(one)).for_each(|one| one.included = true);
            return;
        }
        let computed = of_lines + sum_of(adjustments);
        if computed != total {
            let message = "The lines and other amounts of the file do not add up to the total of the order. Fees may be \
                           missing in the file. Both were stored as they are.";
            let finding = self.finding(FindingCode::LinesAndTotalDiffer, first.at, message);
            self.findings.add(finding.figures(total, computed));
            mismatch.push(Mismatch { check: "order_total".into(), shown: Some(total), computed: Some(computed) });
        }
    }

    /// Lines without a quantity have one piece each if the total of the order proves it, with or without its taxes.
    pub(crate) fn prove_one_piece(&mut self, lines: &mut [Line], adjustments: &[Adjustment], total: Option<Decimal>) {
        let Some(at) = lines.iter().find(|line| line.item.quantity.is_none()).map(|line| line.at) else { return };
        let one = |line: &Line| product(line.item.price?, line.item.quantity.unwrap_or(Decimal::ONE));
        let of_lines: Option<Decimal> = lines.iter().map(one).sum();
        let taxes: Decimal = adjustments.iter().filter(|it| it.kind.is(&AdjustmentType::Tax)).map(|it| it.amount).sum();
        let rest = total.map(|total| total - sum_of(adjustments));
        let is_proven = of_lines.is_some() && (of_lines == rest || of_lines == rest.map(|rest| rest + taxes));
        for line in lines.iter_mut().filter(|line| is_proven && line.item.quantity.is_none()) {
            (line.item.quantity, line.item.line_total) = (Some(Decimal::ONE), line.item.price.map(tidy));
        }
        if !is_proven {
            let message = "The page shows no quantity of a line, and the total of the order does not prove that it is 1. It is \
                           unknown.";
            let finding = self.finding(FindingCode::QuantityUnknown, at, message);
            self.findings.add(finding);
        }
    }

    /// Whether prices are those of one piece or of the line: the total of the order proves it.
    pub(crate) fn prove_prices(&mut self, lines: &mut [Line], adjustments: &[Adjustment], total: Option<Decimal>) {
        let of_lines: Decimal = lines.iter().map(|line| sum_of(&line.item.adjustments)).sum();
        let rest = total.map(|total| total - sum_of(adjustments) - of_lines);
        let of_one: Option<Decimal> = lines.iter().map(|line| product(line.unproven?, line.item.quantity?)).sum();
        let of_line: Option<Decimal> = lines.iter().map(|line| line.unproven).sum();
        let (is_of_one, is_of_line) = (rest.is_some() && rest == of_one, rest.is_some() && rest == of_line);
        for line in &mut *lines {
            let (Some(price), quantity) = (line.unproven, line.item.quantity) else { continue };
            if is_of_one {
                line.item.price = Some(price);
                line.item.line_total = quantity.and_then(|quantity| product(price, quantity)).map(tidy);
            } else if is_of_line || quantity == Some(Decimal::ONE) {
                // The price of one piece is that of the line.
                line.item.line_total = Some(price);
                line.item.price = quantity.and_then(|quantity| exact_quotient(price, quantity));
            }
        }
        let is_open = |line: &&Line| line.unproven.is_some() && line.item.line_total.is_none();
        if let Some(line) = lines.iter().find(is_open) {
            let message = "The file does not say whether its prices are those of one piece or of the line, and the total of the \
                           order proves neither. They were left out.";
            let finding = self.finding(FindingCode::PriceMeaningUnknown, line.at, message);
            self.findings.add(finding);
        }
    }
}

fn is_cancelled(line: &Line) -> bool {
    line.item.shipment_status == Some(Open::Known(ShipmentStatus::Cancelled))
}

/// The sum of the adjustments that are part of a total. Refunds come later, and payments are no part of it.
pub(crate) fn sum_of(adjustments: &[Adjustment]) -> Decimal {
    let is_part = |one: &&Adjustment| {
        let kind = one.kind.known();
        !one.included
            && !matches!(kind, Some(AdjustmentType::Refund | AdjustmentType::Return | AdjustmentType::Payment))
    };
    adjustments.iter().filter(is_part).map(|one| one.amount).sum()
}

/// A product that is still an amount: sums of such cannot overflow.
pub(crate) fn product(one: Decimal, other: Decimal) -> Option<Decimal> {
    one.checked_mul(other).filter(|product| product.abs() <= LARGEST)
}

/// A quotient without a rest, in no smaller unit than a hundredth or that of the amount.
pub(crate) fn exact_quotient(amount: Decimal, by: Decimal) -> Option<Decimal> {
    let quotient = amount.checked_div(by)?.round_dp(amount.scale().max(2));
    (quotient.checked_mul(by)? == amount).then(|| tidy(quotient))
}

/// Without the zeros that a product has beyond a hundredth.
pub(crate) fn tidy(amount: Decimal) -> Decimal {
    let bare = amount.normalize();
    let mut tidy = bare;
    tidy.rescale(bare.scale().max(amount.scale().min(2)));
    tidy
}
