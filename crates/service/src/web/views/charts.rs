//! What was spent, as charts with their tables: a year beside the year before.

use maud::{Markup, html};
use ordersync_api::charged::{sum, tidy};
use ordersync_values::amount::grouped;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::layout::sheet;
use super::money::money;
use super::orders::{completeness, name};
use crate::store::orders::own::Shop;
use crate::web::orders::filter::{Field, Given};
use crate::web::orders::spending::{Pair, Spending, Spent};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// Categories that are shown; the rest is one row.
const CATEGORIES: usize = 15;

/// The content of the page.
pub(in crate::web) struct Charts<'a> {
    pub(in crate::web) shops: &'a [Shop],
    pub(in crate::web) given: &'a Given,
    pub(in crate::web) year: i32,
    /// The year of the newest order.
    pub(in crate::web) newest: i32,
    pub(in crate::web) spending: &'a Spending,
}

/// The page.
pub(in crate::web) fn charts(charts: &Charts<'_>) -> Markup {
    let Charts { shops, given, year, newest, spending } = *charts;
    let shown = spending
        .currencies
        .iter()
        .filter(|(_, spent)| spent.is_too_large || spent.lines.iter().chain(&spent.undone).any(|count| *count > 0));
    let shown: Vec<_> = shown.collect();
    sheet(&html! {
        h1 { "What you spent in " (year) " and " (year - 1) }
        (completeness(shops, given))
        nav.pages aria-label="Years" {
            a.button href=(address(given, year - 1)) rel="prev" { (year - 1) }
            @if year < newest { a.button href=(address(given, year + 1)) rel="next" { (year + 1) } }
        }
        form.period method="get" action="/account/orders/charts" {
            div.field {
                label for="year" { "Year" }
                input #year name="year" type="number" min="1" max="9998" required value=(year);
            }
            div.field {
                label for="retailer" { "Retailer" }
                select #retailer name="retailer" {
                    option value="" { "All retailers" }
                    @for shop in shops {
                        @let id = shop.connection.retailer_id.to_string();
                        option value=(id) selected[id == given.get(Field::Retailer)] { (name(shop)) }
                    }
                }
            }
            button type="submit" { "Show" }
        }
        @if shown.is_empty() { p.lead { "There is nothing to sum in these two years." } }
        @for (index, (currency, spent)) in shown.into_iter().enumerate() { (in_currency(index, currency, spent, year)) }
        section aria-labelledby="counted" {
            h2 #counted { "What is counted" }
            p {
                "The lines of orders: the line total, or the price times the quantity. Not in the sums: lines that were cancelled, "
                "returned, refunded or not paid, and shipping, taxes, discounts and refunds of whole orders. Months are those of UTC. "
                "The same sums: " code { "ordersync orders summary --time-zone UTC" } "."
            }
            @for left_out in left_out(spending) { p.notice { (left_out) } }
        }
    })
}

fn address(given: &Given, year: i32) -> String {
    format!("/account/orders/charts?{}", given.query(Some(("year", &year.to_string()))))
}

fn left_out(spending: &Spending) -> Vec<String> {
    let said = |count: u64, what: &str| match count {
        0 => None,
        1 => Some(format!("1 line is in no sum: {what}.")),
        count => Some(format!("{} lines are in no sum: {what}.", grouped(&count.to_string()))),
    };
    let all = [
        said(spending.without_amount, "what it cost is not known"),
        said(spending.without_currency, "the currency is not known"),
        said(spending.unclear_sign, "the signs do not say whether it was charged or paid back"),
        said(spending.undated, "the order has no date"),
    ];
    all.into_iter().flatten().collect()
}

fn in_currency(index: usize, currency: &str, spent: &Spent, year: i32) -> Markup {
    let id = format!("currency-{index}");
    let undone = spent.undone.iter().sum::<u64>();
    let mut categories: Vec<(&str, Pair)> =
        spent.categories.iter().map(|(name, pair)| (name.as_str(), *pair)).collect();
    categories.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let rest = categories.split_off(categories.len().min(CATEGORIES));
    let months: Vec<(String, Pair)> =
        MONTHS.iter().zip(spent.months).map(|(month, pair)| ((*month).to_owned(), pair)).collect();
    let mut named: Vec<(String, Pair)> = categories.into_iter().map(|(name, pair)| (category(name), pair)).collect();
    if let Some(pair) =
        rest.iter().try_fold(Pair::default(), |all, (_, pair)| both(all, *pair)).filter(|_| !rest.is_empty())
    {
        named.push((format!("{} more categories", rest.len()), pair));
    }
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (if currency.is_empty() { "Without a currency" } else { currency }) }
            @if spent.is_too_large {
                p.notice { "These sums have more digits than can be summed exactly. Export the lines, and sum them elsewhere." }
            } @else {
                p {
                    strong { (money(Some(tidy(spent.whole[0])), Some(currency))) } " in " (year) ", "
                    (money(Some(tidy(spent.whole[1])), Some(currency))) " in " (year - 1) "."
                    @if undone > 0 { " Left out: " (grouped(&undone.to_string())) " cancelled, returned, refunded or unpaid." }
                }
                (table("By month", "Month", currency, &months, Some(spent.whole), year))
                (table("By category", "Category", currency, &named, None, year))
            }
        }
    }
}

fn both(a: Pair, b: Pair) -> Option<Pair> {
    Some([sum(a[0], b[0])?, sum(a[1], b[1])?])
}

fn category(name: &str) -> String {
    if name.is_empty() { "Without a category".to_owned() } else { name.to_owned() }
}

/// A table whose rows have bars, which show what the figures beside them say.
fn table(title: &str, first: &str, currency: &str, rows: &[(String, Pair)], whole: Option<Pair>, year: i32) -> Markup {
    let largest = rows.iter().flat_map(|(_, pair)| pair).map(Decimal::abs).max().unwrap_or_default();
    let shown = |amount: Decimal| {
        let text = money(Some(tidy(amount)), Some(currency));
        text.trim_end_matches(currency).trim_end().to_owned()
    };
    html! {
        table.chart {
            caption { (title) ", in " (currency) }
            thead { tr { th scope="col" { (first) } th scope="col" { (year) } th scope="col" { (year - 1) } } }
            tbody {
                @for (name, pair) in rows {
                    tr {
                        th scope="row" {
                            bdi.break { (name) }
                            svg.bars aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none" {
                                (bar(pair[0], largest, 0, "now"))
                                (bar(pair[1], largest, 4, "before"))
                            }
                        }
                        td { (shown(pair[0])) }
                        td { (shown(pair[1])) }
                    }
                }
            }
            @if let Some(whole) = whole {
                tfoot { tr { th scope="row" { "Year" } td { (shown(whole[0])) } td { (shown(whole[1])) } } }
            }
        }
    }
}

/// Only the length of a bar is rounded. Money back has a bar of its own kind.
fn bar(amount: Decimal, largest: Decimal, y: u32, of: &str) -> Markup {
    let share = amount.abs().checked_div(largest).and_then(|share| share.to_f64()).unwrap_or_default();
    let class = if amount.is_sign_negative() && !amount.is_zero() { format!("{of} back") } else { of.to_owned() };
    html! { rect class=(class) x="0" y=(y) width=(format!("{:.2}", share * 100.0)) height="3" {} }
}
