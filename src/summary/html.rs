//! The page: one file that needs nothing else, with a policy that keeps it so. Charts are drawn beside the figures that
//! they show; data from outside is text and never markup.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Local};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use ordersync_values::amount::grouped;
use rust_decimal::Decimal;
use sha2::{Digest as _, Sha256};

use super::money::amount;
use super::totals::{Group, Totals};
use super::{bars, chart, money};
use crate::output::human::items;
use crate::summary::grouping::Grouping;

const STYLE: &str = include_str!("page.css");
/// Groups that are drawn one by one; the rest is one row.
const DRAWN: usize = 15;

/// Which line items were asked for, as it was typed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    pub retailer: Option<&'a str>,
    /// From when.
    pub since: Option<&'a str>,
    /// Until when.
    pub until: Option<&'a str>,
}

/// What the page shows.
#[derive(Debug)]
pub(crate) struct ReportPage<'a> {
    /// The sums, in all groupings.
    pub totals: &'a Totals,
    pub asked: Asked<'a>,
    /// Where the line items came from, unless it is the service inside the command.
    pub service: Option<&'a str>,
    /// The retailers of which not all orders are known, each with the reason.
    pub missing: &'a [String],
    /// Says how many line items are left out because they have no date.
    pub undated: Option<&'a str>,
    /// When they were read.
    pub made: DateTime<Local>,
}

/// The whole document.
pub(crate) fn page(page: &ReportPage<'_>) -> String {
    let totals = page.totals;
    let groups = |by| totals.groups(by);
    let (months, retailers) = (groups(Grouping::Month), groups(Grouping::Retailer));
    let (categories, brands) = (groups(Grouping::Category), groups(Grouping::Brand));
    let whole = totals.whole();
    let range = range(page);
    let body = html! {
        header {
            h1 { "Order summary" }
            p { (items(totals.items())) (range) }
            p.muted { "Generated on " (page.made.format("%Y-%m-%d at %H:%M %:z")) @if let Some(service) = page.service { " from " (service) } }
        }
        @if !page.missing.is_empty() {
            aside.missing role="alert" {
                h2 { "Not complete" }
                p { "Orders are missing here, or are not as the retailer has them now:" }
                ul { @for one in page.missing { li { (one) } } }
            }
        }
        main {
            @if whole.is_empty() { p.currency { "No line items match." } }
            @for (index, whole) in whole.iter().filter(|whole| whole.currency.is_some()).enumerate() {
                @let id = format!("currency-{index}");
                @let own = |groups: &[Group]| -> Vec<Group> {
                    groups.iter().filter(|group| group.currency == whole.currency).cloned().collect()
                };
                section.currency aria-labelledby=(id) {
                    h2 id=(id) { (whole.currency.as_deref().unwrap_or_default()) }
                    (figures(whole))
                    div.cards {
                        (by_month(&own(&months), whole))
                        (card("By retailer", "Retailer", "retailers", &own(&retailers)))
                        (card("By category", "Category", "categories", &own(&categories)))
                        (card("By brand", "Brand", "brands", &own(&brands)))
                    }
                }
            }
        }
        footer.muted {
            p {
                "An amount is the line total, or the price times the quantity if the retailer shows none, summed exactly \
                 and shown rounded, without what was cancelled, returned, refunded or not paid. Currencies are not added to one \
                 another. A month is that of the order’s day in " (totals.zone().name()) "."
            }
            @for note in [totals.left_out(), totals.other_statuses()].into_iter().flatten() { p { (note) } }
            @if let Some(undated) = page.undated { p { (undated) } }
        }
    };
    document(&body).into_string()
}

fn document(body: &Markup) -> Markup {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="generator" content=(concat!("ordersync ", env!("CARGO_PKG_VERSION")));
                title { "Order summary · ordersync" }
                style { (PreEscaped(STYLE)) }
            }
            body { div.page { (body) } }
        }
    }
}

/// ", ordered from … to …", and what was asked for.
fn range(page: &ReportPage<'_>) -> String {
    let mut text = match page.totals.days() {
        Some((first, last)) if first == last => format!(", ordered on {first}"),
        Some((first, last)) => format!(", ordered from {first} to {last}"),
        None => String::new(),
    };
    let Asked { retailer, since, until } = page.asked;
    let asked = [("retailer", retailer), ("since", since), ("until", until)];
    let asked: Vec<String> =
        asked.iter().filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?))).collect();
    if !asked.is_empty() {
        text.push_str(&format!(" (asked for: {})", asked.join(", ")));
    }
    text
}

fn figures(whole: &Group) -> Markup {
    html! {
        dl.figures {
            div { dt { "Amount" } dd { (amount(whole.amount, currency(whole))) } }
            div { dt { "Line items" } dd { (grouped(&whole.items.to_string())) } }
            @if whole.undone_items > 0 {
                div {
                    dt { "Cancelled, returned, refunded, unpaid" }
                    dd { (amount(whole.undone_amount, currency(whole))) " in " (items(whole.undone_items)) }
                }
            }
        }
    }
}

fn by_month(groups: &[Group], whole: &Group) -> Markup {
    let drawn: Vec<&Group> = groups.iter().collect();
    let currency = currency(whole);
    let title = format!("Amount in {currency} for each month; the figures are in the table below");
    let chart = chart::months(&drawn, currency, &title);
    let table = html! {
        table {
            thead { tr { th scope="col" { "Month" } th scope="col" { "Items" } th scope="col" { "Amount" } } }
            tbody { @for group in groups { (row(group, None)) } }
            tfoot {
                tr {
                    th scope="row" { "Total" }
                    td { (grouped(&whole.items.to_string())) }
                    td { (amount(whole.amount, currency)) }
                }
            }
        }
    };
    html! {
        section.card.whole {
            h3 { "By month" }
            @match chart {
                Some(chart) => { (chart) details { summary { "Figures by month in " (currency) } (table) } }
                None => (table),
            }
        }
    }
}

