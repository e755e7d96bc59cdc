use std::collections::HashMap;

use ordersync_api::{Open, ShipmentStatus};
use rust_decimal::Decimal;

use super::super::check::{Check, Failure};
use super::super::checked_order::{CheckedOrder, ProductFacts};
use super::super::figures::{Figure, LineColumn, ReadLine, ShownOrder, Summary, Title};
use super::super::listed::ListedOrder;
use super::super::order_proof::{ProvenOrder, prove};
use super::super::status;
use super::money;

fn listed(total: &str, items: i64) -> ListedOrder {
    ListedOrder {
        number: "100234".to_owned(),
        path: "/orders/100234/".to_owned(),
        placed_at: 1_700_000_000,
        total: money(total),
        items: Decimal::from(items),
    }
}

fn line(title: &str, quantity: i64, total: &str) -> ReadLine {
    ReadLine {
        title: Title { text: title.to_owned(), product: None, is_doubtful: false },
        quantity: Decimal::from(quantity),
        amounts: vec![(Some(LineColumn::Total), Some(money(total)))],
    }
}

fn figure(kind: Summary, amount: &str) -> Figure {
    Figure { kind: Some(kind), is_discount: false, money: money(amount) }
}

/// Two lines of £9.00 and £1.00, and £2.50 for shipping.
fn shown() -> ShownOrder {
    ShownOrder {
        status: Some("Complete".to_owned()),
        lines: vec![line("Tea", 3, "£9.00"), line("Salt", 1, "£1.00")],
        figures: vec![
            figure(Summary::Basket, "£10.00"),
            figure(Summary::Shipping, "£2.50"),
            figure(Summary::OrderTotal, "£12.50"),
        ],
    }
}

fn checked<'a>(proven: &ProvenOrder, facts: ProductFacts<'a>) -> Result<CheckedOrder, Failure> {
    CheckedOrder::new(proven, |text| status::meaning(text, &HashMap::new()), |_| facts)
}

#[test]
fn an_order_whose_figures_agree_is_proven_to_the_cent() {
    let proven = prove(&listed("£12.50", 4), shown()).unwrap();
    assert!(proven.mismatch().is_empty(), "{:?}", proven.mismatch());
    let order = checked(&proven, ProductFacts::Unlinked).unwrap();
    let lines: Vec<_> = order
        .items
        .iter()
        .map(|item| [item.quantity, item.unit_price, item.line_total].map(|figure| figure.unwrap().to_string()))
        .collect();
    assert_eq!(lines, [["3", "3.00", "9.00"], ["1", "1.00", "1.00"]]);
    assert_eq!(order.total.unwrap().to_string(), "12.50");
    assert_eq!(order.fingerprint.as_deref(), Some("1|1700000000|4|12.50|GBP"));
    assert_eq!(order.items[0].shipment_status, Some(Open::Known(ShipmentStatus::Completed)));
}

#[test]
fn each_hard_check_fails_the_order_by_its_name() {
    type Change = fn(&mut ListedOrder, &mut ShownOrder);
    let changes: [(Check, Change); 8] = [
        (Check::NumberOfItems, |listed, _| listed.items = Decimal::from(5)),
        (Check::NumberOfItems, |_, shown| drop(shown.lines.pop())),
        (Check::OrderTotal, |listed, _| listed.total = money("£12.51")),
        (Check::OrderTotal, |_, shown| shown.figures.clear()),
        (Check::BasketTotal, |_, shown| shown.figures[0].money = money("£10.03")),
        (Check::BasketTotal, |_, shown| drop(shown.figures.remove(0))),
        (Check::Currency, |_, shown| shown.figures[1].money = money("€2.50")),
        (Check::Currency, |listed, _| listed.total = money("€12.50")),
    ];
    for (index, (check, change)) in changes.into_iter().enumerate() {
        let (mut listed, mut shown) = (listed("£12.50", 4), shown());
        change(&mut listed, &mut shown);
        let failure = prove(&listed, shown).unwrap_err();
        assert_eq!(failure.check, check, "change {index}: {failure}");
    }
}

#[test]
fn each_soft_check_marks_the_order_and_corrects_nothing() {
    let mut fee = shown();
    fee.figures[2].money = money("£13.50");
    let mut rounded = shown();
    rounded.figures[0].money = money("£10.01");
    let mut unnamed = shown();
    unnamed.status = None;
    for (listed, shown, check) in [
        (listed("£13.50", 4), fee, "order_total"),
        (listed("£12.50", 4), rounded, "basket_total"),
        (listed("£12.50", 4), unnamed, "status"),
    ] {
        let proven = prove(&listed, shown).unwrap();
        let marks: Vec<&str> = proven.mismatch().iter().map(|mismatch| mismatch.check.as_str()).collect();
        assert_eq!(marks, [check]);
        assert_eq!(proven.lines()[0].total(), Decimal::new(900, 2));
    }
}

#[test]
fn a_doubtful_title_needs_the_page_of_its_product_and_another_title_marks_the_order() {
    let named = |title| ProductFacts::Read { title: Some(title), sku: None, categories: &[] };
    let proven = |is_doubtful| {
        let mut shown = shown();
        shown.lines.truncate(1);
        shown.lines[0].title.is_doubtful = is_doubtful;
        shown.figures[0].money = money("£9.00");
        shown.figures[2].money = money("£11.50");
        prove(&listed("£11.50", 3), shown).unwrap()
    };
    for facts in [ProductFacts::Unlinked, ProductFacts::Gone, ProductFacts::Broken, named("Coffee")] {
        assert_eq!(checked(&proven(true), facts).unwrap_err().check, Check::Lines, "{facts:?}");
    }
    assert!(checked(&proven(true), named("Tea")).unwrap().mismatch.is_empty());
    assert_eq!(checked(&proven(false), named("Coffee")).unwrap().mismatch[0].check, "title");
}

#[test]
fn an_order_is_left_alone_later_only_if_it_is_settled_and_was_read_whole() {
    let with = |status: Option<&str>, facts| {
        let shown = ShownOrder { status: status.map(str::to_owned), ..shown() };
        checked(&prove(&listed("£12.50", 4), shown).unwrap(), facts).unwrap().fingerprint.is_some()
    };
    assert!(with(Some("Complete"), ProductFacts::Unlinked) && with(Some("Returned"), ProductFacts::Gone));
    assert!(!with(Some("Complete"), ProductFacts::Broken), "its product is asked for again");
    assert!(!with(Some("Pending"), ProductFacts::Unlinked));
    assert!(!with(Some("Under review"), ProductFacts::Unlinked), "a word that nobody explained may still change");
    assert!(!with(None, ProductFacts::Unlinked));
}

#[test]
fn what_the_state_keeps_of_an_order_comes_back_as_it_was() {
    let proven = prove(&listed("£12.50", 4), shown()).unwrap();
    let text = serde_json::to_string(&proven).unwrap();
    assert_eq!(serde_json::from_str::<ProvenOrder>(&text).unwrap(), proven);
    assert!(serde_json::from_str::<ProvenOrder>(&text.replace("GBP", "pounds")).is_err());
}
