//! The drawings of the page: columns for months, bars for anything else. All in attributes of SVG, since the page's
//! policy allows no style within an element; measured in percent of the width, so that no letter is stretched.

use chrono::{Datelike as _, NaiveDate};
use maud::{Markup, html};
use ordersync_values::amount::grouped;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::bars::part;
use super::money::amount;
use super::totals::Group;
use crate::output::human::items;

/// The height of the drawing of months, in pixels; labels are below.
const HEIGHT: f64 = 180.0;
/// Room above the highest column, for its value and, above that, the end of the scale.
const TOP: f64 = 34.0;
/// More months than this are not drawn: a date is wrong then.
const MOST_MONTHS: usize = 600;
/// As many labels as a telephone has room for.
const LABELS: usize = 4;
/// Half the width of a label in percent, on a telephone.
const HALF_LABEL: f64 = 8.0;
/// Fewer months than these leave room, so that one of them is no wall.
const SLOTS: usize = 12;
/// Of more columns than these, a narrow window shows the value of the highest alone.
const VALUES: usize = 12;
/// Of more columns than these, every window shows the value of the highest alone.
const MOST_VALUES: usize = 26;

/// Columns, a month each, including months without an order. `None` if there is nothing to draw.
pub(crate) fn months(groups: &[&Group], currency: &str, title: &str) -> Option<Markup> {
    let months = span(groups)?;
    let largest = groups.iter().filter_map(|group| group.amount).max().filter(|amount| *amount > Decimal::ZERO)?;
    let top = scale(largest);
    let width = 100.0 / months.len().max(SLOTS) as f64;
    let y = |share: f64| TOP + (HEIGHT - TOP) * (1.0 - share);
    let each = months.len().max(SLOTS).div_ceil(LABELS);
    Some(html! {
        svg.months role="img" aria-label=(title) width="100%" height=(HEIGHT + 24.0) {
            @for share in [0.0, 0.5, 1.0] {
                line.grid x1="0" x2="100%" y1=(y(share)) y2=(y(share)) {}
            }
            @for (index, month) in months.iter().enumerate() {
                @let group = groups.iter().find(|group| group.group.as_deref() == Some(month.as_str()));
                @let value = group.and_then(|group| group.amount).unwrap_or_default();
                @let left = width * index as f64;
                @let share = part(value, top);
                g {
                    title {
                        (month) ": "
                        @match group {
                            Some(group) => { (amount(group.amount, currency)) " " (currency) ", " (items(group.items)) }
                            None => "nothing",
                        }
                    }
                    rect.hit x=(percent(left)) width=(percent(width)) y=(TOP) height=(HEIGHT - TOP) {}
                    @if share > 0.0 {
                        // At least a pixel: what is there is seen.
                        @let height = ((HEIGHT - TOP) * share).max(1.0);
                        rect.column x=(percent(left + width * 0.14)) width=(percent(width * 0.72)) y=(HEIGHT - height)
                            height=(height) rx=(if months.len() > 60 { "0" } else { "2" }) {}
                        @if months.len() <= MOST_VALUES || value == largest {
                            @let class = if months.len() > VALUES && value != largest { "value if-wide" } else { "value" };
                            text class=(class) x=(percent(left + width / 2.0)) y=(HEIGHT - height - 5.0) text-anchor="middle" {
                                (short(value))
                            }
                        }
                    }
                }
            }
            text.scale x="0" y="11" { (grouped(&top.to_string())) " " (currency) }
            @for (index, month) in months.iter().enumerate().filter(|(index, _)| index % each == 0) {
                // The first and the last stay within the drawing.
                @let middle = (width * (index as f64 + 0.5)).clamp(HALF_LABEL, 100.0 - HALF_LABEL);
                text.label x=(percent(middle)) y=(HEIGHT + 17.0) text-anchor="middle" { (month) }
            }
        }
    })
}

/// A bar that fills `share` of its width. The number is beside it.
pub(crate) fn bar(share: f64) -> Markup {
    // What is there is seen.
    let filled = if share > 0.0 { (share * 100.0).max(0.4) } else { 0.0 };
    html! {
        svg.bar width="100%" height="6" aria-hidden="true" focusable="false" {
            rect.track width="100%" height="6" rx="3" {}
            @if filled > 0.0 { rect.column width=(percent(filled)) height="6" rx="3" {} }
        }
    }
}

/// A value in few enough letters to fit above a column: "137", "1.4k", "2.0M".
fn short(value: Decimal) -> String {
    let thousand = Decimal::ONE_THOUSAND;
    let (mut value, mut unit) = (value, "");
    for larger in ["k", "M", "G", "T"] {
        // What is shown as 1000 belongs to the next unit.
        if value.abs().round() < thousand {
            break;
        }
        value /= thousand;
        unit = larger;
    }
    let digits = if unit.is_empty() || value.abs() >= Decimal::TEN { 0 } else { 1 };
    let mut value = value.round_dp(digits);
    value.rescale(digits);
    format!("{value}{unit}")
}

/// Every month from the first to the last.
fn span(groups: &[&Group]) -> Option<Vec<String>> {
    let named: Vec<NaiveDate> = groups
        .iter()
        .filter_map(|group| NaiveDate::parse_from_str(&format!("{}-01", group.group.as_deref()?), "%Y-%m-%d").ok())
        .collect();
    let (first, last) = (*named.iter().min()?, *named.iter().max()?);
    let number = |date: NaiveDate| i64::from(date.year()) * 12 + i64::from(date.month0());
    let months: Vec<i64> = (number(first)..=number(last)).take(MOST_MONTHS + 1).collect();
    (months.len() <= MOST_MONTHS).then(|| {
        months.iter().map(|month| format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1)).collect()
    })
}

/// Where the scale ends: a round number at or above the largest.
fn scale(largest: Decimal) -> Decimal {
    let mut step = Decimal::ONE;
    while step < largest && step.to_f64().is_some_and(|step| step < 1e27) {
        step *= Decimal::TEN;
    }
    while step >= largest && step.scale() < 6 {
        step /= Decimal::TEN;
    }
    // Now the step is below the largest, and ten of it are not.
    let times = [1, 2, 3, 4, 5, 6, 8, 10].map(Decimal::from).into_iter().find(|times| step * times >= largest);
    (step * times.unwrap_or(Decimal::TEN)).normalize()
}

fn percent(value: f64) -> String {
    format!("{value:.3}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_above_columns_are_short() {
        for (value, shown) in [
            ("0.4", "0"),
            ("137.19", "137"),
            ("999.6", "1.0k"),
            ("1430.71", "1.4k"),
            ("24900", "25k"),
            ("1999999", "2.0M"),
        ] {
            assert_eq!(short(Decimal::from_str_exact(value).expect("decimal")), shown);
        }
    }

    #[test]
    fn the_scale_ends_at_a_round_number_above_the_largest() {
        for (largest, top) in [("1430.71", "2000"), ("1000", "1000"), ("9.99", "10"), ("0.05", "0.05"), ("401", "500")]
        {
            assert_eq!(scale(Decimal::from_str_exact(largest).expect("decimal")).to_string(), top, "{largest}");
        }
        assert!(scale(Decimal::MAX) > Decimal::ZERO);
    }
}