/// A grouping as a table with a bar below each name.
fn card(title: &str, column: &str, plural: &str, groups: &[Group]) -> Markup {
    // One more row takes no more room than a row that replaces it.
    let most = if groups.len() <= DRAWN + 1 { groups.len() } else { DRAWN };
    let places = groups.iter().enumerate();
    // What has no name is never hidden among others.
    let (drawn, rest): (Vec<_>, Vec<_>) = places.partition(|(place, group)| *place < most || group.group.is_none());
    let [drawn, rest] = [drawn, rest].map(|part| part.into_iter().map(|(_, group)| group.clone()).collect::<Vec<_>>());
    html! {
        section.card {
            h3 { (title) }
            table.bars {
                thead { tr { th scope="col" { (column) } th scope="col" { "Items" } th scope="col" { "Amount" } } }
                tbody {
                    @for group in &drawn { (row(group, Some(bars::share(group, &drawn)))) }
                    @if !rest.is_empty() {
                        tr.muted {
                            th scope="row" { (rest.len()) " more " (plural) }
                            td { (grouped(&rest.iter().map(|group| group.items).sum::<u64>().to_string())) }
                            td { (amount(sum(&rest), rest.first().map_or("", currency))) }
                        }
                    }
                }
            }
        }
    }
}

fn row(group: &Group, share: Option<f64>) -> Markup {
    html! {
        tr {
            th scope="row" {
                (group.name())
                @if let Some(share) = share { (chart::bar(share)) }
            }
            td { (grouped(&group.items.to_string())) }
            td { (amount(group.amount, currency(group))) }
        }
    }
}

/// The sum of groups of one currency; it is a part of the whole, which was summed.
fn sum(groups: &[Group]) -> Option<Decimal> {
    groups.iter().filter_map(|group| group.amount).try_fold(Decimal::ZERO, money::sum).map(money::tidy)
}

fn currency(group: &Group) -> &str {
    group.currency.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::client::row::Row;

    fn made(rows: &[String]) -> String {
        let mut totals = Totals::new(&Grouping::OF_PAGES, crate::time_zone::TimeZone::UTC);
        for row in rows {
            totals.add(&Row::read(row).expect("json")).expect("sums");
        }
        let asked = Asked { retailer: Some("<b>"), ..Asked::default() };
        page(&ReportPage {
            totals: &totals,
            asked,
            service: Some("http://127.0.0.1/"),
            missing: &[],
            undated: None,
            made: Local::now(),
        })
    }

    #[test]
    fn text_from_outside_is_no_markup_and_nothing_comes_from_elsewhere() {
        let evil = "</style><script>alert(1)</script><img src=x onerror=alert(2)>&\\\"'";
        let row = format!(
            r#"{{"id":1,"retailerName":"{evil}","category":"{evil}","brandName":"{evil}","currency":"{evil}","price":1,
                "quantity":1,"orderDate":"{evil}"}}"#
        );
        let text = made(&[row]);
        for tag in ["<script", "<img", "<link", "<b>", "url(", "@import", " style=", "src="] {
            assert!(!text.replace("&lt;img src=x", "").contains(tag), "{tag}: {text}");
        }
        assert_eq!(text.matches("</style>").count(), 1);
    }

    #[test]
    fn more_groups_than_are_drawn_are_summed_up_in_a_row() {
        let rows: Vec<String> = (1..=40)
            .map(|n| format!(r#"{{"id":{n},"brandName":"Brand {n}","price":{n}.10,"quantity":1,"currency":"EUR"}}"#))
            .collect();
        let text = made(&rows);
        // 1.10 + … + 25.10
        assert!(text.contains("25 more brands") && text.contains("327.50"), "{text}");
        assert!(text.contains("824.00"), "{text}");
    }

    #[test]
    fn money_is_rounded_has_its_currency_and_units_are_not_added_up() {
        let text = made(&[
            r#"{"id":1,"price":3.99,"quantity":0.455,"currency":"EUR","orderDate":"2026-01-05T00:00:00Z"}"#.to_owned(),
            r#"{"id":2,"price":1430.710,"quantity":1,"currency":"EUR","orderDate":"2026-02-05T00:00:00Z"}"#.to_owned(),
        ]);
        assert!(text.contains("1,432.53") && !text.contains("1.81545") && !text.contains("1432.52545"), "{text}");
        assert!(!text.contains("Quantity") && text.contains("2,000 EUR"), "{text}");
        assert!(text.contains(">1.4k</text>") && text.contains("Generated on "), "{text}");
    }

    #[test]
    fn the_columns_of_two_years_have_their_values_and_one_item_is_one() {
        let months = |years: std::ops::Range<u32>| -> Vec<String> {
            years
                .flat_map(|year| (1..=12).map(move |month| (year, month)))
                .map(|(year, month)| {
                    let id = year * 100 + month;
                    format!(
                        r#"{{"id":{id},"price":{id},"quantity":1,"currency":"EUR","orderDate":"{year}-{month:02}-05T00:00:00Z"}}"#
                    )
                })
                .collect()
        };
        let two_years = made(&months(2024..2026));
        // A telephone has room for the highest alone.
        assert_eq!(two_years.matches(r#"<text class="value if-wide""#).count(), 23, "{two_years}");
        assert_eq!(two_years.matches(r#"<text class="value""#).count(), 1, "{two_years}");
        assert!(two_years.contains("EUR, 1 item<") && !two_years.contains("1 items"), "{two_years}");
        assert_eq!(made(&months(2020..2026)).matches("<text class=\"value").count(), 1);
    }
}
